"""The aggregate engine as the rest of the house sees it.

Most queries have no AGG: what plans and explains those that do is imported for the first of them.
"""

from functools import partial
from typing import Any

from cepheid.errors import UnsupportedError
from cepheid.pattern.query import PatternQuery
from cepheid.plan.aggregate.division import divided_groups
from cepheid.plan.engine import Planner, QueryEngine, Sharing, cost_by_steps
from cepheid.plan.explanation import Explanation
from cepheid.plan.plan import QueryPlan
from cepheid.plan.states.automaton import event_tests
from cepheid.plan.states.structure import automaton_refusal, has_conjunction


def _refusal(query: PatternQuery) -> UnsupportedError | None:
    """Why the aggregate engine cannot run a query, or None if it can."""
    if query.aggregation is None:
        return UnsupportedError("the aggregate engine is for queries with AGG")
    return None if has_conjunction(query.pattern) else automaton_refusal(query.pattern)


def _plan(header: QueryPlan, planner: Planner, **options: Any) -> QueryPlan:
    from cepheid.plan.aggregate.build import plan_aggregate

    return plan_aggregate(header, planner, **options)


def _explain(plan: Any) -> Explanation:
    from cepheid.plan.aggregate.explain import explain

    return explain(plan)


def _sharing() -> Sharing:
    from cepheid.plan.aggregate.together import SHARING

    return SHARING


AGGREGATE = QueryEngine(
    name="aggregate",
    refusal=_refusal,
    plan=_plan,
    # an event takes each step at most once
    cost=partial(
        cost_by_steps,
        "each event costs the steps of the pattern, or visits the open first events of its partition",
    ),
    matcher="cepheid.matchers.aggregate.matcher.AggregateMatcher",
    event_tests=event_tests,
    division=divided_groups,
    explain=_explain,
    options=("method", "max_events"),
    fit="cepheid.matchers.aggregate.fit.fitted",
    sharing=_sharing,
)
