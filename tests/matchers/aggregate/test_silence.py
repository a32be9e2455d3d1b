"""EMIT EVERY across a silence: periods in which nothing changes cost nothing, too many are refused."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import LimitError, StepRefusedError

COUNTED = "PATTERN SEQ(A a, B b) WITHIN 5 AGG COUNT EMIT EVERY 1"
GROUPED = "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 5 EVENTS AGG COUNT GROUP BY k EMIT EVERY 1"
BINDING: dict[str, Any] = {"time": "ts", "type": "kind"}
SCHEMA = pa.schema([("ts", pa.int64()), ("kind", pa.string()), ("k", pa.int64())])
FAR = 1_700_000_000


def events(*times: int, kinds: str = "AB", k: int = 1) -> list[dict[str, Any]]:
    return [{"ts": ts, "kind": kinds[i % len(kinds)], "k": k} for i, ts in enumerate(times)]


def session(text: str, **terms: Any) -> Any:
    return cepheid.query(text).session(SCHEMA, **BINDING, **terms)


@pytest.mark.parametrize("method", ["inverse", "stacks", "aseq", "ordered", "construction", "two_step"])
def test_a_row_for_each_period(method: str) -> None:
    query = cepheid.query(COUNTED).using("aggregate", method=method)
    found = query.run(events(0, 1, 100_000), **BINDING).table
    assert found["time"].to_pylist() == list(range(100_001))
    assert found["count"].to_pylist() == [0, 1, 1, 1, 1, 1] + [0] * 99_995


def test_periods_between_two_that_leave() -> None:
    """Starts leave one after the other, long after the last event: the numbers change just there."""
    text = "PATTERN SEQ(A a, B b) WITHIN 1000 AGG COUNT, SUM(a.k) EMIT EVERY 1"
    stream = [*events(0, 700, kinds="A", k=3), *events(701, 50_000, kinds="B")]
    found = cepheid.query(text).run(stream, **BINDING).table
    counts = [0] * 701 + [2] * 300 + [1] * 700 + [0] * 48_300
    assert found["count"].to_pylist() == counts
    assert found["sum_a_k"].to_pylist() == [3 * count or None for count in counts]


def test_real_time_and_a_period_that_is_no_float() -> None:
    text = "PATTERN SEQ(A a, B b) WITHIN 0.25 AGG COUNT EMIT EVERY 0.1"
    stream = [{"ts": 0.0, "kind": "A"}, {"ts": 0.05, "kind": "B"}, {"ts": 1000.0, "kind": "B"}]
    found = cepheid.query(text).run(stream, **BINDING).table
    assert found["time"].to_pylist() == [number / 10 for number in range(10_001)]
    assert found["count"].to_pylist() == [0, 1, 1] + [0] * 9_998


@pytest.mark.parametrize("method", ["auto", "aseq", "two_step"])
def test_too_many_periods_are_refused_at_once(method: str) -> None:
    query = cepheid.query(COUNTED).using("aggregate", method=method)
    with pytest.raises(LimitError, match=r"1,700,000,001 rows.*max_matches = 10,000,000"):
        query.run(events(0, FAR), **BINDING)
    with pytest.raises(LimitError, match=r"101 rows.*max_matches = 100"):
        query.run(events(0, 100), **BINDING, max_matches=100)
    assert len(query.run(events(0, 99), **BINDING, max_matches=100)) == 100


def test_too_many_groups_are_refused_before_they_are_built() -> None:
    stream = [*events(0, 1), *events(2, 3, k=2), *events(FAR, k=3)]
    with pytest.raises(LimitError, match=r"rows here, more than max_matches = 10,000,000"):
        cepheid.query(GROUPED).run(stream, **BINDING)


@pytest.mark.parametrize("text", [COUNTED, GROUPED])
@pytest.mark.parametrize("method", ["auto", "aseq", "two_step"])
def test_a_session_is_as_it_was_before_the_jump(text: str, method: str) -> None:
    query = cepheid.query(text).using("aggregate", method=method)
    jumping, steady = (query.session(SCHEMA, **BINDING) for _ in range(2))
    odd = [{"ts": None, "kind": "A", "k": 1}, *events(FAR), *events(1)]
    found = [jumping.push(events(0, 1))]
    assert found[0].equals(steady.push(events(0, 1)))
    for step in (events(2, 3, k=2), events(3, 5)):
        before = jumping.snapshot()
        with pytest.raises(StepRefusedError, match="as it was before"):
            jumping.push(odd)
        assert jumping.snapshot() in (before, cepheid.resume(query, before).snapshot())
        assert (jumping.late.num_rows, jumping.bad.num_rows, jumping.stats["bad"]) == (0, 0, 0)
        found.append(jumping.push(step))
        assert found[-1].equals(steady.push(step))
    assert jumping.close().equals(steady.close())
    assert sum(table.num_rows for table in found) > 0


@pytest.mark.parametrize("text", [COUNTED, GROUPED])
def test_events_that_waited_are_still_there(text: str) -> None:
    """Lateness holds the far event back: then advance() and close() have too many rows."""
    waiting = session(text, lateness=2 * FAR)
    waiting.push(events(0, 1, FAR))
    for call in (lambda: waiting.advance(FAR), waiting.close):
        before = waiting.snapshot(), waiting.stats["waiting"], waiting.watermark
        with pytest.raises(StepRefusedError, match="as it was before"):
            call()
        assert (waiting.snapshot(), waiting.stats["waiting"], waiting.watermark) == before
    again = cepheid.resume(cepheid.query(text), waiting.snapshot())
    assert again.advance(2).num_rows == waiting.advance(2).num_rows > 0


def test_a_workload_is_as_it_was_before_the_jump() -> None:
    queries = {"periods": COUNTED, "matches": "PATTERN SEQ(A a, B b) WITHIN 5"}
    jumping, steady = (cepheid.workload(queries).session(SCHEMA, **BINDING) for _ in range(2))
    assert jumping.push(events(0)) == steady.push(events(0))
    for step in (events(1, kinds="B"), events(2, 4)):
        with pytest.raises(StepRefusedError, match="rows"):
            jumping.push(events(FAR))
        assert jumping.push(step) == steady.push(step)
    assert jumping.close() == steady.close()


def test_another_limit_still_stops_a_session() -> None:
    """Only rows of periods are foreseen: a matcher that stops in the middle of a batch takes no more."""
    stopped = session("PATTERN A+ a[] WITHIN 20", max_matches=10)
    with pytest.raises(LimitError, match="max_matches"):
        stopped.push(events(*range(8), kinds="A"))
    with pytest.raises(cepheid.CepheidError, match="closed"):
        stopped.push(events(9))


def test_the_last_moment_that_a_column_holds() -> None:
    """There is no multiple of 10 between the last event and the end of the column's type."""
    text = "PATTERN A a WITHIN 5 AGG COUNT EMIT EVERY 10"
    for kind, last in ((pa.int64(), 2**63 - 1), (pa.int8(), 127), (pa.date32(), 2**31 - 1)):
        ticks = pa.array([last - 12, last], pa.int32() if kind == pa.date32() else kind)
        table = pa.table({"ts": ticks.cast(kind), "kind": ["A", "A"]})
        period = text.replace("5", "5 days").replace("10", "10 days") if kind == pa.date32() else text
        found = cepheid.query(period).run(table, **BINDING).table
        assert found["time"].cast(ticks.type).to_pylist() == [(last - 12) // 10 * 10 + 10]
