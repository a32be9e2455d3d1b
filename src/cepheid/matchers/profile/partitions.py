"""Partitions by numbers that are never used again, so that a key may be forgotten and come back."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from cepheid.events import EventBatch
from cepheid.matchers.codes import KeyCodes
from cepheid.matchers.joining import join_arrays
from cepheid.matchers.snapshot import Snapshot

NOWHERE = -1
"""The partition of an event that has no key."""

_SPARE = 1 << 16
"""How many keys may pile up before it is worth looking which are alive."""


class Partitions:
    """The numbers of partitions, and the keys that they stand for."""

    def __init__(self, keys: pa.Schema) -> None:
        self._codes = KeyCodes(len(keys))
        self._numbers = np.zeros(0 if len(keys) else 1, np.int64)  # by code
        self._keys = pa.RecordBatch.from_pylist([], schema=keys)  # by code
        self._next = 0 if len(keys) else 1
        self._live = 0  # when it was last looked

    def of(self, batch: EventBatch) -> np.ndarray:
        """The partition of each event."""
        names = self._keys.schema.names
        codes = self._codes.encode(batch.columns(names), batch.count)
        if codes.size and codes.max() >= self._numbers.size:
            self._note(batch.data.select(names), codes)
        found: np.ndarray = np.append(self._numbers, NOWHERE)[codes]
        return found

    def _note(self, keys: pa.RecordBatch, codes: np.ndarray) -> None:
        """Number the keys that are new; their codes are in the order in which they came."""
        known, first = np.unique(codes, return_index=True)
        fresh = keys.take(pa.array(first[known >= self._numbers.size]))
        columns = [join_arrays([a, b]) for a, b in zip(self._keys.columns, fresh.columns, strict=True)]
        self._keys = pa.RecordBatch.from_arrays(columns, schema=self._keys.schema)
        numbers = np.arange(self._next, self._next + fresh.num_rows)
        self._numbers = np.concatenate([self._numbers, numbers])
        self._next += fresh.num_rows

    def key(self, name: str, numbers: np.ndarray) -> pa.Array:
        """The values of a key, by the numbers of partitions; null for those without one."""
        rows = np.searchsorted(self._numbers, numbers)
        return self._keys.column(name).take(pa.array(rows, mask=numbers < 0))

    @property
    def are_many(self) -> bool:
        """Whether it is worth looking which are alive."""
        return bool(self._keys.schema.names) and self._numbers.size > 2 * self._live + _SPARE

    def keep_only(self, alive: set[int]) -> None:
        """Forget the others: should one come back, it is a new one."""
        kept = np.flatnonzero(np.isin(self._numbers, sorted(alive)))
        self._codes, self._numbers = self._codes.only(kept), self._numbers[kept]
        self._keys, self._live = self._keys.take(pa.array(kept)), kept.size

    def save(self, snapshot: Snapshot) -> None:
        """Into a snapshot."""
        self._codes.save(snapshot)
        snapshot.arrays["partitions"] = self._numbers
        snapshot.tables["keys"] = pa.Table.from_batches([self._keys])
        snapshot.values["next partition"] = self._next

    def restore(self, snapshot: Snapshot) -> None:
        """From a snapshot."""
        self._codes.restore(snapshot)
        self._numbers, self._next = snapshot.arrays["partitions"], snapshot.values["next partition"]
        self._keys = as_batch(snapshot.tables["keys"], self._keys.schema)


def as_batch(table: pa.Table, schema: pa.Schema) -> pa.RecordBatch:
    """A table as one batch."""
    if table.num_rows == 0:
        return pa.RecordBatch.from_pylist([], schema=schema)
    return pa.RecordBatch.from_arrays([join_arrays(column.chunks) for column in table.columns], schema=schema)
