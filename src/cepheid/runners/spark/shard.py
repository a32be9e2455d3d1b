"""The events of some keys, as micro-batches bring them: ordered up to the watermark, then matched."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from cepheid.events import END
from cepheid.matchers.protocol import Outputs
from cepheid.matchers.snapshot import Snapshot
from cepheid.plan.plan import Plan
from cepheid.runners.embedded.sizing import event_times
from cepheid.runners.spark.together import in_one_table
from cepheid.runners.stream.feed import Feed
from cepheid.runners.stream.moments import Moment
from cepheid.runners.stream.side import SideOutput


@dataclass(frozen=True, slots=True)
class Terms:
    """What a stream is run with, beside its plan; a restart may change it."""

    lateness: Moment  # in ticks of the time column
    on_late: str
    max_matches: int
    max_state: int


@dataclass(frozen=True, slots=True)
class Step:
    """What a micro-batch did to a shard: enough to do it again to an earlier state of it."""

    events: pa.Table  # that were taken in
    watermark: Moment
    inclusive: bool


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of a micro-batch."""

    step: Step
    matches: pa.Table
    late: pa.Table
    late_count: int
    waiting: int  # events that are still held back


class Shard:
    """One share of a stream. All shards see the same clock, so that none of them waits in silence.

    The watermark is the newest time of the whole stream less the lateness. In a micro-batch, arrival
    means nothing: an event is late if it is behind the watermark of the batches before.
    """

    def __init__(self, plan: Plan, terms: Terms) -> None:
        self.plan = plan
        self.terms = terms
        self.watermark: Moment = -END
        self.feed = Feed(plan, max_matches=terms.max_matches, max_state=terms.max_state, ties="content")

    @property
    def state_bytes(self) -> int:
        """How much the matcher and the waiting events take."""
        return int(self.feed.matcher.state_bytes + self.feed.waiting.nbytes)

    def take(self, events: pa.Table, newest: Moment | None) -> Taken:
        """Good events of a micro-batch, and the newest time of any in it, whichever shard that went to."""
        late = SideOutput("late", self.terms.on_late, events.schema)
        events = self._without_late(events, late)
        watermark = self.watermark if newest is None else max(self.watermark, newest - self.terms.lateness)
        # with no lateness to wait for, ties in later batches come after, and nothing is held back
        step = Step(events, watermark, inclusive=self.terms.lateness == 0)
        matches = in_one_table(self.plan, self.apply(step))
        return Taken(step, matches, late.table, late.count, self.feed.waiting.num_rows)

    def apply(self, step: Step, *, limited: bool = True) -> Outputs:
        """The matches that become certain; a function of the shard's state and the step alone."""
        self.watermark = step.watermark
        self.feed.wait(step.events)
        return self.feed.advance(step.watermark, inclusive=step.inclusive, limited=limited)

    def repeat(self, step: Step) -> None:
        """Catch up with a step that was taken before: its matches are out already."""
        self.apply(step, limited=False)

    def _without_late(self, events: pa.Table, late: SideOutput) -> pa.Table:
        behind = event_times(events, self.plan.schema) < self.watermark
        if not behind.any():
            return events
        late.add(events.filter(pa.array(behind)), ["behind the watermark"] * int(behind.sum()))
        return events.filter(pa.array(~behind))

    def snapshot(self) -> bytes:
        """Everything needed to go on elsewhere."""
        snapshot = self.feed.snapshot()
        snapshot.values["watermark"] = None if self.watermark == -END else self.watermark
        return snapshot.to_bytes()

    def restore(self, saved: bytes) -> None:
        """Go on from a snapshot of the same plan."""
        snapshot = Snapshot.from_bytes(saved)
        self.feed.restore(snapshot)
        watermark = snapshot.values["watermark"]
        self.watermark = -END if watermark is None else watermark
