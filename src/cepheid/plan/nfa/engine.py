"""The nfa engine as the rest of the house sees it."""

from cepheid.pattern.nodes import Absent, atoms
from cepheid.pattern.query import PatternQuery
from cepheid.plan.engine import QueryEngine
from cepheid.plan.nfa.build import plan_nfa, refusal, stream_refusal
from cepheid.plan.nfa.explain import explain
from cepheid.plan.states.automaton import event_tests


def cost(query: PatternQuery) -> tuple[float, str]:
    """As many runs may wait as there are states to wait in."""
    states = sum(not isinstance(atom, Absent) for atom in atoms(query.pattern))
    words = "each event visits the runs of its partition that wait for it; a match costs its length"
    return float(states), words


NFA = QueryEngine(
    name="nfa",
    refusal=refusal,
    plan=plan_nfa,
    cost=cost,
    matcher="cepheid.matchers.nfa.matcher.NfaMatcher",
    event_tests=event_tests,
    stream_refusal=stream_refusal,
    explain=explain,
    options=("sharing",),
    fit="cepheid.plan.nfa.fit.fitted",
)
