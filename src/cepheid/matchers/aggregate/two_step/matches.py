"""Matches that may still count: when they began and ended, what they are worth, what may undo them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cepheid.matchers.aggregate.two_step.lists import Lists, joined
from cepheid.matchers.aggregate.wide import as_words, from_words, held_bytes
from cepheid.matchers.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class BuiltMatches:
    """Columns with a place for each match, and the stream positions of some variables' events."""

    columns: dict[str, np.ndarray]
    lists: dict[int, Lists]

    @property
    def count(self) -> int:
        """How many."""
        return int(self.columns["first"].size)

    @property
    def bytes(self) -> int:
        """How much they take."""
        listed = sum(lists.offsets.nbytes + lists.items.nbytes for lists in self.lists.values())
        return sum(held_bytes(column) for column in self.columns.values()) + listed

    def __getitem__(self, name: str) -> np.ndarray:
        return self.columns[name]

    def take(self, kept: np.ndarray) -> BuiltMatches:
        """Some of them, by a mask."""
        if kept.all():
            return self
        columns = {name: column[kept] for name, column in self.columns.items()}
        chosen = np.flatnonzero(kept) if self.lists else kept
        return BuiltMatches(columns, {place: lists.take(chosen) for place, lists in self.lists.items()})

    def with_more(self, more: BuiltMatches) -> BuiltMatches:
        """These, and then those."""
        if not self.count or not more.count:
            return self if self.count else more
        return BuiltMatches(
            {name: np.concatenate([column, more[name]]) for name, column in self.columns.items()},
            {place: joined([lists, more.lists[place]]) for place, lists in self.lists.items()},
        )

    def save(self, snapshot: Snapshot) -> None:
        """Into a snapshot, with the rest of a matcher."""
        snapshot.arrays |= {f"match_{name}": as_words(column) for name, column in self.columns.items()}
        for place, lists in self.lists.items():
            snapshot.arrays |= {f"offsets_{place}": lists.offsets, f"items_{place}": lists.items}
        snapshot.values["match_columns"] = list(self.columns)
        snapshot.values["match_lists"] = list(self.lists)

    @staticmethod
    def restored(snapshot: Snapshot) -> BuiltMatches:
        """From a snapshot."""
        return BuiltMatches(
            {name: from_words(snapshot.arrays[f"match_{name}"]) for name in snapshot.values["match_columns"]},
            {
                place: Lists(snapshot.arrays[f"offsets_{place}"], snapshot.arrays[f"items_{place}"])
                for place in snapshot.values["match_lists"]
            },
        )
