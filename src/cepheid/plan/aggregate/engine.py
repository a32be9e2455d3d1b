"""The aggregate engine as the rest of the house sees it."""

from functools import partial

from cepheid.plan.aggregate.build import plan_aggregate, refusal
from cepheid.plan.aggregate.division import divided_groups
from cepheid.plan.aggregate.explain import explain
from cepheid.plan.aggregate.together import SHARING
from cepheid.plan.engine import QueryEngine, cost_by_steps
from cepheid.plan.states.automaton import event_tests

AGGREGATE = QueryEngine(
    name="aggregate",
    refusal=refusal,
    plan=plan_aggregate,
    # an event takes each step at most once
    cost=partial(
        cost_by_steps,
        "each event costs the steps of the pattern, or visits the open first events of its partition",
    ),
    matcher="cepheid.matchers.aggregate.matcher.AggregateMatcher",
    event_tests=event_tests,
    division=divided_groups,
    explain=explain,
    options=("method", "max_events"),
    fit="cepheid.matchers.aggregate.fit.fitted",
    sharing=SHARING,
)
