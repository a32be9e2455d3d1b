"""EMIT EVERY: the moments at which periods end, as events come."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from cepheid.events import EventBatch


class Periods:
    """Knows which period is the next to end."""

    def __init__(self, period: Fraction | None) -> None:
        self.period = period
        self._newest: int | float | None = None  # the time of the last event
        self._next: int | None = None  # period, by number

    def ended(self, batch: EventBatch) -> Iterator[tuple[Any, int]]:
        """The moments of all periods that have ended before the watermark, or before an event, and how many
        events of the batch each has seen."""
        time, period = batch.time, self.period
        if period is None:
            return
        if time.size and self._next is None:
            self._next = math.ceil(Fraction(time[0].item()) / period)
        if time.size:
            self._newest = time[-1].item()
        if self._next is None or self._newest is None:
            return
        limit = max(self._newest, batch.watermark)
        # the last period is the first that has seen all events, however far time has come
        while (moment := self._next * period) < limit and moment - period < self._newest:
            now = batch.time.dtype.type(moment)
            yield now, int(np.searchsorted(time, now, "right"))
            self._next += 1

    def saved(self) -> list[Any]:
        """What a snapshot keeps."""
        return [self._newest, self._next]

    def restore(self, saved: list[Any]) -> None:
        """Go on from a snapshot."""
        self._newest, self._next = saved
