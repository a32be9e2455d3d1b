"""A profile on the engine of its query: time events go in with the events, and some matches are told."""

from __future__ import annotations

import pyarrow as pa

from cepheid.events import EventBatch
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.engines import matcher_for
from cepheid.matchers.profile.found import FoundMatch, FoundMatches
from cepheid.matchers.profile.recent import Recent
from cepheid.matchers.profile.staging import Staging
from cepheid.matchers.profile.telling import Telling
from cepheid.matchers.protocol import Outputs
from cepheid.matchers.snapshot import Snapshot
from cepheid.plan.profile.kinds import Ticks
from cepheid.plan.profile.plan import ProfilePlan


class ProfileMatcher:
    """Tells the matches of one profile."""

    engine = "profile"

    def __init__(self, plan: ProfilePlan, allowance: Allowance) -> None:
        self.plan = plan
        self.inner = matcher_for(plan.inner, allowance)
        self.staging = Staging(plan, allowance.max_matches)
        self.recent = Recent(plan)
        self.found = FoundMatches(plan, self.recent)
        self.telling = Telling(plan, self.recent)
        self._nothing = plan.output_schema.empty_table()
        self._not_told = 0
        self._peak = 0

    @property
    def state_bytes(self) -> int:
        """How much the inner engine and the recent events take."""
        return self.inner.state_bytes + int(self.recent.rows.nbytes)

    @property
    def peak_state_bytes(self) -> int:
        """The most that they have taken."""
        return max(self._peak + self.inner.peak_state_bytes, self.state_bytes)

    @property
    def figures(self) -> dict[str, int | str]:
        """How many matches were not told, and what the inner engine says."""
        return {**self.inner.figures, "found_by": self.inner.engine, "not_told": self._not_told}

    def begin(self, start: Ticks) -> None:
        """Time has come to here before any event: time events exist from now on."""
        self.staging.begin(start)

    def process(self, batch: EventBatch) -> Outputs:
        """The matches that are told with this batch."""
        return (self.told(batch)[0],)

    def told(self, batch: EventBatch) -> tuple[pa.Table, list[FoundMatch]]:
        """The same, and what is known of each match."""
        staged = self.staging.staged(batch)
        if self.recent.is_needed:
            self.recent.add(staged)
        (table,) = self.inner.process(staged.batch)
        found = self.found.of(table)
        told = [each for each in found if self.telling.is_told(each)]
        self._not_told += len(found) - len(told)
        self._forget(batch.watermark)
        if not told:
            return self._nothing, told
        columns = [*range(self.plan.own_columns), table.num_columns - 1]
        rows = table.select(columns).take(pa.array([each.row for each in told], pa.int64()))
        return rows.cast(self.plan.output_schema), told

    def anew(self, allowance: Allowance) -> ProfileMatcher:
        """One that has seen nothing, and knows when something was told."""
        fresh = ProfileMatcher(self.plan, allowance)
        fresh.staging.partitions = self.staging.partitions
        fresh.telling.remember(self.telling)
        fresh._not_told = self._not_told
        return fresh

    def _forget(self, watermark: Ticks) -> None:
        self._peak = max(self._peak, int(self.recent.rows.nbytes))
        self.recent.forget(watermark)
        self.telling.forget(watermark)
        if self.staging.partitions.are_many:
            alive = self.staging.ticking.partitions | self.recent.partitions | self.telling.partitions
            self.staging.partitions.keep_only(alive.union(*self.staging.silent_partitions))

    def snapshot(self) -> Snapshot:
        """Everything needed to go on elsewhere."""
        snapshot = Snapshot(self.plan.fingerprint)
        snapshot.merge("inner", self.inner.snapshot())
        self.staging.save(snapshot)
        self.recent.save(snapshot)
        self.telling.save(snapshot)
        snapshot.values["not_told"] = self._not_told
        return snapshot

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of the same plan."""
        self.inner.restore(snapshot.part("inner"))
        self.staging.restore(snapshot)
        self.recent.restore(snapshot)
        self.telling.restore(snapshot)
        self._not_told = snapshot.values["not_told"]
