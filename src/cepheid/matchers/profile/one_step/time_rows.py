"""Time events as rows among the rows of a batch, each after all events of its time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from cepheid.events import EventBatch, EventSchema, FewEvents
from cepheid.matchers.joining import join_arrays
from cepheid.matchers.loose_columns import LooseReading
from cepheid.matchers.plain_text import json_text, plain
from cepheid.matchers.profile.one_step import layout as at
from cepheid.matchers.store import EventStore
from cepheid.plan.profile.kinds import Ticks
from cepheid.plan.profile.parts import TYPE_COLUMN, unused_column


class MadeEvent(NamedTuple):
    """A time event: when, the number of its kind, the last event before a silence, and its type; then the
    primitive that it satisfies, and for a silence whose it is, in which partition."""

    time: Ticks
    rank: int
    since: int
    type: str
    primitive: int
    profile: int = at.NONE
    key: int = at.NONE


class TimeRows:
    """Makes rows: a silence has the last event's columns, and all have their time and no type."""

    def __init__(self, schema: EventSchema, store: EventStore, loose: LooseReading | None) -> None:
        self._schema, self._store, self._loose = schema, store, loose
        self._is_real = bool(pa.types.is_floating(schema.type_of(schema.time)))
        self._types = unused_column(TYPE_COLUMN, schema.columns.names)

    def merged(self, batch: EventBatch, made: Sequence[MadeEvent]) -> tuple[EventBatch, np.ndarray | None]:
        """A batch with its time events, and the order of what was events, then time events; None if there are
        none. One column more has the types of both."""
        if not made:
            return EventBatch(self._typed(batch.events), batch.time, batch.watermark), None
        time = np.concatenate([batch.time, np.array([each.time for each in made], batch.time.dtype)])
        rank = np.concatenate([np.zeros(batch.count, np.int64), np.array([each.rank for each in made])])
        since = np.concatenate([np.zeros(batch.count, np.int64), np.array([each.since for each in made])])
        order = np.lexsort((np.arange(time.size), since, rank, time))
        own, rows = self._typed_rows(batch.data), self._rows(made)
        columns = [
            join_arrays([own.column(name), rows.column(name).cast(own.column(name).type)])
            for name in own.schema.names
        ]
        data = pa.RecordBatch.from_arrays(columns, own.schema.names).take(pa.array(order))
        return EventBatch(data, time[order], batch.watermark), order

    def _typed(self, events: pa.RecordBatch | FewEvents) -> pa.RecordBatch | FewEvents:
        """The events with one column more, of their types."""
        if not isinstance(events, FewEvents):
            return self._typed_rows(events)
        kind = self._schema.type
        types = [None] * events.num_rows if kind is None else events.column(kind)
        rows = [(*row, each) for row, each in zip(events.rows, types, strict=True)]
        return FewEvents(rows, (*events.names, self._types), (*events.types, pa.string()))

    def _typed_rows(self, events: pa.RecordBatch) -> pa.RecordBatch:
        kind = self._schema.type
        own = pa.nulls(events.num_rows) if kind is None else events.column(kind)
        columns = [*events.columns, own.cast(pa.string())]
        return pa.RecordBatch.from_arrays(columns, [*events.schema.names, self._types])

    def _rows(self, made: Sequence[MadeEvent]) -> pa.RecordBatch:
        """The time events, in columns of the same names."""
        since = np.array([each.since for each in made], np.int64)
        columns = [self._column(field, made, since) for field in self._store.schema]
        rows = pa.RecordBatch.from_arrays(columns, self._store.schema.names)
        rows = rows if self._loose is None else self._loose.rows(rows)
        types = pa.array([each.type for each in made], pa.string())
        return pa.RecordBatch.from_arrays([*rows.columns, types], [*rows.schema.names, self._types])

    def _column(self, field: pa.Field, made: Sequence[MadeEvent], since: np.ndarray) -> pa.Array:
        if field.name == self._schema.time:
            return self._times(made, field.type)
        if field.name == self._schema.type:
            return pa.nulls(len(made), field.type)
        values = self._store.column(field.name, since)
        if self._loose is not None and field.name == self._loose.stream.event:
            return self._at_their_time(values, made)
        return values

    def _times(self, made: Sequence[MadeEvent], kind: pa.DataType) -> pa.Array:
        numbers = pa.array([each.time for each in made], pa.float64() if self._is_real else pa.int64())
        return (numbers.cast(pa.int32()) if pa.types.is_date32(kind) else numbers).cast(kind)

    def _at_their_time(self, texts: pa.Array, made: Sequence[MadeEvent]) -> pa.Array:
        """Silences as JSON: what their last event holds, with a time of their own and no type."""
        schema = self._schema
        times = plain(self._times(made, schema.columns.field(schema.time).type)).to_pylist()
        found: list[str | None] = []
        for each, text, time in zip(made, texts.to_pylist(), times, strict=True):
            held = {} if text is None else json.loads(text)
            held.pop(schema.type, None)
            is_silence = each.profile != at.NONE
            found.append(
                json_text(dict(sorted((held | {schema.time: time}).items()))) if is_silence else None
            )
        return pa.array(found, pa.string())
