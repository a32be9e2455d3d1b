"""A workload as the rest of the house sees it: what holds for any of its queries, or for all of them."""

import math
from collections.abc import Iterator
from dataclasses import replace

from cepheid import expressions as ex
from cepheid.errors import QueryCheckError, QueryError, UnsupportedError
from cepheid.plan.engine import Engine
from cepheid.plan.events.division import By, Division, divided
from cepheid.plan.events.logic import FALSE, any_of
from cepheid.plan.events.pushdown import Pushed, pushed, query_filter, sees_all
from cepheid.plan.plan import QueryPlan
from cepheid.plan.workload.derived import carries, delays
from cepheid.plan.workload.explain import explain
from cepheid.plan.workload.plan import WorkloadPlan


def _stream_refusal(plan: WorkloadPlan) -> QueryError | None:
    """Why one of the queries cannot run over an unbounded stream.

    A window of events may never close, and whoever waits for what it decides would hold all events.
    """
    for each in plan.plans:
        refusal = each.engine.stream_refusal(each)
        if refusal is not None:
            return refusal
    for name, delay in zip(plan.names, delays(plan), strict=True):
        if math.isinf(delay):
            return QueryCheckError(
                f"over an unbounded stream the query '{name}' would wait for ever: it names a query that "
                "ends in an absence, in a window of events",
                hint="give that query a window of time, such as WITHIN 1 hour",
            )
    return None


# ---------------------------------------------------------------- division


def _division(plan: WorkloadPlan, by: str | None) -> Division:
    """By the keys that all queries may be divided by."""
    if by == "time":
        raise UnsupportedError("a workload cannot be divided by time", hint="call match() for each query")
    ways = [divided(member, by) for member in plan.plans]
    common = [key for key in ways[0].keys if all(key in other.keys for other in ways)]
    lost = {key: name for key in common for name in _without(plan, key)}
    keys = tuple(key for key in common if key not in lost and key in plan.schema.columns.names)
    if keys:
        return Division(By.KEYS, f"all events of a match of any query agree on {', '.join(keys)}", keys)
    for key, name in lost.items():
        why = f"the matches of '{name}' are events without the key {key}, unless it returns it AS {key}"
        if by == "keys":
            raise UnsupportedError(f"this workload cannot be divided by keys: {why}")
        return Division(By.NOTHING, f"{why}: one shard runs them")
    if by == "keys":
        raise UnsupportedError("this workload cannot be divided by keys: its queries have none in common")
    return Division(By.NOTHING, "the queries have no key in common to be divided by: one shard runs them")


def _without(plan: WorkloadPlan, key: str) -> Iterator[str]:
    """The queries whose matches are events to others, and do not tell these their key."""
    for feeder in sorted({feeder for fed_by in plan.feeders for feeder in fed_by}):
        if not carries(plan.plans[feeder], key):
            yield plan.names[feeder]


# ---------------------------------------------------------------- which events matter


def _filter(plan: WorkloadPlan, opaque: frozenset[str]) -> Pushed:
    """What may matter to one query or another."""
    each = [
        _filter_beside(member, plan, fed_by, opaque) if fed_by else pushed(member, opaque)
        for member, fed_by in zip(plan.plans, plan.feeders, strict=True)
    ]
    for found in each:
        if found.filter is None:
            return found
    filters = dict.fromkeys(found.filter for found in each if found.filter is not None)
    later = dict.fromkeys(text for found in each for text in found.weakened)
    return Pushed(any_of(filters), "no query of the workload can take other events", tuple(later))


def _filter_beside(
    plan: QueryPlan, workload: WorkloadPlan, fed_by: tuple[int, ...], opaque: frozenset[str]
) -> Pushed:
    """What of the stream may matter to a query that also sees the matches of others.

    No event of the stream has their type, nor the columns that only they have.
    """
    stream, feeders = workload.schema.columns, {workload.names[feeder] for feeder in fed_by}
    if not set(plan.query.keys) <= set(stream.names):
        everything = None if sees_all(plan.query) else FALSE
        return Pushed(everything, "only matches of other queries have its keys")

    def is_of_stream(condition: ex.Expression) -> bool:
        read = (node.name for node in ex.walk(condition) if isinstance(node, ex.Element))
        columns = (plan.schema.column_of(name) or name for name in read)
        return all(
            n in stream.names and stream.field(n).type == plan.schema.columns.field(n).type for n in columns
        )

    tests = [
        (variable, replace(test, conditions=tuple(filter(is_of_stream, test.conditions))))
        for variable, test in plan.engine.event_tests(plan)
        if test.type not in feeders
    ]
    return query_filter(plan, opaque, tests)


WORKLOAD = Engine(
    name="workload",
    matcher="cepheid.matchers.workload.matcher.workload_matcher",
    explain=explain,
    filter=_filter,
    division=_division,
    stream_refusal=_stream_refusal,
)
