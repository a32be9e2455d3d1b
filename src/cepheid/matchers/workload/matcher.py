"""Many queries over one ordered stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import pyarrow as pa

from cepheid.errors import SnapshotError
from cepheid.events import EventBatch
from cepheid.matchers.engines import matcher_for, named
from cepheid.matchers.protocol import Matcher
from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.workload.composition import Composed
from cepheid.plan.engine import Share
from cepheid.plan.plan import QueryPlan
from cepheid.plan.workload.derived import feeding_plan, place_field
from cepheid.plan.workload.plan import WorkloadPlan


class SharedMatcher(Protocol):
    """Finds the matches of several plans at once."""

    matches: list[int]  # of each plan, found so far
    max_matches: int

    def process(self, batch: EventBatch) -> list[pa.Table]:
        """What became certain, of each plan."""

    def snapshot(self) -> Snapshot:
        """Everything needed to go on elsewhere."""

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of the same plans."""

    @property
    def state_bytes(self) -> int:
        """How much it holds now."""

    @property
    def peak_state_bytes(self) -> int:
        """The most it has held."""

    @property
    def figures(self) -> Mapping[str, int | str]:
        """What else is worth knowing of its work."""


class Alone:
    """One plan with a matcher of its own."""

    def __init__(self, plan: QueryPlan, matcher: Matcher) -> None:
        self.plan = plan
        self.matcher = matcher

    @property
    def matches(self) -> list[int]:
        """See `SharedMatcher`."""
        return [self.matcher.matches]

    @matches.setter
    def matches(self, counts: list[int]) -> None:
        (self.matcher.matches,) = counts

    @property
    def max_matches(self) -> int:
        """See `SharedMatcher`."""
        return self.matcher.max_matches

    @max_matches.setter
    def max_matches(self, limit: int) -> None:
        self.matcher.max_matches = limit

    @property
    def state_bytes(self) -> int:
        """See `SharedMatcher`."""
        return self.matcher.state_bytes

    @property
    def peak_state_bytes(self) -> int:
        """See `SharedMatcher`."""
        return self.matcher.peak_state_bytes

    @property
    def figures(self) -> Mapping[str, int | str]:
        """See `SharedMatcher`."""
        return self.matcher.figures

    def process(self, batch: EventBatch) -> list[pa.Table]:
        """See `SharedMatcher`."""
        return [self.matcher.process(replace(batch, data=batch.data.select(list(self.plan.needed))))]

    def snapshot(self) -> Snapshot:
        """See `SharedMatcher`."""
        return self.matcher.snapshot()

    def restore(self, snapshot: Snapshot) -> None:
        """See `SharedMatcher`."""
        self.matcher.restore(snapshot)


class WorkloadMatcher:
    """The matchers of a workload's shares, each given every batch, or what others made of it; rows of all
    queries in one table."""

    engine = "workload"

    def __init__(self, plan: WorkloadPlan, matchers: Sequence[SharedMatcher], max_state: int) -> None:
        self.plan = plan
        self.matchers = matchers
        self.max_state = max_state
        self.composed = Composed(plan, max_state) if plan.is_composed else None

    def process(self, batch: EventBatch) -> pa.Table:
        """What became certain of all queries, as rows of one table."""
        tables = []
        for name, found in zip(self.plan.names, self.process_each(batch), strict=True):
            if found.num_rows:
                tables.append(_named(name, found, self.plan.output_schema))
        return pa.concat_tables(tables) if tables else self.plan.output_schema.empty_table()

    def process_each(self, batch: EventBatch) -> list[pa.Table]:
        """What became certain, query by query."""
        found: list[pa.Table] = [None] * len(self.plan.plans)
        composed = self.composed
        if composed is not None:
            composed.begin(batch)
        for share, matcher in zip(self.plan.shares, self.matchers, strict=True):
            given = batch if composed is None else composed.given(share.members[0])
            for member, table in zip(share.members, matcher.process(given), strict=True):
                found[member] = table if composed is None else composed.found(member, table)
        return found

    @property
    def matches(self) -> int:
        """Of the query that has most: each has the limit for itself."""
        return max(max(matcher.matches) for matcher in self.matchers)

    @matches.setter
    def matches(self, count: int) -> None:
        for matcher in self.matchers:
            matcher.matches = [count] * len(matcher.matches)

    @property
    def max_matches(self) -> int:
        """How many a query may have."""
        return self.matchers[0].max_matches

    @max_matches.setter
    def max_matches(self, limit: int) -> None:
        for matcher in self.matchers:
            matcher.max_matches = limit

    @property
    def state_bytes(self) -> int:
        """How much all matchers hold, and what waits between them."""
        return sum(matcher.state_bytes for matcher in self.matchers) + self._held_bytes

    @property
    def peak_state_bytes(self) -> int:
        """The most that they may have held."""
        return sum(matcher.peak_state_bytes for matcher in self.matchers) + self._held_bytes

    @property
    def _held_bytes(self) -> int:
        return 0 if self.composed is None else self.composed.held_bytes

    @property
    def figures(self) -> dict[str, int]:
        """How many queries there are, and in how many shares."""
        return {"queries": len(self.plan.plans), "shares": len(self.plan.shares)}

    def snapshot(self) -> Snapshot:
        """The snapshots of all matchers."""
        snapshot = Snapshot(self.plan.fingerprint)
        snapshot.values["shares"] = [[share.kind, list(share.members)] for share in self.plan.shares]
        for number, matcher in enumerate(self.matchers):
            snapshot.merge(f"share{number}", matcher.snapshot())
        if self.composed is not None:
            snapshot.merge("composed", self.composed.snapshot())
        return snapshot

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of the same workload, shared in the same way."""
        shares = [[share.kind, list(share.members)] for share in self.plan.shares]
        if snapshot.fingerprint != self.plan.fingerprint or snapshot.values["shares"] != shares:
            raise SnapshotError("the snapshot is of another workload, or of one that shares otherwise")
        for number, matcher in enumerate(self.matchers):
            matcher.restore(snapshot.part(f"share{number}"))
        if self.composed is not None:
            self.composed.restore(snapshot.part("composed"))


def workload_matcher(plan: WorkloadPlan, *, max_matches: int, max_state: int) -> WorkloadMatcher:
    """Of a matcher for each share of a workload."""
    matchers = [_shared(plan, share, max_matches, max_state) for share in plan.shares]
    return WorkloadMatcher(plan, matchers, max_state)


def _shared(plan: WorkloadPlan, share: Share, max_matches: int, max_state: int) -> SharedMatcher:
    if share.joined is not None:
        joined: SharedMatcher = named(share.joined.matcher)(
            share.joined, max_matches=max_matches, max_state=max_state
        )
        return joined
    (member,) = share.members
    only = plan.plans[member]
    if any(member in fed_by for fed_by in plan.feeders):
        only = feeding_plan(only, place_field(plan))
    return Alone(only, matcher_for(only, max_matches=max_matches, max_state=max_state))


def _named(name: str, found: pa.Table, schema: pa.Schema) -> pa.Table:
    """The rows of a query among those of others."""
    count = found.num_rows
    columns = [pa.array([name] * count, pa.string())]
    for field in list(schema)[1:]:
        has = field.name in found.column_names
        columns.append(found.column(field.name).cast(field.type) if has else pa.nulls(count, field.type))
    return pa.Table.from_arrays(columns, schema=schema)
