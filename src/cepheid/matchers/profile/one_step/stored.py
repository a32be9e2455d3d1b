"""The events that profiles of a session still need, as rows, and who each of them is."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
import pyarrow as pa

from cepheid.events import EventBatch, EventSchema, FewEvents, time_values
from cepheid.matchers.identity import LANES, EventIdentities
from cepheid.matchers.joining import join_arrays
from cepheid.matchers.loose_columns import LooseReading, LooseStore
from cepheid.matchers.profile.one_step.told_rows import HeldRows
from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.store import EventStore

KnownBy = tuple[str, ...]


class StoredEvents:
    """Rows of earlier batches, then the batch at hand, numbered as the matcher numbers them."""

    def __init__(self, store: EventStore) -> None:
        self.store = store
        self._identities: dict[KnownBy, EventIdentities] = {}
        self._kept: dict[KnownBy, np.ndarray] = {}
        self._hashes: dict[KnownBy, np.ndarray] = {}

    def know(self, known_by: Iterable[KnownBy]) -> None:
        """Tell events apart also by these columns."""
        for columns in known_by:
            if columns not in self._identities:
                self._identities[columns] = EventIdentities(columns)
                self._kept[columns] = np.zeros((self.store.kept, LANES), np.uint64)

    def before(self, batch: EventBatch) -> None:
        """The kept events and a batch that has no time events yet."""
        self.store.look_at(self._own(batch.events))

    def _own(self, events: pa.RecordBatch | FewEvents) -> pa.RecordBatch | FewEvents:
        """The columns that are kept."""
        names = self.store.schema.names
        if isinstance(events, FewEvents):
            return events
        return events if events.schema.names == names else events.select(names)

    def look_at(self, batch: EventBatch, alike: np.ndarray | None = None) -> HeldRows:
        """The kept events and a batch; `alike` has for each row the first one that is the same event."""
        self.store.look_at(self._own(batch.events))
        self._hashes = {
            columns: np.concatenate([self._kept[columns], _hashes(each, batch, alike)])
            for columns, each in self._identities.items()
        }
        return HeldRows(self.store, self._hashes)

    def keep(self, rows: np.ndarray) -> None:
        """Of the batch at hand, keep these rows."""
        begin = self.store.kept
        self.store.keep(rows)
        if rows.size:
            self._kept = {
                columns: np.concatenate([hashes[:begin], hashes[begin + rows]])
                for columns, hashes in self._hashes.items()
            }

    def keep_only(self, rows: np.ndarray) -> None:
        """Of the kept rows, keep these."""
        self.store.keep_only(rows)
        self._kept = {columns: hashes[rows] for columns, hashes in self._kept.items()}

    def save(self, snapshot: Snapshot) -> None:
        """Into a snapshot."""
        snapshot.tables["events"] = self.store.saved()
        snapshot.values["known by"] = [list(columns) for columns in self._identities]
        for number, (columns, identities) in enumerate(self._identities.items()):
            snapshot.arrays |= {f"{name} {number}": array for name, array in identities.saved().items()}
            snapshot.arrays[f"known {number}"] = self._kept[columns]

    def restore(self, snapshot: Snapshot, known_by: Collection[KnownBy]) -> pa.RecordBatch:
        """From a snapshot; the rows that are kept. Only some columns are still known by somebody."""
        self.store.restore(snapshot.tables["events"])
        self._identities, self._kept = {}, {}
        for number, columns in enumerate(map(tuple, snapshot.values["known by"])):
            if columns not in known_by:
                continue
            self._identities[columns] = EventIdentities(columns)
            self._identities[columns].restore(
                {name: snapshot.arrays[f"{name} {number}"] for name in ("tied_time", "tied_hashes")}
            )
            self._kept[columns] = snapshot.arrays[f"known {number}"]
        return self.store.saved().combine_chunks().to_batches()[0] if self.store.kept else None


def _hashes(identities: EventIdentities, batch: EventBatch, alike: np.ndarray | None) -> np.ndarray:
    """Who the events of a batch are. What is one event in several rows is counted once."""
    if alike is None:
        return identities.hashes(batch.events, batch.time)
    first, back = np.unique(alike, return_inverse=True)
    return identities.hashes(batch.data.take(pa.array(first)), batch.time[first])[back]


def whole_table(
    ordered: pa.Table, schema: EventSchema, known_by: Iterable[KnownBy], loose: LooseReading | None = None
) -> HeldRows:
    """All events of a table that is in order; `loose` reads those without a schema."""
    columns = [
        join_arrays(column.chunks) if column.num_chunks else column.combine_chunks() for column in ordered
    ]
    batch = pa.RecordBatch.from_arrays(columns, schema=ordered.schema)
    store = EventStore(ordered.schema) if loose is None else LooseStore(loose)
    store.look_at(batch)
    batch = batch if loose is None else loose.rows(batch)
    time = time_values(batch.column(schema.time))
    return HeldRows(store, {each: EventIdentities(each).hashes(batch, time) for each in set(known_by)})
