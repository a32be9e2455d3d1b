"""The shapes of a pattern that are expected to cost least, by dynamic programming.

How many composites some parts of a SEQ or an AND make does not depend on the order in which they are joined,
so the best way to join them is made of best ways to join fewer. In a SEQ these are neighbours; in an AND any
of them, and where those are too many, the cheapest join comes first. Where only some matches are listed, or a
graph of all is asked for, neighbours are joined in an AND too: a condensed tree then has its matches in the
order of output without listing all of them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

from cepheid.pattern import nodes as pt
from cepheid.pattern.query import EmitMode
from cepheid.plan.tree.condensing import NEVER
from cepheid.plan.tree.cost import Estimate, JoinCosts
from cepheid.plan.tree.nodes import Kind

_ALL_SUBSETS = 9
"""Up to so many parts of an AND, every way to join them is looked at."""
_KEEPS_SEVERAL = 6
"""Up to so many parts, more than the best way to join some of them is kept."""

_IN_ORDER = (EmitMode.FIRST, EmitMode.LONGEST, EmitMode.COMPRESSED)

_KINDS: dict[type[pt.Pattern], Kind] = {pt.Seq: Kind.SEQ, pt.Conjunction: Kind.AND, pt.Choice: Kind.OR}


@dataclass(frozen=True, slots=True)
class CostedShape:
    """A shape as one would write it, and what its joins are expected to cost in a window."""

    cost: float
    text: str


@dataclass(frozen=True, slots=True)
class _Ways:
    """Some parts joined: what comes of it, and the cheapest shapes to do it."""

    estimate: Estimate
    shapes: tuple[CostedShape, ...]


def best_shapes(pattern: pt.Pattern, model: JoinCosts, wanted: int) -> tuple[CostedShape, ...]:
    """So many shapes that are expected to cost least, the best first."""
    places = {position.variable: place for place, position in enumerate(model.plan.positions)}
    return _Search(model, places, wanted).ways(pattern).shapes


class _Search:
    def __init__(self, model: JoinCosts, places: dict[str, int], wanted: int) -> None:
        self.model = model
        self.places = places
        self.wanted = wanted
        in_order = model.plan.query.emit.mode in _IN_ORDER and model.plan.asked_condense != NEVER
        self.join_any = self._of_any if not in_order else partial(self._of_neighbours, kind=Kind.AND)
        self.most = _ALL_SUBSETS if not in_order else sys.maxsize

    def ways(self, node: pt.Pattern) -> _Ways:
        """The best shapes of a part of the pattern."""
        if isinstance(node, pt.Atom):
            estimate = self.model.leaf(self.places[node.variable])
            return _Ways(estimate, (CostedShape(0.0, node.variable),))
        if isinstance(node, pt.Within):
            return self.ways(node.part)
        parts = [self.ways(part) for part in pt.parts(node) if self._is_positive(part)]
        kind = _KINDS[type(node)]
        if len(parts) == 1:
            return parts[0]
        if kind is Kind.SEQ:
            return self._of_neighbours(parts)
        if kind is Kind.AND:
            return self.join_any(parts) if len(parts) <= self.most else self._greedily(parts)
        return self._from_the_left(parts)

    def _is_positive(self, part: pt.Pattern) -> bool:
        return any(atom.variable in self.places for atom in pt.atoms(part))

    def _of_neighbours(self, parts: list[_Ways], kind: Kind = Kind.SEQ) -> _Ways:
        """Parts of a SEQ: the best for each stretch of them, short ones first."""
        found = {(place, place + 1): part for place, part in enumerate(parts)}
        for length in range(2, len(parts) + 1):
            for begin in range(len(parts) - length + 1):
                end = begin + length
                pairs = [(found[begin, cut], found[cut, end]) for cut in range(end - 1, begin, -1)]
                found[begin, end] = self._best(kind, pairs, self._kept(length, len(parts)))
        return found[0, len(parts)]

    def _of_any(self, parts: list[_Ways]) -> _Ways:
        """Parts of an AND: the best for each set of them, which is a word of bits."""
        found = {1 << place: part for place, part in enumerate(parts)}
        for chosen in range(1, 1 << len(parts)):
            if chosen not in found:
                pairs = ((found[one], found[chosen ^ one]) for one in _divisions(chosen))
                found[chosen] = self._best(Kind.AND, pairs, self._kept(chosen.bit_count(), len(parts)))
        return found[(1 << len(parts)) - 1]

    def _kept(self, size: int, of: int) -> int:
        return self.wanted if of <= _KEEPS_SEVERAL or size == of else 1

    def _best(self, kind: Kind, pairs: Iterable[tuple[_Ways, _Ways]], kept: int) -> _Ways:
        """The best ways to join two sides, each of which may be joined in several ways."""
        shapes: list[CostedShape] = []
        estimate: Estimate | None = None
        for left, right in pairs:
            joined, cost = self.model.join(kind, left.estimate, right.estimate)
            estimate = estimate or joined
            shapes += [
                CostedShape(one.cost + other.cost + cost.total, f"({one.text} {other.text})")
                for one, other in product(left.shapes, right.shapes)
            ]
        assert estimate is not None
        return _Ways(estimate, tuple(sorted(shapes, key=lambda shape: shape.cost)[:kept]))

    def _greedily(self, parts: list[_Ways]) -> _Ways:
        """Of many parts of an AND, two that are cheapest to join are joined, again and again."""
        parts = list(parts)
        while len(parts) > 1:
            pairs = [(i, j) for j in range(len(parts)) for i in range(j)]
            joined = {
                (i, j): self._best(Kind.AND, [(parts[i], parts[j])], self._kept(2, len(parts)))
                for i, j in pairs
            }
            i, j = min(pairs, key=lambda pair: joined[pair].estimate.count + joined[pair].shapes[0].cost)
            parts = [part for place, part in enumerate(parts) if place not in (i, j)] + [joined[i, j]]
        return parts[0]

    def _from_the_left(self, parts: list[_Ways]) -> _Ways:
        """Parts of an OR never meet, so their order means nothing."""
        joined = parts[0]
        for part in parts[1:]:
            joined = self._best(Kind.OR, [(joined, part)], self.wanted)
        return joined


def _divisions(chosen: int) -> Iterator[int]:
    """One half of each division of a set into two, the half with its first part."""
    first = chosen & -chosen
    rest = chosen ^ first
    some = rest
    while some:
        some = (some - 1) & rest
        yield first | some
