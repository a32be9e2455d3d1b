"""What "inside the window" means: for kernels, and for arrays of moments.

A window is two numbers, its kind and its limit. It measures either time (ticks, or reals by their bits) or
events (by their number in the partition). A match is inside if its first and its last moment are at most
the limit apart; of a half-open window of reals, less than the limit.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.bits import as_bits, as_real
from cepheid.matchers.jit import inlined, kernel
from cepheid.plan.program import WindowTest

UNLIMITED, TICKS, REALS, REALS_OPEN, EVENTS = 0, 1, 2, 3, 4

FAR = np.int64(2**63 - 1)
"""A moment that no event has."""

FIRST = -(2**63)
"""The first moment of all: no window reaches back further."""


def window_row(window: WindowTest | None) -> tuple[int, int]:
    """The kind of a window, and its limit."""
    if window is None:
        return UNLIMITED, 0
    if window.counts_events:
        return EVENTS, int(window.limit)
    if isinstance(window.limit, float):
        return REALS_OPEN if window.strict else REALS, int(np.float64(window.limit).view(np.int64))
    return TICKS, window.limit


@inlined
def within(kind, limit, earlier, later):
    """Whether two moments, measured as the window is, lie within it; the earlier may also come after."""
    if kind == TICKS:
        return earlier >= reach_back(later, limit)
    if kind == EVENTS:
        return later - earlier <= limit
    if kind == UNLIMITED:
        return True
    span = as_real(later) - as_real(earlier)
    return span <= as_real(limit) if kind == REALS else span < as_real(limit)


@inlined
def reach_back(later, limit):
    """How far back a window of so many ticks reaches; the distance of two ticks may leave int64."""
    return later - limit if later >= FIRST + limit else FIRST


@inlined
def closes_at(begun, limit):
    """The last tick of a window that began at one; at the end of int64 it never closes."""
    return begun + limit if begun <= FAR - limit else FAR


BEFORE_EVENTS, AFTER_EVENTS = -1, 1
"""On which side of the events of its last moment a window closes: a half-open one before them."""


@inlined
def closing_moment(kind, limit, half_open, begun):
    """The time at which a window that began then closes, and on which side of the events of that time."""
    side = np.int64(BEFORE_EVENTS if half_open != 0 else AFTER_EVENTS)
    if kind == TICKS:
        return closes_at(closes_at(begun, limit), np.int64(half_open != 0)), side
    return as_bits(as_real(begun) + as_real(limit)), side


@inlined
def is_sooner(is_real, time, side, other_time, other_side):
    """Whether one such moment comes before another."""
    if is_real:
        if as_real(time) != as_real(other_time):
            return as_real(time) < as_real(other_time)
    elif time != other_time:
        return time < other_time
    return side < other_side


@inlined
def inside(window, earlier, later):
    """The same, of a window whose kind and limit stand together."""
    return within(window[0], window[1], earlier, later)


@inlined
def measured(kind, time, ordinal):
    """A moment, as a window of this kind measures it."""
    return ordinal if kind == EVENTS else time


def all_within(window: WindowTest, earlier: np.ndarray, later: np.ndarray) -> np.ndarray:
    """The same for arrays of moments; these may be so far apart that their distance leaves int64."""
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
        return np.where(total < moments, FAR, total)
    return np.where(total > moments, -FAR - 1, total)


def leading_within(window: tuple[int, int], since: int, moments: np.ndarray) -> int:
    """How many of the first of the ascending moments a window reaches that began `since`, as kernels have
    both; time alone ends no window of events."""
    kind, limit = window
    if kind in (UNLIMITED, EVENTS):
        return int(moments.size)
    bits = np.ascontiguousarray(moments).view(np.int64)
    low, high = 0, int(moments.size)
    while low < high:
        middle = (low + high) // 2
        if within(kind, limit, since, bits[middle]):
            low = middle + 1
        else:
            high = middle
    return low


def first_outside(window: WindowTest, moments: np.ndarray, begun: np.ndarray) -> np.ndarray:
    """For each beginning the place of the first of the ascending moments that is not within its window."""
    low = np.zeros(begun.size, np.int64)
    high = np.full(begun.size, moments.size, np.int64)
    while (low < high).any():
        middle = np.minimum((low + high) >> 1, moments.size - 1)
        inside = all_within(window, begun, moments[middle])
        searching = low < high
        low = np.where(searching & inside, middle + 1, low)
        high = np.where(searching & ~inside, middle, high)
    return low


@kernel
def most_within(kind, limit, moments):
    """The most of the ascending moments, as kernels measure them, that lie in one window."""
    first, most = 0, 0
    for last in range(moments.shape[0]):
        while not within(kind, limit, moments[first], moments[last]):
            first += 1
        most = max(most, last - first + 1)
    return most
