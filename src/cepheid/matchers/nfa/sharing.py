"""Whether runs are merged, and when to look again: by what merging saves and what it costs.

Matching in stretches of events, the switch compares how many steps runs take per event apart and merged.
Costs are in steps: looking for a run that is like another costs some, and so does listing matches from a
chained buffer, for each of their events. Whether runs are merged changes no answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cepheid.plan.likeness import may_explode, may_merge
from cepheid.plan.nodes import NfaPlan

STRETCH, TRIAL = 1 << 12, 1 << 10
"""How many events are read with runs apart before the first trial, and in a trial."""

FARTHEST = 1 << 20

STEP_COST = 1.5
"""Of a step while runs are merged, in steps of runs apart: each run that selects an event is looked up."""

LISTED_COST = 1.0
"""Of an event of a match that is listed from merged runs, in steps: it is walked to anew for each match."""

BEST = 1.0
"""The steps an event that merging may come to where it helps most: one run that waits."""

WORTH = 0.1
"""What merging must save, as a share of the steps, to be kept."""


@dataclass(frozen=True, slots=True)
class Work:
    """What was done so far: events read, steps of runs, events listed in matches."""

    events: int = 0
    steps: int = 0
    listed: int = 0


@dataclass
class Switch:
    """On, off or measuring."""

    plan: NfaPlan
    merging: bool = False
    _measured: bool = False
    _apart: float = 0.0  # steps an event, when runs were last apart
    _listed: float = 0.0  # events listed in matches an event, then
    _since: Work = field(default_factory=Work)
    _wait: int = STRETCH
    _pause: int = STRETCH  # after a trial that has not paid

    def __post_init__(self) -> None:
        possible = may_merge(self.plan)
        wanted = self.plan.sharing
        self._measured = possible and wanted == "auto" and not may_explode(self.plan)
        self.merging = possible and (wanted == "merging" or (wanted == "auto" and not self._measured))

    @property
    def next_look(self) -> int | None:
        """Before which event of the stream to look again; None for never."""
        return self._since.events + self._wait if self._measured else None

    def look(self, work: Work) -> bool:
        """Whether to merge from now on, by the work done since the last look."""
        events = max(work.events - self._since.events, 1)
        steps = (work.steps - self._since.steps) / events
        listed = (work.listed - self._since.listed) / events
        self._since = work
        if self.merging:
            self._listed = max(self._listed, listed)
            self.merging = self._saves(steps)
            self._pause = STRETCH if self.merging else min(4 * self._pause, FARTHEST)
            self._wait = 4 * STRETCH if self.merging else self._pause
        else:
            self._apart, self._listed = steps, listed
            self.merging = self._saves(BEST)
            self._wait = TRIAL if self.merging else 4 * STRETCH
        return self.merging

    def _saves(self, merged: float) -> bool:
        """Whether merging is worth it if merged runs take so many steps an event."""
        cost = STEP_COST * merged + LISTED_COST * self._listed
        return self._apart - cost > WORTH * self._apart

    def force(self) -> bool:
        """Merge from now on, whatever it costs, if the switch may; whether that is news."""
        can = self._measured and not self.merging
        self.merging, self._measured = self.merging or can, self._measured and not can
        return can
