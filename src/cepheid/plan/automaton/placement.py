"""Each conjunct of a query to the edge, or the absence, that it belongs to: where every plan begins."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.errors import LimitError
from cepheid.events import EventSchema
from cepheid.pattern.query import PatternQuery
from cepheid.pattern.render import render
from cepheid.plan.automaton.automaton import Automaton
from cepheid.plan.automaton.every_event import by_extremes
from cepheid.plan.automaton.predicates import (
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
from cepheid.plan.automaton.structure import Structure, structure_of, type_name
from cepheid.plan.automaton.values import ValueTable
from cepheid.plan.coerce import coerce
from cepheid.plan.program import Absence, Condition, EventTest
from cepheid.time import Duration

MAX_TESTS = 63
"""An event's one-event tests are bits of one word: a begin and a take test a variable, one an absence."""


def placed(
    query: PatternQuery, schema: EventSchema, *, extremes: bool = False
) -> tuple[PatternQuery, Placement]:
    """A query over a stream's columns, and its conjuncts in their places; with `extremes`, those about every
    event of a variable are told by its least and greatest value where they can be."""
    query = _with_keys_of(schema, query)
    structure = structure_of(query.pattern, schema.type is not None)
    _check_size(structure)
    placement = Placement(structure, schema, temporal_unit(query, schema), extremes)
    for conjunct in query.conjuncts:
        placement.place(coerce(conjunct, schema))
    return query, placement


def _with_keys_of(schema: EventSchema, query: PatternQuery) -> PatternQuery:
    """The query with equivalence tests on columns: `[time]` and `[type]` mean the bound ones."""
    tests = (
        replace(test, attributes=tuple(schema.column_of(name) or name for name in test.attributes))
        for test in query.equivalences
    )
    return replace(query, equivalences=tuple(tests))


class Placement:
    """Puts each conjunct on the edge, or the absence, that it belongs to."""

    def __init__(self, structure: Structure, schema: EventSchema, unit: str, extremes: bool) -> None:
        self.structure = structure
        self.schema = schema
        self.unit = unit
        self.extremes = extremes
        self.values = ValueTable(schema)
        self.positions = tuple(structure.positions)
        self.places = {p.variable: i for i, p in enumerate(self.positions)}
        self.negated = {absence.atom.variable: i for i, absence in enumerate(structure.absences)}
        count = len(self.positions)
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
        lowering = Lowering(self.values, self.positions, self.places, variable, edge, self.unit)
        pieces: tuple[ex.Expression, ...] = (conjunct,)
        if self.extremes:
            pieces = by_extremes(conjunct, variable, edge, self.places, self.schema)
        self.conditions[edge][index] += [lowering.condition(piece) for piece in pieces]

    @staticmethod
    def _of_current(edge: str, index: ex.Index) -> bool:
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
            branches=tuple(self.structure.branches_around(i) for i in range(len(self.positions))),
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


def temporal_unit(query: PatternQuery, schema: EventSchema) -> str:
    """Nanoseconds if the stream or the query needs them, else microseconds."""
    kinds = (schema.type_of(name) for name in schema.columns.names)
    is_moment = (pa.types.is_timestamp, pa.types.is_duration)
    fine = any(kind.unit == "ns" for kind in kinds if any(is_kind(kind) for is_kind in is_moment))
    durations = (
        node.value
        for root in _roots(query)
        for node in ex.walk(root)
        if isinstance(node, ex.Literal) and isinstance(node.value, Duration)
    )
    return "ns" if fine or any((d.nanoseconds() / 1000).denominator != 1 for d in durations) else "us"


def _roots(query: PatternQuery) -> Iterator[ex.Expression]:
    yield from query.conjuncts
    yield from (item.expression for item in query.returns or () if item.expression is not None)
    items = query.aggregation.items if query.aggregation is not None else ()
    yield from (item.argument for item in items if item.argument is not None)


def needed_columns(query: PatternQuery, schema: EventSchema) -> set[str]:
    """The stream's columns that conditions and results read."""
    names = {schema.time, *schema.order, *query.keys}
    if schema.type is not None:
        names.add(schema.type)
    for root in _roots(query):
        for node in ex.walk(root):
            if isinstance(node, ex.Attribute | ex.Element):
                names.add(schema.column_of(node.name) or node.name)
    return names


def _check_size(structure: Structure) -> None:
    tests = 2 * len(structure.positions) + len(structure.absences)
    if tests > MAX_TESTS:
        raise LimitError(
            f"the pattern has {len(structure.positions)} variables and {len(structure.absences)} absences; "
            f"twice the variables plus the absences may be at most {MAX_TESTS}"
        )


def fingerprints(original: PatternQuery, schema: EventSchema) -> tuple[str, str]:
    """What tells a query from others, and what tells it from itself over another stream."""
    text = render(original)
    return _digest(text), _digest(text, str(schema.columns), repr(_binding(schema)))


def _binding(schema: EventSchema) -> tuple[object, ...]:
    return (schema.time, schema.type, schema.order, schema.time_unit)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
