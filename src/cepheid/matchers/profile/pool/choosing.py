"""By which of its tests a primitive is found: the one that the fewest events pass.

How many pass is taken from a sample of the events, once there are some; before that equalities are taken to
be passed by fewer than patterns, and patterns by fewer than ranges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cepheid.matchers.profile.pool import layout as at
from cepheid.matchers.profile.pool.programs import Programs, Row
from cepheid.matchers.profile.pool.sampling import Sample
from cepheid.pattern.types import ValueType
from cepheid.plan.profile.primitives import ComparedWith, JoinedTests, LikePattern, Shape, Test

NEVER, EQUAL, EQUAL_TEXT, ALIKE, RANGE = -1, at.EQUAL, at.EQUAL_TEXT, at.ALIKE, 4


@dataclass(slots=True)
class Conjunct:
    """A test that must be true, for many primitives of one shape."""

    rows: list[Row]
    column: int = at.NONE
    kinds: np.ndarray | None = None  # int8 [primitive]: how it may be indexed; None: it may not be
    keys: np.ndarray | None = None  # int64 [primitive, ·]: the key, the pattern, the choices, or both ends
    is_stretch: bool = False

    def shares(self, sample: Sample, programs: Programs) -> np.ndarray:
        """What part of the events is expected to pass, for each primitive."""
        found = np.full(programs.count, 2.0)
        if self.kinds is None or self.keys is None:
            return found
        for kind in np.unique(self.kinds):
            some = self.kinds == kind
            if kind == ALIKE:
                found[some] = sample.alike(programs.words.likes, self.column, self.keys[some, 0])
            else:
                keys = self.keys[some, :1] if self.is_stretch and kind == EQUAL else self.keys[some]
                found[some] = sample.share(int(kind), self.column, keys)
        return found


def conjuncts_of(shape: Shape, programs: Programs) -> list[Conjunct]:
    """The tests of a shape; comparisons of one column with numbers are one stretch."""
    found: list[Conjunct] = []
    ranges: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    for test in shape.tests:
        if _is_range(test):
            assert isinstance(test, ComparedWith)
            column, (low, high) = programs.words.column(test.column), programs.stretch(test)
            least, most = ranges.get(column, (low, high))
            ranges[column] = np.maximum(least, low), np.minimum(most, high)
        else:
            found.append(_conjunct(test, programs))
    return [*(_stretch(column, *ends) for column, ends in ranges.items()), *found]


def chosen(conjuncts: Sequence[Conjunct], sample: Sample, programs: Programs) -> np.ndarray:
    """Which conjunct each primitive is found by; NONE if by no one."""
    count = programs.count
    if not conjuncts:
        return np.full(count, at.NONE)
    shares = np.stack([each.shares(sample, programs) for each in conjuncts])
    best = shares.argmin(axis=0)
    return np.where(shares[best, np.arange(count)] > 1.0, at.NONE, best)


def _is_range(test: Test) -> bool:
    return (
        isinstance(test, ComparedWith) and test.column.type is not ValueType.STRING and test.operator != "!="
    )


def _stretch(column: int, low: np.ndarray, high: np.ndarray) -> Conjunct:
    kinds = np.where(low > high, NEVER, np.where(low == high, EQUAL, RANGE)).astype(np.int8)
    return Conjunct([(at.INSIDE, column, low, high)], column, kinds, np.stack([low, high], axis=1), True)


def _conjunct(test: Test, programs: Programs) -> Conjunct:
    rows = programs.rows(test)
    if isinstance(test, ComparedWith) and test.operator == "=":
        return _by_key(rows, EQUAL_TEXT, programs.count)
    if isinstance(test, LikePattern):
        operation, column, codes, _ = rows[0]
        kinds = np.where(operation == at.LIKE, ALIKE, EQUAL_TEXT).astype(np.int8)
        return Conjunct(rows, column, kinds, codes[:, None])
    if isinstance(test, JoinedTests) and test.word == "or":
        return _choices(test, rows, programs)
    if len(rows) == 1 and rows[0][0] == at.INSIDE:
        return _by_key(rows, EQUAL, programs.count)
    return Conjunct(rows)


def _by_key(rows: list[Row], kind: int, count: int) -> Conjunct:
    keys = np.broadcast_to(rows[0][2], count).astype(np.int64)
    return Conjunct(rows, rows[0][1], np.full(count, kind, np.int8), keys[:, None])


def _choices(test: JoinedTests, rows: list[Row], programs: Programs) -> Conjunct:
    """`x IN (1, 2)`: a key for each choice. One that is there twice is left out once."""
    leaves = [row for row in rows if row[0] != at.OR]
    columns = {row[1] for row in leaves}
    plain = all(isinstance(part, ComparedWith) and part.operator == "=" for part in test.parts)
    if len(columns) != 1 or not plain:
        return Conjunct(rows)
    is_text = leaves[0][0] == at.SAME_TEXT
    if not is_text and any(np.any(row[2] != row[3]) for row in leaves):
        return Conjunct(rows)
    keys = np.sort(np.stack([row[2] for row in leaves], axis=1), axis=1)
    kinds = np.full(programs.count, EQUAL_TEXT if is_text else EQUAL, np.int8)
    return Conjunct(rows, columns.pop(), kinds, keys)
