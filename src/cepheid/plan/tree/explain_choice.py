"""Why a tree has its shape, in words and numbers."""

from __future__ import annotations

from cepheid.pattern.render import render_expression
from cepheid.plan.tree.choice import ShapeChoice, shape_count
from cepheid.plan.tree.plan import TreePlan
from cepheid.plan.tree.shape import AUTO
from cepheid.plan.tree.statistics import join_conditions


def choice_lines(plan: TreePlan) -> list[str]:
    """How the shape of a plan was chosen."""
    if plan.asked_shape != AUTO:
        return ["as asked"]
    shapes = shape_count(plan.query.pattern)
    if shapes == 1:
        return ["the only one"]
    if plan.shape_choice is None:
        return [
            f"of {shapes:,} shapes, from the left, until events tell which tests the fewest pairs and makes "
            "the fewest composites (m.stats tells; explain() over a table has the numbers)"
        ]
    return [*_compared(plan.shape_choice, shapes), *_expected(plan, plan.shape_choice), *_known(plan)]


def _compared(choice: ShapeChoice, shapes: int) -> list[str]:
    best = "; ".join(f"{each.text} {_number(each.cost)}" for each in choice.best)
    lines = [f"of {shapes:,} shapes, pairs and composites expected over all events: {best}"]
    if choice.tried:
        tried = "; ".join(f"{each.text} {_number(each.cost)}" for each in choice.tried)
        lines.append(f"tried on some events, pairs and composites: {tried}")
    return lines


def _expected(plan: TreePlan, choice: ShapeChoice) -> list[str]:
    """What each join is expected to do."""
    names = [position.variable for position in plan.positions]
    where = "expected without groups at" if plan.groupings else "expected at"
    return [
        f"{where} {node.kind.name}({', '.join(names[place] for place in sorted(node.members))}): "
        f"{_number(cost.pairs)} pairs, {_number(cost.composites)} composites"
        for node, cost in zip(plan.nodes, choice.nodes, strict=True)
        if node.left >= 0
    ]


def _known(plan: TreePlan) -> list[str]:
    """The rates and selectivities that this follows from."""
    assert plan.shape_choice is not None
    statistics = plan.shape_choice.statistics
    rates = ", ".join(
        f"{position.variable} {count:.3g}"
        for position, count in zip(plan.positions, statistics.counts, strict=True)
    )
    holds = [
        f"{render_expression(each.condition.source)}: {share:.2%}"
        for each, share in zip(join_conditions(plan), statistics.holds, strict=True)
    ]
    lines = [f"from {statistics.events:,} events; composites of each variable in a window: {rates}"]
    if holds:
        lines.append(f"pairs in the window for which a condition holds: {'; '.join(holds)}")
    return lines


def _number(value: float) -> str:
    return f"{value:,.0f}" if value < 1e9 else f"{value:.1e}"
