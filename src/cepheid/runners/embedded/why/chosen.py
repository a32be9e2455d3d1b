"""Which near misses are kept: the nearest of all, and the nearest of each part of the time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from cepheid.runners.embedded.why.asked import AskedQuery
from cepheid.runners.embedded.why.stops import Stop, StopKind
from cepheid.runners.embedded.why.stretch import EventStretch

KEPT = 20
PARTS_OF_TIME = 12  # of each of which the nearest is kept, however near those of other times came


def chosen(stops: Iterable[Stop], ranking: Ranking) -> list[Stop]:
    """The near misses that are told, the nearest first."""
    ordered = sorted(stops, key=ranking.rank)
    if ranking.around is not None:
        return ordered[:KEPT]
    best: dict[int, Stop] = {}
    for stop in ordered:
        best.setdefault(ranking.part_of_time(stop), stop)
    kept = {id(stop) for stop in best.values()}
    room = KEPT - len(kept)
    for stop in ordered:
        if room > 0 and id(stop) not in kept:
            kept.add(id(stop))
            room -= 1
    return [stop for stop in ordered if id(stop) in kept]


class Ranking:
    """How near a stop came to a match; less is nearer."""

    def __init__(
        self, asked: AskedQuery, stretch: EventStretch, began: frozenset[int], around: float | None
    ) -> None:
        self.asked, self.stretch, self.began, self.around = asked, stretch, began, around

    def rank(self, stop: Stop) -> tuple[Any, ...]:
        """Those beside a match last; then by what is missing, by what failed, and by time. What lacks one
        condition alone is missing nothing."""
        lacks = missing = self.asked.remainders[stop.candidate.rest].missing
        if stop.kind is StopKind.NOT_TOLD:
            missing = -1
        elif stop.leads_to is not None and len(stop.broken) == 1:
            missing = 0
        is_beside = stop.candidate.first in self.began and stop.kind is not StopKind.NOT_TOLD
        return (is_beside, missing, self._distance(stop), lacks, *stop.weight, self._row(stop))

    def _distance(self, stop: Stop) -> float:
        """How far from the moment that was asked about."""
        if self.around is None or not len(self.stretch):
            return 0.0
        first = stop.candidate.first if stop.candidate.first >= 0 else self._row(stop)
        begin, end = (float(self.stretch.time[row]) for row in (first, self._row(stop)))
        return max(begin - self.around, self.around - end, 0.0)

    def _row(self, stop: Stop) -> int:
        """The row of the event at which it was decided."""
        return stop.row if stop.row is not None else max(stop.candidate.last, 0)

    def part_of_time(self, stop: Stop) -> int:
        """In which part of the time it was decided."""
        if not len(self.stretch):
            return 0
        times = np.asarray(self.stretch.time, np.float64)
        length = (times[-1] - times[0]) or 1.0
        return min(int((times[self._row(stop)] - times[0]) / length * PARTS_OF_TIME), PARTS_OF_TIME - 1)
