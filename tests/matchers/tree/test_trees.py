"""What the tree engine counts, holds and refuses."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import CepheidError, LimitError, SnapshotError
from cepheid.matchers.tree import matcher

BINDING: dict[str, Any] = {"time": "time", "type": "type"}
SHAPES = ("left", "right", "((a b) (c d))")
FOUR = "PATTERN {}(A a, B b, C c, D d) WHERE a.v < b.v AND b.v < d.v AND c.v < d.v WITHIN 12 {}"


def stream(size: int = 26) -> pa.Table:
    rng = random.Random(5)
    kinds = [rng.choice("ABCD") for _ in range(size)]
    return pa.table({"time": range(size), "type": kinds, "v": [rng.randrange(9) for _ in range(size)]})


def ids(query: cepheid.Query, events: pa.Table) -> list[str]:
    return query.run(events, **BINDING).table.column("match_id").to_pylist()


@pytest.mark.parametrize("operator", ["SEQ", "AND"])
@pytest.mark.parametrize("emit", ["", "EMIT FIRST 2", "EMIT LONGEST", "EMIT NON OVERLAPPING", "EMIT COUNT"])
def test_every_shape_and_block_gives_the_same_rows_in_the_same_order(operator: str, emit: str) -> None:
    query = cepheid.query(FOUR.format(operator, emit))
    events = stream()
    expected = ids(query.using("tree"), events)
    assert expected
    for shape, batch, index in zip(SHAPES, (1, 7, 1000), (True, False, True), strict=True):
        assert ids(query.using("tree", shape=shape, batch=batch, index=index), events) == expected
    if operator == "SEQ":
        assert ids(query.using("nfa"), events) == expected


def test_pairs_and_composites_are_counted() -> None:
    events = pa.table({"time": range(5), "type": list("AABAB"), "v": [1, 5, 4, 0, 2]})
    query = cepheid.query("PATTERN SEQ(A a, B b) WHERE a.v * 2 < b.v + 2 WITHIN 10")
    stats = query.using("tree", index=False).run(events, **BINDING).stats
    # B2 meets A0 and A1, B4 meets A0, A1 and A3; (0 2), (0 4) and (3 4) are composites beside five leaves
    assert (stats["pairs_tested"], stats["composites"], stats["matches"]) == (5, 8, 3)
    assert (stats["engine"], stats["shape"], stats["condensed"]) == ("tree", "(a b)", False)
    assert query.using("tree").run(events, **BINDING).stats["pairs_tested"] == 3


def test_an_index_looks_only_at_pairs_that_may_match() -> None:
    rng = random.Random(2)
    events = pa.table(
        {
            "time": range(60),
            "type": [rng.choice("ABC") for _ in range(60)],
            "v": [rng.choice([0.0, -0.0, 1.0, None, float("nan"), 2.0]) for _ in range(60)],
            "s": [rng.choice(["x", "y", "z", None]) for _ in range(60)],
        }
    )
    query = cepheid.query("PATTERN AND(A a, SEQ(B b, C c)) WHERE b.v = c.v AND a.s = c.s WITHIN 30")
    looked_up, nested = (query.using("tree", index=index).run(events, **BINDING) for index in (True, False))
    assert looked_up.table.column("match_id") == nested.table.column("match_id")
    assert len(looked_up) > 0
    assert looked_up.stats["pairs_tested"] * 2 < nested.stats["pairs_tested"]
    assert looked_up.stats["composites"] == nested.stats["composites"]
    assert "b.v = c.v (looked up)" in str(query.using("tree").explain(events.schema, **BINDING))


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">="])
@pytest.mark.parametrize("column", ["v", "w"])
def test_an_inequality_passes_over_what_cannot_fit(operator: str, column: str) -> None:
    rng = random.Random(3)
    events = pa.table(
        {
            "time": range(80),
            "type": [rng.choice("AAAB") for _ in range(80)],
            "v": [rng.choice([None, 2**62, -(2**62), rng.randrange(100)]) for _ in range(80)],
            "w": [rng.choice([None, float("nan"), -0.0, 0.0, rng.uniform(-9, 9)]) for _ in range(80)],
        }
    )
    for pattern in ("SEQ(A a, B b)", "AND(A a, B b)", "AND(B b, A a)"):
        query = cepheid.query(f"PATTERN {pattern} WHERE a.{column} {operator} b.{column} WITHIN 40")
        some, nested = (query.using("tree", index=index).run(events, **BINDING) for index in (True, False))
        assert some.table.column("match_id") == nested.table.column("match_id")
        assert 0 < len(some) <= some.stats["pairs_tested"] < nested.stats["pairs_tested"]


def test_an_equality_with_what_may_be_lacking_is_not_looked_up() -> None:
    events = pa.table({"time": range(4), "type": list("ABAC"), "v": [1, 2, 3, 9]})
    query = cepheid.query("PATTERN SEQ(A a, B? b, C c) WHERE b.v = c.v AND a.v != c.v WITHIN 9").using("tree")
    assert [(row["a"]["v"], row["b"]) for row in query.run(events, **BINDING)] == [(1, None), (3, None)]
    assert "looked up" not in str(query.explain())


def test_an_and_of_eight_parts_is_one_plan_of_eight_leaves() -> None:
    names = "abcdefgh"
    parts = ", ".join(f"{name.upper()} {name}" for name in names)
    query = cepheid.query(f"PATTERN AND({parts}) WITHIN 20")
    for order in (names, names[::-1], "dhbfaceg"):
        events = pa.table({"time": range(8), "type": list(order.upper())})
        found = query.run(events, **BINDING)
        assert len(found) == 1
        assert found.stats["composites"] == 15


def test_too_much_state() -> None:
    events = pa.table({"time": range(80), "type": ["A", "B"] * 40})
    query = cepheid.query("PATTERN AND(A a, A b, A c, B d) WITHIN 1000 EMIT COUNT")
    with pytest.raises(LimitError, match="max_state = 1,048,576 bytes") as caught:
        query.run(events, **BINDING, max_state=2**20)
    for advice in ("composites", "shorter WITHIN", "[key]", "another shape=", "larger max_state="):
        assert advice in str(caught.value)


def test_too_many_matches() -> None:
    events = pa.table({"time": range(60), "type": ["A", "B"] * 30})
    with pytest.raises(LimitError, match="max_matches = 100 matches"):
        cepheid.query("PATTERN AND(A a, B b) WITHIN 1000").run(events, **BINDING, max_matches=100)


def test_state_is_flat_while_the_window_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matcher, "_COLLECT_FROM", 64)
    query = cepheid.query("PATTERN AND(A a, SEQ(B b, ~C x, D d)) WITHIN 12").using("tree")
    events = stream(600)
    session = query.session(events.schema, **BINDING)
    held = []
    for start in range(0, 600, 20):
        session.push(events.slice(start, 20))
        held.append(session.stats["state_bytes"])
    assert max(held[5:]) <= 2 * held[4]


def test_an_and_without_a_window_is_refused_on_a_stream() -> None:
    query = cepheid.query("PATTERN AND(A a, B b)")
    with pytest.raises(CepheidError, match="over an unbounded stream this query would remember events"):
        query.session(stream().schema, **BINDING)


def test_a_snapshot_is_of_a_shape() -> None:
    query = cepheid.query(FOUR.format("AND", ""))
    events = stream()
    session = query.using("tree", shape="left").session(events.schema, **BINDING)
    session.push(events.slice(0, 12))
    with pytest.raises(SnapshotError, match=r"not of a tree of the shape \(a \(b \(c d\)\)\)"):
        cepheid.resume(query.using("tree", shape="right"), session.snapshot())
    with pytest.raises(SnapshotError):
        cepheid.resume(cepheid.query(FOUR.format("SEQ", "")).using("nfa"), session.snapshot())


def test_first_and_last_time_of_expanded_matches() -> None:
    events = pa.table({"time": [1, 2, 5], "type": ["B", "A", "B"]})
    text = "PATTERN AND(A a, B+ b[]) WITHIN 10 RETURN first_time() AS began, last_time() AS ended"
    whole = cepheid.query(text).run(events, **BINDING).table
    rows = whole.to_pylist()
    assert [(row["began"], row["ended"]) for row in rows] == [(1, 2), (1, 5), (2, 5)]
    assert cepheid.expand(cepheid.query(f"{text} EMIT COMPRESSED").run(events, **BINDING)).table == whole


def test_what_waits_since_time_0_is_known_apart_from_what_its_last_event_completes() -> None:
    events = pa.table({"time": [0, 3, 9], "type": list("ABC")})
    query = cepheid.query("PATTERN OR(SEQ(A a, B b), SEQ(A c, B d, ~X x)) WITHIN 4 EMIT COUNT")
    for engine in ("tree", "nfa"):
        assert len(set(ids(query.using(engine), events))) == 2


@pytest.mark.parametrize("batch", [1, 100])
@pytest.mark.parametrize("condense", ["never", "always"])
def test_a_chain_that_an_absence_breaks_may_still_grow_into_a_match(batch: int, condense: str) -> None:
    """A later event of the block is known when a chain begins: it spoils only the chain that ends there."""
    events = [
        {"time": time, "type": kind, "x": x}
        for time, (kind, x) in enumerate([("A", 2), ("B", 2), ("A", 1), ("B", 1), ("A", 3)])
    ]
    asked = cepheid.query("PATTERN SEQ(A+ a[], ~B u) WHERE u.x >= a[i].x").using(
        "tree", condense=condense, batch=batch
    )
    found = [[each["time"] for each in row["a"]] for row in asked.run(events, time="time", type="type")]
    assert sorted(found) == [[0, 2], [0, 2, 4], [0, 4], [2, 4], [4]]


@pytest.mark.parametrize("emit", ["COUNT", "COMPRESSED"])
def test_windows_that_close_on_both_sides_of_the_events_of_one_time_are_known_apart(emit: str) -> None:
    """The part's window closes before the events of time 4, the query's own after them."""
    events = [{"time": time, "type": kind} for time, kind in [(1.0, "C"), (1.0, "A"), (1.25, "B")]]
    asked = cepheid.query(f"PATTERN AND(C c, (SEQ(A? a, B b, ~B v)) WITHIN < 3) WITHIN 3 EMIT {emit}").using(
        "tree"
    )
    assert len({row["match_id"] for row in asked.run(events, time="time", type="type")}) == 2
