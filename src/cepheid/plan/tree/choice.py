"""By which numbers a shape was chosen."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cepheid.pattern import nodes as pt
from cepheid.plan.tree.best_shape import CostedShape
from cepheid.plan.tree.cost import JoinCost
from cepheid.plan.tree.statistics import Statistics


@dataclass(frozen=True, slots=True)
class ShapeChoice:
    """The shapes that were compared. Costs are pairs tested and composites made."""

    statistics: Statistics
    nodes: tuple[JoinCost, ...]  # what each node of the plan is expected to cost over all events
    best: tuple[CostedShape, ...]  # those that were expected to cost least, over all events
    tried: tuple[CostedShape, ...] = ()  # those that were tried, and what they cost on some events


def shape_count(node: pt.Pattern) -> int:
    """How many shapes a pattern's tree may have."""
    if isinstance(node, pt.Atom):
        return 1
    parts = [part for part in pt.parts(node) if not all(isinstance(a, pt.Absent) for a in pt.atoms(part))]
    below = math.prod(map(shape_count, parts))
    return below * _WAYS.get(type(node), _one)(len(parts))


def _one(parts: int) -> int:
    return 1


def _of_neighbours(parts: int) -> int:
    """The ways to put parentheses around the parts of a SEQ."""
    return math.comb(2 * parts - 2, parts - 1) // parts if parts else 1


def _of_any(parts: int) -> int:
    """The ways to join the parts of an AND two by two, where left and right are alike."""
    return math.prod(range(1, 2 * parts - 2, 2))


_WAYS = {pt.Seq: _of_neighbours, pt.Conjunction: _of_any}
