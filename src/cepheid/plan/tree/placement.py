"""Each conjunct of a query to the lowest node of its tree that can test it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cepheid import expressions as ex
from cepheid.pattern import nodes as pt
from cepheid.pattern.presence import needs_an_event
from cepheid.plan.plan import QueryPlan
from cepheid.plan.positions import type_name
from cepheid.plan.precedence import neighbourhoods
from cepheid.plan.program import Condition, EventTest
from cepheid.plan.states.every_event import by_extremes
from cepheid.plan.states.predicates import (
    ABSENT,
    BEGIN,
    LEAVE,
    TAKE,
    Lowering,
    edges_of,
    element_of,
    references,
    single_source,
)
from cepheid.plan.states.values import ValueTable
from cepheid.plan.tree.nodes import Kind, LeafTests, TreeAbsence, TreeNode
from cepheid.plan.tree.shape import SeqParts, Tree

_NOBODY = ""
"""The variable whose edge it is, where no event is being taken: both sides of a join are complete."""


class TreePlacement:
    """Puts each conjunct where it is tested."""

    def __init__(self, header: QueryPlan, tree: Tree) -> None:
        self.header = header
        self.tree = tree
        self.positions = header.positions
        self.places = {p.variable: place for place, p in enumerate(self.positions)}
        self.values = ValueTable(header.schema)
        self.atoms = {a.variable: a for a in pt.atoms(header.query.pattern)}
        self.negated = [name for name, atom in self.atoms.items() if isinstance(atom, pt.Absent)]
        self.tests: dict[tuple[str, str], list[ex.Expression]] = {}
        self.conditions: dict[tuple[str, str], list[Condition]] = {}
        self.joined: dict[int, list[Condition]] = {}
        self.named_by: dict[str, set[int]] = {name: set() for name in self.negated}
        for conjunct in header.query.conjuncts:
            self._place(conjunct)

    def _place(self, conjunct: ex.Expression) -> None:
        named = references(conjunct)
        absent = [name for name in named if name in self.negated]
        if absent:
            self.named_by[absent[0]] |= {self.places[name] for name in named if name in self.places}
            self._put(ABSENT, absent[0], conjunct)
        elif len(named) == 1:
            (name,) = named
            for edge in edges_of(named[name], self.positions[self.places[name]].kleene):
                self._put(edge, name, conjunct)
        elif named:
            node = self._lowest(self.places[name] for name in named)
            lowering = self._lowering(_NOBODY, LEAVE)
            pieces = by_extremes(conjunct, _NOBODY, LEAVE, self.places, self.header.schema)
            self.joined.setdefault(node, []).extend(lowering.conditions(conjunct, pieces))
        else:
            for name in self.places:
                self.tests.setdefault((BEGIN, name), []).append(conjunct)

    def _put(self, edge: str, variable: str, conjunct: ex.Expression) -> None:
        source = single_source(conjunct)
        if source is not None and source[0] == variable and _is_of_current(edge, source[1]):
            self.tests.setdefault((edge, variable), []).append(element_of(conjunct))
            return
        lowering = self._lowering(variable, edge)
        pieces = by_extremes(conjunct, variable, edge, self.places, self.header.schema)
        self.conditions.setdefault((edge, variable), []).extend(lowering.conditions(conjunct, pieces))

    def _lowering(self, variable: str, edge: str) -> Lowering:
        return Lowering(self.values, self.positions, self.places, variable, edge, self.header.unit)

    def _lowest(self, places: Iterable[int]) -> int:
        """The lowest node that has all of these positions below it."""
        wanted = frozenset(places)
        return next(number for number, node in enumerate(self.tree.nodes) if wanted <= node.members)

    # -- what comes of it --------------------------------------------------------------------------

    def leaves(self) -> tuple[LeafTests, ...]:
        """What each positive variable asks of events."""
        return tuple(
            LeafTests(
                begin=EventTest(p.type, tuple(self.tests.get((BEGIN, p.variable), ()))),
                take=EventTest(p.type, tuple(self.tests.get((TAKE, p.variable), ()))),
                on_take=tuple(self.conditions.get((TAKE, p.variable), ())),
                on_leave=tuple(self.conditions.get((LEAVE, p.variable), ())),
            )
            for p in self.positions
        )

    def absences(self) -> tuple[TreeAbsence, ...]:
        """The negated variables, each with the node that judges it."""
        around = neighbourhoods(self.header.query.pattern)
        built = []
        for name in self.negated:
            here = around[name]
            kind = type_name(self.atoms[name], self.header.schema.type is not None)
            built.append(
                TreeAbsence(
                    variable=name,
                    test=EventTest(kind, tuple(self.tests.get((ABSENT, name), ()))),
                    before=here.before,
                    after=here.after,
                    branches=here.branches,
                    inner_windows=here.windows,
                    node=self._judged_at(name),
                    conditions=tuple(self.conditions.get((ABSENT, name), ())),
                )
            )
        return tuple(built)

    def _judged_at(self, absent: str) -> int:
        """The lowest node whose composites have the nearest events on both sides of an absence, all that its
        conditions name, and all events of the match that may lie there; the root, if there is none."""
        for sequence in self.tree.sequences:
            if absent in sequence.absent:
                for number, node in enumerate(self.tree.nodes):
                    if self.named_by[absent] <= node.members and _surrounds(sequence, number, absent):
                        return self._above_interlopers(number, absent)
        return len(self.tree.nodes) - 1

    def _above_interlopers(self, lowest: int, absent: str) -> int:
        """The first node from this one up that knows all events which an AND may put among its own, and which
        would qualify as absent if they were not of the match."""
        below = self.tree.nodes[lowest].members
        kind = type_name(self.atoms[absent], self.header.schema.type is not None)
        return next(
            number
            for number, node in enumerate(self.tree.nodes)
            if below <= node.members
            and not any(
                self.tree.nodes[self._lowest({place, *node.members})].kind is Kind.AND
                for place, position in enumerate(self.positions)
                if place not in node.members and (None in (kind, position.type) or kind == position.type)
            )
        )

    def nodes(self, absences: tuple[TreeAbsence, ...]) -> tuple[TreeNode, ...]:
        """The nodes with what they test."""
        judged: dict[int, list[int]] = {number: [] for number in range(len(self.tree.nodes))}
        for a, absence in enumerate(absences):
            judged[absence.node].append(a)
        return tuple(
            replace(node, conditions=tuple(self.joined.get(number, ())), absences=tuple(judged[number]))
            for number, node in enumerate(self.tree.nodes)
        )


def _surrounds(sequence: SeqParts, node: int, absent: str) -> bool:
    """Whether each composite of a node has an event of the sequence on both sides of an absence."""
    if node not in sequence.spans:
        return False
    first, last = sequence.spans[node]
    place = sequence.absent[absent]
    sides = sequence.positive[first:place], sequence.positive[max(place, first) : last + 1]
    return all(any(map(needs_an_event, side)) for side in sides)


def _is_of_current(edge: str, index: ex.Index | int) -> bool:
    if edge == LEAVE:
        return False
    return index in (ex.Index.ONLY, ex.Index.CURRENT) or (index is ex.Index.FIRST and edge == BEGIN)
