"""Events of a loose stream with the columns that queries read: taken from the JSON of each event."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.events import EventBatch, FewEvents
from cepheid.matchers.store import EventStore
from cepheid.plan.loose.stream import Form, LooseColumn, LooseStream

_EPOCH, _TICK = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)


_FEW_ROWS = 16
"""So many rows of many events are looked at one by one."""


class MomentText(str):
    """A time as JSON has it, and no text for queries."""

    __slots__ = ()

    @property
    def ticks(self) -> int:
        """Microseconds since 1970; without a zone it is read as UTC."""
        moment = datetime.fromisoformat(self)
        return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH) // _TICK


def read_event(text: str, moments: str | None) -> dict[str, Any]:
    """What an event holds; times are `MomentText`s."""
    event: dict[str, Any] = json.loads(text)
    for path in () if moments is None else json.loads(moments):
        inside = event
        for name in path[:-1]:
            inside = inside[name]
        inside[path[-1]] = MomentText(inside[path[-1]])
    return event


def value_at(event: Any, path: Sequence[str]) -> Any:
    """An attribute, or a field inside one; None if there is none."""
    for name in path:
        if type(event) is not dict:
            return None
        event = event.get(name)
    return event


# -- forms -----------------------------------------------------------------------------------------


def _number(value: Any) -> float | None:
    return float(value) if type(value) is float or type(value) is int else None


def _key(value: Any) -> str | None:
    """A text that equal values of one kind share, and no others; None for objects and lists."""
    kind = type(value)
    if kind is str:
        return "t" + str(value)
    if kind is int or kind is float:
        return f"n{int(value) if value == int(value) else value!r}"
    if kind is bool:
        return f"b{value}"
    return f"m{value.ticks}" if kind is MomentText else None


_ENCODER = json.JSONEncoder(ensure_ascii=False)

_SPELLED: dict[type, Callable[[Any], str]] = {
    str: json.encoder.encode_basestring,
    int: int.__repr__,
    bool: lambda value: "true" if value else "false",
}
"""How JSON spells values of the usual kinds. It is asked for each event, and an encoder takes longer."""


def _json(value: Any) -> str | None:
    return None if value is None else _SPELLED.get(type(value), _ENCODER.encode)(value)


_FORMS: dict[Form, Callable[[Any], Any]] = {
    Form.NUMBER: _number,
    Form.TEXT: lambda value: value if type(value) is str else None,
    Form.TRUTH: lambda value: value if type(value) is bool else None,
    Form.MOMENT: lambda value: value.ticks if type(value) is MomentText else None,
    Form.KEY: _key,
    Form.PRESENCE: lambda value: None if value is None else True,
    Form.JSON: _json,
}


def _alike(values: list[Any], form: Form) -> pa.Array | None:
    """Values that are as their form has them already, or are all spelled alike; None if they are not."""
    kinds = set(map(type, values))
    if form is Form.JSON:
        spelled = _SPELLED.get(kinds.pop()) if len(kinds) == 1 else None
        return None if spelled is None else pa.array(list(map(spelled, values)), pa.string())
    if form in _PLAIN and kinds <= _PLAIN[form][0]:
        try:
            return pa.array(values, _PLAIN[form][1])
        except pa.ArrowInvalid:  # a whole number that is no float64
            return None
    return None


_PLAIN: dict[Form, tuple[set[type], pa.DataType]] = {
    Form.NUMBER: ({int, float, type(None)}, pa.float64()),
    Form.TEXT: ({str, type(None)}, pa.string()),
    Form.TRUTH: ({bool, type(None)}, pa.bool_()),
}


class LooseReading:
    """Reads loose columns; others may be added behind them."""

    def __init__(self, stream: LooseStream, columns: Iterable[LooseColumn]) -> None:
        self.stream = stream
        self.columns: dict[str, LooseColumn] = {}
        self.add(columns)

    def add(self, columns: Iterable[LooseColumn]) -> None:
        """Read these too."""
        self.columns |= {column.name: column for column in columns}

    def wide(self, batch: EventBatch) -> EventBatch:
        """The same events with all columns."""
        if not self.columns:
            return batch
        events = batch.events
        wide = self._few(events) if isinstance(events, FewEvents) else self.rows(events)
        return EventBatch(wide, batch.time, batch.watermark)

    def _few(self, few: FewEvents) -> FewEvents:
        event, moments = few.names.index(self.stream.event), few.names.index(self.stream.moments)
        read = [(column.path, _FORMS[column.form]) for column in self.columns.values()]
        rows = []
        for row in few.rows:
            held = read_event(row[event], row[moments])
            rows.append((*row, *[form(value_at(held, path)) for path, form in read]))
        types = (self.stream.type_of(column) for column in self.columns.values())
        return FewEvents(rows, (*few.names, *self.columns), (*few.types, *types))

    def rows(self, data: pa.RecordBatch) -> pa.RecordBatch:
        """The same for many events."""
        held = _held(data.column(self.stream.event), data.column(self.stream.moments))
        columns = [self._values(column, held) for column in self.columns.values()]
        return pa.RecordBatch.from_arrays([*data.columns, *columns], [*data.schema.names, *self.columns])

    def column(self, name: str, texts: pa.Array, moments: pa.Array) -> pa.Array:
        """The values of one column for events as JSON; null where there is no event."""
        return self._values(self.columns[name], _held(texts, moments))

    def _values(self, column: LooseColumn, held: list[dict[str, Any]]) -> pa.Array:
        path, kind = column.path, self.stream.type_of(column)
        if len(path) == 1:
            (name,) = path
            values = [event.get(name) for event in held]
        else:
            values = [value_at(event, path) for event in held]
        if column.form is Form.MOMENT:
            ticks = list(map(_FORMS[column.form], values))
            return pa.array(ticks, pa.int64()).cast(kind)
        alike = _alike(values, column.form)
        return pa.array(list(map(_FORMS[column.form], values)), kind) if alike is None else alike


def _held(texts: pa.Array, moments: pa.Array) -> list[dict[str, Any]]:
    if moments.null_count == len(moments):
        return _read_together([text or "{}" for text in texts.to_pylist()])
    pairs = zip(texts.to_pylist(), moments.to_pylist(), strict=True)
    return [{} if text is None else read_event(text, times) for text, times in pairs]


def _read_together(texts: list[str]) -> list[dict[str, Any]]:
    """Events without times in them, as one JSON list, which is read sooner than they are one by one."""
    try:
        found: list[dict[str, Any]] = json.loads(f"[{','.join(texts)}]")
    except RecursionError:  # a list around an event may be one level too deep
        return [json.loads(text) for text in texts]
    return found


class LooseStore(EventStore):
    """Keeps events as they came, and reads loose columns of those that are asked for."""

    def __init__(self, reading: LooseReading) -> None:
        super().__init__(reading.stream.schema.columns)
        self._reading = reading

    def look_at(self, batch: pa.RecordBatch | FewEvents) -> None:
        """The batch at hand."""
        super().look_at(batch if isinstance(batch, FewEvents) else batch.select(self.schema.names))

    def column(self, name: str, rows: np.ndarray) -> pa.Array:
        """A column's values at these rows; a row of -1 gives null."""
        if name in self.schema.names:
            return self._few(name, rows) if rows.size <= _FEW_ROWS else super().column(name, rows)
        stream = self._reading.stream
        texts, moments = (super(LooseStore, self).column(n, rows) for n in (stream.event, stream.moments))
        return self._reading.column(name, texts, moments)

    def _few(self, name: str, rows: np.ndarray) -> pa.Array:
        """The same for a few rows of many events: they are looked at one by one."""
        if isinstance(self._batch, FewEvents):
            return super().column(name, rows)
        self._store_tail()
        place = self._names.index(name)
        columns = [*(chunk.column(place) for chunk in self._chunks), self._batch.column(place)]
        ends = [*self._ends, self._ends[-1] + self._batch.num_rows]
        found = [None if row < 0 else _value(columns, ends, row) for row in rows.tolist()]
        return pa.array(found, self.schema.types[place])


def _value(columns: list[pa.Array], ends: list[int], row: int) -> Any:
    """The value of a row in a column that comes in pieces; of times, their ticks."""
    piece = bisect_right(ends, row)
    found = columns[piece][row - ends[piece]]  # from the end of the piece
    return found.value if isinstance(found, pa.TimestampScalar) else found.as_py()
