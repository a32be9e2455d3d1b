"""The best shape by dynamic programming is the best of all; and what joins are expected to cost."""

from __future__ import annotations

import random
from dataclasses import replace

import pyarrow as pa
import pytest

import cepheid
from cepheid.events import bind
from cepheid.language.sase.parse import parse
from cepheid.plan.tree.best_shape import best_shapes
from cepheid.plan.tree.build import in_shape
from cepheid.plan.tree.choice import shape_count
from cepheid.plan.tree.cost import JoinCosts, node_costs, passed_over
from cepheid.plan.tree.plan import TreePlan
from cepheid.plan.tree.shapes import all_shapes
from cepheid.plan.tree.statistics import Statistics, join_conditions

SCHEMA = bind(
    pa.schema([("time", pa.int64()), ("type", pa.string()), ("v", pa.int64()), ("k", pa.int64())]),
    "time",
    "type",
)
FIVE = "{}(A a, B b, C c, D d, E e) WHERE a.k = b.k AND b.k = d.k AND a.v < c.v AND d.v + e.v > a.v WITHIN 9"


def plan_of(text: str, **options: object) -> TreePlan:
    plan = cepheid.query(f"PATTERN {text}").using("tree", **options).plan(SCHEMA)
    assert isinstance(plan, TreePlan)
    return plan


def statistics_of(plan: TreePlan, rng: random.Random) -> Statistics:
    positions = len(plan.positions)
    return Statistics(
        events=1000,
        windows=1.0,
        counts=tuple(rng.choice((1.0, 3.0, 10.0, 50.0)) for _ in range(positions)),
        sizes=(1.0,) * positions,
        spread=1.0,
        holds=tuple(rng.choice((0.01, 0.2, 0.5, 0.9)) for _ in join_conditions(plan)),
        survives=(0.5,) * len(plan.absences),
        spans=(0.3,) * len(plan.inner_windows),
    )


def joined(plan: TreePlan, statistics: Statistics) -> float:
    costs = node_costs(plan, statistics)
    return sum(cost.total for node, cost in zip(plan.nodes, costs, strict=True) if node.left >= 0)


@pytest.mark.parametrize(
    "text",
    [
        FIVE.format("SEQ"),
        FIVE.format("AND"),
        "AND(A a, SEQ(B b, C c, D d), E e) WHERE a.k = c.k AND b.v < d.v AND e.v < b.v WITHIN 9",
        "SEQ(A a, (AND(B b, C c, D d)) WITHIN 3, E e) WHERE a.k = c.k AND b.v < d.v WITHIN 9",
    ],
)
@pytest.mark.parametrize("index", [True, False])
def test_the_best_of_all_shapes_is_found(text: str, index: bool) -> None:
    plan = plan_of(text, index=index)
    for seed in range(5):
        statistics = statistics_of(plan, random.Random(seed))
        best = best_shapes(plan.query.pattern, JoinCosts(plan, statistics), 3)
        costs = sorted(joined(in_shape(plan, shape), statistics) for shape in all_shapes(plan.query.pattern))
        assert best[0].cost == pytest.approx(costs[0])
        assert joined(in_shape(plan, best[0].text), statistics) == pytest.approx(costs[0])
        assert [each.cost for each in best] == sorted(each.cost for each in best)


def test_many_parts_of_an_and_are_joined_greedily() -> None:
    names = "abcdefghijkl"
    text = f"AND({', '.join(f'{name.upper()} {name}' for name in names)}) WHERE f.k = h.k WITHIN 9"
    plan = plan_of(text)
    statistics = replace(statistics_of(plan, random.Random(1)), counts=(2.0,) * 12, holds=(0.01,))
    (best,) = best_shapes(plan.query.pattern, JoinCosts(plan, statistics), 1)
    assert "(f h)" in best.text
    assert joined(in_shape(plan, best.text), statistics) < joined(plan, statistics)


def test_what_a_join_is_expected_to_cost() -> None:
    plan = plan_of("SEQ(A a, B b, C c) WHERE a.k = b.k AND b.v < c.v WITHIN 9", index=False)
    statistics = Statistics(100, 2.0, (10.0, 4.0, 6.0), (1.0,) * 3, 1.0, (0.25, 0.5), (), ())
    costs = node_costs(plan, statistics)
    # 10 · 4 pairs a window, of which a quarter agree; these 10 with 6 others, of which half are in the window
    assert [cost.pairs for cost in costs] == pytest.approx([0, 0, 0, 80, 60])
    assert [cost.composites for cost in costs] == pytest.approx([20, 8, 12, 20, 30])


def test_an_equality_that_follows_from_others_changes_nothing() -> None:
    chain = "SEQ(A a, B b, C c) WHERE a.k = b.k AND b.k = c.k {} WITHIN 9"
    counts = [
        node_costs(plan, replace(statistics_of(plan, random.Random(1)), holds=(0.1,) * holds))[-1].composites
        for plan, holds in ((plan_of(chain.format("")), 2), (plan_of(chain.format("AND a.k = c.k")), 3))
    ]
    assert counts[0] == pytest.approx(counts[1])


def test_an_inequality_leaves_more_to_be_tested_than_it_lets_by() -> None:
    assert passed_over(1.0) == 1.0
    assert 0.01 < passed_over(0.01) < 0.2
    assert 0.5 < passed_over(0.5) < 1.0


@pytest.mark.parametrize(
    ("pattern", "count", "first", "other"),
    [
        ("SEQ(A a, B b, C c)", 2, "((a b) c)", "(a (b c))"),
        ("SEQ(A a, B b, C c, D d)", 5, "(((a b) c) d)", "((a b) (c d))"),
        ("AND(A a, B b, C c)", 3, "((a b) c)", "((a c) b)"),
        ("AND(A a, B b, C c, D d)", 15, "(((a b) c) d)", "((a d) (b c))"),
        ("AND(A a, SEQ(B b, ~X x, C c, D d))", 2, "(a ((b c) d))", "(a (b (c d)))"),
        ("SEQ(A a, OR(B b, C c))", 1, "(a (b c))", "(a (b c))"),
        ("AND(A a, B b, C c, D d, E e)", 105, "((((a b) c) d) e)", "((a e) ((b d) c))"),
        ("A a", 1, "a", "a"),
    ],
)
def test_all_shapes(pattern: str, count: int, first: str, other: str) -> None:
    tree = parse(f"PATTERN {pattern}").pattern
    shapes = list(all_shapes(tree))
    assert len(shapes) == len(set(shapes)) == count == shape_count(tree)
    assert shapes[0] == first
    assert other in shapes
