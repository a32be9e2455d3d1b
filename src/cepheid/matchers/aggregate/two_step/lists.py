"""A list of numbers for each match, all lists in one array."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Lists:
    """The list of match m is `items[offsets[m]:offsets[m + 1]]`."""

    offsets: np.ndarray
    items: np.ndarray

    @property
    def count(self) -> int:
        """How many lists there are."""
        return int(self.offsets.size - 1)

    @property
    def lengths(self) -> np.ndarray:
        """How long each is."""
        return np.diff(self.offsets)

    def at(self, index: np.ndarray | int) -> np.ndarray:
        """One item of each list, from its end where the index is negative; -1 where there is none."""
        edge = np.where(np.asarray(index) < 0, self.offsets[1:], self.offsets[:-1]) + index
        chosen = np.full(self.count, -1, np.int64)
        present = (self.offsets[:-1] <= edge) & (edge < self.offsets[1:])
        chosen[present] = self.items[edge[present]]
        return chosen

    def take(self, chosen: np.ndarray) -> Lists:
        """Some of the lists, in the order of `chosen`."""
        return self._cut(self.offsets[:-1][chosen], self.lengths[chosen])

    def prefixes(self, lengths: np.ndarray) -> Lists:
        """The first items of each list."""
        return self._cut(self.offsets[:-1], lengths)

    def _cut(self, starts: np.ndarray, lengths: np.ndarray) -> Lists:
        offsets = offsets_of(lengths)
        within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
        return Lists(offsets, self.items[np.repeat(starts, lengths) + within])

    def reduced(self, ufunc: np.ufunc, values: np.ndarray, identity: int | float) -> np.ndarray:
        """The ufunc over the values of each list; `values` stand as the items do."""
        result = np.full(self.count, identity, values.dtype)
        present = self.lengths > 0
        if values.size:
            result[present] = ufunc.reduceat(values, self.offsets[:-1][present])
        return result


def offsets_of(lengths: np.ndarray) -> np.ndarray:
    """Where lists of these lengths begin, one after the other, and where the last ends."""
    offsets = np.zeros(lengths.size + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def joined(parts: list[Lists]) -> Lists:
    """The lists of all parts."""
    lengths = np.concatenate([part.lengths for part in parts])
    return Lists(offsets_of(lengths), np.concatenate([part.items for part in parts]))


def lists_of(column: pa.ChunkedArray) -> Lists:
    """A column of numbers, or of lists of them; null is the empty list."""
    parts = [_of_array(chunk) for chunk in column.chunks if len(chunk)]
    return joined(parts) if parts else Lists(np.zeros(1, np.int64), np.zeros(0, np.int64))


def _of_array(values: pa.Array) -> Lists:
    if pa.types.is_list(values.type):
        offsets = values.offsets.to_numpy().astype(np.int64)
        return Lists(offsets - offsets[0], values.flatten().to_numpy(zero_copy_only=False))
    lengths = np.asarray(values.is_valid()).astype(np.int64)
    return Lists(offsets_of(lengths), values.drop_null().to_numpy(zero_copy_only=False))
