"""A sample of the events that have come: what part of them passes a test."""

# mypy: allow-untyped-calls

from __future__ import annotations

import numpy as np

from cepheid.matchers.profile.pool import layout as at
from cepheid.matchers.profile.pool.grams import choose_grams, count_grams, count_text_grams
from cepheid.matchers.profile.pool.growing import TextTable
from cepheid.matchers.profile.pool.layout import PatternGrams, PoolEvents

KEPT = 1024
"""How many events a sample has at most."""

GRAM_PLACES = 1 << 18

_EQUAL, _TWO_ENDS, _ONE_END = 0.001, 0.1, 0.4  # what is expected before there are events
_ALIKE = np.array([2.0, 0.5, 0.1, 0.03, 0.01, *[0.005] * 12])  # by the size of the gram


class Sample:
    """Keys of some events by column, in order, and how often texts had each gram."""

    def __init__(self) -> None:
        self.count = 0
        self.keys: dict[int, np.ndarray] = {}
        self.codes: dict[int, np.ndarray] = {}
        self.texts = 0
        self.grams = np.zeros(GRAM_PLACES, np.int32)

    def take(self, events: PoolEvents, texts: dict[int, tuple[int, int]]) -> None:
        """Some events of a batch, instead of those there were if it has more; `texts` has the first and last
        text of each column of texts."""
        count = min(events.types.size, KEPT)
        if count <= self.count:
            return
        rows = np.linspace(0, events.types.size - 1, count).astype(np.int64)
        self.count, self.texts = count, 0
        self.grams = np.zeros(GRAM_PLACES, np.int32)
        for column in range(events.keys.shape[0]):
            keys = events.keys[column, rows][events.states[column, rows] == at.VALUE]
            if column in texts:
                self.codes[column] = np.sort(events.text_codes[keys])
                first, last = texts[column]
                last = min(last, first + KEPT)
                self.texts = max(self.texts, last - first)
                count_text_grams(events, first, last, column, self.grams)
            else:
                self.keys[column] = np.sort(keys)

    def share(self, kind: int, column: int, keys: np.ndarray) -> np.ndarray:
        """What part of the events passes tests of a kind with these keys."""
        return _SHARES[kind](self, column, keys)

    def _never(self, column: int, keys: np.ndarray) -> np.ndarray:
        return np.zeros(keys.shape[0])

    def _equal(self, column: int, keys: np.ndarray) -> np.ndarray:
        return self._of(self.keys.get(column), keys)

    def _equal_text(self, column: int, keys: np.ndarray) -> np.ndarray:
        return self._of(self.codes.get(column), keys)

    def _of(self, known: np.ndarray | None, keys: np.ndarray) -> np.ndarray:
        expected = np.full(keys.shape[0], _EQUAL * keys.shape[1])
        if known is None:
            return expected
        for k in range(keys.shape[1]):
            found = np.searchsorted(known, keys[:, k], "right") - np.searchsorted(known, keys[:, k], "left")
            expected += found / max(self.count, 1)
        return expected

    def _range(self, column: int, ends: np.ndarray) -> np.ndarray:
        known = self.keys.get(column)
        if known is None:
            open_ended = (ends[:, 0] == -(2**63)) | (ends[:, 1] == 2**63 - 1)
            return np.where(open_ended, _ONE_END, _TWO_ENDS)
        found = np.searchsorted(known, ends[:, 1], "right") - np.searchsorted(known, ends[:, 0], "left")
        return _EQUAL + found / max(self.count, 1)

    def alike(self, likes: TextTable, column: int, patterns: np.ndarray) -> np.ndarray:
        """What part of the texts has the gram that a pattern is searched by; 2 where it has none."""
        found = chosen_grams(likes, column, patterns, self.grams)
        expected: np.ndarray = _ALIKE[found.sizes]
        if self.texts:
            expected = np.where(found.sizes > 0, 0.01 * expected + found.rates / self.texts, 2.0)
        return expected


_SHARES = {
    -1: Sample._never,
    at.EQUAL: Sample._equal,
    at.EQUAL_TEXT: Sample._equal_text,
    4: Sample._range,
}


def chosen_grams(likes: TextTable, column: int, patterns: np.ndarray, seen: np.ndarray) -> PatternGrams:
    """The gram by which texts of a column are searched for each pattern."""
    count = patterns.size
    found = PatternGrams(
        likes.starts,
        likes.symbols,
        patterns,
        np.full(count, column, np.int64),
        np.zeros(1 << max(10, min(24, (16 * count).bit_length())), np.int32),
        seen,
        np.zeros(count, np.int64),
        np.zeros(count, np.uint8),
        np.zeros(count, np.int64),
    )
    count_grams(found)
    choose_grams(found)
    return found
