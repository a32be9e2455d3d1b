"""A loose stream: one without a schema, whose events bring whatever attributes they have, of whatever kind.

An event travels as its time, its type, its tie-breakers and one JSON text of all that it holds. What queries
name is read from that text as *loose columns*: an attribute in one form, such as `value (number)`. Which of
them there are depends on the queries alone, and never on the events.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

import pyarrow as pa

from cepheid.events import EventSchema


class Form(Enum):
    """What a loose column holds of an attribute; null where the attribute has nothing of the form."""

    NUMBER = "number"
    TEXT = "text"
    TRUTH = "truth value"
    MOMENT = "time"
    KEY = "key"  # a text by which values of all kinds are told apart
    PRESENCE = "presence"  # true where there is any value
    JSON = "JSON"  # the value as it came


@dataclass(frozen=True, slots=True)
class LooseColumn:
    """An attribute, or a field inside one, in some form."""

    path: tuple[str, ...]
    form: Form

    @property
    def name(self) -> str:
        """The name of the column among those that an engine reads."""
        plain = not any("." in part for part in self.path)
        return f"{'.'.join(self.path) if plain else json.dumps(self.path)} ({self.form.value})"


@dataclass(frozen=True, slots=True)
class LooseStream:
    """What is known of a loose stream: the columns in which its events travel."""

    schema: EventSchema  # time, type and tie-breakers, then the two below
    event: str  # the column of the event as JSON
    moments: str  # which attributes hold times, which JSON has as text: a JSON list of paths, mostly null

    @property
    def bound(self) -> tuple[str, ...]:
        """The columns that have a type: time, type and tie-breakers."""
        return tuple(self.schema.columns.names[:-2])

    @property
    def moment_type(self) -> pa.DataType:
        """The type of the times that attributes hold: zoned if the stream's own are, or are numbers."""
        kind = self.schema.type_of(self.schema.time)
        is_naive = (pa.types.is_timestamp(kind) and kind.tz is None) or pa.types.is_date(kind)
        return pa.timestamp("us") if is_naive else pa.timestamp("us", "UTC")

    def type_of(self, column: LooseColumn) -> pa.DataType:
        """The Arrow type of a loose column."""
        return self.moment_type if column.form is Form.MOMENT else _TYPES[column.form]

    def with_columns(self, columns: Iterable[LooseColumn]) -> EventSchema:
        """The columns that engines read: the event, and loose columns behind it."""
        own = [self.schema.columns.field(name) for name in (*self.bound, self.event)]
        loose = [pa.field(column.name, self.type_of(column)) for column in columns]
        return replace(self.schema, columns=pa.schema([*own, *loose]))


_TYPES = {
    Form.NUMBER: pa.float64(),
    Form.TEXT: pa.string(),
    Form.TRUTH: pa.bool_(),
    Form.KEY: pa.string(),
    Form.PRESENCE: pa.bool_(),
    Form.JSON: pa.string(),
}


def loose_stream(
    time_type: pa.DataType,
    time: str,
    type: str | None,
    order: Iterable[tuple[str, pa.DataType]],
    time_unit: str | None,
) -> LooseStream:
    """A loose stream whose times and tie-breakers have these types."""
    columns = {time: time_type} | ({} if type is None else {type: pa.string()}) | dict(order)
    names = list(columns)
    event, moments = _unused("event", names), _unused("moments", names)
    fields = [*columns.items(), (event, pa.string()), (moments, pa.string())]
    ties = tuple(name for name, _ in order)
    return LooseStream(EventSchema(pa.schema(fields), time, type, ties, time_unit), event, moments)


def _unused(name: str, names: list[str]) -> str:
    while name in names:
        name += "_"
    return name
