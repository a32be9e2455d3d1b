"""A finite stream as the oracle sees it: the good events in their total order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from typing import Any

from cepheid.time import UNIT_NANOSECONDS, Duration, Window

from .evaluate import CLOCK, Event
from .kinds import kind_of
from .zones import inward

Completion = tuple[Any, int, int]
# time; 0 at an event, 1 as a window closes after the events of that time, -1 before them; stream position
END: Completion = (math.inf, 1, 0)

Taken = Mapping[str, tuple[int, ...]]  # stream positions by variable; absent variables are not in it


def first_event(taken: Taken) -> int:
    return min(positions[0] for positions in taken.values())


def last_event(taken: Taken) -> int:
    return max(positions[-1] for positions in taken.values())


class Stream:
    """Everything is a list by stream position; `index` leads back to the list that was given."""

    def __init__(
        self,
        given: Sequence[Event],
        keys: Sequence[str],
        time: str,
        type: str | None,
        order: Sequence[str],
        time_unit: str | None,
    ) -> None:
        columns = {column for event in given for column in event}
        names = {CLOCK: time, **{n: c for n, c in (("time", time), ("type", type)) if c and n not in columns}}
        ranks = {
            i: (clock_of(event[time]), [_rank(event.get(column)) for column in order], i)
            for i, event in enumerate(given)
            if _is_time(event.get(time))
        }
        self.index = sorted(ranks, key=lambda i: ranks[i])
        self.clock = [ranks[i][0] for i in self.index]
        self.events = [_with_names(given[i], names) for i in self.index]
        self.has_types = type is not None
        self.types = [event.get(type) if type else None for event in self.events]
        self.keys = [_key(event, keys) for event in self.events]
        seen: Counter[Any] = Counter()
        self.ordinals = [seen.update([key]) or seen[key] for key in self.keys]
        has_units = any(isinstance(event[CLOCK], datetime) for event in self.events)
        self._tick = 1 if has_units else UNIT_NANOSECONDS.get(time_unit or "", 1)

    def __len__(self) -> int:
        return len(self.events)

    def ticks(self, duration: Duration) -> Fraction | int:
        """A duration in the unit of the clock; as an int where it is one, which compares more quickly."""
        ticks = duration.amount if duration.unit is None else duration.nanoseconds() / self._tick
        return int(ticks) if ticks.denominator == 1 else ticks

    def _fits(self, window: Window, distance: Any) -> bool:
        length = window.length - 1 if isinstance(window.length, int) else self.ticks(window.length)
        return bool(distance < length if window.half_open else distance <= length)

    def spans(self, window: Window, first: int, last: int) -> bool:
        """Whether two events, in this order and of one partition, lie in one such window."""
        measure = self.ordinals if window.counts_events else self.clock
        return self._fits(window, measure[last] - measure[first])

    def is_recent(self, window: Window, first: int, seen: int, now: Any) -> bool:
        """Whether an event is in the window that ends now, when so many events have been seen."""
        if window.counts_events:
            return self._fits(window, self.keys[first + 1 : seen].count(self.keys[first]))
        return self._fits(window, now - self.clock[first])

    def closing(self, window: Window, first: int) -> Completion:
        """When the window that began at this event closes."""
        if not isinstance(window.length, int):
            return self.clock[first] + self.ticks(window.length), -1 if window.half_open else 1, 0
        nth = (self.keys[first], self.ordinals[first] + window.length - 1)
        found = [p for p in range(first, len(self)) if (self.keys[p], self.ordinals[p]) == nth]
        return (self.clock[found[0]], 0, found[0]) if found else END


def _is_time(moment: Any) -> bool:
    return moment is not None and not (isinstance(moment, float) and not math.isfinite(moment))


def clock_of(moment: Any) -> Any:
    """A number: a timestamp's nanoseconds, or the number that it is."""
    if not isinstance(moment, date):
        return moment
    moment = _as_timestamp(moment)
    epoch = datetime(1970, 1, 1, tzinfo=None if moment.tzinfo is None else UTC)
    return (moment - epoch) // timedelta(microseconds=1) * 1000


def _as_timestamp(cell: Any) -> Any:
    is_date = isinstance(cell, date) and not isinstance(cell, datetime)
    return datetime(cell.year, cell.month, cell.day) if is_date else cell


def _with_names(event: Event, names: dict[str, str]) -> Event:
    return {name: _as_timestamp(cell) for name, cell in event.items()} | {
        name: _as_timestamp(event[column]) for name, column in names.items()
    }


def _rank(cell: Any) -> tuple[bool, Any]:
    """Tie-breakers that are null come last."""
    return cell is None, 0 if cell is None else cell


def _key(event: Event, attributes: Sequence[str]) -> tuple[Any, ...] | None:
    """The partition of an event; None where a key is null, NaN, an object or a list."""
    key = tuple(inward(event.get(name)) for name in attributes)
    if any(kind_of(part) is None or part != part for part in key):
        return None
    return tuple((kind_of(part), part) for part in key)
