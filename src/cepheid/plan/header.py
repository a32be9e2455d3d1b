"""What all engines need to know of a query over a stream, worked out once, before one of them plans it."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.events import EventSchema
from cepheid.pattern.query import PatternQuery, ReturnItem
from cepheid.pattern.render import render
from cepheid.plan.coerce import coerce
from cepheid.plan.engine import QueryEngine
from cepheid.plan.output import needed_attributes, output_columns, output_schema
from cepheid.plan.plan import EngineChoice, QueryPlan
from cepheid.plan.positions import inner_windows, positions_of
from cepheid.plan.windows import window_test
from cepheid.time import Duration


def header_of(
    query: PatternQuery,
    original: PatternQuery,
    schema: EventSchema,
    engine: QueryEngine,
    choice: EngineChoice,
) -> QueryPlan:
    """The header of a checked and rewritten query, which an engine lets `become` a plan of its own.

    `original` is the query as the user wrote it: match ids and snapshots know it by that.
    """
    query = _over_columns(query, schema)
    unit = temporal_unit(query, schema)
    output = None if query.aggregation is not None else output_columns(query, schema, unit)
    names = _read_columns(query, schema) | needed_attributes(output or (), schema)
    needed = tuple(name for name in schema.columns.names if name in names)
    text = render(original)
    binding = (schema.time, schema.type, schema.order, schema.time_unit)
    return QueryPlan(
        engine=engine,
        schema=schema,
        unit=unit,
        needed=needed,
        output_schema=output_schema(output or ()),
        identity=digest(text),
        fingerprint=digest(text, str(schema.columns), repr(binding)),
        choice=choice,
        original=original,
        query=query,
        positions=positions_of(query.pattern, schema.type is not None),
        window=window_test(query.window, schema) if query.window is not None else None,
        inner_windows=inner_windows(query.pattern, schema),
        results=tuple(column.expression for column in output or () if column.expression is not None),
        output=output,
        known_by=needed,
        carried=(),
        delay=0,
        method=engine.name,
    )


def _over_columns(query: PatternQuery, schema: EventSchema) -> PatternQuery:
    """The query with its keys as columns (`[time]` means the bound one), and its literals as the types that
    they are compared with."""
    tests = (
        replace(test, attributes=tuple(schema.column_of(name) or name for name in test.attributes))
        for test in query.equivalences
    )
    return replace(
        query,
        equivalences=tuple(tests),
        conjuncts=tuple(coerce(conjunct, schema) for conjunct in query.conjuncts),
        returns=None if query.returns is None else tuple(_coerced(item, schema) for item in query.returns),
    )


def _coerced(item: ReturnItem, schema: EventSchema) -> ReturnItem:
    return item if item.expression is None else replace(item, expression=coerce(item.expression, schema))


def temporal_unit(query: PatternQuery, schema: EventSchema) -> str:
    """Nanoseconds if the stream or the query needs them, else microseconds."""
    durations = (
        node.value
        for root in roots_of(query)
        for node in ex.walk(root)
        if isinstance(node, ex.Literal) and isinstance(node.value, Duration)
    )
    is_fine = any((d.nanoseconds() / 1000).denominator != 1 for d in durations)
    return "ns" if is_fine else stream_unit(schema)


def stream_unit(schema: EventSchema) -> str:
    """Nanoseconds if a column of the stream needs them, else microseconds."""
    kinds = (schema.type_of(name) for name in schema.columns.names)
    is_moment = (pa.types.is_timestamp, pa.types.is_duration)
    fine = any(kind.unit == "ns" for kind in kinds if any(is_kind(kind) for is_kind in is_moment))
    return "ns" if fine else "us"


def roots_of(query: PatternQuery) -> Iterator[ex.Expression]:
    """The expressions of a query: its conjuncts, what it returns, and what it aggregates."""
    yield from query.conjuncts
    yield from (item.expression for item in query.returns or () if item.expression is not None)
    items = query.aggregation.items if query.aggregation is not None else ()
    yield from (item.argument for item in items if item.argument is not None)


def _read_columns(query: PatternQuery, schema: EventSchema) -> set[str]:
    """The stream's columns that order, keys, groups, conditions and results read."""
    names = {schema.time, *schema.order, *query.keys, *([] if schema.type is None else [schema.type])}
    groups = () if query.aggregation is None else query.aggregation.group_by
    read = (node.name for root in roots_of(query) for node in ex.walk(root) if isinstance(node, _NAMING))
    return names | {schema.column_of(name) or name for name in (*groups, *read)}


_NAMING = (ex.Attribute, ex.Element)


def digest(*parts: str) -> str:
    """What tells some texts from others."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
