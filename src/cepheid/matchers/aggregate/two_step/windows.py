"""Whether moments lie within a window, for arrays of them."""

from __future__ import annotations

import numpy as np

from cepheid.plan.program import WindowTest

FAR = 2**63 - 1
"""A stream position that no event has."""


def within(window: WindowTest, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Whether two moments, measured as the window is, lie within it."""
    if isinstance(window.limit, float) and not window.counts_events:
        span = later - earlier
        inside: np.ndarray = span < window.limit if window.strict else span <= window.limit
        return inside
    inside = later <= _plus(earlier, int(window.limit))
    return inside


def _plus(moments: np.ndarray, limit: int) -> np.ndarray:
    """As far as int64 reaches."""
    with np.errstate(over="ignore"):
        total = moments + np.int64(limit)
    if limit >= 0:
        return np.where(total < moments, np.int64(FAR), total)
    return np.where(total > moments, np.int64(-FAR - 1), total)


def first_outside(window: WindowTest, moments: np.ndarray, begun: np.ndarray) -> np.ndarray:
    """For each beginning the place of the first of the ascending moments that is not within its window."""
    low = np.zeros(begun.size, np.int64)
    high = np.full(begun.size, moments.size, np.int64)
    while (low < high).any():
        middle = np.minimum((low + high) >> 1, moments.size - 1)
        inside = within(window, moments[middle], begun)
        searching = low < high
        low = np.where(searching & inside, middle + 1, low)
        high = np.where(searching & ~inside, middle, high)
    return low
