"""Whether a query can run for ever in bounded memory."""

from cepheid.errors import QueryCheckError
from cepheid.pattern.query import PatternQuery, Strategy
from cepheid.plan.plan import Plan, QueryPlan


def refuse_unbounded(plan: Plan) -> None:
    """Refuse a plan that a stream without end cannot run."""
    refusal = plan.engine.stream_refusal(plan)
    if refusal is not None:
        raise refusal


def refuse_endless(plan: QueryPlan) -> QueryCheckError | None:
    """Why a plan's state would grow with the stream; None if a window bounds it."""
    if plan.window is not None:
        return None
    return QueryCheckError(
        "over an unbounded stream this query would remember events for ever",
        span=plan.query.pattern.span,
        hint="add a window, such as WITHIN 1 hour",
    )


def keys_that_wait(plan: QueryPlan) -> str | None:
    """What bounds a window of events only if its key returns, for users to know; None if nothing does.

    Such a window is counted in each partition. Without another event of the key it never ends, and a match
    may still complete however much later that event comes: nothing may be forgotten before.
    """
    if not plan.query.keys or plan.window is None or not plan.window.counts_events:
        return None
    keys = ", ".join(plan.query.keys)
    return (
        f"WITHIN {plan.query.window} counts the events of each {keys}: one that never returns keeps what is "
        "open for ever, up to max_state; a window of time would end it"
    )


def is_contiguous(query: PatternQuery) -> bool:
    """Whether the next event of the stream decides every run."""
    return query.strategy is Strategy.STRICT or (query.strategy is Strategy.PARTITION and not query.keys)
