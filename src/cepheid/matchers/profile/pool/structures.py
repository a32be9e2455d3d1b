"""The tables that primitives are found by, as they grow: slots of keys, codes of texts, grams of patterns."""

# mypy: allow-untyped-calls

from __future__ import annotations

import numpy as np

from cepheid.matchers.profile.pool import layout as at
from cepheid.matchers.profile.pool.grams import watch_grams
from cepheid.matchers.profile.pool.growing import GrowingArray, TextTable
from cepheid.matchers.profile.pool.hashing import add_slots, spread_slots, spread_texts
from cepheid.matchers.profile.pool.sampling import chosen_grams

_BITS_EACH = 16
"""So many bits for a gram, so that few positions of a text are looked at twice."""


def _table(count: int) -> np.ndarray:
    """A table that so many rows leave half empty."""
    return np.full((1 << max(6, (2 * count).bit_length()), 2), at.NONE, np.int64)


class Slots:
    """A slot for each key of a group: the primitives of a type that one column finds in one way."""

    def __init__(self) -> None:
        self.groups: dict[tuple[int, int, int], int] = {}  # type, kind, column
        self.count = 0
        self.table = _table(0)

    def group(self, of_type: int, kind: int, column: int) -> int:
        """The number of a group."""
        return self.groups.setdefault((of_type, kind, column), len(self.groups))

    def add(self, group: int, keys: np.ndarray) -> np.ndarray:
        """The slots of keys."""
        if 2 * (self.count + keys.size) > self.table.shape[0]:
            old, self.table = self.table, _table(self.count + keys.size)
            spread_slots(old, self.table)
        found = np.empty(keys.size, np.int64)
        groups = np.full(keys.size, group, np.int64)
        self.count = add_slots(self.table, groups, np.ascontiguousarray(keys), self.count, found)
        return found

    def rows(self, types: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The groups, where those of each type start among the groups by type, and these."""
        rows = np.array([key[1:] for key in self.groups], np.int32).reshape(-1, at.GROUP_WIDTH)
        of_types = np.array([key[0] for key in self.groups], np.int64)
        counts = np.bincount(of_types, minlength=types) if of_types.size else np.zeros(types, np.int64)
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        return rows, starts, np.argsort(of_types, kind="stable").astype(np.int32)

    def fork(self) -> Slots:
        """The same slots, to which others may be added by themselves."""
        fresh = Slots()
        fresh.groups, fresh.count, fresh.table = dict(self.groups), self.count, self.table.copy()
        return fresh


class TextHashes:
    """By the hash of a text, its code."""

    def __init__(self) -> None:
        self.table = _table(0)
        self._listed = 0

    def up_to_date(self, texts: TextTable) -> np.ndarray:
        """The table with all texts."""
        count = texts.starts.size - 1
        if count == self._listed:
            return self.table
        if 2 * count > self.table.shape[0]:
            self.table, self._listed = _table(count), 0
        elif self._listed:
            self.table = self.table.copy()
        spread_texts(texts.starts, texts.symbols, self._listed, self.table)
        self._listed = count
        return self.table


class Watches:
    """Which grams texts are searched for, and which patterns are verified where one is found."""

    def __init__(self) -> None:
        self.rows = GrowingArray(np.int32, 2)
        self.grams, self.bits = _table(0), np.zeros(16, np.uint64)
        self.sizes: dict[int, set[int]] = {}
        self._watched: dict[int, np.ndarray] = {}  # by column, whether each pattern is
        self._keys = GrowingArray(np.int64)

    def add(self, likes: TextTable, column: int, patterns: np.ndarray, seen: np.ndarray) -> None:
        """Search the texts of a column for patterns."""
        watched = np.zeros(likes.starts.size, np.bool_)
        before = self._watched.get(column, watched[:0])
        watched[: before.size] = before
        fresh = np.unique(patterns)
        fresh = fresh[~watched[fresh]]
        watched[fresh] = True
        self._watched[column] = watched
        if not fresh.size:
            return
        found = chosen_grams(likes, column, fresh, seen)
        self.sizes.setdefault(column, set()).update(np.unique(found.sizes).tolist())
        first = self.rows.count
        watches = np.full((fresh.size, 2), at.NONE, np.int32)
        watches[:, at.WATCHED] = fresh
        self.rows.append(watches)
        self._keys.append(found.chosen)
        count = self.rows.count
        if 5 * count > 4 * self.grams.shape[0]:  # it may be fuller than others: bits keep most away from it
            self.grams, first = _table(5 * count // 8), 0
            self.bits = np.zeros(1 << max(4, (2 * count * _BITS_EACH // 64).bit_length()), np.uint64)
        watch_grams(self._keys.rows[first:], first, self.grams, self.bits, self.rows.rows)

    def size_rows(self, columns: int) -> np.ndarray:
        """The sizes of the grams of each column, and then 0."""
        rows = np.zeros((columns, at.GRAM_SIZES + 1), np.uint8)
        for column, sizes in self.sizes.items():
            rows[column, : len(sizes)] = sorted(sizes)
        return rows

    def fork(self) -> Watches:
        """The same watches, to which others may be added by themselves."""
        fresh = Watches()
        fresh.rows, fresh._keys = self.rows.fork(), self._keys.fork()
        fresh.grams, fresh.bits = self.grams.copy(), self.bits.copy()
        fresh.sizes = {column: set(sizes) for column, sizes in self.sizes.items()}
        fresh._watched = dict(self._watched)
        return fresh
