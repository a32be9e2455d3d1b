"""Events as columns: what a stream looks like, and one ordered batch of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from cepheid.errors import BindingError
from cepheid.time import parse_unit


@dataclass(frozen=True, slots=True)
class EventSchema:
    """The columns of a stream, and which of them are its time, its type and its tie-breakers."""

    columns: pa.Schema
    time: str
    type: str | None = None
    order: tuple[str, ...] = ()
    time_unit: str | None = None  # the unit of a numeric time column, as in time.UNIT_NANOSECONDS

    def column_of(self, attribute: str) -> str | None:
        """The column that `v.attribute` means, or None: `time` and `type` mean the bound columns
        unless the stream has columns of those names."""
        if attribute in self.columns.names:
            return attribute
        if attribute == "time":
            return self.time
        if attribute == "type":
            return self.type
        return None

    def type_of(self, column: str) -> pa.DataType:
        """The Arrow type of a column, dictionaries looked through."""
        kind = self.columns.field(column).type
        return kind.value_type if pa.types.is_dictionary(kind) else kind

    @property
    def has_numeric_time(self) -> bool:
        """Whether time is a plain number, with no unit of its own."""
        kind = self.type_of(self.time)
        return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def bind(
    columns: pa.Schema,
    time: str,
    type: str | None = None,
    order: Sequence[str] | str | None = (),
    time_unit: str | None = None,
) -> EventSchema:
    """An `EventSchema`, once the named columns are known to be there and to fit their role."""
    order, time_unit = order_columns(order), _unit(time_unit)
    repeated = {name for name in columns.names if columns.names.count(name) > 1}
    if repeated:
        raise BindingError(
            f"the stream has more than one column named {_listed(repeated)}: rename one of them"
        )
    for role, name in [("time", time), ("type", type), *(("order", name) for name in order)]:
        if role == "type" and name is None:
            continue
        if not isinstance(name, str):
            raise BindingError(f"{role}= is the name of a column, not {name!r}")
        if name not in columns.names:
            raise BindingError(_missing(role, name, columns.names))
    schema = EventSchema(columns, time, type, order, time_unit)
    _check_time(schema)
    if type is not None and not is_text(schema.type_of(type)):
        raise BindingError(f"the type column '{type}' is {schema.type_of(type)}, and should be text")
    return schema


def order_columns(order: Sequence[str] | str | None) -> tuple[str, ...]:
    """The tie-breakers, however they were given: a list of columns, one column, or none."""
    if order is None or isinstance(order, str):
        return (order,) if order else ()
    if not isinstance(order, Sequence):
        raise BindingError(f"order= is a list of columns, not {order!r}")
    return tuple(order)


def _unit(name: str | None) -> str | None:
    unit = parse_unit(name) if isinstance(name, str) else None
    if unit is None and name is not None:
        raise BindingError(f"time_unit={name!r} is no unit: use ns, us, ms, s, min, h, d or w")
    return unit


def _check_time(schema: EventSchema) -> None:
    kind = schema.type_of(schema.time)
    if not (schema.has_numeric_time or pa.types.is_timestamp(kind) or pa.types.is_date(kind)):
        raise BindingError(
            f"the time column '{schema.time}' is {kind}, which is not a time: "
            "it should be an integer, a float, a date or a timestamp"
        )
    if schema.time_unit is not None and not schema.has_numeric_time:
        raise BindingError(
            f"time_unit= is for numeric time columns; '{schema.time}' is {kind} and has its own unit"
        )


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of this type holds text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _missing(role: str, name: str, names: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean '{near[0]}'?" if near else f"it has {_listed(names)}"
    return f"the stream has no column '{name}' for {role}=; {hint}"


def _listed(names: list[str] | set[str]) -> str:
    shown = sorted(names) if isinstance(names, set) else names
    text = ", ".join(f"'{name}'" for name in shown[:12])
    return text + (", …" if len(shown) > 12 else "")


END = float("inf")
"""The watermark of a stream that has ended."""


Row = tuple[Any, ...]
"""One event's values, in the order of its columns."""


class FewEvents:
    """A handful of events as Python values: for so few, a call of Arrow costs more than the work it does.

    A value is a bool, an int, a float, a str or None; a timestamp is an int, in ticks of its column; a struct
    is a dict, and a list a list, as Arrow gives them.
    """

    __slots__ = ("_batch", "names", "rows", "types")

    def __init__(self, rows: list[Row], names: tuple[str, ...], types: tuple[pa.DataType, ...]) -> None:
        self.rows = rows
        self.names = names
        self.types = types
        self._batch: pa.RecordBatch | None = None

    @property
    def num_rows(self) -> int:
        """How many events."""
        return len(self.rows)

    def column(self, name: str) -> list[Any]:
        """The values of a column."""
        place = self.names.index(name)
        return [row[place] for row in self.rows]

    def select(self, names: tuple[str, ...]) -> "FewEvents":
        """The same events with these columns."""
        if names == self.names:
            return self
        places = [self.names.index(name) for name in names]
        rows = [tuple([row[place] for place in places]) for row in self.rows]
        return FewEvents(rows, names, tuple([self.types[place] for place in places]))

    def record_batch(self) -> pa.RecordBatch:
        """The same events for Arrow."""
        if self._batch is None:
            arrays = [
                pa.array([row[place] for row in self.rows], kind) for place, kind in enumerate(self.types)
            ]
            self._batch = pa.RecordBatch.from_arrays(
                arrays, schema=pa.schema(list(zip(self.names, self.types, strict=True)))
            )
        return self._batch


Column: TypeAlias = pa.Array | list[Any]
"""A column of a batch: of many events an Arrow array, of a few a list of Python values."""


@dataclass(frozen=True, slots=True)
class EventBatch:
    """Events in the total order of their stream, and how far time has come: no later batch has
    an event before the watermark. An empty batch with a later watermark is time passing."""

    events: pa.RecordBatch | FewEvents
    time: np.ndarray  # int64 ticks or float64, one an event
    watermark: int | float

    @property
    def count(self) -> int:
        """How many events."""
        return self.time.size

    @property
    def data(self) -> pa.RecordBatch:
        """The events as Arrow has them, also if they came as a few values."""
        events = self.events
        return events.record_batch() if isinstance(events, FewEvents) else events

    def columns(self, names: Sequence[str]) -> list[Column]:
        """Columns as they are there: of a few events as lists."""
        return [self.events.column(name) for name in names]


def time_values(column: pa.Array) -> np.ndarray:
    """A time column as the numbers that order it: int64 ticks of its own unit, or float64."""
    if pa.types.is_date32(column.type):
        column = column.cast(pa.int32())
    numbers = column.cast(pa.float64() if pa.types.is_floating(column.type) else pa.int64())
    if numbers.null_count:
        numbers = numbers.fill_null(0)
    return np.asarray(numbers.to_numpy(zero_copy_only=False))


def event_times(table: pa.Table, schema: EventSchema) -> np.ndarray:
    """The times of events as the numbers that order them."""
    chunks = [time_values(chunk) for chunk in table.column(schema.time).chunks]
    if not chunks:
        return time_values(pa.array([], schema.columns.field(schema.time).type))
    return chunks[0] if len(chunks) == 1 else np.concatenate(chunks)
