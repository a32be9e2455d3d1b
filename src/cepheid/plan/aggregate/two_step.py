"""AGG in two steps: matches are built, then aggregated. The plan of what cannot be counted otherwise.

Over AND the first step gives the graph of all matches, and the second adds up on it: none is built, unless an
absence may stand at the end of a match.

The first step is a plan for the same query without AGG, by an engine that lists matches. It gives the
stream positions of each match's events. An absence that may stand at the end of a match is not its business:
under AGG a match counts until the absent event has come, and that is for the second step to say.
"""

from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.errors import UnsupportedError
from cepheid.events import EventSchema
from cepheid.expressions import Index, Scope
from cepheid.pattern.nodes import Absent, Choice, Conjunction, Pattern, Seq, Within
from cepheid.pattern.query import Emit, EmitMode, PatternQuery, ReturnItem
from cepheid.pattern.render import render_expression
from cepheid.pattern.types import ValueType
from cepheid.plan.aggregate.having import row_test, tested_rows
from cepheid.plan.aggregate.output import aggregate_schema, group_columns, period_of
from cepheid.plan.aggregate.plan import AggregateColumn, TwoStepPlan
from cepheid.plan.aggregate.sizes import Sizes
from cepheid.plan.aggregate.values import AggregateValues
from cepheid.plan.aggregate.way_sizes import sized_ways
from cepheid.plan.engine import Planner
from cepheid.plan.magnitude import DECIMAL_BITS, INT64_BITS, exact_type
from cepheid.plan.plan import QueryPlan
from cepheid.plan.positions import Position
from cepheid.plan.precedence import neighbourhoods
from cepheid.plan.program import Absence, Condition, EventTest
from cepheid.plan.states.automaton import Automaton, may_trail
from cepheid.plan.states.placement import Placement, placed
from cepheid.plan.states.structure import has_conjunction
from cepheid.plan.summaries import packed_schema

TWO_STEP = "two_step"
_MATCHER = "cepheid.matchers.aggregate.two_step.matcher.two_step_matcher"


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


def plan_two_step(header: QueryPlan, planner: Planner, max_events: int) -> TwoStepPlan:
    """The plan of a query whose matches are built; `planner` plans the first step. A window holds at most
    `max_events`, as far as the types of counts go."""
    placement = placed(header, header.query.conjuncts)
    automaton, absences = placement.automaton(), placement.absences()
    table = AggregateValues(header, placement.positions)
    items = tuple(_typed(item, table) for item in table.items)
    judged = tuple(n for n, absence in enumerate(absences) if _may_trail(header, absence, automaton))
    position = _unused(header.schema)
    fingerprint = f"{TWO_STEP} {header.fingerprint}"
    # an absence that is judged here asks for each match by itself
    is_counted = has_conjunction(header.query.pattern) and not judged
    emit = Emit(EmitMode.COMPRESSED) if is_counted else Emit()
    inner = planner(*_first_step(header, {absences[n].variable for n in judged}, position, emit))
    if is_counted:
        inner = replace(inner, output_schema=packed_schema(inner))
    trailing = [absences[number] for number in judged]
    engine, having = tested_rows(replace(header.engine, matcher=_MATCHER), row_test(header, table))
    plan = header.become(
        TwoStepPlan,
        engine=engine,
        output_schema=aggregate_schema(header, items),
        fingerprint=fingerprint,
        results=tuple(table.results),
        method=TWO_STEP,
        automaton=automaton,
        absences=absences,
        columns=tuple(table.columns),
        values=tuple(table.values),
        items=items,
        group=group_columns(header),
        period=period_of(header.query, header.schema),
        having=having,
        inner=replace(inner, fingerprint=fingerprint),
        position=position,
        rows=_row_tests(automaton, trailing),
        judged=judged,
        compared=_compared(trailing, header.schema),
        is_counted=is_counted,
        most_events=max_events,
        bits=INT64_BITS,  # matches that memory holds
    )
    return sized_ways(plan, Sizes(max_events)) if is_counted else plan


def _may_trail(header: QueryPlan, absence: Absence, automaton: Automaton) -> bool:
    """Whether some match has no event after an absence that counts in it."""
    if not has_conjunction(header.query.pattern):
        return may_trail(absence, automaton)
    return not neighbourhoods(header.query.pattern)[absence.variable].followed


def _unused(schema: EventSchema) -> str:
    """A name that no column of the stream has."""
    name = "position"
    while name in schema.columns.names:
        name += "_"
    return name


def _first_step(
    header: QueryPlan, judged: set[str], position: str, emit: Emit
) -> tuple[PatternQuery, EventSchema]:
    """The same query over a stream that numbers its events, without the judged absences."""
    schema, query = header.schema, header.query
    numbered = replace(schema, columns=schema.columns.append(pa.field(position, pa.int64())))
    matching = replace(
        query,
        pattern=_without(query.pattern, judged),
        aggregation=None,
        emit=emit,
        conjuncts=tuple(conjunct for conjunct in query.conjuncts if not ex.variables(conjunct) & judged),
        returns=tuple(
            ReturnItem(_positions_of(p, position), name=f"of_{p.variable}") for p in header.positions
        ),
    )
    return matching, numbered


def _without(node: Pattern, absent: set[str]) -> Pattern:
    """A pattern without some of its absences."""
    match node:
        case Seq(parts=parts) | Choice(parts=parts) | Conjunction(parts=parts):
            kept = (p for p in parts if not (isinstance(p, Absent) and p.variable in absent))
            return replace(node, parts=tuple(_without(part, absent) for part in kept))
        case Within(part=part):
            return replace(node, part=_without(part, absent))
        case _:
            return node


def _positions_of(of: Position, column: str) -> ex.Expression:
    if of.kleene:
        return ex.Aggregate("collect", of.variable, Scope.WHOLE, ex.Element(column))
    return ex.Attribute(of.variable, Index.ONLY, column)


def _typed(item: AggregateColumn, table: AggregateValues) -> AggregateColumn:
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
