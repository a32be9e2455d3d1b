"""Trees of ranges as they are built: one for many stretches at once, and others as more are added."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from cepheid.matchers.profile.pool import layout as at
from cepheid.matchers.profile.pool.growing import GrowingArray
from cepheid.matchers.profile.pool.keys import LEAST, MOST


@dataclass(frozen=True, slots=True)
class Ranged:
    """Stretches, with their primitives and the places of these; an owner is twice its number, and one more
    if it has tests."""

    lows: np.ndarray
    highs: np.ndarray
    owners: np.ndarray
    places: np.ndarray

    def __len__(self) -> int:
        return int(self.lows.size)

    @staticmethod
    def all_of(parts: list[Ranged]) -> Ranged:
        """The stretches of all."""
        return Ranged(
            np.concatenate([part.lows for part in parts]),
            np.concatenate([part.highs for part in parts]),
            np.concatenate([part.owners for part in parts]),
            np.concatenate([part.places for part in parts]),
        )


@dataclass(frozen=True, slots=True)
class IntervalTree:
    """A tree of intervals among the others."""

    of_type: int
    column: int
    root: int
    members: Ranged


@dataclass(slots=True)
class RangeForest:
    """All trees of an index. One that is added is joined with the last of its type and column if that is not
    twice as large, so there are few, and a stretch is moved a few times."""

    trees: list[IntervalTree] = field(default_factory=list)
    entries: GrowingArray = field(default_factory=lambda: GrowingArray(np.int64, at.ENTRY_WIDTH))
    highs: GrowingArray = field(default_factory=lambda: GrowingArray(np.int64))
    parents: GrowingArray = field(default_factory=lambda: GrowingArray(np.int32))

    def add(self, of_type: int, column: int, members: Ranged, places: np.ndarray) -> None:
        """Plant a tree of these; `places` learn where their leaves are."""
        alike = [tree for tree in self.trees if (tree.of_type, tree.column) == (of_type, column)]
        for last in reversed(alike):
            if len(last.members) > 2 * len(members):
                break
            members = Ranged.all_of([last.members, members])
            self.trees.remove(last)
        order = np.argsort(members.lows, kind="stable")
        root, first = self._plant(members, order)
        places[members.places[order]] = ~(first + np.arange(order.size))
        self.trees.append(IntervalTree(of_type, column, root, members))

    def _plant(self, members: Ranged, order: np.ndarray) -> tuple[int, int]:
        """The first entry of the root, and the first leaf; leaves are in the order of their least keys."""
        leaves, lows = self.entries.count, members.lows[order]
        start = self._level(lows, ~members.owners[order].astype(np.int64), members.highs[order])
        while lows.size > at.FANOUT:
            nodes = -(-lows.size // at.FANOUT)
            self.parents.rows[start:] = np.repeat(self.entries.count + np.arange(nodes), at.FANOUT)
            lows = lows[:: at.FANOUT]
            start = self._level(lows, start + np.arange(nodes) * at.FANOUT, np.full(nodes, LEAST))
        return start, leaves

    def _level(self, lows: np.ndarray, leads_to: np.ndarray, highs: np.ndarray) -> int:
        """Add the entries of one level, filled up to whole nodes with such that nothing is found in."""
        start, missing = self.entries.count, -lows.size % at.FANOUT
        rows = np.full((lows.size + missing, at.ENTRY_WIDTH), LEAST)
        rows[:, at.LOW] = MOST
        rows[: lows.size, at.LOW], rows[: lows.size, at.LEADS_TO] = lows, leads_to
        self.entries.append(rows)
        self.highs.append(np.concatenate([highs, np.full(missing, LEAST)]))
        self.parents.append(np.full(rows.shape[0], at.NONE, np.int32))
        return start

    def table(self, types: int) -> tuple[np.ndarray, np.ndarray]:
        """The trees as rows, one type after the other, and where those of each type start."""
        ordered = sorted(self.trees, key=lambda tree: tree.of_type)
        rows = np.array([(tree.column, tree.root) for tree in ordered], np.int32).reshape(-1, at.TREE_WIDTH)
        counts = np.bincount([tree.of_type for tree in ordered], minlength=types)
        return rows, np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)

    def fork(self) -> RangeForest:
        """The same trees, to which others may be added by themselves."""
        return RangeForest(list(self.trees), self.entries.fork(), self.highs.fork(), self.parents.fork())
