"""EMIT EVERY: the moments at which periods end, as events come."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.events import EventBatch
from cepheid.matchers.protocol import Ahead
from cepheid.matchers.windows import EVENTS, REALS_OPEN, TICKS, UNLIMITED, all_within
from cepheid.plan.program import WindowTest

TIMELESS = (UNLIMITED, EVENTS)
"""The kinds of windows that time alone does not end."""

_AT_ONCE = 1 << 18
"""How many moments are looked at together."""

_EXACT = 1 << 53
"""Whole numbers up to this are float64s."""


class Periods:
    """Knows which period is the next to end."""

    def __init__(self, period: Fraction | None, time: pa.DataType) -> None:
        self.period = period
        self._last_of_all = _last_moment(time)
        self._newest: int | float | None = None  # the time of the last event
        self._next: int | None = None  # period, by number
        self._begin = self._end = 0  # those of the batch at hand that are still to come

    def ahead(self, ahead: Ahead) -> int:
        """How many periods end with the events and the watermark that are to come."""
        begin, end = self._numbers(ahead)
        return end - begin

    def ended(self, batch: EventBatch) -> Iterator[tuple[np.ndarray, int]]:
        """The moments of all periods that have ended, those together that have seen the same events, with how
        many events of the batch that is."""
        for moments in self.moments(batch):
            seen = np.searchsorted(batch.time, moments, "right")
            edges = np.flatnonzero(np.diff(seen)) + 1
            for start, stop in zip([0, *edges], [*edges, moments.size], strict=True):
                yield moments[start:stop], int(seen[start])

    def moments(self, batch: EventBatch) -> Iterator[np.ndarray]:
        """The moments of all periods that have ended before the watermark, or before an event."""
        if self.period is None:
            return
        time, ahead = batch.time, ahead_in(batch)
        begin, end = self._numbers(ahead)
        if ahead.newest is not None:
            self._newest, self._next = ahead.newest, begin
        self._end = end
        while begin < end:
            moments = self._ends(begin, min(end - begin, _AT_ONCE), time.dtype)
            begin += moments.size
            self._begin = begin
            yield moments
            self._next = begin

    def beyond(self, batch: EventBatch, seen: int) -> int:
        """How many more periods than those that `ended` has just given see the same events of the batch."""
        end = self._end
        if seen < batch.time.size:
            end = min(end, math.ceil(Fraction(batch.time[seen].item()) / (self.period or 1)))
        return max(0, end - self._begin)

    def _numbers(self, ahead: Ahead) -> tuple[int, int]:
        """The number of the next period to end, and that behind the last."""
        period, newest = self.period, self._newest if ahead.newest is None else ahead.newest
        begin = self._next
        if period is None or newest is None:
            return 0, 0
        if begin is None:
            begin = math.ceil(Fraction(newest if ahead.first is None else ahead.first) / period)
        # the last period is the first that has seen all events, however far time has come
        end = math.ceil(Fraction(newest) / period) + 1
        limit = max(newest, ahead.watermark)
        if math.isfinite(limit):
            end = min(end, math.ceil(Fraction(limit) / period))
        end = min(end, math.floor(self._last_of_all / period) + 1)  # no time is beyond
        return begin, max(begin, end)

    def _ends(self, first: int, count: int, kind: np.dtype[Any]) -> np.ndarray:
        """The ends of periods, from a number on."""
        assert self.period is not None
        numerator, denominator = self.period.numerator, self.period.denominator
        if kind != np.float64:
            # between the ends of int64 only uint64 holds a distance
            steps = np.arange(count, dtype=np.uint64) * np.uint64(numerator % 2**64)
            return (steps + np.uint64(first * numerator % 2**64)).view(np.int64)
        if max(abs(first), abs(first + count)) * numerator < _EXACT and denominator < _EXACT:
            return np.arange(first, first + count, dtype=np.int64) * numerator / denominator
        return np.array([float(number * self.period) for number in range(first, first + count)])

    def saved(self) -> list[Any]:
        """What a snapshot keeps."""
        return [self._newest, self._next]

    def restore(self, saved: list[Any]) -> None:
        """Go on from a snapshot."""
        self._newest, self._next = saved


def ahead_in(batch: EventBatch) -> Ahead:
    """What a batch brings."""
    time = batch.time
    first, newest = (time[0].item(), time[-1].item()) if time.size else (None, None)
    return Ahead(first, newest, batch.watermark)


def still_within(window: tuple[int, int], since: np.ndarray, now: np.ndarray) -> np.ndarray:
    """Which of the moments, as kernels have them, a window that ends now or later may reach back to."""
    kind, limit = window
    if kind in TIMELESS:
        return np.ones(since.size, np.bool_)
    if kind == TICKS:
        return all_within(WindowTest(False, limit), since, now)
    reach = float(np.int64(limit).view(np.float64))
    return all_within(WindowTest(False, reach, kind == REALS_OPEN), since.view(np.float64), now)


def _last_moment(time: pa.DataType) -> Fraction:
    """The last moment that a column of times can hold."""
    if pa.types.is_floating(time):
        return Fraction(float(np.finfo(time.to_pandas_dtype()).max))
    if pa.types.is_date32(time):
        return Fraction(2**31 - 1)
    if pa.types.is_integer(time):
        return Fraction(min(int(np.iinfo(time.to_pandas_dtype()).max), 2**63 - 1))
    return Fraction(2**63 - 1)
