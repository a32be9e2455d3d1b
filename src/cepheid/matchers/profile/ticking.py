"""Which partitions need which time events of AT and EVERY.

These have no key and agree with every one, so each partition that a match may be in gets a copy. It is made
in time while the partition has events that it may follow. What comes before the first event of a partition is
made when that event comes, since nobody knows before which partition it is of.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from cepheid.matchers.profile.clock import Clock
from cepheid.plan.profile.kinds import SilentKind, Ticks
from cepheid.plan.profile.plan import ProfilePlan

NO_TIME = float("inf")


class Tick(NamedTuple):
    """A time event in one partition; `row` is that of the last event before a silence, or -1."""

    time: Ticks
    rank: int  # the number of its kind, from 1
    partition: int
    row: int = -1


@dataclass(slots=True)
class _Partition:
    last: Ticks | None  # the time of its last event
    made: Ticks  # before which its time events are made, or not needed
    next: Ticks  # the first time event that is not before that


class Ticking:
    """Makes the time events of AT and EVERY."""

    def __init__(self, plan: ProfilePlan, clock: Clock) -> None:
        self._clock, self._reach = clock, plan.reach
        self._kinds = {n: k for n, k in enumerate(plan.kinds, 1) if not isinstance(k, SilentKind)}
        self._needs_all = plan.needs_every_tick
        self._start: Ticks | None = None
        self._partitions: dict[int, _Partition] = {}
        self._next: Ticks = NO_TIME  # before which all time events were looked at

    @property
    def partitions(self) -> set[int]:
        """Those that may still need a time event."""
        return set(self._partitions)

    def begin(self, start: Ticks) -> None:
        """Time events exist from now on."""
        self._start = start
        if self._kinds:
            self._next = self._following(start)
            if self._needs_all:
                self._partitions[0] = self._fresh()

    def due(self, met: list[tuple[Ticks, int]], end: Ticks) -> list[Tick]:
        """The time events that events of these times and partitions call for, and those before `end`."""
        found: list[Tick] = []
        if not self._kinds or self._start is None:
            return found
        for time, number in met:
            if number >= 0:
                self._meet(time, number, found)
        if self._next < end:
            for number, each in self._partitions.items():
                self._make(each, number, each.made, min(end, self._later(each.last)), found)
            self._next = self._following(end)
        self._forget(end)
        return found

    def _meet(self, time: Ticks, number: int, found: list[Tick]) -> None:
        """An event comes: make the time events between it and the last one of its partition that may be in a
        match with either."""
        here = self._partitions.get(number)
        if here is None:
            here = self._partitions[number] = self._fresh()
        if here.next < time:
            self._make(here, number, here.made, min(time, self._later(here.last)), found)
            since = here.made if self._reach is None or self._needs_all else time - self._reach
            self._make(here, number, max(here.made, since), time, found)
        here.last = time

    def _make(self, here: _Partition, number: int, begin: Ticks, end: Ticks, found: list[Tick]) -> None:
        if end <= begin:
            return
        for rank, kind in self._kinds.items() if here.next < end else ():
            found += [Tick(moment, rank, number) for moment in self._clock.moments(kind, begin, end)]
        here.made = end
        if here.next < end:
            here.next = self._following(end)

    def _fresh(self) -> _Partition:
        assert self._start is not None
        return _Partition(None, self._start, self._following(self._start))

    def _following(self, time: Ticks) -> Ticks:
        return self._clock.next(tuple(self._kinds.values()), time)

    def _later(self, last: Ticks | None) -> Ticks:
        """After all time events that may be in a match with an event of this time."""
        if self._needs_all:
            return NO_TIME
        if last is None:
            return -NO_TIME
        if self._reach is None:
            return NO_TIME
        latest = last + self._reach
        return latest + 1 if isinstance(latest, int) else math.nextafter(latest, NO_TIME)

    def _forget(self, end: Ticks) -> None:
        if self._reach is None or self._needs_all:
            return
        gone = [n for n, p in self._partitions.items() if p.last is None or p.last + 2 * self._reach < end]
        for number in gone:
            del self._partitions[number]

    def saved(self) -> dict[str, Any]:
        """What JSON can hold of it."""
        kept = [[n, p.last, p.made, p.next] for n, p in self._partitions.items()]
        return {"start": self._start, "next": self._next, "partitions": kept}

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved."""
        self._start, self._next = saved["start"], saved["next"]
        self._partitions = {n: _Partition(*rest) for n, *rest in saved["partitions"]}
