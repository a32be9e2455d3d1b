"""Many queries over one ordered stream."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from cepheid.errors import SnapshotError
from cepheid.events import EventBatch
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.counted import RunTally, counted_of
from cepheid.matchers.engines import matcher_for, named
from cepheid.matchers.protocol import Ahead, Foreseeing, Matcher, Outputs
from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.workload.composition import Composed
from cepheid.plan.engine import Share
from cepheid.plan.plan import QueryPlan
from cepheid.plan.workload.derived import as_run
from cepheid.plan.workload.plan import WorkloadPlan


class WorkloadMatcher:
    """A matcher for each share of a workload: each is given every batch, or what others made of it."""

    engine = "workload"

    def __init__(self, plan: WorkloadPlan, matchers: Sequence[Matcher], allowance: Allowance) -> None:
        self.plan = plan
        self.matchers = matchers
        self.composed = Composed(plan, allowance.max_state) if plan.is_composed else None
        run = as_run(plan) if plan.is_composed else {}
        self._needed = [
            tuple(dict.fromkeys(n for m in share.members for n in run.get(m, plan.plans[m]).needed))
            for share in plan.shares
        ]

    def process(self, batch: EventBatch) -> Outputs:
        """What became certain, query by query."""
        found: list[pa.Table] = [None] * len(self.plan.plans)
        composed = self.composed
        if composed is not None:
            composed.begin(batch)
        for share, matcher, needed in zip(self.plan.shares, self.matchers, self._needed, strict=True):
            given = batch if composed is None else composed.given(share.members[0])
            outputs = matcher.process(replace(given, events=given.events.select(needed)))
            for member, table in zip(share.members, outputs, strict=True):
                found[member] = table if composed is None else composed.found(member, table, given)
        return tuple(found)

    @property
    def has_periods(self) -> bool:
        """Whether a query has rows for time alone."""
        return any(isinstance(matcher, Foreseeing) and matcher.has_periods for matcher in self.matchers)

    def foresee(self, ahead: Ahead, events: int, *, exactly: bool = True) -> bool:
        """The same for each query; one that others feed has their matches among its events."""
        fed = () if self.composed is None else self.composed.inflows
        may = [
            matcher.foresee(ahead, events, exactly=exactly and share.members[0] not in fed)
            for share, matcher in zip(self.plan.shares, self.matchers, strict=True)
            if isinstance(matcher, Foreseeing) and matcher.has_periods
        ]
        return any(may)

    @property
    def state_bytes(self) -> int:
        """How much all matchers hold, and what waits between them."""
        return sum(matcher.state_bytes for matcher in self.matchers) + self._held_bytes

    @property
    def peak_state_bytes(self) -> int:
        """The most that they can have held: the sum of what each held at most."""
        return sum(matcher.peak_state_bytes for matcher in self.matchers) + self._held_bytes

    @property
    def _held_bytes(self) -> int:
        return 0 if self.composed is None else self.composed.held_bytes

    @property
    def figures(self) -> dict[str, int]:
        """How many queries there are, and in how many shares."""
        return {"queries": len(self.plan.plans), "shares": len(self.plan.shares)}

    def figures_of(self, member: int) -> dict[str, int | str]:
        """What is worth knowing of one query, and of those that it shares its work with."""
        place = next(place for place, share in enumerate(self.plan.shares) if member in share.members)
        share = self.plan.shares[place]
        inflow = None if self.composed is None else self.composed.inflows.get(member)
        return {
            **({} if inflow is None else {"derived": inflow.derived}),
            "sharing": share.kind,
            "shared_by": len(share.members),
            **figures_of(self.matchers[place]),
        }

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


def workload_matcher(plan: WorkloadPlan, allowance: Allowance) -> WorkloadMatcher:
    """Of a matcher for each share of a workload."""
    run = dict(enumerate(plan.plans)) | (as_run(plan) if plan.is_composed else {})
    return WorkloadMatcher(
        plan, [_of_share(run, share, allowance.part()) for share in plan.shares], allowance
    )


def _of_share(run: Mapping[int, QueryPlan], share: Share, allowance: Allowance) -> Matcher:
    """A matcher that has an output for each query of the share."""
    if share.joined is not None:
        joined = replace(share.joined, plans=tuple(run[member] for member in share.members))
        together: Matcher = named(joined.matcher)(joined, allowance)
        return together
    (member,) = share.members
    return matcher_for(run[member], allowance)


def counted_in(matcher: Matcher, output: int = 0) -> RunTally | None:
    """What was counted of one output of a matcher; None where its work was shared with others."""
    if not isinstance(matcher, WorkloadMatcher):
        return counted_of(matcher)
    place = next(n for n, share in enumerate(matcher.plan.shares) if output in share.members)
    return counted_of(matcher.matchers[place]) if matcher.plan.shares[place].joined is None else None


def figures_of(matcher: Matcher, output: int = 0) -> dict[str, int | str]:
    """What is worth knowing of the work for one output of a matcher."""
    if isinstance(matcher, WorkloadMatcher):
        return matcher.figures_of(output)
    return {
        "engine": matcher.engine,
        **matcher.figures,
        "state_bytes": matcher.state_bytes,
        "peak_state_bytes": matcher.peak_state_bytes,
    }
