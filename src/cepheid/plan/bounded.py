"""Whether a query can run for ever in bounded memory."""

from __future__ import annotations

from cepheid.errors import QueryCheckError
from cepheid.pattern.query import PatternQuery, Strategy
from cepheid.plan.nodes import Plan, Position, QueryPlan
from cepheid.plan.workload import query_plans


def refuse_unbounded(plan: Plan) -> None:
    """Refuse a query whose state would grow with the stream."""
    for each in query_plans(plan):
        if not is_bounded(each):
            raise QueryCheckError(
                "over an unbounded stream this query would remember events for ever",
                span=each.query.pattern.span,
                hint="add a window, such as WITHIN 1 hour",
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
