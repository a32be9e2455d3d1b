"""Events that wait for the watermark, and the matcher that is fed with them in order."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.errors import SnapshotError
from cepheid.events import EventBatch
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.engines import matcher_for
from cepheid.matchers.protocol import Outputs
from cepheid.matchers.snapshot import Snapshot
from cepheid.plan.plan import Plan
from cepheid.runners.embedded.run import collected, end_batch, slices
from cepheid.runners.embedded.sizing import event_times
from cepheid.runners.stream.moments import INT64, Moment
from cepheid.runners.stream.order import in_order


class Feed:
    """One ordered stream of events into one matcher."""

    def __init__(self, plan: Plan, *, max_matches: int, max_state: int, ties: str = "arrival") -> None:
        self.plan = plan
        self.ties = ties
        self.allowance = Allowance(max_matches, max_state)
        self.matcher = matcher_for(plan, self.allowance)
        self.waiting = plan.schema.columns.empty_table().select(list(plan.needed))
        self.events = 0
        self.matches = [0] * len(plan.output_schemas)

    def wait(self, rows: pa.Table) -> None:
        """Good events, none of them late."""
        if rows.num_rows:
            self.waiting = pa.concat_tables([self.waiting, rows.select(list(self.plan.needed))])

    def advance(self, watermark: Moment, *, inclusive: bool = True, limited: bool = True) -> Outputs:
        """What becomes certain when no event before the watermark can come any more.

        Events at the watermark are released too, unless they wait for others of their time (not
        `inclusive`), to be ordered with them by content.
        """
        batches = list(slices(self._released(watermark, inclusive), self.plan.schema))
        batches = batches or [end_batch(self.plan.schema, self.plan.needed)]
        self.allowance.begin(limited=limited)  # what is found is handed out: the limit is for one call
        found = collected(self.plan, map(self.matcher.process, self._until(batches, watermark)))
        self.events += sum(batch.data.num_rows for batch in batches)
        self.matches = [count + table.num_rows for count, table in zip(self.matches, found, strict=True)]
        return found

    def _released(self, watermark: Moment, inclusive: bool) -> pa.Table:
        time = event_times(self.waiting, self.plan.schema)
        ready = time <= watermark if inclusive else time < watermark
        everything = bool(ready.all())
        chosen = self.waiting if everything else self.waiting.filter(pa.array(ready))
        self.waiting = self.waiting.slice(0, 0) if everything else self.waiting.filter(pa.array(~ready))
        return in_order(chosen, self.plan.schema, ties=self.ties)

    def _until(self, batches: list[EventBatch], watermark: Moment) -> list[EventBatch]:
        last = batches[-1]
        return [*batches[:-1], replace(last, watermark=_within_range(watermark, last.time.dtype))]

    def snapshot(self) -> Snapshot:
        """Everything needed to go on elsewhere."""
        snapshot = Snapshot(self.plan.fingerprint)
        snapshot.merge("matcher", self.matcher.snapshot())
        snapshot.tables["waiting"] = self.waiting
        return snapshot

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of the same plan."""
        if snapshot.fingerprint != self.plan.fingerprint:
            raise SnapshotError("the snapshot is of another query, or of a stream with other columns")
        self.matcher.restore(snapshot.part("matcher"))
        self.waiting = snapshot.tables["waiting"]


def _within_range(watermark: Moment, kind: np.dtype[Any]) -> Moment:
    """A watermark that kernels can hold: the lateness may take it out of int64."""
    if kind == np.float64 or math.isinf(watermark):
        return watermark
    return min(max(watermark, INT64[0]), INT64[-1])
