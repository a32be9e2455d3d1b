"""Many queries over one stream give what each gives by itself, however they share their work."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow.parquet import write_table

import cepheid
from cepheid.errors import BindingError, CepheidError, QueryError
from cepheid.events import bind
from cepheid.plan.workload.build import sharings
from cepheid.plan.workload.plan import united
from tests.cases.workloads import random_workload

EVENTS = [{"t": time, "k": kind, "x": time} for time, kind in enumerate("ABCABDCABCD")]
ONE_STREAM = {"time": "t", "type": "k"}


@pytest.mark.parametrize("seed", range(20))
def test_sharing_changes_no_answer(seed: int) -> None:
    case = random_workload(random.Random(f"workload-{seed}"))
    alone = {name: query.run(case.events, **ONE_STREAM).table for name, query in case.queries.items()}
    workload = cepheid.workload(case.queries)
    for sharing in sharings():
        found = workload.using(sharing).run(case.events, **ONE_STREAM)
        for name, table in alone.items():
            assert found[name].table.equals(table), f"{sharing}: {name}\n{case}"


def test_queries_that_count_and_queries_that_match_run_together() -> None:
    found = cepheid.workload(
        {
            "pairs": "PATTERN SEQ(A a, B b) WITHIN 5 AGG COUNT",
            "triples": cepheid.query("PATTERN SEQ(A a, B b, C c) WITHIN 5 AGG COUNT"),
            "matches": "PATTERN SEQ(A a, D d) WITHIN 3 RETURN a.t AS first, d.t AS last",
        }
    ).run(EVENTS, **ONE_STREAM)
    assert [row["count"] for row in found["pairs"]] == [1, 3, 3]
    assert [(row["first"], row["last"]) for row in found["matches"]] == [(3, 5), (7, 10)]
    assert found["pairs"].stats["sharing"] == "algebra"
    assert found["pairs"].stats["shared_by"] == 2
    assert found["matches"].stats["sharing"] == "none"


def test_equal_beginnings_and_substrings_are_kept_once() -> None:
    queries = {
        "one": "PATTERN SEQ(A a, B b, C c) WITHIN 5 AGG COUNT",
        "two": "PATTERN SEQ(A a, B b, C c, D d) WITHIN 5 AGG COUNT",
        "three": "PATTERN SEQ(D d, B b, C c) WITHIN 9 AGG COUNT",
    }
    text = str(cepheid.workload(queries).explain(EVENTS, **ONE_STREAM))
    assert "6 instead of 12 ways through substrings" in text
    assert "7 instead of 10 sums over the starts" in text
    assert "in 2 windows instead of 3" in text


def test_a_sharing_plan_is_drawn() -> None:
    queries = {f"q{first}": f"PATTERN SEQ({first} s, B b, C c) WITHIN 20 AGG COUNT" for first in "AD"}
    shared = cepheid.workload(queries).using("chop_connect", plan="exact")
    explained = shared.explain(EVENTS, **ONE_STREAM)
    assert "sharing plan (exact)" in str(explained)
    assert explained.mermaid().startswith("flowchart LR")
    tree = cepheid.workload(queries).using("prefix_tree").explain(EVENTS, **ONE_STREAM)
    assert "counts for 6 steps" in str(tree)


def test_what_is_shared_is_told_without_a_stream() -> None:
    workload = cepheid.workload(
        {
            "one": "PATTERN SEQ(A a, B b, C c) WHERE a.name = 'x' AND [p] WITHIN 5 min AGG COUNT GROUP BY p",
            "two": "PATTERN SEQ(A a, B b) WHERE a.name = 'x' AND [p] WITHIN 5 min AGG COUNT GROUP BY p",
            "three": "PATTERN SEQ(A a, B b) WHERE a.size > 3 WITHIN 5 min",
        }
    )
    told = str(workload.explain())
    assert "algebra: 2 queries together: one, two" in told
    assert "each by itself: three" in told
    with pytest.raises(CepheidError, match="say its columns"):
        cepheid.workload({"a": "PATTERN A a WHERE a.x > 1", "b": "PATTERN A a WHERE a.x = 'y'"}).explain()


def test_a_thousand_queries() -> None:
    chance = random.Random(1)
    queries = {
        f"q{number}": "PATTERN SEQ({} a, {} b, {} c) WITHIN 4 AGG COUNT".format(*chance.sample("ABCD", 3))
        for number in range(1000)
    }
    found = cepheid.workload(queries).run(EVENTS, **ONE_STREAM)
    for name in ("q0", "q500", "q999"):
        assert found[name].table.equals(cepheid.query(queries[name]).run(EVENTS, **ONE_STREAM).table)


def test_bad_events_are_reported_to_every_query() -> None:
    events = [*EVENTS, {"t": None, "k": "A", "x": 0}]
    found = cepheid.workload({"q": "PATTERN A a AGG COUNT WITHIN 3"}).run(events, **ONE_STREAM)
    assert found["q"].bad.num_rows == 1


def test_bad_events_of_files_have_the_columns_that_were_read(tmp_path: Path) -> None:
    path = tmp_path / "events.parquet"
    write_table(pa.Table.from_pylist([*EVENTS, {"t": None, "k": "A", "x": 0}]), path)
    found = cepheid.workload({"q": "PATTERN A a AGG COUNT WITHIN 3"}).run(path, **ONE_STREAM)
    assert found["q"].bad.to_pylist() == [{"t": None, "k": "A", "reason": "'t' is no time"}]


@pytest.mark.parametrize("sharing", sharings())
def test_no_events(sharing: str) -> None:
    queries = dict.fromkeys(("q", "r"), "PATTERN SEQ(A a, B b) AGG COUNT WITHIN 3")
    found = cepheid.workload(queries).using(sharing).run([], **ONE_STREAM)
    assert len(found["q"]) == 0


@pytest.mark.parametrize("queries", [{}, None, [], {1: "PATTERN A a"}])
def test_what_is_no_workload_is_refused(queries: object) -> None:
    with pytest.raises(CepheidError):
        cepheid.workload(queries)  # type: ignore[arg-type]


def test_a_wrong_query_is_named() -> None:
    workload = cepheid.workload({"fine": "PATTERN A a", "wrong": "PATTERN A a WHERE a.nothing > 1"})
    with pytest.raises(QueryError) as error:
        workload.run(EVENTS, **ONE_STREAM)
    assert "query 'wrong' of the workload" in str(error.value)


def test_unknown_ways_of_sharing_are_refused() -> None:
    workload = cepheid.workload({"q": "PATTERN A a"})
    with pytest.raises(QueryError, match="cannot share by 'magic'"):
        workload.using("magic")
    with pytest.raises(QueryError, match="no sharing plan 'magic'"):
        workload.using("chop_connect", plan="magic")


def test_results_that_do_not_fit_one_table_are_refused_where_they_must() -> None:
    columns = pa.schema([("t", pa.int64()), ("k", pa.string())])
    queries = {"one": "PATTERN A a RETURN a.t AS x", "two": "PATTERN A a RETURN a.k AS x"}
    plan = cepheid.workload(queries).plan(bind(columns, **ONE_STREAM))
    with pytest.raises(BindingError, match="do not fit one table"):
        united(plan)
