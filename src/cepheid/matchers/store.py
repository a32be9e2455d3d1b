"""The events that matches may still need, kept as Arrow rows and found by stream position."""

from __future__ import annotations

import numpy as np
import pyarrow as pa


class EventStore:
    """Rows of earlier batches that are still needed, and the batch at hand."""

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema
        self.positions = np.zeros(0, np.int64)  # of the kept rows, ascending
        self.kept = pa.RecordBatch.from_pylist([], schema=schema)
        self._more: list[tuple[np.ndarray, pa.RecordBatch]] = []
        self._batch = self.kept
        self._offset = 0
        self._joined: dict[str, pa.Array] = {}

    @property
    def rows(self) -> int:
        """How many rows are kept."""
        return self.kept.num_rows + sum(len(positions) for positions, _ in self._more)

    @property
    def bytes(self) -> int:
        """How much the kept rows take."""
        return int(self.kept.nbytes + sum(batch.nbytes for _, batch in self._more))

    def look_at(self, batch: pa.RecordBatch, offset: int) -> None:
        """The batch at hand; its first event has stream position `offset`."""
        self._batch, self._offset = batch, offset
        self._joined = {}

    def keep(self, positions: np.ndarray) -> None:
        """Keep these events of the batch at hand for later batches."""
        if positions.size:
            rows = self._batch.take(pa.array(positions - self._offset))
            self._more.append((positions, rows))
        if len(self._more) > 32:
            self._merge()

    def forget_all_but(self, positions: np.ndarray) -> None:
        """Drop every kept row that is not at one of these positions."""
        self._merge()
        wanted = np.isin(self.positions, positions)
        self.kept = self.kept.filter(pa.array(wanted))
        self.positions = self.positions[wanted]

    def saved(self) -> tuple[np.ndarray, pa.Table]:
        """The kept rows and their stream positions."""
        self._merge()
        return self.positions, pa.Table.from_batches([self.kept])

    def restore(self, positions: np.ndarray, rows: pa.Table) -> None:
        """Go on from saved rows."""
        self.positions = positions
        columns = [join_arrays(column.chunks) if column.num_chunks else column.combine_chunks() for column in rows]
        self.kept = pa.RecordBatch.from_arrays(columns, schema=self.schema)
        self._more, self._joined = [], {}

    def column(self, name: str, positions: np.ndarray) -> pa.Array:
        """A column's values at stream positions; a position of -1 gives null."""
        if positions.size and positions.min() >= self._offset:
            return self._batch.column(name).take(pa.array(positions - self._offset))
        indices = self._indices(positions)
        absent = positions < 0
        return self._all(name).take(pa.array(indices, mask=absent) if absent.any() else pa.array(indices))

    def _indices(self, positions: np.ndarray) -> np.ndarray:
        """Where the events stand when the kept rows and the batch are put together."""
        self._merge()
        kept = np.searchsorted(self.positions, positions)
        return np.where(positions >= self._offset, positions - self._offset + self.positions.size, kept)

    def _all(self, name: str) -> pa.Array:
        if name not in self._joined:
            parts = [self.kept.column(name), self._batch.column(name)]
            self._joined[name] = join_arrays([part for part in parts if len(part)] or parts[:1])
        return self._joined[name]

    def _merge(self) -> None:
        if not self._more:
            return
        parts = [self.kept, *(batch for _, batch in self._more)]
        self.positions = np.concatenate([self.positions, *(positions for positions, _ in self._more)])
        self._more = []
        self._joined = {}
        columns = [join_arrays([part.column(k) for part in parts]) for k in range(len(self.schema))]
        self.kept = pa.RecordBatch.from_arrays(columns, schema=self.schema)


def join_arrays(arrays: list[pa.Array]) -> pa.Array:
    """One array; dictionaries are made one first."""
    if len(arrays) == 1:
        return arrays[0]
    if pa.types.is_dictionary(arrays[0].type):
        chunked = pa.chunked_array(arrays).unify_dictionaries()
        return pa.concat_arrays(chunked.chunks)
    return pa.concat_arrays(arrays)
