"""What a stretch of events says of a query: how often each leaf makes a composite, and how often conditions
hold. Costs of shapes are computed from it."""

from __future__ import annotations

from dataclasses import dataclass

from cepheid.plan.program import Apply, Condition, Load, Source
from cepheid.plan.tree.indexes import MIRRORED, UNORDERED
from cepheid.plan.tree.plan import TreePlan


@dataclass(frozen=True, slots=True)
class Statistics:
    """The numbers that costs are computed from. A window is as long as the query's own."""

    events: int  # how many events they were taken from
    windows: float  # how many windows, one after the other, all events of the stream fill
    counts: tuple[float, ...]  # by position: the composites that its leaf makes in a window
    sizes: tuple[float, ...]  # by position: the events of such a composite
    spread: float  # over how many partitions of equal size: so many times fewer pairs meet
    holds: tuple[float, ...]  # by condition: the share of pairs, in the window and in order, that it lets by
    survives: tuple[float, ...]  # by absence: the share of composites that it lets by
    spans: tuple[float, ...]  # by inner window: how long it is, as a share of the query's


@dataclass(frozen=True, slots=True)
class JoinCondition:
    """A condition between several positions, wherever it is tested."""

    condition: Condition
    positions: int  # a set of bits
    operator: str | None  # where it compares two slots, so that it may be looked up
    slots: tuple[int, int] | None
    sides: tuple[int, int] | None  # the positions of these slots, as bits
    is_ordered: bool  # whether an inequality may be looked up by it


def join_conditions(plan: TreePlan) -> tuple[JoinCondition, ...]:
    """All conditions of a plan's joins, in the order in which they were written."""
    found = [condition for node in plan.nodes for condition in node.conditions]
    written = {id(conjunct): place for place, conjunct in enumerate(plan.query.conjuncts)}
    found.sort(key=lambda condition: written.get(id(condition.source), len(written)))
    return tuple(_join_condition(plan, condition) for condition in found)


def _join_condition(plan: TreePlan, condition: Condition) -> JoinCondition:
    positions = sum(1 << place for place in sorted(_positions(plan, condition)))
    value = condition.value
    may_lack = condition.requires or condition.ranges_over
    if may_lack or not isinstance(value, Apply) or value.operation not in MIRRORED:
        return JoinCondition(condition, positions, None, None, None, False)
    loads = [a for a in value.arguments if isinstance(a, Load) and a.source is Source.SLOT]
    if len(loads) != 2:
        return JoinCondition(condition, positions, None, None, None, False)
    slots = loads[0].index, loads[1].index
    sides = 1 << plan.slots[slots[0]].position, 1 << plan.slots[slots[1]].position
    is_ordered = value.operation != "=" and loads[0].type not in UNORDERED
    return JoinCondition(condition, positions, value.operation, slots, sides, is_ordered)


def _positions(plan: TreePlan, condition: Condition) -> set[int]:
    """The positions whose events a condition reads."""
    found = {*condition.requires, *condition.ranges_over}
    for load in loads_of(condition.value):
        if load.source is Source.SLOT:
            found.add(plan.slots[load.index].position)
        elif load.source is Source.NODE:
            found.add(plan.remembered[load.index].position)
    return found


def loads_of(value: Load | Apply) -> list[Load]:
    """The values that a condition reads."""
    if isinstance(value, Load):
        return [value]
    return [load for argument in value.arguments for load in loads_of(argument)]
