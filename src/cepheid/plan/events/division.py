"""How a stream may be divided between workers that know nothing of each other."""

from dataclasses import dataclass
from enum import Enum

from cepheid.errors import CepheidError, UnsupportedError
from cepheid.pattern.nodes import Absent, atoms
from cepheid.pattern.query import EmitMode, Strategy
from cepheid.plan.plan import Plan, QueryPlan
from cepheid.plan.precedence import neighbourhoods


class By(Enum):
    """What events must share to be seen by one worker."""

    KEYS = "keys"
    TIME = "time"  # a range of it; a match belongs to the range that its first event is in
    NOTHING = "nothing"  # all events to one worker


@dataclass(frozen=True, slots=True)
class Division:
    """A way to divide; a range of time also sees the events up to `before` it and `after` it."""

    by: By
    reason: str
    keys: tuple[str, ...] = ()
    before: int | float = 0  # in ticks of the time column
    after: int | float = 0


def divided(plan: Plan, by: str | None = None) -> Division:
    """A way to divide a plan's stream without changing its answer: the best, or the one asked for."""
    if by not in (None, "keys", "time"):
        raise CepheidError(f"a stream is divided by 'keys' or by 'time', not by {by!r}")
    return plan.engine.division(plan, by)


def divided_matches(plan: QueryPlan, by: str | None) -> Division:
    """By the keys that all events of a match agree on, or by ranges of time that overlap by the window."""
    query = plan.query
    keys = tuple(name for key in query.keys if (name := plan.schema.column_of(key)) is not None)
    by_keys = bool(keys) and query.strategy is not Strategy.STRICT
    if by_keys and by != "time":
        return Division(By.KEYS, f"all events of a match agree on {', '.join(keys)}", keys)
    whole = "strict_contiguity looks at all events of the stream" if keys else "there is no equivalence test"
    if by == "keys":
        raise UnsupportedError(f"this query cannot be divided by keys: {whole}")
    forbidden = _why_not_by_time(plan)
    if forbidden is not None:
        if by == "time":
            raise UnsupportedError(f"this query cannot be divided by time: {forbidden}")
        return Division(By.NOTHING, f"{whole}, and {forbidden}: one shard runs it")
    assert plan.window is not None
    length = plan.window.limit
    return Division(
        By.TIME,
        "ranges of time, overlapped by the window, each report the matches that start in them"
        + (", as asked" if by_keys else f": {whole}"),
        before=length if _looks_back(plan) else 0,
        after=length,
    )


def _why_not_by_time(plan: QueryPlan) -> str | None:
    if plan.window is None:
        return "without WITHIN a match may be as long as the stream"
    if plan.window.counts_events or any(window.counts_events for window in plan.inner_windows):
        return "a window of events counts events of the whole stream"
    if plan.query.emit.mode is not EmitMode.ALL:
        return f"EMIT {plan.query.emit.mode.value} compares matches with each other"
    return None


def _looks_back(plan: QueryPlan) -> bool:
    """Whether a match may have no event before an absence, which then looks back from its start."""
    negated = {atom.variable for atom in atoms(plan.query.pattern) if isinstance(atom, Absent)}
    return any(
        all(plan.positions[place].optional for place in around.before)
        for variable, around in neighbourhoods(plan.query.pattern).items()
        if variable in negated
    )
