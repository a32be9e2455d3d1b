"""A workload over events as they come finds, query by query, what it finds in a whole table."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import CepheidError, EventError, LimitError, QueryCheckError, SnapshotError
from cepheid.plan.workload.build import sharings
from tests.cases.workloads import random_workload

ONE_STREAM: dict[str, Any] = {"time": "t", "type": "k"}
SCHEMA = pa.schema([("t", pa.int64()), ("k", pa.string()), ("x", pa.int64())])
QUERIES = {
    "pairs": "PATTERN SEQ(A a, B b) WITHIN 5 RETURN a.x AS first, b.x AS last",
    "counts": "PATTERN SEQ(A a, B b, C c) WITHIN 5 AGG COUNT",
    "again": "PATTERN SEQ(B a, C b) WITHIN 3 AGG COUNT",
    "quiet": "PATTERN SEQ(C c, ~A a) WITHIN 2 RETURN c.x AS since",
    "alarm": "PATTERN SEQ(pairs p, quiet q) WITHIN 9 RETURN p.first AS first, q.since AS since",
}
WORKLOAD = cepheid.workload(QUERIES)


def table_of(kinds: str) -> pa.Table:
    rows = [{"t": time, "k": kind, "x": time} for time, kind in enumerate(kinds)]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def rows_of(found: list[dict[str, pa.Table]]) -> dict[str, list[dict[str, str]]]:
    """The rows of each query; counts and sums may be numbers or their digits."""
    return {
        name: [{n: str(v) for n, v in row.items()} for tables in found for row in tables[name].to_pylist()]
        for name in found[0]
    }


def whole(workload: cepheid.Workload, table: pa.Table) -> dict[str, list[dict[str, str]]]:
    return rows_of([{name: each.table for name, each in workload.run(table, **ONE_STREAM).items()}])


@pytest.mark.parametrize("seed", range(8))
def test_cut_anywhere_and_resumed_anywhere(seed: int) -> None:
    chance = random.Random(f"workload-session-{seed}")
    table = table_of("".join(chance.choices("ABCD", k=60)))
    session = WORKLOAD.session(SCHEMA, **ONE_STREAM)
    found, start = [], 0
    while start < table.num_rows:
        stop = start + chance.randint(1, 9)
        found.append(session.push(table.slice(start, stop - start)))
        start = stop
        if chance.random() < 0.4:
            session = cepheid.resume(WORKLOAD, session.snapshot())
    found.append(session.close())
    expected = whole(WORKLOAD, table)
    assert rows_of(found) == expected
    assert all(expected.values())
    stats = session.stats
    assert {name: stats[name]["matches"] for name in QUERIES} == {n: len(r) for n, r in expected.items()}
    assert all(stats[name]["events"] == 60 for name in QUERIES)
    assert (stats["alarm"]["derived"] > 0, stats["counts"]["shared_by"]) == (True, 2)


@pytest.mark.parametrize("sharing", sharings())
def test_however_work_is_shared(sharing: str) -> None:
    case = random_workload(random.Random(f"session-{sharing}"))
    workload = cepheid.workload(case.queries).using(sharing)
    session = workload.session(case.events.schema, **ONE_STREAM)
    half = case.events.num_rows // 2
    found = [session.push(case.events.slice(0, half))]
    session = cepheid.resume(workload, session.snapshot())
    found += [session.push(case.events.slice(half)), session.close()]
    assert rows_of(found) == whole(workload, case.events)


def test_events_that_come_late_are_put_in_order() -> None:
    table = table_of("ABCDABCCAB")
    session = WORKLOAD.session(SCHEMA, **ONE_STREAM, lateness=4)
    shuffled = table.take(pa.array([2, 0, 1, 4, 3, 6, 5, 9, 8, 7]))
    found = [session.push(shuffled.slice(start, 2)) for start in range(0, 10, 2)]
    assert session.stats["pairs"]["waiting"] > 0
    found.append(session.close())
    assert rows_of(found) == whole(WORKLOAD, table)
    assert session.late.num_rows == 0


def test_late_and_bad_events_are_told_once() -> None:
    session = WORKLOAD.session(SCHEMA, **ONE_STREAM)
    session.push(table_of("ABC"))
    session.push([{"t": 0, "k": "A", "x": 1}, {"t": None, "k": "A", "x": 1}, {"t": 9, "k": "A", "x": "much"}])
    session = cepheid.resume(WORKLOAD, session.snapshot())
    assert session.late.column("reason").to_pylist() == ["behind the watermark"]
    assert sorted(session.bad.column("reason").to_pylist()) == [
        "'t' is no time",
        "x: 'much' does not fit int64",
    ]
    assert [(each["late"], each["bad"]) for each in session.stats.values()] == [(1, 2)] * len(QUERIES)
    assert (session.take_late().num_rows, session.late.num_rows) == (1, 0)
    with pytest.raises(EventError, match="an event is late"):
        strict = WORKLOAD.session(SCHEMA, **ONE_STREAM, on_late="fail")
        strict.push(table_of("ABC"))
        strict.push([{"t": 0, "k": "A", "x": 1}])


def test_time_passes_without_events() -> None:
    session = WORKLOAD.session(SCHEMA, **ONE_STREAM)
    session.push(table_of("ABC"))
    found = session.advance(100)
    assert (found["quiet"].num_rows, found["alarm"].num_rows) == (1, 1)
    assert session.watermark == 100


def test_the_limit_is_for_each_query_and_each_push() -> None:
    queries = {"one": "PATTERN A a", "two": "PATTERN B b"}
    session = cepheid.workload(queries).session(SCHEMA, **ONE_STREAM, max_matches=2)
    for start in (0, 10):
        rows = [{"t": start + time, "k": kind, "x": 0} for time, kind in enumerate("ABAB")]
        assert {name: table.num_rows for name, table in session.push(rows).items()} == {"one": 2, "two": 2}
    with pytest.raises(LimitError, match="more than max_matches = 2"):
        session.push([{"t": 20, "k": "A", "x": 0}] * 3)
    with pytest.raises(CepheidError, match="the session is closed, or an error has stopped it"):
        session.push([])


def test_an_unbounded_query_is_refused_by_name() -> None:
    with pytest.raises(
        QueryCheckError, match="query 'wide' of the workload: over an unbounded stream"
    ) as error:
        cepheid.workload({"fine": "PATTERN A a", "wide": "PATTERN SEQ(A a, B b)"}).session(
            SCHEMA, **ONE_STREAM
        )
    assert "SEQ(A a, B b)" in str(error.value)
    waiting = {"one": "PATTERN SEQ(A a, ~B b) WITHIN 5 EVENTS", "two": "PATTERN one o"}
    with pytest.raises(QueryCheckError, match="'two' would wait for ever"):
        cepheid.workload(waiting).session(SCHEMA, **ONE_STREAM)


def test_a_snapshot_goes_with_its_workload() -> None:
    session = WORKLOAD.session(SCHEMA, **ONE_STREAM)
    session.push(table_of("ABC"))
    saved = session.snapshot()
    other = cepheid.workload({**QUERIES, "pairs": "PATTERN SEQ(A a, B b) WITHIN 6 RETURN a.x AS first"})
    for held in (other, cepheid.query("PATTERN A a"), cepheid.workload({"q": "PATTERN A a WHERE a.y > 1"})):
        with pytest.raises(SnapshotError, match="of another query"):
            cepheid.resume(held, saved)
    with pytest.raises(SnapshotError, match="shares otherwise"):
        cepheid.resume(WORKLOAD.using("none"), saved)
    with pytest.raises(CepheidError, match=r"resume\(\) takes a query, a workload or a profile"):
        cepheid.resume("PATTERN A a", saved)  # type: ignore[arg-type]
