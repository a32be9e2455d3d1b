"""Matches as events: what the queries that name a query see of it, and how far it lets them wait.

A derived event has the time and the tie-breakers of its match's last event, the query's name for a type, and
the columns of RETURN. It stands directly after that last event. `rows` says the same of rows of AGG.
"""

from collections.abc import Mapping
from dataclasses import replace

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.errors import QueryCheckError, UnsupportedError
from cepheid.events import EventSchema
from cepheid.expressions import Index
from cepheid.plan.output import OutputColumn, bare_column, output_schema
from cepheid.plan.plan import QueryPlan
from cepheid.plan.workload.plan import WorkloadPlan
from cepheid.plan.workload.rows import (
    DerivedColumn,
    carrying,
    is_at_moments,
    row_attributes,
    wider,
)  # fmt: skip

TYPE = "type"
"""The column of types where the stream itself has none."""

_PLACE = "place of the event"
_WORD = 8


def composed_stream(schema: EventSchema, feeders: Mapping[str, QueryPlan]) -> EventSchema:
    """The stream that a query sees which names others: its columns, and those that their matches add."""
    columns = {field.name: field.with_nullable(True) for field in schema.columns}
    exact: set[str] = set()  # which are counts or sums of any size, and nothing else
    kind = schema.type
    if kind is None:
        if TYPE in columns:
            raise QueryCheckError(
                f"the stream has a column '{TYPE}' that is not said to be its type, and a query that names "
                "another needs one",
                hint=f"say type='{TYPE}', or rename the column",
            )
        kind, columns[TYPE] = TYPE, pa.field(TYPE, pa.string())
    for name, plan in feeders.items():
        for column in attributes(name, plan, schema):
            if column.name not in columns and column.is_exact:
                exact.add(column.name)
            known = columns.setdefault(column.name, pa.field(column.name, column.type)).type
            if pa.types.is_null(known):
                columns[column.name] = pa.field(column.name, column.type)
            elif column.is_exact and column.name in exact:
                columns[column.name] = pa.field(column.name, wider(known, column.type))
            elif not _agree(known, column.type):
                raise QueryCheckError(
                    f"the query '{name}' returns '{column.name}' as {column.type}, "
                    f"which is {known} elsewhere",
                    hint=f"rename the column of '{name}' with AS",
                )
            elif not column.is_exact:
                exact.discard(column.name)
    return replace(schema, columns=pa.schema(list(columns.values())), type=kind)


def attributes(name: str, plan: QueryPlan, schema: EventSchema) -> list[DerivedColumn]:
    """The columns that what a query tells has as events, besides their time, type and tie-breakers."""
    roles = dict.fromkeys(schema.order, "a tie-breaker") | {schema.type or TYPE: "the type"}
    roles |= {alias: f"the {alias}" for alias in ("time", "type") if alias not in schema.columns.names}
    roles[schema.time] = "the time"
    if plan.query.aggregation is not None:
        return row_attributes(name, plan, roles)
    if plan.output is None:
        raise UnsupportedError(f"the query '{name}' is run by an engine whose matches cannot be events")
    found = []
    for column in plan.output:
        role = roles.get(column.name)
        if role is None:
            found.append(DerivedColumn(column.name, column.type))
        elif role != "the time" or column.expression != ex.Call("last_time", ()):
            raise QueryCheckError(
                f"the query '{name}' returns '{column.name}', which is {role} of events",
                hint="a match is an event with the time and the tie-breakers of its last event, and its "
                "query's name for a type: rename the column with AS",
            )
    return found


def _agree(one: pa.DataType, other: pa.DataType) -> bool:
    one, other = _looked_through(one), _looked_through(other)
    return bool(one == other or pa.types.is_null(other) or (_is_text(one) and _is_text(other)))


def _looked_through(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


# ---------------------------------------------------------------- places


def place_field(plan: WorkloadPlan) -> pa.Field:
    """The column that says where an event stands among all events, raw and derived.

    It is the event's number in the stream; for a derived event that of its match's last event, then the
    number of its query and its own number there, and so on for what is derived from derived events. A row of
    EMIT EVERY stands behind all that comes of the last event of its time: `BEHIND`, and then the moment.
    """
    taken = {name for member in plan.plans for name in member.schema.columns.names}
    name = _PLACE
    while name in taken:
        name += "_"
    return pa.field(name, pa.binary(_WORD * (1 + 2 * max(levels(plan)))))


def levels(plan: WorkloadPlan) -> list[int]:
    """How many queries may stand between the stream and each query."""
    found = [0] * len(plan.plans)
    for member in plan.in_order:
        found[member] = max((found[f] + _deep(plan.plans[f]) for f in plan.feeders[member]), default=0)
    return found


def _deep(plan: QueryPlan) -> int:
    return 2 if is_at_moments(plan) else 1


def feeding_plan(plan: QueryPlan, place: pa.Field) -> QueryPlan:
    """The plan that also returns what makes events of its matches: `last_columns`, in front of the id."""
    if plan.query.aggregation is not None:
        return carrying(plan, place)
    output = (*(plan.output or ()), *last_columns(plan, place))
    return replace(
        plan,
        schema=replace(plan.schema, columns=plan.schema.columns.append(place)),
        needed=(*plan.needed, place.name),
        output=output,
        output_schema=output_schema(output),
    )


def as_run(plan: WorkloadPlan) -> dict[int, QueryPlan]:
    """The plans of queries that feed others, and of those that share work with them, as they are run."""
    feeding = {feeder for fed_by in plan.feeders for feeder in fed_by}
    place = place_field(plan)
    return {
        member: feeding_plan(plan.plans[member], place)
        for share in plan.shares
        if feeding & set(share.members)
        for member in share.members
    }


def last_columns(plan: QueryPlan, place: pa.Field) -> list[OutputColumn]:
    """The time of the last event, then for each variable its last event's place and tie-breakers."""
    time = plan.schema.columns.field(plan.schema.time)
    found = [OutputColumn("time", ex.Call("last_time", ()), None, time.type)]
    for position in plan.positions:
        index = Index.LAST if position.kleene else Index.ONLY
        for field in (place, *(plan.schema.columns.field(name) for name in plan.schema.order)):
            last = ex.Attribute(position.variable, index, field.name)
            found.append(OutputColumn(field.name, last, None, field.type))
    return found


# ---------------------------------------------------------------- waiting


def delays(plan: WorkloadPlan) -> list[int | float]:
    """How far behind the watermark each query is, in ticks: a match that ends in an absence is known when its
    window has closed, and is an event of an earlier time."""
    found: list[int | float] = [0] * len(plan.plans)
    for member in plan.in_order:
        found[member] = max((found[f] + plan.plans[f].delay for f in plan.feeders[member]), default=0)
    return found


def carries(plan: QueryPlan, key: str) -> bool:
    """Whether the derived events of a query have, under the same name, the key of the events they are of."""
    if plan.query.aggregation is not None:
        return key in plan.query.aggregation.group_by
    return any(
        column.name == key
        and column.expression is not None
        and bare_column(column.expression, plan.schema) == ex.Element(key)
        for column in plan.output or ()
    )
