"""A tree takes another shape while it runs: the same matches, each told once, and fewer pairs."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.matchers.tree import watching
from tests.conftest import COMPILED
from tests.laws.shifting import shifting

BINDING: dict[str, Any] = {"time": "time", "type": "type"}
SWAPPED = (
    "PATTERN SEQ(A a, B b, C c) WHERE a.v + b.v < 150 AND b.v + c.v < 150 AND a.v < c.v - 60 WITHIN 90 {}"
)


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little work is enough to look."""
    for name, value in (("_FIRST_LOOK", 400), ("_SOON", 100), ("_FEWEST", 32), ("_SETTLED", 64)):
        monkeypatch.setattr(watching, name, value)
    monkeypatch.setattr(watching, "_ENOUGH", 128)


def swapped(size: int = 1200) -> pa.Table:
    """At half time the first type becomes as rare as the last one was."""
    rng = random.Random(4)
    kinds = [rng.choices("ABC", (90, 9, 1) if n < size // 2 else (1, 9, 90))[0] for n in range(size)]
    return pa.table({"time": range(size), "type": kinds, "v": [rng.randrange(100) for _ in range(size)]})


def pushed(query: cepheid.Query, events: pa.Table, step: int) -> tuple[pa.Table, dict[str, Any]]:
    """What a session finds, and its figures."""
    session = query.session(events.schema, **BINDING)
    found = [session.push(events.slice(start, step)) for start in range(0, events.num_rows, step)]
    found.append(session.close())
    return pa.concat_tables(found), session.stats


def cost(stats: dict[str, Any]) -> int:
    return int(stats["pairs_tested"]) + int(stats["composites"])


@COMPILED
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("emit", ["", "EMIT COUNT", "EMIT FIRST 2", "EMIT LONGEST", "EMIT COMPRESSED"])
@pytest.mark.parametrize("step", [40, 1200])
def test_a_condensed_tree_takes_another_shape_too(emit: str, step: int) -> None:
    events, query = swapped(), cepheid.query(SWAPPED.format(emit))
    table, stats = pushed(query.using("tree", condense="always"), events, step)
    assert table.num_rows > 0
    assert stats["condensed"]
    assert stats["shape_changes"] >= (2 if step == 40 else 0)
    other, figures = pushed(query.using("tree", shape="left", condense="never"), events, step)
    assert other["match_id"] == table["match_id"]
    assert step != 40 or cost(stats) < cost(figures)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("emit", ["", "EMIT COUNT", "EMIT NON OVERLAPPING"])
def test_the_shape_follows_the_rates(emit: str) -> None:
    events, query = swapped(), cepheid.query(SWAPPED.format(emit))
    table, stats = pushed(query.using("tree", condense="never"), events, 40)
    assert table.num_rows > 0
    assert stats["shape"] == "((a b) c)"
    assert stats["shape_changes"] == 2
    for shape in ("left", "right"):
        other, figures = pushed(query.using("tree", shape=shape, condense="never"), events, 40)
        assert other == table
        assert cost(stats) < cost(figures)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("condense", ["never", pytest.param("always", marks=COMPILED)])
def test_nodes_tell_of_the_whole_run_in_all_shapes(condense: str) -> None:
    """Also where a snapshot lies between."""
    events, query = swapped(), cepheid.query(SWAPPED.format("EMIT COUNT")).using("tree", condense=condense)
    session = query.session(events.schema, **BINDING)
    for start in range(0, events.num_rows, 40):
        session.push(events.slice(start, 40))
        if start == 800:
            session = cepheid.resume(query, session.snapshot())
    stats = session.stats
    assert {"a b", "b c"} < stats["nodes"].keys()
    for what in ("pairs_tested", "composites"):
        assert sum(node[what] for node in stats["nodes"].values()) == stats[what]


@pytest.mark.usefixtures("soon")
@COMPILED
def test_in_a_long_batch_the_shape_changes_on_the_way() -> None:
    events, query = swapped(12_000), cepheid.query(SWAPPED.format("EMIT COUNT"))
    found = query.using("tree", condense="never").run(events, **BINDING)
    assert found.stats["shape_changes"] >= 1
    assert found.table == query.using("tree", shape="left", condense="never").run(events, **BINDING).table


@pytest.mark.usefixtures("soon")
def test_events_that_come_one_by_one() -> None:
    events, query = swapped(400), cepheid.query(SWAPPED.format(""))
    session = query.using("tree", condense="never").session(events.schema, **BINDING)
    found = [session.push([row]) for row in events.to_pylist()]
    assert session.stats["shape_changes"] >= 1
    found.append(session.close())
    assert pa.concat_tables(found) == query.using("nfa").run(events, **BINDING).table


@pytest.mark.usefixtures("soon")
def test_a_snapshot_goes_on_in_the_shape_that_it_is_of() -> None:
    events, query = swapped(), cepheid.query(SWAPPED.format("")).using("tree", condense="never")
    session = query.session(events.schema, **BINDING)
    found = [session.push(events.slice(0, 500))]
    assert session.stats["shape"] == "(a (b c))"
    session = cepheid.resume(query, session.snapshot())
    assert session.stats["shape"] == "(a (b c))"
    found += [session.push(events.slice(500)), session.close()]
    assert pa.concat_tables(found) == query.run(events, **BINDING).table


@pytest.mark.parametrize(
    "text",
    [
        "PATTERN SEQ(~X x, A a, B b, C c, ~Y y) WITHIN 12",
        "PATTERN AND(A a, B+ b[], C c, ~X x) WITHIN 9",
        "PATTERN SEQ(A a, ~X x, B b, C c, ~Y y) WHERE [v] AND x.v = a.v WITHIN 30 EVENTS",
        "PATTERN SEQ(A a, B? b, AND(C c, A d, ~X x), ~Y y) WITHIN 14 EMIT FIRST 2",
        "PATTERN AND(A a, B b, C c) WITHIN 8 EMIT NON OVERLAPPING",
        "PATTERN AND(A a, B b, C c) WITHIN 8 EMIT COMPRESSED",
    ],
)
def test_what_waits_is_told_once_whatever_changes(text: str) -> None:
    rng = random.Random(text)
    kinds = [rng.choice("AABBCCXYZZ") for _ in range(90)]
    events = pa.table({"time": range(90), "type": kinds, "v": [rng.randrange(2) for _ in range(90)]})
    query = cepheid.query(text).using("tree", condense="never")
    for step in (1, 4, 30):
        expected = pushed(cepheid.query(text).using("tree", shape="left", condense="never"), events, step)[0]
        with shifting():
            table, stats = pushed(query, events, step)
        assert table == expected
        assert table.num_rows > 0
        assert stats["shape_changes"] > 1
