"""What a stream is, from what users give: its columns, and which of them are time, type and tie-breakers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from cepheid.errors import BindingError
from cepheid.events import EventSchema, bind, is_text, order_columns
from cepheid.runners.stream.frames import times_in_index, times_of_texts, with_index
from cepheid.runners.stream.intake import Intake, take_in
from cepheid.runners.stream.left_out import refuse_asked
from cepheid.runners.stream.storable import storable_schema


def bound_events(
    events: Any, time: str, type: str | None, order: Sequence[str], time_unit: str | None
) -> tuple[EventSchema, Intake]:
    """Events that are taken in, and the stream that they are; where there are none, what it would be."""
    asked = (time, type, *order_columns(order))
    intake = take_in(with_index(events, asked))
    refuse_asked(intake.left_out, asked)
    if intake.rows == 0:
        intake = replace(intake, schema=_of_no_events(intake.schema, time, type, order), batches=())
    _refuse_texts(intake.schema, time, f"turn it into times first: {times_of_texts(events, time)}")
    _point_to_index(events, intake.schema, time)
    return bind(intake.schema, time, type, order, time_unit), intake


def bound_schema(
    schema: Any, time: str, type: str | None, order: Sequence[str], time_unit: str | None
) -> EventSchema:
    """A stream of these columns: an Arrow schema, a dict of types, or anything that has columns."""
    columns = _columns(with_index(schema, (time, type, *order_columns(order))))
    _refuse_texts(columns, time, "say pa.timestamp('us') in the schema, and push times")
    return bind(columns, time, type, order, time_unit)


def _columns(schema: Any) -> pa.Schema:
    if isinstance(schema, EventSchema):
        schema = schema.columns
    if type(schema).__module__.startswith("pyspark."):
        from cepheid.runners.spark.schema import arrow_schema, zoned_schema

        return zoned_schema(schema) if hasattr(schema, "sparkSession") else arrow_schema(schema)
    if isinstance(schema, dict):
        try:
            schema = pa.schema(list(schema.items()))
        except (TypeError, ValueError) as error:
            raise BindingError(
                f"a schema as a dict has Arrow types, such as pa.int64() or 'int64': {error}"
            ) from None
    return storable_schema(schema) if isinstance(schema, pa.Schema) else take_in(schema).schema


def _refuse_texts(columns: pa.Schema, time: object, instead: str) -> None:
    """Refuse a time column of texts: which of them are times, and in which zone, is for the user to say."""
    if columns.names.count(time) != 1:
        return
    kind = columns.field(time).type
    if is_text(kind.value_type if pa.types.is_dictionary(kind) else kind):
        raise BindingError(
            f"the time column '{time}' is {kind}, which is not a time: it should be an integer, a float, a "
            f"date or a timestamp; {instead}"
        )


def _point_to_index(events: Any, columns: pa.Schema, time: object) -> None:
    """A data frame has its times in the index more often than not."""
    index = times_in_index(events) if time not in columns.names else None
    if index is not None:
        raise BindingError(
            f"the stream has no column '{time}' for time=; the index of the frame holds times: say "
            f"time='{index}'"
        )


def _of_no_events(columns: pa.Schema, time: str, type: str | None, order: Sequence[str]) -> pa.Schema:
    """Columns that have no type, or are not there, get that of their role."""
    roles = {name: pa.int64() for name in (time, *order_columns(order)) if isinstance(name, str)}
    if isinstance(type, str):
        roles[type] = pa.string()
    known = {column.name: column.type for column in columns}
    if len(known) < len(columns):
        return columns  # a repeated name is refused when the columns are bound
    typed = {
        name: roles[name] if name in roles and _is_guess(kind, roles[name]) else kind
        for name, kind in known.items()
    }
    return pa.schema(list((typed or roles).items()))


def _is_guess(kind: pa.DataType, role: pa.DataType) -> bool:
    """Whether libraries give this type to a column without values. Real numbers can well be times."""
    return bool(pa.types.is_null(kind) or (pa.types.is_float64(kind) and pa.types.is_string(role)))
