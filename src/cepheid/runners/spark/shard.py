"""The events of some keys, as micro-batches bring them: ordered up to the watermark, then matched."""

from dataclasses import dataclass

import pyarrow as pa

from cepheid.matchers.snapshot import Snapshot
from cepheid.plan.plan import Plan
from cepheid.runners.spark.together import in_one_table
from cepheid.runners.stream.feed import Feed, StreamStep
from cepheid.runners.stream.moments import Moment
from cepheid.runners.stream.side import SideOutput
from cepheid.runners.stream.terms import Terms


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of a micro-batch."""

    step: StreamStep
    matches: pa.Table
    late: pa.Table
    late_count: int
    waiting: int  # events that are still held back


class Shard:
    """One share of a stream. All shards see the same clock, so that none of them waits in silence."""

    def __init__(self, plan: Plan, terms: Terms) -> None:
        self.plan = plan
        self.terms = terms
        self.feed = Feed(plan, terms, by_arrival=False)

    @property
    def state_bytes(self) -> int:
        """How much the matcher and the waiting events take."""
        return int(self.feed.matcher.state_bytes + self.feed.waiting.nbytes)

    def take(self, events: pa.Table, newest: Moment | None) -> Taken:
        """Good events of a micro-batch, and the newest time of any in it, whichever shard that went to."""
        late = SideOutput("late", self.terms.on_late, events.schema)
        events, _ = self.feed.admit(events, late)
        # with no lateness to wait for, ties in later batches come after, and nothing is held back
        step = StreamStep(events, self.feed.reached(newest), inclusive=self.terms.lateness == 0)
        matches = in_one_table(self.plan, self.feed.take(step))
        return Taken(step, matches, late.table, late.count, self.feed.waiting.num_rows)

    def repeat(self, step: StreamStep) -> None:
        """Catch up with a step that was taken before: its matches are out already."""
        self.feed.take(step, limited=False)

    def snapshot(self) -> bytes:
        """Everything needed to go on elsewhere."""
        return self.feed.snapshot().to_bytes()

    def restore(self, saved: bytes) -> None:
        """Go on from a snapshot of the same plan."""
        self.feed.restore(Snapshot.from_bytes(saved))
