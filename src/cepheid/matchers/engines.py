"""From a plan to the matcher that runs it."""

from __future__ import annotations

from collections.abc import Callable

from cepheid.matchers.aggregate.matcher import AggregateMatcher
from cepheid.matchers.nfa.matcher import NfaMatcher
from cepheid.matchers.protocol import Matcher
from cepheid.matchers.two_step.matcher import TwoStepMatcher
from cepheid.plan.nodes import AggregatePlan, NfaPlan, Plan, TwoStepPlan


def matcher_for(plan: Plan, *, max_matches: int, max_state: int) -> Matcher:
    """A new matcher for a plan."""
    return MATCHERS[type(plan)](plan, max_matches=max_matches, max_state=max_state)


def _two_step(plan: TwoStepPlan, *, max_matches: int, max_state: int) -> TwoStepMatcher:
    """Of two matchers, one of which builds what the other adds up."""
    inner = NfaMatcher(plan.inner, max_matches=max_matches, max_state=max_state)
    return TwoStepMatcher(plan, inner, max_matches=max_matches, max_state=max_state)


MATCHERS: dict[type[Plan], Callable[..., Matcher]] = {
    NfaPlan: NfaMatcher,
    AggregatePlan: AggregateMatcher,
    TwoStepPlan: _two_step,
}
