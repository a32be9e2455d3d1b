"""Rules that need the stream's columns: attributes exist, types agree, units fit."""

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from cepheid.errors import QueryCheckError, TimeUnitError
from cepheid.events import EventSchema
from cepheid.expressions import Aggregate, Attribute, Element, Expression
from cepheid.pattern.functions import NUMERIC, ValueType
from cepheid.pattern.nodes import Every, Silence, Within, atoms, walk
from cepheid.pattern.query import AggregateItem, PatternQuery
from cepheid.pattern.types import column_for, column_type, type_of
from cepheid.time import Duration


def types_can_be_told(query: PatternQuery, schema: EventSchema) -> None:
    """A type in the pattern needs a type column."""
    if schema.type is not None:
        return
    for atom in atoms(query.pattern):
        if atom.type is not None and not atom.bare:
            raise QueryCheckError(
                f"the pattern names the type '{atom.type}', and the stream has no type column",
                span=atom.span,
                hint=f"name the column with type=, or write ANY {atom.variable}",
            )


def keys_exist(query: PatternQuery, schema: EventSchema) -> None:
    """The attributes of equivalence tests and of GROUP BY are columns of plain values."""
    for test in query.equivalences:
        for name in test.attributes:
            _expect_key(name, test, schema)
    if query.aggregation is not None:
        for name in query.aggregation.group_by:
            _expect_key(name, query.aggregation, schema)


def _expect_key(name: str, node: Any, schema: EventSchema) -> None:
    column = column_for(name, schema, node)
    kind = schema.type_of(column)
    if pa.types.is_nested(kind):
        raise QueryCheckError(
            f"'{name}' is {kind}, and events are grouped only by plain values", span=node.span
        )


def conditions_are_true_or_false(query: PatternQuery, schema: EventSchema) -> None:
    """Every conjunct is a condition, and every part of it fits its operator."""
    for conjunct in query.conjuncts:
        found = type_of(conjunct, schema)
        if found not in (ValueType.BOOL, ValueType.NULL):
            raise QueryCheckError(
                f"a condition is expected here, and this is {found.value}",
                span=conjunct.span,
                hint="compare it with something",
            )


def results_have_types(query: PatternQuery, schema: EventSchema) -> None:
    """Everything returned or aggregated has a type."""
    for item in query.returns or ():
        if item.expression is not None:
            _expect_returnable(item.expression, schema)
    for aggregate in query.aggregation.items if query.aggregation else ():
        _expect_aggregable(aggregate, schema)


def _expect_returnable(expression: Expression, schema: EventSchema) -> None:
    """A column of any kind may be passed on as it is; only computing needs a value."""
    match expression:
        case Attribute():
            column_type(expression, schema)
        case Aggregate(function="first" | "last" | "collect", argument=Element() as element):
            column_type(element, schema)
        case _:
            type_of(expression, schema)


def _expect_aggregable(item: AggregateItem, schema: EventSchema) -> None:
    if item.argument is None:
        return
    found = type_of(item.argument, schema)
    if item.function in ("sum", "avg") and found not in (*NUMERIC, ValueType.NULL):
        raise QueryCheckError(f"{item.function.upper()} of {found.value} has no meaning", span=item.span)


def durations_fit_the_time_column(query: PatternQuery, schema: EventSchema) -> None:
    """A bare number is for numeric time, and a unit on numeric time needs `time_unit=`."""
    for length, span in _durations(query):
        if length.unit is None and not schema.has_numeric_time:
            raise TimeUnitError(
                f"{length} has no unit, and the time column '{schema.time}' is {schema.type_of(schema.time)}",
                span=span,
                hint=f"write a unit, as in {length} seconds",
            )
        if length.unit is not None and schema.has_numeric_time and schema.time_unit is None:
            raise TimeUnitError(
                f"{length} has a unit, and the time column '{schema.time}' is a plain number",
                span=span,
                hint=f'say what it counts, as in time_unit="{length.unit}", or write a bare number',
            )


def _durations(query: PatternQuery) -> Iterator[tuple[Duration, Any]]:
    if query.window is not None and isinstance(query.window.length, Duration):
        yield query.window.length, query.window.span
    for node in walk(query.pattern):
        match node:
            case Within(window=window) if isinstance(window.length, Duration):
                yield window.length, window.span
            case Silence(duration=length) | Every(period=length):
                yield length, node.span
    if query.emit.period is not None:
        yield query.emit.period, query.emit.span


STREAM_RULES: tuple[Callable[[PatternQuery, EventSchema], None], ...] = (
    types_can_be_told,
    keys_exist,
    conditions_are_true_or_false,
    results_have_types,
    durations_fit_the_time_column,
)
