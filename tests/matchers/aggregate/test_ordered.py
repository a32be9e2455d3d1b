"""Counting with conditions between neighbours: what is counted so, the trees, the numbers and the room."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import LimitError, SnapshotError, UnsupportedError
from cepheid.events import bind
from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.aggregate.ordered import layout as to
from cepheid.matchers.aggregate.ordered.method import Ordered
from cepheid.matchers.aggregate.ordered.trees import gather, plant, uproot
from cepheid.matchers.aggregate.tables import tables_of
from cepheid.plan.aggregate.plan import AggregatePlan, TwoStepPlan

BINDING = {"time": "time", "type": "type"}
SCHEMA = pa.schema(
    [("time", pa.int64()), ("type", pa.string()), ("x", pa.int64()), ("y", pa.float64()), ("s", pa.string())]
)


def plan_of(pattern: str, condition: str, method: str = "auto") -> AggregatePlan | TwoStepPlan:
    query = cepheid.query(f"PATTERN {pattern} WHERE {condition} AGG COUNT, MIN(b.x) WITHIN 9")
    plan = query.using("aggregate", method=method).plan(bind(SCHEMA, **BINDING))
    assert isinstance(plan, AggregatePlan | TwoStepPlan)
    return plan


# -- the choice of the method ----------------------------------------------------------------------

COUNTED = (
    ("SEQ(A a, B b)", "a.x < b.x"),
    ("SEQ(A a, B b)", "b.y * 2 != abs(a.x) + 1"),
    ("SEQ(A a, B b)", "a.s != b.s AND a.x > 1"),
    ("SEQ(A a, B b, C c)", "a.x <= b.x AND b.x >= c.y"),
    ("SEQ(A a, B+ b[])", "b[i].x > b[i-1].x"),
    ("SEQ(A a, B{2,4} b[])", "b[i-1].x <= b[i].x AND a.x < b[1].x"),
    ("SEQ(A+ a[], B b)", "a[last].x < b.x"),
    ("SEQ(A a, ~C u, B b)", "a.x < b.x AND u.x = 1"),
    ("SEQ(A a, B? b, C c)", "b.x < c.x"),
    ("SEQ(A a, OR(B b, C c))", "a.x < b.x AND a.y > c.x"),
)
BUILT = (
    ("SEQ(A a, B b)", "a.x < b.x AND a.y > b.y"),
    ("SEQ(A a, B b)", "a.s < b.s"),
    ("SEQ(A a, B b)", "b.x - a.x > 2"),
    ("SEQ(A a, B b)", "a.x < b.x OR a.x = 1"),
    ("SEQ(A a, B b, C c)", "a.x < c.x"),
    ("SEQ(A a, B? b, C c)", "a.x < c.x"),
    ("SEQ(OR(A a, C c), B b)", "a.x < c.x"),
    ("SEQ(A a, B+ b[])", "a.x < b[i].x"),
    ("SEQ(A+ a[], B b)", "a[i].x < b.x"),
    ("SEQ(A+ a[], B b)", "a[1].x < b.x"),
    ("SEQ(A a, B+ b[])", "b[i-1].x < b[1].x"),
    ("SEQ(A a, B+ b[])", "b[i-1].x > 1"),
    ("SEQ(A a, B+ b[])", "b[last].x > a.x"),
    ("SEQ(A a, ~C u, B b)", "u.x < b.x"),
    ("(SEQ(A a, B b)) WITHIN 3", "a.x < b.x"),
)


@pytest.mark.parametrize(("pattern", "condition"), COUNTED)
def test_comparisons_of_neighbours_are_counted(pattern: str, condition: str) -> None:
    plan = plan_of(pattern, condition)
    assert isinstance(plan, AggregatePlan) and plan.method == "ordered"
    with pytest.raises(UnsupportedError, match="between events needs the matches"):
        plan_of(pattern, condition, "aseq")


@pytest.mark.parametrize(("pattern", "condition"), BUILT)
def test_other_conditions_are_run_in_two_steps(pattern: str, condition: str) -> None:
    assert isinstance(plan_of(pattern, condition), TwoStepPlan)
    with pytest.raises(UnsupportedError, match="'ordered' does not count matches") as raised:
        plan_of(pattern, condition, "ordered")
    assert "two_step" in str(raised.value)


def test_explain_says_how_it_counts() -> None:
    query = cepheid.query("PATTERN SEQ(A a, B b) WHERE a.x < b.x AGG COUNT WITHIN 9")
    assert "  ordered: an event visits" in str(query.explain(SCHEMA, **BINDING))


# -- trees -----------------------------------------------------------------------------------------

HOLDS: dict[int, Callable[[int, int], bool]] = {
    to.LESS: lambda known, value: known < value,
    to.LESS | to.EQUAL: lambda known, value: known <= value,
    to.EQUAL: lambda known, value: known == value,
    to.GREATER | to.EQUAL: lambda known, value: known >= value,
    to.GREATER: lambda known, value: known > value,
    to.LESS | to.GREATER: lambda known, value: known != value,
    to.LESS | to.EQUAL | to.GREATER: lambda known, value: True,
}
DRAWS: tuple[Callable[[random.Random, int], int], ...] = (
    lambda rng, turn: turn,
    lambda rng, turn: 2**64 - 1 - turn,
    lambda rng, turn: rng.randrange(8),
    lambda rng, turn: rng.getrandbits(64),
    lambda rng, turn: 1 << rng.randrange(64),
)


@pytest.mark.parametrize("draw", range(len(DRAWS)))
def test_a_tree_sums_what_is_less_equal_or_greater(draw: int) -> None:
    rng, cell = random.Random(draw), np.zeros((2, 1), np.uint64)
    plan = cepheid.query("PATTERN SEQ(A a, B b) WHERE a.x < b.x AGG COUNT").plan(bind(SCHEMA, **BINDING))
    assert isinstance(plan, AggregatePlan)
    tables, ranks = tables_of(plan, 1), np.zeros(0, np.int64)
    memory = Ordered(plan, max_state=1 << 20)
    memory.grow_nodes()
    for kept in (60, 50):
        known: list[list[tuple[int, int]]] = [[], []]
        for turn in range(kept):
            tree = rng.randrange(2)
            value, count = DRAWS[draw](rng, turn), rng.randrange(1, 9)
            known[tree].append((value, count))
            cell[0, 0] = count
            plant(tables, ranks, memory.trees, tree, np.uint64(value), cell, 0)  # type: ignore[no-untyped-call]
            near = rng.choice(known[tree])[0] + rng.choice((-1, 0, 1))
            asked = rng.choice((near % 2**64, rng.getrandbits(64)))
            for wants, holds in HOLDS.items():
                cell[1, 0] = 0
                gather(tables, ranks, memory.trees, tree, np.uint64(asked), wants, cell, 1)  # type: ignore[no-untyped-call]
                assert cell[1, 0] == sum(n for v, n in known[tree] if holds(v, asked))
        for tree in range(2):
            uproot(memory.trees, tree)  # type: ignore[no-untyped-call]
        assert memory.trees.free[to.FREE_NODES] == memory.trees.values.size
        assert (memory.trees.tops == at.NONE).all()


# -- numbers and room ------------------------------------------------------------------------------


def _trends(events: list[tuple[int, str, int]], window: int) -> list[tuple[int, int, int | None, int | None]]:
    """Time, count, sum and least of a.x of rising A+ a[] at each event, window by window."""
    rows: list[tuple[int, int, int | None, int | None]] = []
    for place in range(len(events)):
        inside = [x for time, _, x in events[: place + 1] if time >= events[place][0] - window]
        ways: list[tuple[int, int]] = []
        for later, x in enumerate(inside):
            before = [way for way, known in zip(ways, inside[:later], strict=True) if known <= x]
            count = 1 + sum(n for n, _ in before)
            ways.append((count, sum(s for _, s in before) + count * x))
        rows.append((events[place][0], sum(n for n, _ in ways), sum(s for _, s in ways), min(inside)))
    return rows


@pytest.mark.parametrize(("rising", "window"), [(True, 100), (False, 30)])
def test_trends_grow_past_any_word(rising: bool, window: int) -> None:
    rng = random.Random(window)
    events = [(t, "A", (t << 40) + 5 if rising else rng.randrange(-(2**63), 2**63)) for t in range(125)]
    columns = [pa.array(column) for column in zip(*events, strict=True)]
    query = cepheid.query(
        f"PATTERN A+ a[] WHERE a[i].x >= a[i-1].x AGG COUNT, SUM(a.x), MIN(a.x) WITHIN {window}"
    )
    result = query.run(pa.table(columns, names=["time", "type", "x"]), **BINDING)
    found = [tuple(int(cell) for cell in row.values()) for row in result.table.to_pylist()]
    assert found == _trends(events, window)
    assert "matches_built" not in result.stats


def _events(first: int, count: int, rng: random.Random) -> pa.Table:
    rows = [
        {"time": t, "type": rng.choice("AB"), "x": rng.randrange(9), "y": rng.random(), "s": "a"}
        for t in range(first, first + count)
    ]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def test_indexes_leave_with_their_start() -> None:
    rng = random.Random(2)
    query = cepheid.query("PATTERN SEQ(A a, B+ b[]) WHERE b[i].y > b[i-1].y AGG COUNT WITHIN 30")
    session = query.session(SCHEMA, **BINDING)
    held = []
    for first in range(0, 1200, 60):
        session.push(_events(first, 60, rng))
        held.append(session._feed.matcher.state_bytes)  # type: ignore[attr-defined]
    assert max(held[3:]) <= 2 * max(held[:3])
    session.push(_events(5000, 1, random.Random(1)))
    memory = session._feed.matcher.memory  # type: ignore[attr-defined]
    assert memory.trees.values.size - memory.trees.free[to.FREE_NODES] <= 1


def test_too_much_to_compare_is_refused() -> None:
    query = cepheid.query("PATTERN SEQ(A a, B b, A c) WHERE b.y > c.y AGG COUNT WITHIN 1000")
    with pytest.raises(LimitError, match="values that later ones are compared with"):
        query.run(_events(0, 900, random.Random(3)), **BINDING, max_state=100_000)


def test_a_snapshot_is_of_one_method() -> None:
    query = cepheid.query("PATTERN SEQ(A a, B b) AGG COUNT WITHIN 9").using("aggregate", method="ordered")
    session = query.session(SCHEMA, **BINDING)
    session.push(_events(0, 5, random.Random(4)))
    with pytest.raises(SnapshotError, match="'ordered'"):
        cepheid.resume(query.using("aggregate", method="aseq"), session.snapshot())
