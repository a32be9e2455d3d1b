"""Whether runs are merged, and whether they defer events: by what that saves and what it costs.

Matching in stretches of events, the switch compares how many steps runs take per event apart and merged.
Costs are in steps: looking for a run that is like another costs some, so does listing matches from a
chained buffer, for each of their events, and so does an event that is deferred. Neither changes an answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from cepheid.plan.nfa.likeness import may_explode, may_merge
from cepheid.plan.nfa.plan import NfaPlan

STRETCH = 1 << 12
"""How many events are read with runs apart before merging is tried; a quarter as many are a trial."""

MEET = 256
"""How many events of each partition a stretch has at least: in a trial, runs that are alike have to meet."""

FIRST_LOOK = 1 << 8
"""How many events may be deferred before it is seen what that saves; then twice as many, and so on."""

LONG, FARTHEST = 1 << 14, 1 << 20
"""How many events pass between two looks at what goes well, and at most until what did not is tried again."""

STEP_COST = 1.2
"""Of a step while runs are merged, in steps of runs apart: a run that selects an event may be looked up."""

LISTED_COST = 0.25
"""Of an event of a match that is listed from merged runs, in steps: it is walked to anew for each match."""

DEFERRED_COST = 2.0
"""Of an event that is deferred, in steps: it is chained, and the chain is gone through."""

BEST = 1.0
"""The steps an event that merging may come to where it helps most: one run that waits."""

WORTH = 0.1
"""What merging must save, as a share of the steps, to be kept."""


class RunWork(NamedTuple):
    """What was done so far, or for each event of a stretch."""

    events: float = 0
    steps: float = 0  # of runs, at once
    listed: float = 0  # events listed in matches
    deferred: float = 0  # events
    put_off: float = 0  # steps that deferred events would have been
    made_up: float = 0  # and were in the end

    def since(self, before: RunWork) -> RunWork:
        """For each event after a moment before."""
        done = [now - then for now, then in zip(self, before, strict=True)]
        return RunWork(*(value / max(done[0], 1) for value in done))


NOTHING = RunWork()


@dataclass
class Merging:
    """Runs are read apart for a stretch, then merged in a trial if that may save enough, and they stay merged
    while it does. In the first half of a trial runs meet; what they save is seen in the second."""

    on: bool
    decides: bool  # otherwise it stays as it is
    next_look: float = STRETCH
    stretch: int = STRETCH
    _meeting: bool = False
    _apart: float = 0.0  # steps an event, when runs were last apart, and what deferring cost
    _listed: float = 0.0  # events listed in matches an event, then
    _since: RunWork = NOTHING
    _stretches: int = 1  # until the next trial, after one that has not paid

    def look(self, work: RunWork) -> None:
        """Decide how to go on, by the work done since the last look."""
        done, stretch, self._since = work.since(self._since), self.stretch, work
        if self._meeting:
            self._meeting = False
            wait = stretch // 8
        elif self.on:
            self._listed = max(self._listed, done.listed)
            self.on = self._saves(done.steps)
            self._stretches = 1 if self.on else 4 * self._stretches
            wait = 4 * stretch if self.on else min(self._stretches * stretch, max(FARTHEST, stretch))
        elif work.events < stretch:
            self._since = NOTHING
            wait = stretch - int(work.events)
        else:
            self._apart = done.steps + done.made_up + DEFERRED_COST * done.deferred
            self._listed = done.listed
            self.on = self._meeting = self._saves(BEST)
            wait = stretch // 8 if self.on else 4 * stretch
        self.next_look = work.events + wait

    def _saves(self, merged: float) -> bool:
        """Whether merging is worth it if merged runs take so many steps an event."""
        cost = STEP_COST * merged + LISTED_COST * self._listed
        return self._apart - cost > WORTH * self._apart


@dataclass
class Deferring:
    """Runs apart defer events from the first one on, as long as they make up for few of them. What is still
    put off counts as saved, so judging takes time: the first looks are at all that was done so far."""

    on: bool
    decides: bool
    next_look: float = FIRST_LOOK
    _since: RunWork = NOTHING
    _pause: int = STRETCH  # after it has not paid

    def look(self, work: RunWork) -> None:
        """Decide how to go on, by the work done since it began, or in the last long stretch."""
        done, events = work.since(self._since), work.events - self._since.events
        if not self.on:
            self.on, self._since = True, work
            self.next_look = work.events + FIRST_LOOK
        elif not done.deferred or done.put_off - done.made_up > DEFERRED_COST * done.deferred:
            if events >= LONG:
                self._since, self._pause = work, STRETCH
            self.next_look = work.events + min(events, LONG)
        else:
            self.on = False
            self.next_look = work.events + self._pause
            self._pause = min(4 * self._pause, FARTHEST)


class Switch:
    """Merging and deferring, each on or off, and when to see whether that is right."""

    def __init__(self, plan: NfaPlan) -> None:
        possible, wanted = may_merge(plan), plan.method
        decides = possible and wanted == "auto" and not may_explode(plan)
        merges = possible and (wanted == "merging" or (wanted == "auto" and not decides))
        defers = bool(plan.deferring) and not merges
        self._merging = Merging(on=merges, decides=decides)
        self._deferring = Deferring(on=defers, decides=defers)

    @property
    def merging(self) -> bool:
        """Whether runs are merged."""
        return self._merging.on

    @property
    def deferring(self) -> bool:
        """Whether runs defer events, while they are apart."""
        return self._deferring.on

    @property
    def may_defer(self) -> bool:
        """Whether runs may ever defer events."""
        return self._deferring.decides

    @property
    def next_look(self) -> int | None:
        """Before which event of the stream to look again; None for never."""
        looks = [judge.next_look for judge in (self._merging, self._deferring) if judge.decides]
        return int(min(looks)) if looks else None

    def look(self, work: RunWork, partitions: int) -> None:
        """Decide how to go on, by the work done so far and the number of partitions that share it."""
        self._merging.stretch = max(STRETCH, MEET * partitions)
        for judge in (self._merging, self._deferring):
            if judge.decides and work.events >= judge.next_look:
                judge.look(work)

    def force(self) -> bool:
        """Merge from now on, whatever it costs, if the switch may; whether that is news."""
        news = self._merging.decides and not self._merging.on
        if news:
            self._merging = Merging(on=True, decides=False)
            self._deferring = Deferring(on=False, decides=False)
        return news
