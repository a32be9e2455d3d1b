"""How a stream may be divided between workers that know nothing of each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from cepheid.errors import CepheidError, UnsupportedError
from cepheid.pattern.query import EmitMode, Strategy
from cepheid.plan.plan import Plan, QueryPlan
from cepheid.plan.program import Absence
from cepheid.plan.workload.derived import carries
from cepheid.plan.workload.plan import WorkloadPlan


class By(Enum):
    """What events must share to be seen by one worker."""

    KEYS = "keys"
    TIME = "time"  # a range of it; a match belongs to the range that its first event is in
    NOTHING = "nothing"  # all events to one worker


@dataclass(frozen=True, slots=True)
class Cut:
    """A way to divide; a range of time also sees the events up to `before` it and `after` it."""

    by: By
    reason: str
    keys: tuple[str, ...] = ()
    before: int | float = 0  # in ticks of the time column
    after: int | float = 0


def cut(plan: Plan, by: str | None = None) -> Cut:
    """A way to divide a plan's stream without changing its answer: the best, or the one asked for."""
    if by not in (None, "keys", "time"):
        raise CepheidError(f"a stream is divided by 'keys' or by 'time', not by {by!r}")
    if isinstance(plan, WorkloadPlan):
        return _cut_workload(plan, by)
    assert isinstance(plan, QueryPlan)
    query = plan.query
    if query.aggregation is not None:
        return _cut_aggregate(plan, by)
    keys = tuple(name for key in query.keys if (name := plan.schema.column_of(key)) is not None)
    by_keys = bool(keys) and query.strategy is not Strategy.STRICT
    if by_keys and by != "time":
        return Cut(By.KEYS, f"all events of a match agree on {', '.join(keys)}", keys)
    whole = "strict_contiguity looks at all events of the stream" if keys else "there is no equivalence test"
    if by == "keys":
        raise UnsupportedError(f"this query cannot be divided by keys: {whole}")
    forbidden = _why_not_by_time(plan)
    if forbidden is not None:
        if by == "time":
            raise UnsupportedError(f"this query cannot be divided by time: {forbidden}")
        return Cut(By.NOTHING, f"{whole}, and {forbidden}: one shard runs it")
    assert plan.window is not None
    length = plan.window.limit
    return Cut(
        By.TIME,
        "ranges of time, overlapped by the window, each report the matches that start in them"
        + (", as asked" if by_keys else f": {whole}"),
        before=length if any(_may_lead(plan, absence) for absence in plan.absences) else 0,
        after=length,
    )


def _cut_workload(plan: WorkloadPlan, by: str | None) -> Cut:
    """By the keys that all queries may be divided by."""
    if by == "time":
        raise UnsupportedError("a workload cannot be divided by time", hint="call match() for each query")
    cuts = [cut(member, by) for member in plan.plans]
    common = [key for key in cuts[0].keys if all(key in other.keys for other in cuts)]
    lost = {key: name for key in common for name in _without(plan, key)}
    keys = tuple(key for key in common if key not in lost and key in plan.schema.columns.names)
    if keys:
        return Cut(By.KEYS, f"all events of a match of any query agree on {', '.join(keys)}", keys)
    for key, name in lost.items():
        why = f"the matches of '{name}' are events without the key {key}, unless it returns it AS {key}"
        if by == "keys":
            raise UnsupportedError(f"this workload cannot be divided by keys: {why}")
        return Cut(By.NOTHING, f"{why}: one shard runs them")
    if by == "keys":
        raise UnsupportedError("this workload cannot be divided by keys: its queries have none in common")
    return Cut(By.NOTHING, "the queries have no key in common to be divided by: one shard runs them")


def _without(plan: WorkloadPlan, key: str) -> Iterator[str]:
    """The queries whose matches are events to others, and do not tell these their key."""
    for feeder in sorted({feeder for fed_by in plan.feeders for feeder in fed_by}):
        if not carries(plan.plans[feeder], key):
            yield plan.names[feeder]


def _cut_aggregate(plan: QueryPlan, by: str | None) -> Cut:
    """A row is about all matches of its group, so a group stays together; without one, everything does."""
    assert plan.query.aggregation is not None
    groups = {plan.schema.column_of(name) for name in plan.query.aggregation.group_by}
    keys = tuple(key for key in plan.query.keys if plan.schema.column_of(key) in groups)
    if by == "time":
        raise UnsupportedError("AGG cannot be divided by time: a row is about all matches of its window")
    if plan.query.emit.mode is EmitMode.EVERY:
        return Cut(By.NOTHING, "EMIT EVERY follows the clock of the whole stream: one shard runs it")
    if keys:
        return Cut(By.KEYS, f"all matches of a group agree on {', '.join(keys)}", keys)
    why = "a row of AGG is about the matches of all partitions"
    if by == "keys":
        raise UnsupportedError(f"this query cannot be divided by keys: {why}", hint="GROUP BY the keys")
    return Cut(By.NOTHING, f"{why}, unless GROUP BY names an equivalence key: one shard runs it")


def _why_not_by_time(plan: QueryPlan) -> str | None:
    if plan.window is None:
        return "without WITHIN a match may be as long as the stream"
    if plan.window.counts_events or any(window.counts_events for window in plan.inner_windows):
        return "a window of events counts events of the whole stream"
    if plan.query.emit.mode is not EmitMode.ALL:
        return f"EMIT {plan.query.emit.mode.value} compares matches with each other"
    return None


def _may_lead(plan: QueryPlan, absence: Absence) -> bool:
    """Whether a match may have no event before an absence, which then looks back from its start."""
    return all(position.optional for position in plan.automaton.positions[: absence.place])
