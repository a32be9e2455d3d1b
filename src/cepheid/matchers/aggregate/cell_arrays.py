"""The arrays that a method counts in. Rows of some of them are cells, which get wider as counts grow."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.aggregate.layout import AggregateTables
from cepheid.matchers.arrays import Arrays
from cepheid.matchers.used_texts import Held

_GONE = -1

Moves = Sequence[tuple[slice, slice, bool]]
"""Which words of a cell go where, and whether they are a number with a sign."""


class CellArrays(Arrays):
    """The state of a method, by partition, by group and by whatever else it counts."""

    cells: ClassVar[tuple[str, ...]] = ()
    """The arrays whose rows are cells."""

    crowd: ClassVar[str] = "first events"
    """What there may be too many of in a window."""

    refusal = (
        "the aggregate's state would pass max_state = {max_state:,} bytes: too many {growing} are in the "
        "window at once. Bound it: a shorter WITHIN, more selective conditions, or a larger max_state="
    )

    rows_of_partition: dict[str, int]
    """The arrays that grow with partitions, and how many rows each partition has there."""

    rows_of_group: ClassVar[tuple[str, ...]] = ("closed", "ended")
    """The arrays with a row for each group."""

    def called(self, name: str) -> str:
        """What there are too many of, whichever array grows."""
        return self.crowd

    def grow_partitions(self, count: int) -> None:
        """Rows for `count` partitions."""
        self.extend(**{name: count * rows for name, rows in self.rows_of_partition.items()})

    def grow_groups(self, count: int) -> None:
        """Rows for `count` groups."""
        self.extend(**dict.fromkeys(self.rows_of_group, count))

    def keep_partitions(self, kept: np.ndarray) -> np.ndarray:
        """Only the rows of these partitions, numbered anew, in their order; the new number of each."""
        places = np.zeros(0, np.int64)
        for name, rows in self.rows_of_partition.items():
            array = self.array(name)
            places = np.full(array.shape[0] // rows, _GONE)
            of_partition = array.reshape(places.size, rows, *array.shape[1:])
            self.replace(**{name: of_partition[kept].reshape(kept.size * rows, *array.shape[1:])})
        places[kept] = np.arange(kept.size)
        return places

    def keep_groups(self, kept: np.ndarray) -> np.ndarray:
        """The same for groups."""
        places = np.full(self.array(self.rows_of_group[0]).shape[0], _GONE)
        places[kept] = np.arange(kept.size)
        self.replace(**{name: self.array(name)[kept] for name in self.rows_of_group})
        return places

    def texts(self, tables: AggregateTables) -> list[Held]:
        """Where the codes of texts stand: the least and the most of cells that count one."""
        found: list[Held] = []
        for cells in map(self.array, self.cells):
            for row in tables.values[tables.values[:, at.KIND] == at.TEXT]:
                counted = np.asarray(cells[:, row[at.COUNTED] : row[at.COUNTED] + tables.limbs].any(axis=1))
                places = [place for place in row[[at.LEAST, at.MOST]] if place != at.NONE]
                found += [(cells[:, place].view(np.int64), counted) for place in places]
        return found

    def widen(self, moves: Moves, width: int) -> None:
        """Let cells have more words."""
        for name in self.cells:
            old = self.array(name)
            self.allow(old.shape[0] * (width - old.shape[1]) * old.itemsize, name)
            self.replace(**{name: _wider(old, moves, width)})


def _wider(cells: np.ndarray, moves: Moves, width: int) -> np.ndarray:
    """Cells of more words; a number with a sign keeps it."""
    wide = np.zeros((cells.shape[0], width), np.uint64)
    for source, target, signed in moves:
        words = cells[:, source]
        wide[:, target][:, : words.shape[1]] = words
        if signed:
            sign = words[:, -1].astype(np.int64) >> 63
            wide[:, target][:, words.shape[1] :] = sign.astype(np.uint64)[:, None]
    return wide
