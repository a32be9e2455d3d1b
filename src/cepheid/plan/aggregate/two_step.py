"""AGG in two steps: matches are built, then aggregated. The plan of what cannot be counted otherwise.

The first step is a plan of the nfa engine for the same query without AGG. It gives the stream positions of
each match's events. An absence that may stand at the end of a match is not its business: under AGG a match
counts until the absent event has come, and that is for the second step to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Protocol

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.errors import UnsupportedError
from cepheid.events import EventSchema
from cepheid.expressions import Index, Scope
from cepheid.pattern.query import Emit, PatternQuery, ReturnItem
from cepheid.pattern.render import render_expression
from cepheid.pattern.types import ValueType
from cepheid.plan.aggregate.plan import AggregateColumn, AggregatedValue, TwoStepPlan
from cepheid.plan.automaton.automaton import Automaton, Position
from cepheid.plan.automaton.placement import Placement, fingerprints, needed_columns
from cepheid.plan.magnitude import DECIMAL_BITS, exact_type
from cepheid.plan.nfa.build import may_trail, plan_nfa
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.plan.program import Absence, Column, Condition, EventTest
from cepheid.plan.windows import window_test

TWO_STEP = "two_step"


class ValueList(Protocol):
    """The values that AGG aggregates, each listed once, with their positions as steps."""

    columns: list[Column]
    values: list[AggregatedValue]
    results: list[ex.Expression]


def needs_matches(placement: Placement) -> UnsupportedError | None:
    """Why a query's matches cannot be counted without being built, or None if they can."""
    for condition in _conditions(placement):
        text = render_expression(condition.source)
        return UnsupportedError(
            f"AGG with the condition '{text}' between events needs the matches",
            span=condition.source.span,
            hint=f'use the method "{TWO_STEP}", or leave the choice of the method open',
        )
    if placement.structure.windows:
        return UnsupportedError(
            "AGG over a pattern with (…) WITHIN inside needs the matches",
            hint=f'use the method "{TWO_STEP}", or leave the choice of the method open',
        )
    return None


def _conditions(placement: Placement) -> Iterator[Condition]:
    for places in placement.conditions.values():
        for conditions in places:
            yield from conditions


def plan_two_step(
    query: PatternQuery,
    original: PatternQuery,
    schema: EventSchema,
    placement: Placement,
    *,
    table: ValueList,
    items: tuple[AggregateColumn, ...],
    group: tuple[str, ...],
    period: Fraction | None,
) -> TwoStepPlan:
    """The plan of a placed query, but for the schema of its output."""
    automaton, absences = placement.automaton(), placement.absences()
    judged = tuple(number for number, absence in enumerate(absences) if may_trail(absence, automaton))
    position = _unused(schema)
    inner = _inner(query, schema, placement.positions, {absences[n].variable for n in judged}, position)
    identity, fingerprint = fingerprints(original, schema)
    fingerprint = f"{TWO_STEP} {fingerprint}"
    names = needed_columns(query, schema) | set(group)
    return TwoStepPlan(
        query=query,
        schema=schema,
        unit=placement.unit,
        automaton=automaton,
        absences=absences,
        window=window_test(query.window, schema) if query.window is not None else None,
        inner_windows=tuple(window_test(w, schema, members) for w, members in placement.structure.windows),
        needed=tuple(name for name in schema.columns.names if name in names),
        columns=tuple(table.columns),
        results=tuple(table.results),
        output_schema=pa.schema([]),
        identity=identity,
        fingerprint=fingerprint,
        inner=replace(inner, fingerprint=fingerprint),
        position=position,
        values=tuple(table.values),
        items=tuple(_typed(item, table) for item in items),
        group=group,
        period=period,
        rows=_row_tests(automaton, [absences[number] for number in judged]),
        judged=judged,
        compared=_compared([absences[number] for number in judged], schema),
        method=TWO_STEP,
    )


def _unused(schema: EventSchema) -> str:
    """A name that no column of the stream has."""
    name = "position"
    while name in schema.columns.names:
        name += "_"
    return name


def _inner(
    query: PatternQuery,
    schema: EventSchema,
    positions: tuple[Position, ...],
    judged: set[str],
    position: str,
) -> NfaPlan:
    """The first step: the same query over a stream that numbers its events, without the judged absences."""
    numbered = replace(schema, columns=schema.columns.append(pa.field(position, pa.int64())))
    matching = replace(
        query,
        aggregation=None,
        emit=Emit(),
        conjuncts=tuple(conjunct for conjunct in query.conjuncts if not ex.variables(conjunct) & judged),
        returns=tuple(ReturnItem(_positions_of(p, position), name=f"of_{p.variable}") for p in positions),
    )
    plan = plan_nfa(matching, matching, numbered)
    return replace(plan, absences=tuple(a for a in plan.absences if a.variable not in judged))


def _positions_of(of: Position, column: str) -> ex.Expression:
    if of.kleene:
        return ex.Aggregate("collect", of.variable, Scope.WHOLE, ex.Element(column))
    return ex.Attribute(of.variable, Index.ONLY, column)


def _typed(item: AggregateColumn, table: ValueList) -> AggregateColumn:
    """Matches that memory holds are counted in int64; the sum of their whole numbers fits a decimal."""
    if item.function == "count":
        return replace(item, type=pa.int64())
    assert item.value is not None
    kind = table.columns[table.values[item.value].column].type
    if item.function == "sum" and kind is not ValueType.FLOAT:
        return replace(item, type=exact_type(DECIMAL_BITS))
    return item


def _row_tests(automaton: Automaton, judged: list[Absence]) -> tuple[EventTest, ...]:
    """What an event must be to have a row, by itself: the last of a match, or absent after it."""
    tests = []
    for last in automaton.last:
        of_one = automaton.take[last] if automaton.positions[last].kleene else automaton.begin[last]
        conditions = (test for test in of_one.conditions if _is_of_an_event(test))
        tests.append(replace(of_one, conditions=tuple(conditions)))
    return (*tests, *(absence.test for absence in judged))


def _is_of_an_event(test: ex.Expression) -> bool:
    return any(isinstance(node, ex.Element) for node in ex.walk(test))


def _compared(judged: list[Absence], schema: EventSchema) -> tuple[str, ...]:
    names = {
        schema.column_of(node.name) or node.name
        for absence in judged
        for condition in absence.conditions
        for node in ex.walk(condition.source)
        if isinstance(node, ex.Attribute | ex.Element)
    }
    return tuple(name for name in schema.columns.names if name in names)
