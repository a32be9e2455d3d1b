"""AGG in two steps: every query that is counted may be built too, and what cannot be counted must be."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import LimitError, QueryCheckError, SnapshotError, UnsupportedError
from cepheid.events import bind
from cepheid.language.sase.parse import parse
from cepheid.matchers.aggregate.two_step import matcher, reports
from cepheid.matchers.aggregate.two_step.intervals import spread
from cepheid.matchers.aggregate.two_step.lists import Lists, lists_of
from cepheid.matchers.windows import all_within, first_outside
from cepheid.plan.aggregate.plan import AggregatePlan, TwoStepPlan
from cepheid.plan.program import WindowTest
from tests.cases import random_aggregate_case
from tests.laws.differential import check_cases
from tests.laws.verdict import compare_tables
from tests.laws.ways import BY_NAME
from tests.oracle import aggregates

BINDING = {"time": "time", "type": "type", "time_unit": "s"}
SCHEMA = {"time": pa.int64(), "type": pa.string(), "x": pa.int64(), "s": pa.string()}


def two_step(text: str) -> cepheid.Query:
    return cepheid.query(text).using("aggregate", method="two_step")


def random_events(rng: random.Random, count: int, types: str = "AABC") -> list[dict[str, Any]]:
    """Events of a few types, with ties, nulls and two keys."""
    time = 0
    events = []
    for _ in range(count):
        time += rng.choice((0, 1, 1, 2))
        x = rng.choice((None, 0, 1, 2, 3, 3))
        key, text = rng.choice((1, 1, 2, None)), rng.choice(("a", "B", "ab", None))
        events.append({"time": time, "type": rng.choice(types), "x": x, "k": key, "s": text})
    return events


def table_of(events: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(events, schema=pa.schema([*SCHEMA.items(), ("k", pa.int64())]))


# -- the choice of the method ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "condition",
    [
        "a.x < b[i].x",
        "b[i].x > b[1].x",
        "b[last].x = 1",
        "b.len >= 2",
        "avg(b.x) > a.x",
        "u.x = a.x",
    ],
)
def test_conditions_between_events_are_run_in_two_steps(condition: str) -> None:
    query = cepheid.query(f"PATTERN SEQ(A a, ~C u, B+ b[]) WHERE {condition} AGG COUNT WITHIN 9")
    assert isinstance(query.plan(bind(pa.schema(list(SCHEMA.items())), **BINDING)), TwoStepPlan)
    with pytest.raises(UnsupportedError, match="between events needs the matches"):
        query.using("aggregate", method="aseq").plan(bind(pa.schema(list(SCHEMA.items())), **BINDING))


def test_what_can_be_counted_is_not_built() -> None:
    query = cepheid.query("PATTERN SEQ(A a, B b) WHERE a.x > 1 AGG COUNT")
    schema = pa.schema(list(SCHEMA.items()))
    assert isinstance(query.plan(bind(schema, **BINDING)), AggregatePlan)
    assert isinstance(two_step(str(query)).plan(bind(schema, **BINDING)), TwoStepPlan)


def test_a_window_inside_is_run_in_two_steps() -> None:
    query = cepheid.query("PATTERN SEQ(A a, (SEQ(B b, C c)) WITHIN 2) AGG COUNT WITHIN 9")
    assert isinstance(query.plan(bind(pa.schema(list(SCHEMA.items())), **BINDING)), TwoStepPlan)
    with pytest.raises(UnsupportedError, match="WITHIN inside needs the matches"):
        query.using("aggregate", method="aseq").plan(bind(pa.schema(list(SCHEMA.items())), **BINDING))


def test_a_stream_may_have_a_column_named_position() -> None:
    query = two_step("PATTERN SEQ(A a, B b) WHERE a.position < b.position AGG COUNT, SUM(b.position)")
    events = [{"time": i, "type": "AB"[i % 2], "position": 7 * i % 5, "position_": 0} for i in range(9)]
    result = query.run(events, **BINDING)
    expected = aggregates(parse(str(query)), events, **BINDING)
    compare_tables(result.table, expected, query.tree)
    assert result.stats["engine"] == "aggregate"
    assert result.stats["matches_built"] == expected[-1]["count"] > 0


# -- against the oracle ----------------------------------------------------------------------------


def check(text: str, events: list[dict[str, Any]], rng: random.Random) -> int:
    """A whole run and a session in batches, broken by a snapshot; how many rows."""
    query, parsed, table = two_step(text), parse(text), table_of(events)
    expected = aggregates(parsed, events, **BINDING)
    compare_tables(query.run(table, **BINDING).table, expected, parsed)
    if parsed.window is not None:
        compare_tables(in_batches(query, table, rng), expected, parsed)
    return len(expected)


def in_batches(query: cepheid.Query, table: pa.Table, rng: random.Random) -> pa.Table:
    edges = sorted([0, table.num_rows, *(rng.randrange(table.num_rows) for _ in range(3))])
    session = query.session(table.schema, **BINDING)
    found = []
    for start, stop in itertools.pairwise(edges):
        found.append(session.push(table.slice(start, stop - start)))
        session = cepheid.resume(query, session.snapshot())
    return pa.concat_tables([*found, session.close()])


@pytest.mark.slow
@pytest.mark.parametrize("part", [1, 3, 1 << 14])
def test_random_cases(monkeypatch: pytest.MonkeyPatch, part: int) -> None:
    monkeypatch.setattr(matcher, "_PART", part)
    monkeypatch.setattr(reports, "_CELLS", part)
    drawn = [random_aggregate_case(random.Random(f"two-step-{part}-{number}")) for number in range(60)]
    assert check_cases(drawn, [BY_NAME["aggregate two_step"]]) > 0


PATTERNS = (
    "SEQ(A a, B+ b[], ~C u)",
    "SEQ(A a, B* b[], ~C u)",
    "SEQ(A a, ~C u, B* b[])",
    "SEQ(A a, ~C u, B? c, B{1,2} b[])",
    "SEQ(A? a, ~C u, B* b[], A c)",
    "SEQ(OR(SEQ(A a, ~C u), B c), B* b[])",
    "SEQ((SEQ(A a, B+ b[], ~C u)) WITHIN 2)",
    "SEQ(A a, (SEQ(B* b[], ~C u)) WITHIN 3 EVENTS)",
    "SEQ((SEQ(A a, ~C u, A? c)) WITHIN 3, B* b[])",
)
CONDITIONS = (
    "u.x = a.x",
    "u.x > b[i].x",
    "u.x != b[i-1].x",
    "u.x <= b[1].x AND u.x > 0",
    "u.x = b[last].x OR u.s = a.s",
    "b.len >= u.x",
    "avg(b.x) > u.x",
    "u.x + 1 > sum(b[..i-1].x)",
    "count(b) = u.x",
    "u.x < max(b.x)",
    "lower(u.s) = lower(a.s)",
    "u.time - a.time <= 2",
    "u.s LIKE 'a%' AND b[i].x >= b[1].x",
    "u.x IN (a.x, 2)",
)
EMISSIONS = ("", "", "EMIT ON CLOSE", "EMIT EVERY 2 s")
WINDOWS = ("", "WITHIN 4", "WITHIN < 5", "WITHIN 5 EVENTS")


@pytest.mark.slow
@pytest.mark.parametrize("pattern", PATTERNS)
def test_absences_at_the_end_and_their_conditions(pattern: str) -> None:
    rng = random.Random(pattern)
    for _ in range(24):
        conditions = rng.sample(CONDITIONS, rng.choice((1, 1, 2)))
        keys = rng.choice(([], ["[k]"]))
        emission = rng.choice(EMISSIONS)
        text = (
            f"PATTERN {pattern} WHERE {' AND '.join([*keys, *(f'({c})' for c in conditions)])} "
            f"AGG COUNT, SUM(b.x), MIN(b.s) {rng.choice(('', 'GROUP BY k'))} {rng.choice(WINDOWS)} {emission}"
        )
        try:
            check(text, random_events(rng, 14), rng)
        except Exception as error:
            error.add_note(text)
            raise


def test_matches_leave_with_their_first_event() -> None:
    rng = random.Random(3)
    events = random_events(rng, 40)
    text = "PATTERN SEQ(A a, B b) WHERE a.x <= b.x AGG COUNT, SUM(a.x), MAX(b.s) GROUP BY k WITHIN 3"
    assert check(text, events, rng) > 5
    session = two_step(text).session(table_of([]).schema, **BINDING)
    held = []
    for event in [{**event, "time": 1000 * turn + event["time"]} for turn in range(4) for event in events]:
        session.push(table_of([event]))
        held.append(session._feed.matcher.alive.count)  # type: ignore[attr-defined]
    assert max(held[40:]) == max(held[:40])


# -- exact numbers, limits, snapshots --------------------------------------------------------------


def test_sums_do_not_wrap() -> None:
    most = 2**63 - 1
    events = [{"time": i, "type": "A", "x": x} for i, x in enumerate((most, most, -1, most, most))]
    query = cepheid.query("PATTERN SEQ(A a, A+ b[]) WHERE a.x >= b[1].x AGG COUNT, SUM(b.x), AVG(b.x)")
    expected = aggregates(query.tree, events, **BINDING)
    compare_tables(query.run(events, **BINDING).table, expected, query.tree)
    assert expected[-1]["sum_b_x"] > 2**64


def test_infinite_values_leave_with_their_match() -> None:
    values = [1.0, float("inf"), 1e300, 2.0, -3.5, 1.0]
    events = [{"time": i, "type": "A", "x": x} for i, x in enumerate(values)]
    text = "PATTERN SEQ(A a, A b) WHERE a.time < b.time AGG SUM(a.x), AVG(b.x), MIN(a.x), MAX(a.x) WITHIN 1"
    query = cepheid.query(text)
    found = query.run(events, **BINDING).table
    compare_tables(found, aggregates(query.tree, events, **BINDING), query.tree)
    assert found.column("sum_a_x").to_pylist()[-1] == -3.5


@pytest.mark.compiled
def test_too_many_matches_are_refused() -> None:
    events = [{"time": i, "type": "A", "x": i} for i in range(60)]
    query = two_step("PATTERN A+ a[] WHERE a[i].x > a[i-1].x AGG COUNT EMIT ON CLOSE")
    with pytest.raises(LimitError, match="builds every match, and there are more than max_matches = 1,000"):
        query.run(events, **BINDING, max_matches=1000)


def test_too_many_rows_are_refused() -> None:
    events = [{"time": i, "type": "A", "x": -i} for i in range(60)]
    query = two_step("PATTERN SEQ(A a, A b) WHERE a.x < b.x AGG COUNT")
    with pytest.raises(LimitError, match="more than max_matches = 50 rows"):
        query.run(events, **BINDING, max_matches=50)


@pytest.mark.compiled
def test_too_many_bytes_are_refused() -> None:
    events = [{"time": i, "type": "A", "x": i} for i in range(400)]
    query = two_step("PATTERN SEQ(A a, A b) WHERE a.x < b.x AGG COUNT WITHIN 1000")
    with pytest.raises(LimitError, match="max_state = 2,000,000 bytes: 79,800 matches are in the window"):
        query.run(events, **BINDING, max_state=2_000_000)


def test_the_limit_of_matches_is_for_one_call() -> None:
    query = two_step("PATTERN SEQ(A a, A b) WHERE a.x < b.x AGG COUNT WITHIN 5")
    session = query.session(SCHEMA, **BINDING, max_matches=20)
    for start in range(0, 200, 2):
        events = [{"time": start + i, "type": "A", "x": start + i} for i in range(2)]
        assert session.push(events).column("count").to_pylist()[-1] <= 15


def test_a_snapshot_is_of_its_method() -> None:
    text = "PATTERN SEQ(A a, B b) AGG COUNT WITHIN 5"
    snapshot = two_step(text).session(SCHEMA, **BINDING).snapshot()
    assert cepheid.resume(two_step(text), snapshot).close().num_rows == 0
    with pytest.raises(SnapshotError):
        cepheid.resume(cepheid.query(text), snapshot)


def test_a_stream_without_end_needs_a_window() -> None:
    with pytest.raises(QueryCheckError, match="unbounded"):
        two_step("PATTERN SEQ(A a, B b) WHERE a.x < b.x AGG COUNT").session(SCHEMA, **BINDING)


# -- arrays ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ufunc", "identity"), [(np.add, 0), (np.minimum, 99), (np.maximum, -99)])
def test_values_are_spread_over_ranges_of_rows(ufunc: np.ufunc, identity: int) -> None:
    rng = np.random.default_rng(1)
    for rows in (0, 1, 2, 7, 8, 21):
        start, stop = rng.integers(0, rows + 1, (2, 30))
        values = rng.integers(-9, 9, 30)
        found = spread(ufunc, identity, start, np.maximum(start, stop), values, rows)
        for row in range(rows):
            covering = values[(start <= row) & (row < stop)]
            assert found[row] == ufunc.reduce(covering, initial=identity)


def test_lists() -> None:
    column = pa.chunked_array([pa.array([[1, 2], [], [3]]), pa.array([[4, 5, 6]])])
    lists = lists_of(column)
    assert lists.at(0).tolist() == [1, -1, 3, 4]
    assert lists.at(-1).tolist() == [2, -1, 3, 6]
    assert lists.take(np.array([3, 0, 1])).items.tolist() == [4, 5, 6, 1, 2]
    assert lists.prefixes(np.array([1, 0, 1, 2])).items.tolist() == [1, 3, 4, 5]
    assert lists.reduced(np.add, lists.items, 0).tolist() == [3, 0, 3, 15]
    assert lists_of(pa.chunked_array([pa.array([7, None, 8])])).offsets.tolist() == [0, 1, 1, 2]
    assert Lists(np.array([0]), np.zeros(0, np.int64)).reduced(np.add, np.zeros(0, np.int64), 0).size == 0


@pytest.mark.parametrize(
    "window",
    [
        WindowTest(False, 3),
        WindowTest(False, 2**63 - 1),
        WindowTest(False, -1),
        WindowTest(False, 0.3),
        WindowTest(False, 0.3, strict=True),
    ],
)
def test_windows_end_where_they_say(window: WindowTest) -> None:
    kind = np.float64 if isinstance(window.limit, float) else np.int64
    moments = np.arange(12).astype(kind) / (10 if kind is np.float64 else 1)
    moments = moments.astype(kind)
    begun = np.array([0, 0.1, 0.2, 1.1] if kind is np.float64 else [0, 5, 2**62, -(2**62)], kind)
    found = first_outside(window, moments, begun)
    for place, start in zip(found.tolist(), begun, strict=True):
        inside = all_within(window, np.full(moments.size, start), moments)
        assert inside[:place].all()
        assert not inside[place:].any()
