"""Matches as the ways through a graph of their events, each event at its variable once for all that share it.

Groups of matches stand one after the other. A way goes back from a row that is a root: before a row comes any
one of a chain, the row PREVIOUS, that one's SIBLING, the SIBLING of that, and so on; all of these have lower
numbers. A row with no PREVIOUS is where a match begins. Each way is one match, and no match has two ways, so
counting, choosing and listing need no more than the graph.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cepheid.matchers.ways import layout as at
from cepheid.matchers.ways.layout import Graph


@dataclass(frozen=True)
class Ways:
    """Rows of all groups, and where each group begins; the last number is where all end."""

    rows: np.ndarray  # int64: row, field
    groups: np.ndarray

    @property
    def count(self) -> int:
        """How many groups."""
        return self.groups.size - 1

    @property
    def largest(self) -> int:
        """The rows of the largest group: no match of it has more events."""
        return int(np.diff(self.groups).max(initial=0))

    @cached_property
    def meets(self) -> bool:
        """Whether no event has two rows at one variable: ways that have it in common meet there."""
        group = np.repeat(np.arange(self.count), np.diff(self.groups))
        keys = (self.rows[:, at.POSITION], self.rows[:, at.EVENT], group)
        order = np.lexsort(keys)
        is_same = np.ones(max(order.size - 1, 0), np.bool_)
        for key in keys:
            is_same &= key[order[1:]] == key[order[:-1]]
        return not is_same.any()

    @cached_property
    def newer(self) -> np.ndarray:
        """The row that each row is the SIBLING of."""
        newer = np.full(self.rows.shape[0], at.NONE, np.int64)
        chained = np.flatnonzero(self.rows[:, at.SIBLING] != at.NONE)
        newer[self.rows[chained, at.SIBLING]] = chained
        return newer

    @cached_property
    def graph(self) -> Graph:
        """The same ways, to be walked from first events to last ones."""
        rows = self.rows
        following = np.flatnonzero(rows[:, at.PREVIOUS] != at.NONE)
        previous = rows[following, at.PREVIOUS]
        first = np.flatnonzero(rows[:, at.PREVIOUS] == at.NONE)
        group = np.searchsorted(self.groups, first, side="right") - 1
        order = np.lexsort((rows[first, at.EVENT], -rows[first, at.POSITION], group))
        return Graph(
            rows=rows,
            newer=self.newer,
            followers=following[np.lexsort((rows[following, at.EVENT], previous))],
            followers_of=_offsets(previous, rows.shape[0]),
            starts=first[order],
            starts_of=_offsets(group, self.count),
        )


def _offsets(owners: np.ndarray, count: int) -> np.ndarray:
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(owners, minlength=count), out=offsets[1:])
    return offsets
