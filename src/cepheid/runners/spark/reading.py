"""What workers do with Parquet: read it, drop what cannot matter, pack it by shard, unpack and match it."""

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds

from cepheid.plan.events.division import By, Division
from cepheid.runners.spark.assignment import Assignment
from cepheid.runners.spark.keys import shards_of
from cepheid.runners.spark.needed import Needed, seen_in
from cepheid.runners.spark.pack import pack, unpack
from cepheid.runners.spark.ranges import SHARD, Ranges, with_copies
from cepheid.runners.spark.schema import as_events
from cepheid.runners.spark.share import share_rows

PACKED_BYTES = 1 << 26
"""How many bytes of events a reader packs at a time."""


@dataclass(frozen=True)
class Reading:
    """Reads row groups, drops what cannot matter, and packs the rest by shard."""

    assigned: Assignment
    tasks: tuple[bytes, ...]  # the row groups of each, pickled
    columns: pa.Schema
    kept: ds.Expression | None
    cut: Division
    ranges: Ranges | None
    keys: tuple[int, ...]
    needed: tuple[Needed, ...]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """One packed table for each shard, or more where there are many rows."""
        waiting: list[pa.RecordBatch] = []
        size = 0
        for batch in self._events(batches):
            waiting.append(batch)
            size += batch.nbytes
            if size >= PACKED_BYTES:
                yield self._packed(waiting)
                waiting, size = [], 0
        if waiting:
            yield self._packed(waiting)

    def _events(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column("id").to_pylist():
                for fragment in pickle.loads(self.tasks[number]):
                    scanner = fragment.scanner(
                        schema=self.columns, columns=list(self.assigned.plan.needed), filter=self.kept
                    )
                    for events in scanner.to_batches():
                        if events.num_rows:
                            yield as_events(events, self.assigned.events)

    def _packed(self, batches: list[pa.RecordBatch]) -> pa.RecordBatch:
        table = pa.Table.from_batches(batches).unify_dictionaries().combine_chunks()
        seen = seen_in(self.needed, table)
        if self.ranges is not None:
            table = with_copies(table, self.assigned.plan, self.ranges)
            shard = np.asarray(table.column(SHARD))
        elif self.cut.by is By.KEYS:
            shard = shards_of(table, self.cut.keys, len(self.keys))
        else:
            shard = np.zeros(table.num_rows, np.int32)
        places = np.flatnonzero(np.bincount(shard, minlength=len(self.keys)))
        tables = _divided(table, shard, places) if places.size > 1 else [table]
        blobs = pa.array([pack(part) for part in tables], pa.binary())
        keys = pa.array([self.keys[place] for place in places], pa.int32())
        had = pa.array([seen] * len(keys), pa.int64())
        return pa.RecordBatch.from_arrays([keys, blobs, had], ["key", "blob", "seen"])


def _divided(table: pa.Table, shard: np.ndarray, places: np.ndarray) -> list[pa.Table]:
    """The rows of each shard, in the order they had."""
    narrow = shard.astype(np.uint16) if places[-1] < 1 << 16 else shard  # a radix sort then
    order = np.argsort(narrow, kind="stable")
    sorted_table = table.take(pa.array(order))
    ends = np.searchsorted(shard[order], places, "right")
    starts = np.concatenate([[0], ends[:-1]])
    return [sorted_table.slice(start, end - start) for start, end in zip(starts, ends, strict=True)]


@dataclass(frozen=True)
class PackedTask:
    """What a worker runs over the packed events of its shard."""

    assigned: Assignment
    ranges: Ranges | None

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows of the result."""
        tables = [unpack(blob.as_py()) for batch in batches for blob in batch.column("blob")]
        if not tables:
            return
        table = pa.concat_tables(tables).unify_dictionaries()
        del tables
        yield from share_rows(self.assigned, table, self.ranges)
