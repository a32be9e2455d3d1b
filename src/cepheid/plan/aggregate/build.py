"""From a checked query with AGG to the plan of the aggregate engine."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.errors import QueryCheckError, QueryError, UnsupportedError
from cepheid.events import EventSchema
from cepheid.pattern.aggregates import aggregate
from cepheid.pattern.query import AggregateItem, EmitMode, PatternQuery
from cepheid.pattern.types import ValueType, type_of
from cepheid.plan.aggregate.chains import without_chains
from cepheid.plan.aggregate.methods import METHODS, method_for
from cepheid.plan.aggregate.neighbours import ORDERED, neighbours
from cepheid.plan.aggregate.plan import AggregateColumn, AggregatedValue, AggregatePlan, TwoStepPlan
from cepheid.plan.aggregate.two_step import TWO_STEP, needs_matches, plan_two_step
from cepheid.plan.automaton.automaton import Position
from cepheid.plan.automaton.placement import fingerprints, needed_columns, placed
from cepheid.plan.automaton.predicates import element_of
from cepheid.plan.automaton.steps import Step, steps_of
from cepheid.plan.automaton.structure import structure_of
from cepheid.plan.coerce import coerce
from cepheid.plan.magnitude import INT64_BITS, MAX_EVENTS, exact_type, repeats, ways_bits, ways_bits_by_step
from cepheid.plan.output import arrow_type
from cepheid.plan.program import Column
from cepheid.plan.windows import ticks_of, window_test

_ORDERED = tuple(kind for kind in ValueType if kind is not ValueType.BOOL)


def refusal(query: PatternQuery) -> UnsupportedError | None:
    """Why the aggregate engine cannot run a query, or None if it can."""
    if query.aggregation is None:
        return UnsupportedError("the aggregate engine is for queries with AGG")
    try:
        structure_of(query.pattern, has_types=True)
    except UnsupportedError as error:
        return error
    return None


def plan_aggregate(
    query: PatternQuery,
    original: PatternQuery,
    schema: EventSchema,
    *,
    method: str = "auto",
    max_events: int = MAX_EVENTS,
) -> AggregatePlan | TwoStepPlan:
    """The plan of a rewritten query; `original` is as the user wrote it."""
    _check_options(method, max_events)
    problem = refusal(query)
    if problem is not None:
        raise problem
    assert query.aggregation is not None
    whole = query
    query, chained = without_chains(query)
    query, placement = placed(query, schema)
    compared, unordered = neighbours(placement)
    if method == TWO_STEP or (method == "auto" and unordered is not None):
        return _in_two_steps(whole, original, schema)
    uncountable = unordered if method in ("auto", ORDERED) else needs_matches(placement)
    if uncountable is not None:
        raise uncountable
    assert query.aggregation is not None
    automaton, absences = placement.automaton(), placement.absences()
    steps = steps_of(automaton, absences)
    table = _Values(schema, placement.unit, steps)
    items = tuple(table.item(item) for item in query.aggregation.items)
    columns = dict.fromkeys([*table.columns, *(column for pair in compared for column in pair.values)])
    group = tuple(schema.column_of(name) or name for name in query.aggregation.group_by)
    alike = tuple(schema.column_of(name) or name for name in chained)
    names = needed_columns(query, schema) | set(group) | set(alike)
    identity, fingerprint = fingerprints(original, schema)
    plan = AggregatePlan(
        query=query,
        schema=schema,
        unit=placement.unit,
        automaton=automaton,
        absences=absences,
        window=window_test(query.window, schema) if query.window is not None else None,
        inner_windows=(),
        needed=tuple(name for name in schema.columns.names if name in names),
        output_schema=pa.schema([]),
        identity=identity,
        fingerprint=fingerprint,
        steps=steps,
        columns=tuple(columns),
        results=tuple(table.results),
        values=tuple(table.values),
        items=items,
        alike=alike,
        group=group,
        period=_period(query, schema),
        asked=method,
        method="",
        most_events=max_events,
        bits=0,
        compared=compared,
    )
    return sized(plan, max_events)


def _in_two_steps(query: PatternQuery, original: PatternQuery, schema: EventSchema) -> TwoStepPlan:
    """The plan that builds the matches, for what cannot be counted without them."""
    query, placement = placed(query, schema)
    assert query.aggregation is not None
    table = _Values(schema, placement.unit, placement.positions)
    items = tuple(table.item(item) for item in query.aggregation.items)
    group = tuple(schema.column_of(name) or name for name in query.aggregation.group_by)
    period = _period(query, schema)
    plan = plan_two_step(
        query, original, schema, placement, table=table, items=items, group=group, period=period
    )
    return replace(plan, output_schema=_output_schema(plan, plan.items))


def _check_options(method: str, max_events: int) -> None:
    if method not in METHODS:
        raise QueryError(f"there is no method '{method}' of counting", hint=f"methods: {', '.join(METHODS)}")
    if not isinstance(max_events, int) or max_events < 1:
        raise QueryError(f"max_events= is a number of events, not {max_events!r}")


def sized(
    plan: AggregatePlan,
    events: int,
    in_all: int = 1 << 40,
    largest: tuple[int, ...] = (),
    by_step: tuple[int, ...] = (),
) -> AggregatePlan:
    """The same plan for windows of at most so many events: its numbers get their types.

    At the end of the input the windows of all first events are added up, so that `in_all` counts too.
    `largest` are the sizes of the aggregated values, and `by_step` how many events of a window may take each
    step, where that is known.
    """
    window = plan.window
    if window is not None and window.counts_events:
        assert isinstance(window.limit, int)
        events = min(events, window.limit + 1) if not plan.query.keys else events
    bits = ways_bits(plan.steps, 2 * events)  # what is known of a window's events is known of two at once
    if by_step:
        bits = min(bits, ways_bits_by_step(plan.steps, by_step))
    if plan.query.emit.mode is EmitMode.ON_CLOSE:
        bits += in_all.bit_length()
    longest = bits + min(events, len(plan.steps) if not repeats(plan.steps) else events).bit_length()
    sizes = [_bits_of(item, plan, bits, longest, largest) for item in plan.items]
    items = tuple(
        item if size is None or item.function == "avg" else replace(item, type=exact_type(size))
        for item, size in zip(plan.items, sizes, strict=True)
    )
    plan = replace(
        plan,
        items=items,
        most_events=events,
        bits=max(bits, *(size or 0 for size in sizes)),
        output_schema=_output_schema(plan, items),
    )
    return replace(plan, method=method_for(plan, plan.asked))


def _bits_of(
    item: AggregateColumn, plan: AggregatePlan, bits: int, longest: int, largest: tuple[int, ...]
) -> int | None:
    """How large a whole number may become, besides its sign; None of other numbers."""
    if item.function == "count":
        return bits
    assert item.value is not None
    column = plan.values[item.value].column
    if item.function not in ("sum", "avg") or plan.columns[column].type is ValueType.FLOAT:
        return None
    return longest + (largest[column].bit_length() if largest else INT64_BITS)


def _output_schema(plan: AggregatePlan | TwoStepPlan, items: tuple[AggregateColumn, ...]) -> pa.Schema:
    schema = plan.schema.columns
    columns = [pa.field("time", schema.field(plan.schema.time).type)]
    assert plan.query.aggregation is not None
    for name, column in zip(plan.query.aggregation.group_by, plan.group, strict=True):
        columns.append(pa.field(name, schema.field(column).type))
    columns += [pa.field(item.name, item.type) for item in items]
    _check_names(columns, plan.query)
    return pa.schema(columns)


def _check_names(columns: list[pa.Field], query: PatternQuery) -> None:
    seen: set[str] = set()
    for column in columns:
        if column.name in seen:
            assert query.aggregation is not None
            raise QueryCheckError(
                f"two columns of the result are named '{column.name}'",
                span=query.aggregation.span,
                hint="give one of them another name with AS",
            )
        seen.add(column.name)


class _Values:
    """The values that are aggregated, each listed once."""

    def __init__(self, schema: EventSchema, unit: str, steps: tuple[Step | Position, ...]) -> None:
        self.schema, self.unit, self.steps = schema, unit, steps
        self.columns: list[Column] = []
        self.values: list[AggregatedValue] = []
        self.results: list[ex.Expression] = []

    def item(self, item: AggregateItem) -> AggregateColumn:
        """A column of the result; the type of a count or a whole sum follows when it is sized."""
        if item.argument is None:
            return AggregateColumn(item.name or item.function, item.function, None, pa.int64())
        argument = coerce(item.argument, self.schema)
        variables = ex.variables(argument)
        if len(variables) != 1:
            what = "the attributes of several variables" if variables else "what names no variable"
            raise UnsupportedError(
                f"{item.function.upper()} over {what} is not supported",
                span=item.span,
                hint="aggregate over one variable",
            )
        (variable,) = variables
        if any(isinstance(node, ex.Length | ex.Aggregate) for node in ex.walk(argument)):
            raise UnsupportedError(
                f"{item.function.upper()} is over values of events, and this is one of the whole match",
                span=item.span,
                hint=f"name an attribute of '{variable}'",
            )
        kind = type_of(argument, self.schema)
        if item.function in ("min", "max") and kind not in _ORDERED:
            raise UnsupportedError(
                f"{item.function.upper()} of {kind.value} is not supported by AGG",
                span=item.span,
                hint="it is over numbers, times and texts",
            )
        value = self._value(variable, element_of(argument), kind)
        whole = aggregate(item.function, argument, item.span, QueryCheckError)
        self.results.append(whole)
        type_ = pa.float64() if item.function in ("sum", "avg") else arrow_type(whole, self.schema, self.unit)
        return AggregateColumn(item.name or _name_of(item, variable), item.function, value, type_)

    def _value(self, variable: str, expression: ex.Expression, kind: ValueType) -> int:
        column = Column(expression, kind)
        if column not in self.columns:
            self.columns.append(column)
        steps = tuple(step.variable == variable for step in self.steps)
        value = AggregatedValue(self.columns.index(column), steps)
        if value not in self.values:
            self.values.append(value)
        return self.values.index(value)


def _name_of(item: AggregateItem, variable: str) -> str:
    if isinstance(item.argument, ex.Attribute):
        return f"{item.function}_{variable}_{item.argument.name}"
    return f"{item.function}_{variable}"


def _period(query: PatternQuery, schema: EventSchema) -> Fraction | None:
    """The period of EMIT EVERY in ticks of the time column."""
    if query.emit.mode is not EmitMode.EVERY:
        return None
    assert query.emit.period is not None
    ticks = ticks_of(query.emit.period, schema)
    if ticks <= 0:
        raise QueryCheckError("EMIT EVERY needs a period longer than nothing", span=query.emit.span)
    if ticks.denominator != 1 and not pa.types.is_floating(schema.type_of(schema.time)):
        raise QueryCheckError(
            f"EMIT EVERY {query.emit.period} is no whole number of ticks of '{schema.time}'",
            span=query.emit.span,
            hint="use a coarser period",
        )
    return ticks
