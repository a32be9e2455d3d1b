"""Absence: the event that is there and should not be."""

from __future__ import annotations

import numpy as np

from cepheid.matchers.evaluate import evaluate
from cepheid.pattern import nodes as pt
from cepheid.runners.embedded.why.asked import AskedQuery
from cepheid.runners.embedded.why.candidate import PartialMatch
from cepheid.runners.embedded.why.values import OneEventRows
from cepheid.runners.embedded.why.walk import Walk


class Spoilers:
    """Judges candidates that have all their events."""

    def __init__(self, walk: Walk) -> None:
        self.walk, self.asked, self.stretch = walk, walk.asked, walk.stretch
        negated = [v for v, atom in self.asked.atoms.items() if isinstance(atom, pt.Absent)]
        self.rows = {v: walk.rows[v][_qualifying(walk, v)] for v in negated}

    def of(self, candidate: PartialMatch) -> tuple[str, int] | None:
        """The negated variable, and the first event that qualifies as it; None if nothing is in the way."""
        for variable in self.rows:
            if self._stands(variable, candidate):
                found = self._spoiling(variable, candidate)
                if found is not None:
                    return variable, found
        return None

    def _stands(self, variable: str, candidate: PartialMatch) -> bool:
        """Whether every OR branch around the absence was taken."""
        branches = self.asked.around[variable].branches
        return all(any(v in candidate.bound for v in _named(self.asked, branch)) for branch in branches)

    def between(self, variable: str, candidate: PartialMatch) -> tuple[int | None, int | None]:
        """The nearest events of the candidate that the pattern puts before and after an absence."""
        around, bound = self.asked.around[variable], candidate.bound
        before = [bound[v][-1] for v in _named(self.asked, around.before) if v in bound]
        after = [bound[v][0] for v in _named(self.asked, around.after) if v in bound]
        return max(before, default=None), min(after, default=None)

    def _spoiling(self, variable: str, candidate: PartialMatch) -> int | None:
        left, right = self.between(variable, candidate)
        rows = self.rows[variable]
        begin = 0 if left is None else int(np.searchsorted(rows, left + 1))
        end = len(rows) if right is None else int(np.searchsorted(rows, right))
        rows = rows[begin:end]
        rows = rows[self.stretch.partition[rows] == self.stretch.partition[candidate.first]]
        rows = rows[~np.isin(rows, [row for some in candidate.bound.values() for row in some])]
        rows = self._in_windows(variable, candidate, rows, left is None, right is None)
        conditions = [c for c in self.asked.of_absent[variable] if len(c.names) > 1]
        for row in rows.tolist():
            bound = {**candidate.bound, variable: (row,)}
            if all(self.walk.held(each, [(bound, None)])[0] for each in conditions):
                return int(row)
        return None

    def _in_windows(
        self, variable: str, candidate: PartialMatch, rows: np.ndarray, opens_left: bool, opens_right: bool
    ) -> np.ndarray:
        """On an open side, what the windows around the absence reach."""
        inner = {number + (self.asked.query.window is not None) for number in self._inner(variable)}
        for number, window in enumerate(self.asked.windows):
            if number not in inner and not (number == 0 and self.asked.query.window is not None):
                continue
            own = [row for v in window.members for row in candidate.bound.get(v, ())]
            if not own:
                continue
            if opens_left:
                rows = rows[self.stretch.spans(window.test, rows, np.full(rows.size, max(own)))]
            if opens_right:
                rows = rows[self.stretch.spans(window.test, np.full(rows.size, min(own)), rows)]
        return rows

    def _inner(self, variable: str) -> tuple[int, ...]:
        return self.asked.around[variable].windows


def _named(asked: AskedQuery, numbers: frozenset[int]) -> list[str]:
    return [asked.positive[number] for number in numbers]


def _qualifying(walk: Walk, variable: str) -> np.ndarray:
    """Which events of the negated type pass what is asked of one event."""
    rows = walk.rows[variable]
    mask: np.ndarray = walk.stretch.partition[rows] >= 0
    for each in walk.asked.of_absent[variable]:
        if each.names == {variable}:
            found = evaluate(each.expression, OneEventRows(walk.stretch, rows))
            mask = mask & np.asarray(found.fill_null(False))
    return mask
