"""The shape that is chosen for a table costs about as little as the best of all shapes."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.language.sase.parse import parse
from cepheid.matchers.tree import fit
from cepheid.plan.tree.shapes import possible_shapes

BINDING: dict[str, Any] = {"time": "time", "type": "type"}


@pytest.fixture(autouse=True)
def any_table_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit, "_WORTH_CHOOSING", 100)
    monkeypatch.setattr(fit, "_SAMPLE", 60)


@pytest.mark.parametrize(
    ("pattern", "count", "first", "last"),
    [
        ("SEQ(A a, B b, C c)", 2, "((a b) c)", "(a (b c))"),
        ("SEQ(A a, B b, C c, D d)", 5, "(((a b) c) d)", "(((a b) c) d)"),
        ("AND(A a, B b, C c)", 3, "((a b) c)", "((a c) b)"),
        ("AND(A a, B b, C c, D d)", 15, "(((a b) c) d)", None),
        ("AND(A a, SEQ(B b, ~X x, C c, D d))", 2, "(a ((b c) d))", "(a (b (c d)))"),
        ("SEQ(A a, OR(B b, C c))", 1, "(a (b c))", "(a (b c))"),
        ("AND(A a, B b, C c, D d, E e)", 3, "((((a b) c) d) e)", "((a b) (c (d e)))"),
        ("A a", 1, "a", "a"),
    ],
)
def test_possible_shapes(pattern: str, count: int, first: str, last: str | None) -> None:
    shapes = possible_shapes(parse(f"PATTERN {pattern}").pattern)
    assert len(shapes) == len(set(shapes)) == count
    assert shapes[0] == first
    assert last is None or last in shapes


def cost(found: cepheid.Matches) -> int:
    return int(found.stats["pairs_tested"]) + int(found.stats["composites"])


@pytest.mark.parametrize("operator", ["SEQ", "AND"])
@pytest.mark.parametrize("kinds", ["AAAAAABBCD", "ABCCDDDDDD", "ABBBBCCCCD"])
def test_the_chosen_shape_is_among_the_cheap(operator: str, kinds: str) -> None:
    rng = random.Random(f"{operator} {kinds}")
    size = 160
    events = pa.table(
        {
            "time": range(size),
            "type": [rng.choice(kinds) for _ in range(size)],
            "v": [rng.randrange(4) for _ in range(size)],
        }
    )
    query = cepheid.query(
        f"PATTERN {operator}(A a, B b, C c) WHERE a.v = b.v AND b.v < c.v WITHIN 20 EMIT COUNT"
    )
    chosen = query.using("tree").run(events, **BINDING)
    shapes = possible_shapes(query.tree.pattern)
    others = [query.using("tree", shape=shape).run(events, **BINDING) for shape in shapes]
    assert chosen.stats["shape"] in shapes
    assert all(other.table == chosen.table for other in others)
    assert cost(chosen) <= 1.3 * min(map(cost, others))
