"""The events that matches may be made of: those still in reach of earlier batches, then the batch at hand."""

import numpy as np
import pyarrow as pa

from cepheid.events import EventBatch
from cepheid.matchers.aggregate.groups import Groups
from cepheid.matchers.codes import KeyCodes, TextCodes
from cepheid.matchers.masks import BatchRows, event_columns, event_masks
from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.store import EventStore
from cepheid.plan.aggregate.plan import TwoStepPlan
from cepheid.plan.program import WindowTest

_ARRAYS = ("position", "time", "partition", "group", "ordinal", "absent", "bits", "valid")


class HeldEvents:
    """Arrays with a place for each event; `bits` and `valid` have a row for each aggregated column."""

    def __init__(self, plan: TwoStepPlan) -> None:
        self.plan = plan
        self.keys = KeyCodes(len(plan.query.keys))
        self.groups = Groups(pa.schema([plan.schema.columns.field(name) for name in plan.group]))
        self.texts = TextCodes()
        self.seen = 0  # how many events there have been
        self.counts = np.zeros(0, np.int64)  # and how many of each partition
        self.arrays: dict[str, np.ndarray] = {}
        self.old = 0  # how many of the events are of earlier batches
        self.store: EventStore | None = None  # what conditions on absent events compare
        if plan.compared:
            self.store = EventStore(pa.schema([plan.schema.columns.field(name) for name in plan.compared]))
        self._tests = [plan.absences[number].test for number in plan.judged]
        self._numbers_partitions = any(
            window.counts_events for window in (plan.window, *plan.inner_windows) if window is not None
        )

    def __getattr__(self, name: str) -> np.ndarray:
        if name not in _ARRAYS:
            raise AttributeError(name)
        array: np.ndarray = self.arrays[name]
        return array

    @property
    def bytes(self) -> int:
        """How much the kept events take."""
        kept = self.store.bytes if self.store is not None else 0
        return sum(array.nbytes for array in self.arrays.values()) + self.counts.nbytes + kept

    def look_at(self, batch: EventBatch) -> BatchRows:
        """The batch at hand; its events stand behind the kept ones."""
        rows = BatchRows(batch.data, self.plan.schema, self.plan.unit)
        bits, valid = event_columns(self.plan.columns, rows, self.texts)
        partition = self.keys.encode([batch.data.column(n) for n in self.plan.query.keys], rows.length)
        new = {
            "position": np.arange(self.seen, self.seen + rows.length),
            "time": np.ascontiguousarray(batch.time),
            "partition": partition,
            "group": self.groups.encode([batch.data.column(n) for n in self.plan.group], rows.length),
            "ordinal": self._ordinals(partition),
            "absent": event_masks(self._tests, rows),
            "bits": bits,
            "valid": valid,
        }
        known = self.arrays or {name: array[..., :0] for name, array in new.items()}
        self.arrays = {name: np.concatenate([known[name], new[name]], axis=-1) for name in _ARRAYS}
        self.old = known["position"].size
        self.seen += rows.length
        if self.store is not None:
            self.store.look_at(batch.data.select(list(self.plan.compared)))
        return rows

    def _ordinals(self, partition: np.ndarray) -> np.ndarray:
        """Which event of its partition each one is, from 1, where a window counts events."""
        ordinals = np.zeros(partition.size, np.int64)
        if not self._numbers_partitions:
            return ordinals
        more = self.keys.count - self.counts.size
        self.counts = np.concatenate([self.counts, np.zeros(max(more, 0), np.int64)])
        own = np.flatnonzero(partition >= 0)
        own = own[np.argsort(partition[own], kind="stable")]
        of, starts, sizes = np.unique(partition[own], return_index=True, return_counts=True)
        ordinals[own] = 1 + np.arange(own.size) + np.repeat(self.counts[of] - starts, sizes)
        self.counts[of] += sizes
        return ordinals

    def places(self, positions: np.ndarray) -> np.ndarray:
        """Where the events of these stream positions stand."""
        return np.searchsorted(self.position, positions)

    def measure(self, window: WindowTest, places: np.ndarray) -> np.ndarray:
        """Events as moments of a window: by their time, or by their number in the partition."""
        moments: np.ndarray = (self.ordinal if window.counts_events else self.time)[places]
        return moments

    def attribute(self, name: str, places: np.ndarray) -> pa.Array:
        """A column's values; null where the place is -1."""
        assert self.store is not None
        return self.store.column(name, places)

    def keep(self, kept: np.ndarray) -> None:
        """Only these events, for later batches."""
        if self.store is not None:
            chosen = np.flatnonzero(kept)
            self.store.keep_only(chosen[chosen < self.old])
            self.store.keep(chosen[chosen >= self.old] - self.old)
        self.arrays = {name: array[..., kept] for name, array in self.arrays.items()}
        self.old = self.position.size

    def save(self, snapshot: Snapshot) -> None:
        """Into a snapshot, with the rest of a matcher."""
        self.keys.save(snapshot)
        self.groups.save(snapshot)
        snapshot.arrays |= {f"event_{name}": array for name, array in self.arrays.items()}
        snapshot.arrays["partition_counts"] = self.counts
        snapshot.values |= {"texts": self.texts.texts, "seen": self.seen}
        if self.store is not None:
            snapshot.tables["compared"] = self.store.saved()

    def restore(self, snapshot: Snapshot) -> None:
        """From a snapshot."""
        self.keys.restore(snapshot)
        self.groups.restore(snapshot)
        saved = {name: snapshot.arrays.get(f"event_{name}") for name in _ARRAYS}
        self.arrays = {name: array for name, array in saved.items() if array is not None}
        self.counts = snapshot.arrays["partition_counts"]
        self.texts, self.seen = TextCodes(snapshot.values["texts"]), snapshot.values["seen"]
        self.old = self.position.size if self.arrays else 0
        if self.store is not None:
            self.store.restore(snapshot.tables["compared"])
