"""What a join is expected to cost: how many pairs of composites it tests, and how many composites it makes.

Events are taken to come by chance, at their rates, and conditions to hold independently of each other. Of n
events that are in order and in one window there are then as many combinations as the product of their rates,
divided by (n - 1)!. A composite counts as an event that weighs as many as it has, so joins can be computed
two by two, and how many composites a node makes does not depend on the shape below it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from cepheid.plan.tree.nodes import Kind
from cepheid.plan.tree.plan import TreePlan
from cepheid.plan.tree.statistics import JoinCondition, Statistics, join_conditions

_LEAST, _MOST = 1e-12, 1e250
_LEVELS = 24
"""Of jumps in a list: no list is longer than two to this power."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The composites of a node: how many a window holds, and how many events one has."""

    members: int  # the positions below it, as bits
    count: float
    size: float
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class JoinCost:
    """What a join is expected to do in a window."""

    pairs: float = 0.0
    composites: float = 0.0

    @property
    def total(self) -> float:
        """Pairs and composites count alike."""
        return self.pairs + self.composites


class JoinCosts:
    """The costs of joins by what is known of some events."""

    def __init__(self, plan: TreePlan, statistics: Statistics) -> None:
        self.plan = plan
        self.statistics = statistics
        self.conditions = join_conditions(plan)
        self._equal: dict[int, float] = {}
        self._spans: dict[int, float] = {}

    def leaf(self, position: int) -> Estimate:
        """The composites of a leaf or of a chain."""
        count, size = self.statistics.counts[position], self.statistics.sizes[position]
        nullable = next(n.nullable for n in self.plan.nodes if n.position == position)
        return Estimate(1 << position, count, size, nullable)

    def join(self, kind: Kind, left: Estimate, right: Estimate) -> tuple[Estimate, JoinCost]:
        """The composites of a join, and what it costs to make them."""
        members = left.members | right.members
        if kind is Kind.OR:
            count = left.count + right.count
            size = _mean(left.size, left.count, right.size, right.count)
            nullable = left.nullable or right.nullable
            return Estimate(members, count, size, nullable), JoinCost(0.0, count)
        met, size = self.met(kind, left, right)
        crossing = [
            (number, each)
            for number, each in enumerate(self.conditions)
            if each.positions & members == each.positions
            and each.positions & left.members
            and each.positions & right.members
            and each.positions & ~left.members
            and each.positions & ~right.members
        ]
        made = met * self._let_by(crossing, left.members, right.members)
        pairs = met * self._looked_at(crossing, left.members, right.members)
        passed = (left.count if right.nullable else 0.0) + (right.count if left.nullable else 0.0)
        count = made * self._surviving(members, left.members, right.members) + passed
        size = _mean(size, made, max(left.size, right.size), passed)
        return Estimate(members, min(count, _MOST), size, left.nullable and right.nullable), JoinCost(
            pairs, made + passed
        )

    # -- pairs in the window -----------------------------------------------------------------------

    def met(self, kind: Kind, left: Estimate, right: Estimate) -> tuple[float, float]:
        """How many pairs there are in a window, in the order that the join asks for, and their size."""
        span = self._span(left.members | right.members)
        sizes = [1 + (e.size - 1) * min(1.0, self._span(e.members) / span) for e in (left, right)]
        one, other = sizes
        total = one + other
        pairs = max(left.count, _LEAST) * max(right.count, _LEAST) * span / self.statistics.spread
        if kind is Kind.AND:
            return min(pairs * total / (one * other), _MOST), total
        return min(pairs * math.exp(math.lgamma(one) + math.lgamma(other) - math.lgamma(total)), _MOST), total

    def _span(self, members: int) -> float:
        """How long the shortest window around some positions is, as a share of the query's."""
        if members not in self._spans:
            around = [
                span
                for window, span in zip(self.plan.inner_windows, self.statistics.spans, strict=True)
                if members & ~_bits(window.members) == 0
            ]
            self._spans[members] = min([1.0, *around])
        return self._spans[members]

    # -- conditions --------------------------------------------------------------------------------

    def _let_by(self, crossing: list[tuple[int, JoinCondition]], left: int, right: int) -> float:
        """The share of pairs for which all conditions of a join hold."""
        share = self._agreeing(left, right)
        for number, each in crossing:
            if each.operator != "=":
                share *= self.statistics.holds[number]
        return share

    def _looked_at(self, crossing: list[tuple[int, JoinCondition]], left: int, right: int) -> float:
        """The share of pairs that an index leaves to be tested."""
        if not self.plan.index:
            return 1.0
        share = self._agreeing(left, right)
        ordered = (number for number, each in crossing if each.is_ordered and _parts(each, left, right))
        first = next(ordered, None)
        return share if first is None else share * passed_over(self.statistics.holds[first])

    def _agreeing(self, left: int, right: int) -> float:
        """The share of pairs that agree on what equalities compare."""
        both = self._equal_in(left | right)
        return both / (self._equal_in(left) * self._equal_in(right))

    def _equal_in(self, members: int) -> float:
        """The share of combinations of some positions that agree on what equalities compare. One that
        follows from others changes nothing."""
        if members not in self._equal:
            share = 1.0
            group: dict[int, int] = {}
            for number, each in self._equalities:
                if each.positions & ~members == 0:
                    one, other = (_found(group, slot) for slot in each.slots or (0, 0))
                    if one != other:
                        group[one] = other
                        share *= self.statistics.holds[number]
            self._equal[members] = share
        return self._equal[members]

    @cached_property
    def _equalities(self) -> list[tuple[int, JoinCondition]]:
        """The equalities of two values, those that few pairs pass first."""
        found = [(number, each) for number, each in enumerate(self.conditions) if each.operator == "="]
        return sorted(found, key=lambda item: self.statistics.holds[item[0]])

    def _surviving(self, members: int, left: int, right: int) -> float:
        """The share of composites that the absences let by whose neighbours a join brings together."""
        share = 1.0
        for absence, survives in zip(self.plan.absences, self.statistics.survives, strict=True):
            if not absence.before or not absence.after:
                continue
            around = (1 << max(absence.before)) | (1 << min(absence.after))
            if around & ~members == 0 and around & ~left and around & ~right:
                share *= survives
        return share


def passed_over(share: float) -> float:
    """The share of composites that are looked at where an inequality lets by such a share of them. A jump is
    taken if nothing on its way fits; half of all jumps are one long, a quarter three, an eighth seven."""
    lengths = [2.0**level for level in range(2, _LEVELS)]
    seen = math.fsum((1 - (1 - share) ** (length - 2)) / length for length in lengths)
    return share + (1 - share) * seen


def node_costs(plan: TreePlan, statistics: Statistics) -> tuple[JoinCost, ...]:
    """What each node of a plan is expected to cost over all events."""
    model = JoinCosts(plan, statistics)
    estimates: list[Estimate] = []
    costs: list[JoinCost] = []
    for node in plan.nodes:
        if node.position >= 0:
            estimate = model.leaf(node.position)
            cost = JoinCost(0.0, estimate.count)
        else:
            estimate, cost = model.join(node.kind, estimates[node.left], estimates[node.right])
        estimates.append(estimate)
        costs.append(JoinCost(cost.pairs * statistics.windows, cost.composites * statistics.windows))
    return tuple(costs)


def _parts(each: JoinCondition, left: int, right: int) -> bool:
    """Whether a comparison has one slot on each side of a join."""
    one, other = each.sides or (0, 0)
    return bool(one & left and other & right) or bool(one & right and other & left)


def _found(group: dict[int, int], slot: int) -> int:
    while slot in group:
        slot = group[slot]
    return slot


def _mean(one: float, weight: float, other: float, other_weight: float) -> float:
    total = weight + other_weight
    return one if total <= 0 else (one * weight + other * other_weight) / total


def _bits(places: tuple[int, ...]) -> int:
    return sum(1 << place for place in places)
