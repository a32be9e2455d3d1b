"""The temporal pool: makes the time events that profiles of a set may wait for, among the events.

A SILENCE is made when its timer is over, for the profile whose timer it is. AT and EVERY are made once for
all profiles that have them, near the events that they may be in a match with.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cepheid.events import END, EventBatch
from cepheid.matchers.profile.clock import Clock
from cepheid.matchers.profile.one_step import layout as at
from cepheid.matchers.profile.one_step.kept_events import KeptEvents, ticks_and_clock
from cepheid.matchers.profile.one_step.layout import Members, Tables
from cepheid.matchers.profile.one_step.silent_timers import SilentTimers
from cepheid.matchers.profile.one_step.step_set import StepSet
from cepheid.matchers.profile.one_step.time_rows import MadeEvent, TimeRows
from cepheid.matchers.profile.pool.layout import PoolEvents
from cepheid.matchers.windows import FAR
from cepheid.plan.profile.kinds import Ticks
from cepheid.plan.profile.temporal import MomentKind, type_of_part

_FAR_REACH = 2**61
"""A window that long has no end."""


@dataclass(frozen=True, slots=True)
class TimedBatch:
    """A batch with its time events in their places, and what kernels are told of it."""

    batch: EventBatch
    keys: np.ndarray  # set of keys, event
    veils: np.ndarray  # veil, event
    made: tuple[np.ndarray, np.ndarray] | None = None  # primitive and profile of each time event
    alike: np.ndarray | None = None  # the first row that is the same event; None: they all differ


@dataclass(frozen=True, slots=True)
class PoolView:
    """What the pool has to look at: the profiles, and the batch as it came."""

    tables: Tables
    members: Members
    events: KeptEvents
    read: PoolEvents


class TemporalPool:
    """What time has come to, the timers, and when AT and EVERY were last made."""

    def __init__(self, known: StepSet, clock: Clock, max_state: int) -> None:
        self.known, self._clock = known, clock
        self.is_real = known.tables.is_real
        self.timers = SilentTimers(known, max_state)
        self.start: Ticks | None = None
        self._early: set[int] | None = set()  # profiles that began before any event; None after the first one
        self._behind_veil = np.zeros(0, np.int64)  # profiles that see only a part of this batch
        self._made: Ticks = -END  # before which AT and EVERY are made, or not needed
        self._last: Ticks | None = None  # the time of the last event or silence
        self._newest: Ticks = -END
        self.count = 0
        self._types: dict[tuple[int, int], str] = {}  # by profile and rank

    def widen(self, known: StepSet) -> None:
        """Let there be profiles that were added."""
        self.known = known
        self.timers.widen(known)

    # -- time ----------------------------------------------------------------------------------------

    def begin(self, start: Ticks, here: PoolView, profiles: np.ndarray | None = None) -> None:
        """Time events exist from now on for these profiles, or for all that have not begun. A profile for
        which this is not said before the first event begins with that."""
        if abs(start) == END:
            return
        profiles = self._unbegun(here.members) if profiles is None else profiles
        if self._early is not None:
            self._early.update(profiles.tolist())
        if self.start is None:
            self.start = self._made = start
        self._newest = max(self._newest, start)
        self._begin_timers(start, here, profiles)

    def stop(self, members: Members, profile: int) -> None:
        """A profile takes part no more: its timers are taken off, and if it begins again, it does so anew."""
        if self._early is not None:
            self._early.discard(profile)
        self.timers.stop(members, profile)

    def _begin_timers(self, start: Ticks, here: PoolView, profiles: np.ndarray) -> None:
        ticks = int(ticks_and_clock(np.array([start], self._kind))[0][0])
        self.timers.begin(here.tables, here.members, here.read, ticks, profiles)

    @property
    def _kind(self) -> type:
        return np.float64 if self.is_real else np.int64

    def _end(self, batch: EventBatch) -> Ticks:
        """Before when time events are due: events of the watermark may still come, after the end none."""
        times = batch.time
        if times.size:
            self._newest = max(self._newest, times[-1].item())
        if batch.watermark == END:
            if self._newest == -END:
                return -END
            return math.nextafter(self._newest, END) if self.is_real else int(self._newest) + 1
        self._newest = max(self._newest, batch.watermark)
        return max(batch.watermark, times[-1].item()) if times.size else batch.watermark

    # -- making ----------------------------------------------------------------------------------------

    def staged(self, batch: EventBatch, staged: TimedBatch, here: PoolView, rows: TimeRows) -> TimedBatch:
        """A batch with the time events that are due."""
        others, first = self._unbegun(here.members), batch.time[0].item() if batch.count else END
        if batch.count and self._early is not None:
            self._early = None
            self.begin(first, here, others)
        end = self._end(batch)
        made: list[MadeEvent] = []
        if abs(end) != END and self.start is not None:
            made = list(self._silences(batch, staged, here, end))
            silent = np.array([each.time for each in made], batch.time.dtype)
            made += self._beats(np.sort(np.concatenate([batch.time, silent])), end)
        self.count += len(made)
        merged, order = rows.merged(batch, made)
        if order is None:
            return TimedBatch(merged, staged.keys, staged.veils)
        places = np.empty(order.size, np.int64)
        places[order] = np.arange(order.size)
        self.timers.moved(places, here.events.kept)
        timed = self._told_apart(merged, staged, made, places)
        return self._veiled(timed, here.members, others, first) if others.size else timed

    def _unbegun(self, members: Members) -> np.ndarray:
        """The profiles for which no time event exists before the first event."""
        if self._early is None:
            return np.zeros(0, np.int64)
        alive = np.flatnonzero(members.profiles[:, at.STANDING] == at.ALIVE)
        return np.setdiff1d(alive, np.array(list(self._early), np.int64))

    def _veiled(self, timed: TimedBatch, members: Members, others: np.ndarray, first: Ticks) -> TimedBatch:
        """Hide what was made for profiles that began earlier from those that begin with the first event. One
        that has a veil of its own waits for no time event."""
        veil = (timed.batch.time < first).astype(np.uint8)
        others = others[members.profiles[others, at.VEIL] == at.NONE]
        members.profiles[others, at.VEIL] = timed.veils.shape[0]
        self._behind_veil = others
        return replace(timed, veils=np.vstack([timed.veils, veil]))

    def unveil(self, members: Members) -> None:
        """The batch is over."""
        members.profiles[self._behind_veil, at.VEIL] = at.NONE
        self._behind_veil = self._behind_veil[:0]

    def _silences(
        self, batch: EventBatch, staged: TimedBatch, here: PoolView, end: Ticks
    ) -> Iterator[MadeEvent]:
        limit = int(FAR) if end > FAR else int(ticks_and_clock(np.array([end], self._kind))[1][0])
        events = here.events.look_at(batch, staged.keys, staged.veils)
        found = self.timers.silences(here.tables, events, here.members, here.read, limit)
        for profile, clock, rank, since, key in found.tolist():
            time = _time_of(clock, self.is_real)
            primitive, name = self.known.made_for(profile, rank), self._type(profile, rank)
            yield MadeEvent(time, rank, since, name, primitive, profile, key)

    def _type(self, profile: int, rank: int) -> str:
        known = self._types.get((profile, rank))
        if known is None:
            template = self.known.template.rows[profile]
            plan, constants = self.known.steps[template].plan, self.known.constants[profile]
            part = self.known.part_of(profile, rank)
            known = type_of_part(part, plan, self.known.templates[template], constants)
            self._types[profile, rank] = known
        return known

    def _beats(self, times: np.ndarray, end: Ticks) -> list[MadeEvent]:
        """AT and EVERY: those near events or silences, and near the end, after which others may come."""
        made = [
            MadeEvent(moment, beat.rank, at.NONE, beat.kind.type, primitive)
            for beat, primitive in self.known.beats.values()
            for begin, stop in self._stretches(beat, times, end)
            for moment in self._clock.moments(beat.kind, begin, stop)
        ]
        self._made = max(self._made, end)
        if times.size:
            self._last = times[-1].item()
        return made

    def _stretches(self, beat: MomentKind, times: np.ndarray, end: Ticks) -> Iterator[tuple[Ticks, Ticks]]:
        """From when to when moments matter; they are in order and do not overlap."""
        reach = beat.reach
        if reach is None or reach > _FAR_REACH:
            yield self._made, end
            return
        known = [] if self._last is None else [self._last]
        points = np.concatenate([np.array(known, times.dtype), times, np.array([end], times.dtype)])
        lows, highs = points - reach, points + reach
        cuts = np.flatnonzero(lows[1:] > highs[:-1])
        begins = lows[np.concatenate([[0], cuts + 1])].tolist()
        ends = highs[np.concatenate([cuts, [points.size - 1]])].tolist()
        for begin, last in zip(begins, ends, strict=True):
            stop = math.nextafter(last, END) if self.is_real else last + 1
            if max(begin, self._made) < min(stop, end):
                yield max(begin, self._made), min(stop, end)

    def _told_apart(
        self, merged: EventBatch, staged: TimedBatch, made: Sequence[MadeEvent], places: np.ndarray
    ) -> TimedBatch:
        """What kernels are told of events and time events."""
        count, total = places.size - len(made), places.size
        here, there = places[:count], places[count:]
        keys = np.full((staged.keys.shape[0], total), at.NONE, np.int64)
        keys[:, here] = staged.keys
        veils = np.zeros((staged.veils.shape[0], total), np.uint8)
        veils[:, here] = staged.veils
        primitive, owner = np.full(total, at.NONE, np.int64), np.full(total, at.NONE, np.int64)
        templates, groups = self.known.template.rows, self.known.tables.rows["templates"]
        alike = np.arange(total)
        first: dict[Any, int] = {}
        for place, each in sorted(zip(there.tolist(), made, strict=True)):
            primitive[place], owner[place] = each.primitive, each.profile
            if each.profile != at.NONE:
                group = groups[templates[each.profile]][at.KEYS]
                if group != at.NONE:
                    keys[group, place] = each.key
            alike[place] = first.setdefault((each.time, each.type, each.since), place)
        differ = alike.size == np.unique(alike).size
        return TimedBatch(merged, keys, veils, (primitive, owner), None if differ else alike)

    # -- snapshots -------------------------------------------------------------------------------------

    @property
    def early(self) -> np.ndarray | None:
        """The profiles that began before any event; None after the first event."""
        return None if self._early is None else np.array(sorted(self._early), np.int64)

    def saved(self) -> dict[str, Any]:
        """What JSON can hold of it, but for the profiles that are early; the timers are records."""
        known = {"start": self.start, "made": self._made, "last": self._last, "newest": self._newest}
        return {name: None if value in (END, -END) else value for name, value in known.items()} | {
            "count": self.count
        }

    def restore(self, saved: dict[str, Any], early: list[int] | None) -> None:
        """Go on from what was saved, with these profiles begun before any event."""
        self.start, self._last, self.count = saved["start"], saved["last"], saved["count"]
        self._early = None if early is None else set(early)
        self._made = -END if saved["made"] is None else saved["made"]
        self._newest = -END if saved["newest"] is None else saved["newest"]


def _time_of(clock: int, is_real: bool) -> Ticks:
    """The time that a clock shows."""
    if not is_real:
        return clock
    bits = clock ^ int(FAR) if clock < 0 else clock
    return float(np.int64(bits).view(np.float64))
