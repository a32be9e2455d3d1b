"""Rows of AGG as events: the columns that they have, and what must be known of the event that each is about.

A row at an event stands directly after it, as a match does, and has its tie-breakers. A row of EMIT EVERY
comes after all events of its time, and has none. Counts and sums of whole numbers are as wide as the schema
of the rows says; digits, which no condition could compare with a number, become floats.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pyarrow as pa

from cepheid.errors import QueryCheckError
from cepheid.pattern.query import EmitMode
from cepheid.plan.plan import QueryPlan

BEHIND = 2**64 - 1
"""In a place: behind all that comes of an event. The number of a query is less."""


@dataclass(frozen=True, slots=True)
class DerivedColumn:
    """A column that derived events have."""

    name: str
    type: pa.DataType
    is_exact: bool = False  # a count or a sum of whole numbers, whose type depends on how large it may become


def is_at_moments(plan: QueryPlan) -> bool:
    """Whether a query's rows are about moments, not about events: EMIT EVERY."""
    return plan.query.emit.mode is EmitMode.EVERY


def row_attributes(name: str, plan: QueryPlan, roles: Mapping[str, str]) -> list[DerivedColumn]:
    """The columns of AGG's rows, besides what each event has anyway; `roles` says what that is."""
    aggregation = plan.query.aggregation
    assert aggregation is not None
    _, *columns = plan.output_schema
    if roles.get("time") != "the time":
        columns.insert(0, plan.output_schema.field(0))  # it is a column like others to this stream
    names = plan.output_schema.names[-len(aggregation.items) :]
    items = dict(zip(names, aggregation.items, strict=True))
    found = []
    for column in columns:
        role, item = roles.get(column.name), items.get(column.name)
        if role == "a tie-breaker" and item is None:
            continue
        if role is not None:
            raise QueryCheckError(
                f"the query '{name}' has a column '{column.name}', which is {role} of events",
                hint="rename it with AS" if item is not None else "leave it out of GROUP BY",
            )
        is_exact = item is not None and item.function in ("count", "sum") and _is_whole(column.type)
        kind = pa.float64() if is_exact and pa.types.is_string(column.type) else column.type
        found.append(DerivedColumn(column.name, kind, is_exact))
    return found


def _is_whole(kind: pa.DataType) -> bool:
    return not pa.types.is_floating(kind)


def wider(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    """The type of whole numbers that takes those of both."""
    return max(one, other, key=lambda kind: (pa.types.is_floating(kind), pa.types.is_decimal(kind)))


def carrying(plan: QueryPlan, place: pa.Field) -> QueryPlan:
    """The plan whose rows also tell the place and the tie-breakers of the events that they are about."""
    if is_at_moments(plan):
        return plan
    fields = [place, *(plan.schema.columns.field(name) for name in plan.schema.order)]
    behind = 1 + len(plan.query.aggregation.group_by) if plan.query.aggregation is not None else 0
    columns = list(plan.output_schema)
    columns[behind:behind] = [field.with_name(f"{place.name}: {field.name}") for field in fields]
    return replace(
        plan,
        needed=(*plan.needed, place.name),
        carried=tuple(field.name for field in fields),
        output_schema=pa.schema(columns),
    )
