"""Whether runs are merged, and whether they defer events: by what that saves and what it costs.

Matching in stretches of events, the switch compares how many steps runs take per event apart and merged.
Costs are in steps: looking for a run that is like another costs some, so does listing matches from a
chained buffer, for each of their events, and so does an event that is deferred. Neither changes an answer.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, field

from cepheid.plan.deferring import deferring
from cepheid.plan.likeness import may_explode, may_merge
from cepheid.plan.nodes import NfaPlan

STRETCH, TRIAL = 1 << 12, 1 << 10
"""How many events are read with runs apart before merging is tried, and in a trial."""

FARTHEST = 1 << 20

STEP_COST = 1.2
"""Of a step while runs are merged, in steps of runs apart: a run that selects an event may be looked up."""

LISTED_COST = 0.25
"""Of an event of a match that is listed from merged runs, in steps: it is walked to anew for each match."""

DEFERRED_COST = 1.0
"""Of an event that is deferred, in steps: it is chained, and the chain is gone through."""

BEST = 1.0
"""The steps an event that merging may come to where it helps most: one run that waits."""

WORTH = 0.1
"""What merging must save, as a share of the steps, to be kept."""


@dataclass(frozen=True, slots=True)
class Work:
    """What was done so far, or for each event of a stretch."""

    events: float = 0
    steps: float = 0  # of runs, those that were only later taken among them
    listed: float = 0  # events listed in matches
    deferred: float = 0  # events
    put_off: float = 0  # steps that deferred events would have been at once
    made_up: float = 0  # and were in the end

    def since(self, before: Work) -> Work:
        """For each event after a moment before."""
        done = [now - then for now, then in zip(astuple(self), astuple(before), strict=True)]
        return Work(*(value / max(done[0], 1) for value in done))


@dataclass
class Switch:
    """Each of the two on, off or measuring."""

    plan: NfaPlan
    merging: bool = False
    deferring: bool = False
    _may_merge: bool = False
    _may_defer: bool = False
    _apart: float = 0.0  # steps an event, when runs were last apart
    _listed: float = 0.0  # events listed in matches an event, then
    _since: Work = field(default_factory=Work)
    _wait: int = STRETCH
    _pause: int = STRETCH  # after a trial that has not paid
    _defers_again: float = 0.0  # from this event on, if it has not paid

    def __post_init__(self) -> None:
        possible, wanted = may_merge(self.plan), self.plan.sharing
        self._may_merge = possible and wanted == "auto" and not may_explode(self.plan)
        self.merging = possible and (wanted == "merging" or (wanted == "auto" and not self._may_merge))
        self.deferring = self._may_defer = bool(deferring(self.plan)) and not self.merging
        self._wait = TRIAL if self.deferring else STRETCH

    @property
    def next_look(self) -> int | None:
        """Before which event of the stream to look again; None for never."""
        return int(self._since.events) + self._wait if self._may_merge or self._may_defer else None

    def look(self, work: Work) -> None:
        """Decide how to go on, by the work done since the last look."""
        done, self._since = work.since(self._since), work
        if self.merging:
            self._listed = max(self._listed, done.listed)
            self.merging = self._saves(done.steps)
            self._pause = STRETCH if self.merging else min(4 * self._pause, FARTHEST)
            self._wait = 4 * STRETCH if self.merging else self._pause
        else:
            self._look_at_deferring(done)
            if work.events < STRETCH:
                self._wait = STRETCH - int(work.events)
                return
            self._apart, self._listed = done.steps, done.listed
            self.merging = self._may_merge and self._saves(BEST)
            self._wait = TRIAL if self.merging else 4 * STRETCH

    def _look_at_deferring(self, done: Work) -> None:
        if self.deferring and done.deferred > 0:
            self.deferring = done.put_off - done.made_up > DEFERRED_COST * done.deferred
            self._defers_again = self._since.events + FARTHEST
        elif self._since.events >= self._defers_again:
            self.deferring = self._may_defer

    def _saves(self, merged: float) -> bool:
        """Whether merging is worth it if merged runs take so many steps an event."""
        cost = STEP_COST * merged + LISTED_COST * self._listed
        return self._apart - cost > WORTH * self._apart

    def force(self) -> bool:
        """Merge from now on, whatever it costs, if the switch may; whether that is news."""
        can = self._may_merge and not self.merging
        self.merging, self._may_merge = self.merging or can, self._may_merge and not can
        self._may_defer = self._may_defer and not can
        return can
