"""What kernels know of events: of those that are still needed, and then of the batch at hand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from cepheid.events import EventBatch, EventSchema, time_values
from cepheid.matchers.codes import TextCodes
from cepheid.matchers.masks import BatchRows, event_columns
from cepheid.matchers.profile.one_step.layout import Events
from cepheid.plan.states.values import ValueTable

_FIRST = 256
_LOW_BITS = np.int64(2**63 - 1)
_NO_TIME_EVENTS = (np.zeros(0, np.int64), np.zeros(0, np.int64))


class KeptEvents:
    """Times, and the columns that conditions read. Events are numbered in their order."""

    def __init__(self, schema: EventSchema, unit: str, values: ValueTable, codes: TextCodes) -> None:
        self.schema, self.unit, self.values, self.codes = schema, unit, values, codes
        self.kept = 0
        self.seen = 0  # how many events there have been
        self.time, self.clock, self.place = (np.zeros(_FIRST, np.int64) for _ in range(3))
        self.columns = np.zeros((len(values.columns), _FIRST), np.int64)
        self.valid = np.zeros((len(values.columns), _FIRST), np.uint8)

    @property
    def bytes(self) -> int:
        """How much they take."""
        return self.time.nbytes * 3 + self.columns.nbytes + self.valid.nbytes

    def look_at(self, batch: EventBatch, keys: np.ndarray, veils: np.ndarray) -> Events:
        """The kept events and the times of the batch. Nothing is known of its columns yet."""
        end = self.kept + batch.count
        self._make_room(end)
        self.time[self.kept : end], self.clock[self.kept : end] = ticks_and_clock(batch.time)
        return self._as_read(keys, veils, batch.count, _NO_TIME_EVENTS)

    def take_in(
        self,
        batch: EventBatch,
        keys: np.ndarray,
        veils: np.ndarray,
        made: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> Events:
        """The kept events and the batch, as kernels read them; `made` tells its time events from others."""
        count, end = batch.count, self.kept + batch.count
        self._make_room(end)
        at = slice(self.kept, end)
        self.time[at], self.clock[at] = ticks_and_clock(batch.time)
        self.place[at] = np.arange(self.seen, self.seen + count)
        self.seen += count
        if self.values.columns and count:
            rows = BatchRows(batch.data, self.schema, self.unit)
            self.columns[:, at], self.valid[:, at] = event_columns(self.values.columns, rows, self.codes)
        return self._as_read(keys, veils, batch.count, made or _NO_TIME_EVENTS)

    def _as_read(
        self, keys: np.ndarray, veils: np.ndarray, count: int, made: tuple[np.ndarray, np.ndarray]
    ) -> Events:
        texts = self.codes.tables()
        return Events(
            self.time, self.clock, self.columns, self.valid, keys, veils, texts, self.kept, count, *made
        )

    def _make_room(self, end: int) -> None:
        """Room for so many events, and for columns that other profiles read."""
        width, size = len(self.values.columns), self.time.size
        if end <= size and width == self.columns.shape[0]:
            return
        size = max(size if end <= size else 2 * size, end)
        self.time, self.clock, self.place = (_longer(a, size) for a in (self.time, self.clock, self.place))
        columns, valid = np.zeros((width, size), np.int64), np.zeros((width, size), np.uint8)
        known = self.columns.shape
        columns[: known[0], : known[1]], valid[: known[0], : known[1]] = self.columns, self.valid
        self.columns, self.valid = columns, valid

    def keep(self, rows: np.ndarray) -> None:
        """Of the batch, keep these events; they are numbered behind those that were kept before."""
        self._move(rows, slice(self.kept, self.kept + rows.size))
        self.kept += rows.size

    def keep_only(self, rows: np.ndarray) -> None:
        """Of the kept events, keep these."""
        self._move(rows, slice(0, rows.size))
        self.kept = rows.size

    def _move(self, rows: np.ndarray, to: slice) -> None:
        for array in (self.time, self.clock, self.place):
            array[to] = array[rows]
        self.columns[:, to], self.valid[:, to] = self.columns[:, rows], self.valid[:, rows]

    def restore(self, rows: pa.RecordBatch, places: np.ndarray, seen: int) -> None:
        """Go on with these events."""
        time = time_values(rows.column(self.schema.time))
        nothing = np.zeros((0, rows.num_rows), np.int64)
        self.kept = self.seen = 0
        self.take_in(EventBatch(rows, time, 0), nothing, nothing.astype(np.uint8))
        self.kept, self.seen = rows.num_rows, seen
        self.place[: self.kept] = places


def ticks_and_clock(time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Times as 64 bits, and as whole numbers that stand in the same order."""
    if time.dtype != np.float64:
        return time, time
    bits = (time + 0.0).view(np.int64)
    return bits, np.where(bits < 0, bits ^ _LOW_BITS, bits)


def _longer(array: np.ndarray, size: int) -> np.ndarray:
    longer = np.zeros(size, array.dtype)
    longer[: array.size] = array
    return longer
