"""The aggregate engine as the rest of the house sees it."""

from cepheid.pattern.nodes import Absent, atoms
from cepheid.pattern.query import PatternQuery
from cepheid.plan.aggregate.build import plan_aggregate, refusal
from cepheid.plan.aggregate.division import divided_groups
from cepheid.plan.aggregate.explain import explain
from cepheid.plan.aggregate.together import SHARING
from cepheid.plan.engine import QueryEngine
from cepheid.plan.states.automaton import event_tests


def cost(query: PatternQuery) -> tuple[float, str]:
    """An event takes each step of the pattern at most once."""
    steps = sum(not isinstance(atom, Absent) for atom in atoms(query.pattern))
    words = "each event costs the steps of the pattern, or visits the open first events of its partition"
    return float(steps), words


AGGREGATE = QueryEngine(
    name="aggregate",
    refusal=refusal,
    plan=plan_aggregate,
    cost=cost,
    matcher="cepheid.matchers.aggregate.matcher.AggregateMatcher",
    event_tests=event_tests,
    division=divided_groups,
    explain=explain,
    options=("method", "max_events"),
    fit="cepheid.matchers.aggregate.fit.fitted",
    sharing=SHARING,
)
