"""An engine is one record: the toy runs everywhere, and nothing else in the house knows that it exists."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

import cepheid
from cepheid.plan.engines import ENGINES
from tests.toy_engine import LATEST

TEXT = (
    "PATTERN SEQ(ANY a, ANY b) WHERE partition_contiguity { [k] } WITHIN 40 "
    "RETURN a.x, b.x, b.ts - a.ts AS gap"
)
BINDING: dict[str, Any] = {"time": "ts", "order": ["seq"]}


def toy_query(text: str = TEXT) -> cepheid.Query:
    """A query that the toy may run too."""
    return replace(cepheid.query(text), engines=(*ENGINES, LATEST))


def toy_events(count: int = 400, seed: int = 3) -> pa.Table:
    """Events of few keys, some without one."""
    rng = np.random.default_rng(seed)
    keys = rng.integers(0, 9, count)
    return pa.table(
        {
            "ts": np.sort(rng.integers(0, 8 * count, count)),
            "k": pa.array(keys, mask=keys == 8),
            "x": rng.integers(0, 100, count),
            "seq": np.arange(count),
        }
    )


def expected(table: pa.Table) -> list[dict[str, Any]]:
    """What the nfa engine finds."""
    found = cepheid.query(TEXT).using("nfa").run(table, **BINDING)
    assert len(found) > 50
    return list(found)


def test_a_table() -> None:
    found = toy_query().using("latest").run(toy_events(), **BINDING)
    assert list(found) == expected(toy_events())
    assert found.stats["engine"] == "latest" and found.stats["partitions"] == 8


def test_auto_takes_what_costs_least() -> None:
    assert toy_query().run(toy_events(), **BINDING).stats["engine"] == "latest"
    assert (
        toy_query("PATTERN SEQ(ANY a, ANY b) WITHIN 3").run(toy_events(), **BINDING).stats["engine"] == "nfa"
    )


def test_a_session_with_snapshots() -> None:
    query, table = toy_query().using("latest"), toy_events()
    session, found = query.session(table.schema, **BINDING), []
    for start in range(0, table.num_rows, 37):
        session = cepheid.resume(query, session.snapshot())
        found += session.push(table.slice(start, 37)).to_pylist()
    found += session.close().to_pylist()
    assert found == expected(table)


def test_a_workload() -> None:
    both = cepheid.workload(
        {"toy": toy_query().using("latest"), "all": "PATTERN ANY a AGG COUNT EMIT ON CLOSE"}
    )
    found = both.run(toy_events(), **BINDING)
    assert list(found["toy"]) == expected(toy_events())
    assert found["all"].table.column("count").to_pylist() == [400]
    assert "toy" in str(both.explain(toy_events().schema, **BINDING))


def test_matches_of_the_toy_are_events_to_others() -> None:
    toy = toy_query(
        "PATTERN SEQ(ANY a, ANY b) WHERE partition_contiguity { [k] } WITHIN 40 RETURN b.k AS k, a.x AS z"
    )
    fed = "PATTERN SEQ(pair p, pair q) WHERE skip_till_next_match { [k] } WITHIN 90 RETURN p.z, q.z"
    found = {
        engine: list(
            cepheid.workload({"pair": toy.using(engine), "fed": fed}).run(toy_events(), **BINDING)["fed"]
        )
        for engine in ("latest", "nfa")
    }
    assert found["latest"] == found["nfa"] and len(found["nfa"]) > 20


def test_its_explanation() -> None:
    text = str(toy_query().explain(toy_events().schema, **BINDING))
    for part in (
        "latest: it costs least of those that run it",
        "latest: a look at the last event",
        "the last event of each k",
        "may run for ever",
        "divided by keys: all events of a match agree on k",
    ):
        assert part in text, part
