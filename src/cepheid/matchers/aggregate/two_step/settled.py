"""Matches that count for ever, added up by group."""

import numpy as np

from cepheid.matchers.aggregate.two_step.matches import BuiltMatches
from cepheid.matchers.aggregate.two_step.totals import Tally, Totals
from cepheid.matchers.aggregate.wide import as_words, from_words, held_bytes
from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.windows import FAR


class Settled:
    """Totals by group; `first` and `last` are the positions where matches were complete, `ended` when."""

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self.totals = tally.nothing(0)
        self.first = np.zeros(0, np.int64)
        self.last = np.zeros(0, np.int64)
        self.ended = np.zeros(0, np.int64)  # the bits of a time

    @property
    def bytes(self) -> int:
        """How much they take."""
        return sum(held_bytes(array) for array in (*self.totals.values(), self.first, self.last, self.ended))

    @property
    def groups(self) -> np.ndarray:
        """Those that have a match, in the order of their first."""
        some = np.flatnonzero(self.last >= 0)
        chosen: np.ndarray = some[np.argsort(self.first[some], kind="stable")]
        return chosen

    def grow(self, groups: int) -> None:
        """Room for so many groups."""
        more = groups - self.first.size
        if more <= 0:
            return
        fresh = self.tally.nothing(more)
        self.totals = {name: np.concatenate([array, fresh[name]]) for name, array in self.totals.items()}
        self.first = np.concatenate([self.first, np.full(more, FAR, np.int64)])
        self.last = np.concatenate([self.last, np.full(more, -1, np.int64)])
        self.ended = np.concatenate([self.ended, np.zeros(more, np.int64)])

    def keep(self, groups: np.ndarray) -> None:
        """Only these groups, in their order."""
        self.totals = self.at(groups)
        self.first, self.last, self.ended = self.first[groups], self.last[groups], self.ended[groups]

    def add(self, matches: BuiltMatches) -> None:
        """Put matches to their groups."""
        if not matches.count:
            return
        groups, last = matches["group"], matches["last"]
        self.tally.add(self.totals, groups, matches.columns)
        np.minimum.at(self.first, groups, last)
        np.maximum.at(self.last, groups, last)
        newest = last == self.last[groups]
        self.ended[groups[newest]] = matches["ended"][newest].view(np.int64)

    def at(self, groups: np.ndarray) -> Totals:
        """The totals of these groups."""
        return {name: array[groups] for name, array in self.totals.items()}

    def save(self, snapshot: Snapshot) -> None:
        """Into a snapshot, with the rest of a matcher."""
        snapshot.arrays |= {f"settled_{name}": as_words(array) for name, array in self.totals.items()}
        snapshot.arrays |= {"groups_first": self.first, "groups_last": self.last, "groups_ended": self.ended}

    def restore(self, snapshot: Snapshot) -> None:
        """From a snapshot."""
        arrays = snapshot.arrays
        self.totals = {name: from_words(arrays[f"settled_{name}"]) for name in self.totals}
        self.first, self.last = arrays["groups_first"], arrays["groups_last"]
        self.ended = arrays["groups_ended"]
