"""Each conjunct of a query to the edge, or the absence, that it belongs to: where every plan begins."""

from __future__ import annotations

from cepheid import expressions as ex
from cepheid.plan.mask_bits import check_tests
from cepheid.plan.plan import QueryPlan
from cepheid.plan.positions import type_name
from cepheid.plan.program import Absence, Condition, EventTest
from cepheid.plan.states.automaton import Automaton
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
from cepheid.plan.states.structure import structure_of
from cepheid.plan.states.values import ValueTable


def placed(header: QueryPlan, conjuncts: tuple[ex.Expression, ...], *, extremes: bool = False) -> Placement:
    """The conjuncts of a query in their places; with `extremes`, those about every event of a variable are
    told by its least and greatest value where they can be."""
    placement = Placement(header, extremes)
    for conjunct in conjuncts:
        placement.place(conjunct)
    return placement


class Placement:
    """Puts each conjunct on the edge, or the absence, that it belongs to."""

    def __init__(self, header: QueryPlan, extremes: bool) -> None:
        self.header = header
        self.schema = header.schema
        self.structure = structure_of(header.query.pattern)
        self.extremes = extremes
        self.values = ValueTable(header.schema)
        self.positions = header.positions
        self.places = {p.variable: i for i, p in enumerate(self.positions)}
        self.negated = {absence.atom.variable: i for i, absence in enumerate(self.structure.absences)}
        count = len(self.positions)
        check_tests(header.positions, len(self.negated))
        self.tests: dict[str, list[list[ex.Expression]]] = {
            BEGIN: [[] for _ in range(count)],
            TAKE: [[] for _ in range(count)],
            ABSENT: [[] for _ in self.negated],
        }
        self.conditions: dict[str, list[list[Condition]]] = {
            BEGIN: [[] for _ in range(count)],
            TAKE: [[] for _ in range(count)],
            LEAVE: [[] for _ in range(count)],
            ABSENT: [[] for _ in self.negated],
        }

    def place(self, conjunct: ex.Expression) -> None:
        """Put one conjunct where it belongs."""
        named = references(conjunct)
        absent = [name for name in named if name in self.negated]
        if absent:
            self._put(ABSENT, absent[0], self.negated[absent[0]], conjunct)
        elif named:
            last = max(named, key=lambda name: self.places[name])
            place = self.places[last]
            for edge in edges_of(named[last], self.positions[place].kleene):
                self._put(edge, last, place, conjunct)
        else:
            for place in self.structure.first:
                self.tests[BEGIN][place].append(conjunct)

    def _put(self, edge: str, variable: str, index: int, conjunct: ex.Expression) -> None:
        source = single_source(conjunct)
        if source is not None and source[0] == variable and self._of_current(edge, source[1]):
            self.tests[edge][index].append(element_of(conjunct))
            return
        lowering = Lowering(self.values, self.positions, self.places, variable, edge, self.header.unit)
        pieces: tuple[ex.Expression, ...] = (conjunct,)
        if self.extremes:
            pieces = by_extremes(conjunct, variable, edge, self.places, self.schema)
        self.conditions[edge][index] += lowering.conditions(conjunct, pieces)

    @staticmethod
    def _of_current(edge: str, index: ex.Index | int) -> bool:
        if edge in (LEAVE,):
            return False
        return index in (ex.Index.ONLY, ex.Index.CURRENT) or (index is ex.Index.FIRST and edge == BEGIN)

    def automaton(self) -> Automaton:
        """The positive variables, with what they ask of events."""

        def tests(edge: str) -> tuple[EventTest, ...]:
            return tuple(
                EventTest(position.type, tuple(self.tests[edge][i]))
                for i, position in enumerate(self.positions)
            )

        def conditions(edge: str) -> tuple[tuple[Condition, ...], ...]:
            return tuple(tuple(items) for items in self.conditions[edge])

        return Automaton(
            positions=self.positions,
            first=tuple(sorted(self.structure.first)),
            follow=tuple(tuple(sorted(items)) for items in self.structure.follow),
            last=tuple(sorted(self.structure.last)),
            begin=tests(BEGIN),
            take=tests(TAKE),
            on_begin=conditions(BEGIN),
            on_take=conditions(TAKE),
            on_leave=conditions(LEAVE),
        )

    def absences(self) -> tuple[Absence, ...]:
        """The negated variables, with what qualifies as them."""
        built = []
        for index, absence in enumerate(self.structure.absences):
            kind = type_name(absence.atom, self.schema.type is not None)
            branches = (self.structure.branches[number] for number in absence.around.branches)
            built.append(
                Absence(
                    variable=absence.atom.variable,
                    test=EventTest(kind, tuple(self.tests[ABSENT][index])),
                    place=absence.place,
                    branches=tuple(tuple(branch) for branch in branches),
                    inner_windows=absence.around.windows,
                    conditions=tuple(self.conditions[ABSENT][index]),
                )
            )
        return tuple(built)
