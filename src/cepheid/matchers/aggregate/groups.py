"""The groups of GROUP BY: numbered as they appear, with the values that name them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from cepheid.matchers.codes import KeyCodes, NumberCodes
from cepheid.matchers.joining import join_arrays
from cepheid.matchers.snapshot import Snapshot

NULL = 0
"""A value that is null; one that is no number is 1."""

FEW = 1 << 12
"""So many partitions or groups are kept, whether or not something is open in them."""

_CHUNKS = 32
"""How many pieces the values may be in."""


class Groups:
    """Unlike a key, a value that is null makes a group too."""

    def __init__(self, columns: pa.Schema) -> None:
        self.parts = [KeyCodes(1) for _ in columns]
        self.joined = [NumberCodes() for _ in columns]
        self.rows = columns.empty_table()

    @property
    def count(self) -> int:
        """How many there are; without GROUP BY one."""
        return self.joined[-1].count if self.joined else 1

    def encode(self, columns: list[pa.Array], length: int) -> np.ndarray:
        """The group of each event."""
        codes = np.zeros(length, np.int64)
        for part, joined, column in zip(self.parts, self.joined, columns, strict=True):
            own = part.encode([column], length) + 2
            own[np.asarray(column.is_null())] = NULL
            codes = joined.encode((codes << 32) | own, np.ones(length, np.uint8))
        if self.count > self.rows.num_rows and columns:
            self._remember(codes, columns)
        return codes

    def only(self, kept: np.ndarray) -> Groups:
        """Just these groups, numbered anew, in their order."""
        fresh = Groups(self.rows.schema)
        rows = self.rows.take(pa.array(kept))
        fresh.encode([join_arrays(column.chunks or [column.combine_chunks()]) for column in rows], kept.size)
        return fresh

    def _remember(self, codes: np.ndarray, columns: list[pa.Array]) -> None:
        """The values of groups that were not there before."""
        new = pa.array(first_places(codes, self.count)[self.rows.num_rows :])
        rows = pa.Table.from_arrays([column.take(new) for column in columns], schema=self.rows.schema)
        self.rows = pa.concat_tables([self.rows, rows])
        if self.rows.column(0).num_chunks > _CHUNKS:
            columns = [join_arrays(column.chunks) for column in self.rows.columns]
            self.rows = pa.Table.from_arrays(columns, schema=self.rows.schema)

    def save(self, snapshot: Snapshot) -> None:
        """Into a snapshot, with the rest of a matcher."""
        for k, (part, joined) in enumerate(zip(self.parts, self.joined, strict=True)):
            part.save(snapshot, f"group{k}_")
            snapshot.arrays[f"groups{k}"] = joined.numbers
        snapshot.tables["groups"] = self.rows

    def restore(self, snapshot: Snapshot) -> None:
        """From a snapshot."""
        for k, part in enumerate(self.parts):
            part.restore(snapshot, f"group{k}_")
            self.joined[k] = NumberCodes(snapshot.arrays[f"groups{k}"])
        self.rows = snapshot.tables["groups"]


def first_places(codes: np.ndarray, count: int) -> np.ndarray:
    """Where each of so many codes comes first; -1 if it does not come."""
    first = np.full(count, -1)
    first[codes[::-1]] = np.arange(codes.size - 1, -1, -1)  # what comes first is written last
    return first
