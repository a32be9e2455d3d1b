"""How many events a window of a table holds: what bounds the numbers that count its matches."""

from __future__ import annotations

import numpy as np

from cepheid.matchers.jit import kernel
from cepheid.plan.nodes import WindowTest


def most_in_window(time: np.ndarray, window: WindowTest | None) -> int:
    """How many events, in the order of their times, one window holds at most."""
    if window is None or window.counts_events:
        return int(time.size)
    return int(most_within(time, time.dtype.type(window.limit)))


@kernel
def most_within(time, limit):
    """The most events that are at most so far apart; a difference that leaves int64 is far."""
    first, most = 0, 0
    for last in range(time.shape[0]):
        while time[last] - time[first] > limit or time[last] - time[first] < 0:
            first += 1
        most = max(most, last - first + 1)
    return most
