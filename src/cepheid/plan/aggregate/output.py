"""What a row of AGG looks like, and when there is one."""

from fractions import Fraction

import pyarrow as pa

from cepheid.errors import QueryCheckError
from cepheid.events import EventSchema
from cepheid.pattern.query import EmitMode, PatternQuery
from cepheid.plan.aggregate.plan import AggregateColumn
from cepheid.plan.plan import QueryPlan
from cepheid.plan.windows import ticks_of


def group_columns(header: QueryPlan) -> tuple[str, ...]:
    """The columns of GROUP BY."""
    assert header.query.aggregation is not None
    return tuple(header.schema.column_of(name) or name for name in header.query.aggregation.group_by)


def aggregate_schema(header: QueryPlan, items: tuple[AggregateColumn, ...]) -> pa.Schema:
    """The time, the groups, and what AGG asks for."""
    schema = header.schema.columns
    groups = group_columns(header)
    columns = [pa.field("time", schema.field(header.schema.time).type)]
    assert header.query.aggregation is not None
    for name, column in zip(header.query.aggregation.group_by, groups, strict=True):
        columns.append(pa.field(name, schema.field(column).type))
    columns += [pa.field(item.name, item.type) for item in items]
    _check_names(columns, header.query)
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


def period_of(query: PatternQuery, schema: EventSchema) -> Fraction | None:
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
