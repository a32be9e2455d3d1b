"""Whether a query can run for ever in bounded memory."""

from __future__ import annotations

import math

from cepheid.errors import QueryCheckError, UnsupportedError
from cepheid.pattern.query import PatternQuery, Strategy
from cepheid.plan.automaton.automaton import Position
from cepheid.plan.nfa.build import BACKTRACKING
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.plan.plan import Plan, QueryPlan
from cepheid.plan.workload.derived import delays
from cepheid.plan.workload.plan import WorkloadPlan, query_plans


def refuse_unbounded(plan: Plan) -> None:
    """Refuse a query whose state would grow with the stream."""
    for each in query_plans(plan):
        if isinstance(each, NfaPlan) and each.sharing == BACKTRACKING:
            raise UnsupportedError(
                "backtracking reads events again and again, and so runs whole tables only",
                hint="run it over a table, or leave the choice of sharing= open",
            )
        if not is_bounded(each):
            raise QueryCheckError(
                "over an unbounded stream this query would remember events for ever",
                span=each.query.pattern.span,
                hint="add a window, such as WITHIN 1 hour",
            )
    if isinstance(plan, WorkloadPlan):
        _refuse_endless_waiting(plan)


def _refuse_endless_waiting(plan: WorkloadPlan) -> None:
    """A window of events may never close, and whoever waits for what it decides would hold all events."""
    for name, delay in zip(plan.names, delays(plan), strict=True):
        if math.isinf(delay):
            raise QueryCheckError(
                f"over an unbounded stream the query '{name}' would wait for ever: it names a query that "
                "ends in an absence, in a window of events",
                hint="give that query a window of time, such as WITHIN 1 hour",
            )


def is_bounded(plan: QueryPlan) -> bool:
    """A window bounds everything; without one, only matches that must be contiguous or are one event."""
    if plan.window is not None:
        return True
    if plan.query.aggregation is not None:
        return False
    positions = plan.automaton.positions
    if plan.absences or any(is_open_ended(position) for position in positions):
        return False
    return is_contiguous(plan.query) or not any(plan.automaton.follow)


def is_open_ended(position: Position) -> bool:
    """Whether a variable may hold any number of events, or wait for another one."""
    return position.kleene and (position.most is None or position.most > 1)


def is_contiguous(query: PatternQuery) -> bool:
    """Whether the next event of the stream decides every run."""
    return query.strategy is Strategy.STRICT or (query.strategy is Strategy.PARTITION and not query.keys)
