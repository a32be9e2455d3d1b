"""The nfa engine as the rest of the house sees it."""

from functools import partial

from cepheid.plan.engine import QueryEngine, cost_by_steps
from cepheid.plan.explanation import Explanation
from cepheid.plan.nfa.build import plan_nfa, refusal, stream_refusal
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.plan.states.automaton import event_tests


def _explain(plan: NfaPlan) -> Explanation:
    from cepheid.plan.nfa.explain import explain  # most runs explain nothing

    return explain(plan)


NFA = QueryEngine(
    name="nfa",
    refusal=refusal,
    plan=plan_nfa,
    # as many runs may wait as there are states
    cost=partial(
        cost_by_steps,
        "each event visits the runs of its partition that wait for it; a match costs its length",
    ),
    matcher="cepheid.matchers.nfa.matcher.NfaMatcher",
    event_tests=event_tests,
    stream_refusal=stream_refusal,
    explain=_explain,
    options=("sharing",),
    fit="cepheid.plan.nfa.fit.fitted",
)
