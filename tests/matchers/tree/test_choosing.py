"""The shape that is chosen for a table costs about as little as the best of all shapes."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.bench.condensed.shapes_chosen import shapes_chosen
from cepheid.matchers.tree import choosing, fit
from cepheid.plan.tree.shapes import all_shapes
from tests.conftest import COMPILED

BINDING: dict[str, Any] = {"time": "time", "type": "type"}


@pytest.fixture(autouse=True)
def any_table_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit, "_WORTH_CHOOSING", 100)
    monkeypatch.setattr(choosing, "_WORTH_TRYING", 1000)


def stream(size: int, kinds: str, seed: str) -> pa.Table:
    rng = random.Random(seed)
    return pa.table(
        {
            "time": range(size),
            "type": [rng.choice(kinds) for _ in range(size)],
            "v": [rng.randrange(4) for _ in range(size)],
        }
    )


def pairs(found: cepheid.Matches) -> int:
    return int(found.stats["pairs_tested"])


@pytest.mark.parametrize("operator", ["SEQ", "AND"])
@pytest.mark.parametrize("kinds", ["AAAAAABBCD", "ABCCDDDDDD", "ABBBBCCCCD"])
def test_the_chosen_shape_is_among_the_cheap(operator: str, kinds: str) -> None:
    events = stream(160, kinds, f"{operator} {kinds}")
    query = cepheid.query(
        f"PATTERN {operator}(A a, B b, C c) WHERE a.v = b.v AND b.v < c.v WITHIN 20 EMIT COUNT"
    )
    chosen = query.using("tree", condense="never").run(events, **BINDING)
    shapes = list(all_shapes(query.tree.pattern))
    others = [query.using("tree", shape=shape, condense="never").run(events, **BINDING) for shape in shapes]
    assert chosen.stats["shape"] in shapes
    assert all(other.table == chosen.table for other in others)
    assert pairs(chosen) <= 1.3 * min(map(pairs, others))


@COMPILED
def test_of_random_queries_the_chosen_shape_is_near_the_best() -> None:
    rows = list(shapes_chosen(queries=6, events=600, seed=2))
    assert sum(row.shapes > 2 for row in rows) >= 3
    assert all(row.ratio <= 3 for row in rows), rows
    assert sum(row.ratio <= 1.3 for row in rows) >= 5, rows


@pytest.mark.parametrize(
    "pattern",
    [
        "SEQ(A a, B? b, C c, D+ d[])",
        "AND(A a, OR(B b, C c), D d)",
        "SEQ(A a, ~B x, C c, (AND(B b, D d)) WITHIN 5)",
        "SEQ(A a, B b, C c) WHERE a.v < b.v + c.v AND a.v < 3",
    ],
)
def test_any_pattern_has_a_best_shape(pattern: str) -> None:
    text, _, condition = pattern.partition(" WHERE ")
    where = f"WHERE {condition}" if condition else ""
    query = cepheid.query(f"PATTERN {text} {where} WITHIN 9 EMIT COUNT")
    events = stream(300, "ABCD", pattern)
    chosen = query.using("tree", condense="never").run(events, **BINDING)
    assert chosen.stats["shape"] in all_shapes(query.tree.pattern)
    assert chosen.table == query.using("tree", shape="left", condense="never").run(events, **BINDING).table


@pytest.mark.parametrize("times", [[5] * 200, [0.5] * 200, list(range(0, 2000, 10))])
def test_events_that_say_little(times: list[Any]) -> None:
    events = pa.table({"time": times, "type": list("AB") * 100, "v": [None] * 200})
    query = cepheid.query("PATTERN SEQ(A a, B b, C c) WHERE a.v < b.v AND b.v = c.v WITHIN 1").using("tree")
    assert len(query.run(events, **BINDING)) == 0


@COMPILED
def test_a_small_table_is_run_from_the_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    query = cepheid.query("PATTERN SEQ(A a, B b, C c) WHERE b.v = c.v WITHIN 20 EMIT COUNT").using(
        "tree", condense="never"
    )
    assert query.run(stream(300, "AAAABC", "small"), **BINDING).stats["shape"] == "((a b) c)"
    dense = cepheid.query("PATTERN SEQ(A a, B b, C c) WHERE b.v = c.v WITHIN 900 EMIT COUNT").using(
        "tree", condense="never"
    )
    assert dense.run(stream(1200, "AAAAAAABC", "dense"), **BINDING).stats["shape"] == "(a (b c))"
