"""The stream as the inner engine sees it: the events and the time events, each with its place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cepheid.events import END, EventBatch, FewEvents
from cepheid.matchers.joining import join_arrays
from cepheid.matchers.plain_text import json_text, plain
from cepheid.matchers.profile.clock import Clock
from cepheid.matchers.profile.partitions import Partitions, as_batch
from cepheid.matchers.profile.silence import Silences
from cepheid.matchers.profile.ticking import Tick, Ticking
from cepheid.matchers.snapshot import Snapshot
from cepheid.plan.profile.kinds import SilentKind, Ticks
from cepheid.plan.profile.plan import ProfilePlan


@dataclass(frozen=True, slots=True)
class Staged:
    """A batch for the inner engine, and what is known of each of its events."""

    batch: EventBatch
    place: np.ndarray
    partition: np.ndarray
    rank: np.ndarray  # 0, or the number of a kind of time events


class Staging:
    """Puts time events among the events, after all of their time."""

    def __init__(self, plan: ProfilePlan, most: int) -> None:
        self.plan = plan
        self._inner = pa.schema([plan.inner.schema.columns.field(name) for name in plan.inner.needed])
        self._own = pa.schema([plan.schema.columns.field(name) for name in plan.needed])
        nothing = pa.RecordBatch.from_pylist([], schema=self._own)
        self._is_real = bool(pa.types.is_floating(plan.schema.type_of(plan.schema.time)))
        self.ticking = Ticking(plan, Clock(self._is_real, most))
        self.silences = {
            rank: Silences(plan, rank, kind, nothing)
            for rank, kind in enumerate(plan.kinds, 1)
            if isinstance(kind, SilentKind)
        }
        self.partitions = Partitions(pa.schema([self._own.field(name) for name in plan.query.keys]))
        self.start: Ticks | None = None
        self._settled: Ticks = -END  # no event is before it, nor a time event that was not made
        self._newest: Ticks = -END
        self._place = 0

    @property
    def silent_partitions(self) -> list[set[int]]:
        """The partitions that each SILENCE waits for."""
        return [silences.partitions for silences in self.silences.values()]

    def begin(self, start: Ticks) -> None:
        """Time events exist from now on, unless they do already."""
        if self.start is None and abs(start) != END:
            self.start = start
            self.ticking.begin(start)
            for silences in self.silences.values():
                silences.begin(start)

    def staged(self, batch: EventBatch) -> Staged:
        """The batch with the time events that are due before its watermark; at the end, up to the newest."""
        partition = self.partitions.of(batch)
        if not self.plan.kinds:
            rank = np.zeros(batch.count, np.int64)
            return self._numbered(batch.events, batch.time, batch.watermark, partition, rank)
        times = batch.time.tolist()
        if times:
            self.begin(times[0])
            self._newest = max(self._newest, times[-1])
        end = self._end(batch.watermark)
        ticks = self._due(batch.data, times, partition.tolist(), end)
        merged = self._merged(batch, partition, ticks)
        for silences in self.silences.values():
            silences.keep(batch.data)
        self._settled = max(self._settled, end)
        return merged

    def _end(self, watermark: Ticks) -> Ticks:
        """Before when time events are due. At the watermark events may still come, after the end none."""
        if watermark != END:
            self._newest = max(self._newest, watermark)
            return watermark
        newest = self._newest
        if newest == -END:
            return newest
        return float(np.nextafter(newest, END)) if self._is_real else int(newest) + 1

    def _due(
        self, events: pa.RecordBatch, times: list[Ticks], partitions: list[int], end: Ticks
    ) -> list[Tick]:
        """AT and EVERY may stand in a match beside a silence as beside any other event."""
        silent = [s for each in self.silences.values() for s in each.due(events, times, partitions, end)]
        met = list(zip(times, partitions, strict=True))
        if silent:
            met = sorted([*met, *((tick.time, tick.partition) for tick in silent)])
        return [*silent, *self.ticking.due(met, end)]

    # -- merging -----------------------------------------------------------------------------------

    def _merged(self, batch: EventBatch, partition: np.ndarray, ticks: list[Tick]) -> Staged:
        """Events and time events in one order. What a partition should have had before anybody knew of it
        comes first; of its own partition it is before all others."""
        ticks.sort(key=lambda tick: (tick.time, tick.rank, tick.row))  # rows are in the order of events
        count, kind = batch.count, batch.time.dtype
        time = np.concatenate([batch.time, np.array([tick.time for tick in ticks], kind)])
        rank = np.concatenate([np.zeros(count, np.int64), np.array([t.rank for t in ticks], np.int64)])
        known = np.concatenate([partition, np.array([t.partition for t in ticks], np.int64)])
        early = (
            (rank > 0) & (time < self._settled) if self._settled != -END else np.zeros(time.size, np.bool_)
        )
        order = np.lexsort((np.arange(time.size), rank, time, ~early))
        events = self._rows(batch.data, ticks).take(pa.array(order))
        return self._numbered(events, time[order], batch.watermark, known[order], rank[order])

    def _rows(self, data: pa.RecordBatch, ticks: Sequence[Tick]) -> pa.RecordBatch:
        """The events, then the time events in columns of the same types."""
        sources = _Sources(self, data, ticks)
        fields = [field for field in self._inner if field.name not in self.plan.hidden]
        columns = [self._column(field, data, ticks, sources) for field in fields]
        return pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))

    def _column(
        self, field: pa.Field, data: pa.RecordBatch, ticks: Sequence[Tick], sources: _Sources
    ) -> pa.Array:
        schema = self.plan.schema
        if field.name == self.plan.inner.schema.type:
            names = pa.array([self.plan.kinds[tick.rank - 1].type for tick in ticks], pa.string())
            own = pa.nulls(data.num_rows) if schema.type is None else data.column(schema.type)
            return join_arrays([own.cast(pa.string()), names])
        own = data.column(field.name)
        if field.name == schema.time:
            return join_arrays([own, self._times(ticks, field.type)])
        if field.name == schema.type:
            return join_arrays([own, pa.nulls(len(ticks), field.type)])
        if not ticks:
            return own
        values = sources.values(field)
        return join_arrays(
            [own, self._at_their_time(values, ticks) if field.name == self.plan.event else values]
        )

    def _times(self, ticks: Sequence[Tick], kind: pa.DataType) -> pa.Array:
        numbers = pa.array([tick.time for tick in ticks], pa.float64() if self._is_real else pa.int64())
        return (numbers.cast(pa.int32()) if pa.types.is_date32(kind) else numbers).cast(kind)

    def _at_their_time(self, texts: pa.Array, ticks: Sequence[Tick]) -> pa.Array:
        """Events as JSON that silences have from their last one, with a time of their own and no type."""
        schema = self.plan.schema
        times = plain(self._times(ticks, schema.columns.field(schema.time).type)).to_pylist()
        found: list[str | None] = []
        for tick, text, time in zip(ticks, texts.to_pylist(), times, strict=True):
            held = {} if text is None else json.loads(text)
            held.pop(schema.type, None)
            is_silence = tick.rank in self.silences
            found.append(
                json_text(dict(sorted((held | {schema.time: time}).items()))) if is_silence else None
            )
        return pa.array(found, pa.string())

    # -- places ------------------------------------------------------------------------------------

    def _numbered(
        self,
        data: pa.RecordBatch | FewEvents,
        time: np.ndarray,
        watermark: Ticks,
        partition: np.ndarray,
        rank: np.ndarray,
    ) -> Staged:
        place = np.arange(self._place, self._place + time.size)
        self._place += time.size
        if isinstance(data, FewEvents):
            events: pa.RecordBatch | FewEvents = self._few(data, place, partition, rank)
            return Staged(EventBatch(events, time, watermark), place, partition, rank)
        hidden = dict(zip(self.plan.hidden, (place, partition, rank), strict=True))
        columns = [
            pa.array(hidden[field.name], pa.int64()) if field.name in hidden else data.column(field.name)
            for field in self._inner
        ]
        events = pa.RecordBatch.from_arrays(columns, schema=self._inner)
        return Staged(EventBatch(events, time, watermark), place, partition, rank)

    def _few(self, few: FewEvents, *hidden: np.ndarray) -> FewEvents:
        """A few events stay Python values."""
        names = self._inner.names
        own = few.select(tuple(names[: -len(hidden)]))
        beside = zip(*(numbers.tolist() for numbers in hidden), strict=True)
        rows = [(*row, *more) for row, more in zip(own.rows, beside, strict=True)]
        return FewEvents(rows, tuple(names), tuple(self._inner.types))

    # -- snapshots ---------------------------------------------------------------------------------

    def save(self, snapshot: Snapshot) -> None:
        """Into a snapshot."""
        snapshot.values["staging"] = [self.start, self._settled, self._newest, self._place]
        snapshot.values["ticking"] = self.ticking.saved()
        snapshot.values["silences"] = {str(rank): each.saved() for rank, each in self.silences.items()}
        for rank, each in self.silences.items():
            snapshot.tables[f"silence {rank}"] = pa.Table.from_batches([each.rows])
        self.partitions.save(snapshot)

    def restore(self, snapshot: Snapshot) -> None:
        """From a snapshot."""
        self.start, self._settled, self._newest, self._place = snapshot.values["staging"]
        self.ticking.restore(snapshot.values["ticking"])
        self.partitions.restore(snapshot)
        for rank, each in self.silences.items():
            rows = as_batch(snapshot.tables[f"silence {rank}"], self._own)
            each.restore(snapshot.values["silences"][str(rank)], rows)


class _Sources:
    """Where time events have their values from: silences from their last event, all others only their key."""

    def __init__(self, staging: Staging, data: pa.RecordBatch, ticks: Sequence[Tick]) -> None:
        self._partitions, self._keys, self._data = staging.partitions, staging.plan.query.keys, data
        self._kept = [staging.silences[rank].rows for rank in sorted(staging.silences)]
        starts = np.cumsum([0, *(rows.num_rows for rows in self._kept)])
        begin = dict(zip(sorted(staging.silences), starts.tolist(), strict=False))
        ends = {rank: staging.silences[rank].rows.num_rows for rank in begin}
        total = int(starts[-1])
        self._of_events = np.array(
            [_row(tick, begin[tick.rank], ends[tick.rank], total) if tick.row >= 0 else -1 for tick in ticks],
            np.int64,
        )
        self._of_keys = np.where(self._of_events < 0, [tick.partition for tick in ticks], -1).astype(np.int64)

    def values(self, field: pa.Field) -> pa.Array:
        """The values of a column, one a time event."""
        kept = [rows.column(field.name) for rows in self._kept]
        found = join_arrays([*kept, self._data.column(field.name)]).take(
            pa.array(self._of_events, mask=self._of_events < 0)
        )
        if field.name not in self._keys:
            return found
        return _either(found, self._partitions.key(field.name, self._of_keys), self._of_events >= 0)


def _row(tick: Tick, begin: int, kept: int, total: int) -> int:
    """The row of a silence's last event among all kept ones, and then those of the batch."""
    return begin + tick.row if tick.row < kept else total + tick.row - kept


def _either(first: pa.Array, second: pa.Array, chosen: np.ndarray) -> pa.Array:
    """The one where it is chosen, else the other."""
    both, size = join_arrays([first, second]), len(first)
    return both.take(pa.array(np.where(chosen, np.arange(size), size + np.arange(size))))
