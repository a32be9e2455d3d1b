"""The events that may still stand in the place of a match's event, or close its window."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from cepheid.events import END
from cepheid.matchers.joining import join_arrays
from cepheid.matchers.profile.moments import PlacedEvent
from cepheid.matchers.profile.partitions import as_batch
from cepheid.matchers.profile.qualifying import EventRows, PlaceRows, holding, holding_with
from cepheid.matchers.profile.staging import Staged
from cepheid.matchers.snapshot import Snapshot
from cepheid.plan.profile.kinds import Ticks
from cepheid.plan.profile.plan import Chosen, ProfilePlan

_COLUMNS = ("place", "partition", "rank", "ordinal")


class Recent:
    """Events as they went to the inner engine, in their order, as long as a match may look back at them."""

    def __init__(self, plan: ProfilePlan) -> None:
        self.plan = plan
        self._schema = pa.schema([plan.inner.schema.columns.field(name) for name in plan.inner.needed])
        self.rows = pa.RecordBatch.from_pylist([], schema=self._schema)
        self.time = np.zeros(0, np.int64)
        self.place, self.partition, self.rank, self.ordinal = (np.zeros(0, np.int64) for _ in _COLUMNS)
        self.alone = np.zeros(
            (len(plan.chosen), 0), np.bool_
        )  # which satisfy the conjuncts on a variable alone
        self._counted: dict[int, int] = {}  # events of each partition

    @property
    def is_needed(self) -> bool:
        """Whether anybody looks back."""
        return bool(self.plan.chosen) or self.plan.counts_events

    @property
    def partitions(self) -> set[int]:
        """Those that have kept events."""
        return {*np.unique(self.partition[self.partition >= 0]).tolist(), *self._counted}

    def add(self, staged: Staged) -> None:
        """Keep the events of a batch."""
        events = staged.batch.data
        rows = EventRows(events, self.plan.inner.schema, self.plan.unit)
        alone = [holding(each.type, each.alone, rows) for each in self.plan.chosen]
        self.time = np.concatenate([self.time.astype(staged.batch.time.dtype), staged.batch.time])
        self.place = np.concatenate([self.place, staged.place])
        self.partition = np.concatenate([self.partition, staged.partition])
        self.rank = np.concatenate([self.rank, staged.rank])
        self.ordinal = np.concatenate([self.ordinal, self._ordinals(staged)])
        self.alone = np.concatenate(
            [self.alone, np.array(alone, np.bool_).reshape(len(alone), staged.place.size)], axis=1
        )
        pairs = zip(self.rows.columns, events.columns, strict=True)
        self.rows = pa.RecordBatch.from_arrays([join_arrays([*pair]) for pair in pairs], schema=self._schema)

    def _ordinals(self, staged: Staged) -> np.ndarray:
        """The number of each event among those of its partition, which windows of events are measured by."""
        found = np.zeros(staged.place.size, np.int64)
        if self.plan.counts_events:
            for place, partition in enumerate(staged.partition.tolist()):
                if partition >= 0:
                    self._counted[partition] = found[place] = self._counted.get(partition, 0) + 1
        return found

    def at(self, place: int) -> int:
        """The row of an event, by its place in the stream."""
        return int(np.searchsorted(self.place, place))

    def closing(self, first: int, length: int) -> tuple[Ticks, int] | None:
        """When and where a window of so many events closes that began with the event at a place."""
        row = self.at(first)
        last = self.ordinal[row] + length - 1
        found = np.flatnonzero((self.partition == self.partition[row]) & (self.ordinal == last))
        return (self.time[found[0]].item(), int(self.place[found[0]])) if found.size else None

    def event(self, row: int) -> PlacedEvent:
        """An event, by its row."""
        rank, place = int(self.rank[row]), int(self.place[row])
        return PlacedEvent(self.time[row].item(), rank, 0 if rank in self.plan.shared_ranks else place, place)

    def candidates(self, number: int, partition: int, selected: list[int]) -> np.ndarray:
        """The rows of events outside a match that satisfy the conjuncts on a variable alone."""
        fit = self.alone[number] & (self.partition == partition)
        fit[[self.at(place) for place in selected]] = False
        return np.flatnonzero(fit)

    def in_window(self, rows: np.ndarray, last: int) -> np.ndarray:
        """Those of the rows that are in the query's window that ends at the event at a place."""
        window, end = self.plan.window, self.at(last)
        if window is None:
            return rows
        if window.counts_events:
            inside = self.ordinal[end] - self.ordinal[rows] <= window.limit
        else:
            distance = self.time[end] - self.time[rows]
            inside = distance < window.limit if window.strict else distance <= window.limit
        found: np.ndarray = rows[inside]
        return found

    def joint(self, chosen: Chosen, rows: list[int], bound: dict[str, list[int]]) -> list[int]:
        """Those of the rows that satisfy the conjuncts with other variables, whose events are at places."""
        if not chosen.joint or not rows:
            return rows
        others = {v: self.rows.take(pa.array([self.at(p) for p in places])) for v, places in bound.items()}
        events = self.rows.take(pa.array(rows))
        placed = PlaceRows(events, self.plan.inner.schema, self.plan.unit, chosen.variable, others)
        return [row for row, holds in zip(rows, holding_with(chosen.joint, placed), strict=True) if holds]

    # -- forgetting --------------------------------------------------------------------------------

    def forget(self, watermark: Ticks) -> None:
        """Drop what no match may look back at: it may begin a window before the watermark, and look back as
        far again."""
        kept = self._kept(watermark)
        if kept is not None and 2 * kept.size < self.place.size:
            self._keep(kept)

    def _kept(self, watermark: Ticks) -> np.ndarray | None:
        reach, window = self.plan.reach, self.plan.window
        if abs(watermark) == END or window is None:
            return None
        if reach is not None:
            return np.flatnonzero(self.time >= watermark - 2 * reach)
        counted = np.array([self._counted.get(p, 0) for p in self.partition.tolist()], np.int64)
        return np.flatnonzero((self.partition >= 0) & (counted - self.ordinal <= 2 * window.limit + 2))

    def _keep(self, kept: np.ndarray) -> None:
        self.time, self.alone = self.time[kept], self.alone[:, kept]
        for name in _COLUMNS:
            setattr(self, name, getattr(self, name)[kept])
        self.rows = self.rows.take(pa.array(kept))

    def save(self, snapshot: Snapshot) -> None:
        """Into a snapshot."""
        snapshot.tables["recent"] = pa.Table.from_batches([self.rows])
        snapshot.arrays |= {f"recent {name}": getattr(self, name) for name in ("time", "alone", *_COLUMNS)}
        snapshot.values["counted"] = [[p, count] for p, count in self._counted.items()]

    def restore(self, snapshot: Snapshot) -> None:
        """From a snapshot."""
        self.rows = as_batch(snapshot.tables["recent"], self._schema)
        for name in ("time", "alone", *_COLUMNS):
            setattr(self, name, snapshot.arrays[f"recent {name}"])
        self._counted = {p: int(count) for p, count in snapshot.values["counted"]}
