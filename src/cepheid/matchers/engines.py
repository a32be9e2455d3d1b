"""From a plan to the matcher that runs it."""

from __future__ import annotations

from collections.abc import Callable

from cepheid.matchers.aggregate.matcher import AggregateMatcher
from cepheid.matchers.algebra.matcher import Counting, CountingMatcher
from cepheid.matchers.chop_connect.matcher import SharedCounting
from cepheid.matchers.nfa.matcher import NfaMatcher
from cepheid.matchers.protocol import Matcher
from cepheid.matchers.two_step.matcher import TwoStepMatcher
from cepheid.matchers.workload import Alone, SharedMatcher, WorkloadMatcher
from cepheid.plan.nodes import AggregatePlan, NfaPlan, Plan, TwoStepPlan
from cepheid.plan.workload import Share, WorkloadPlan


def matcher_for(plan: Plan, *, max_matches: int, max_state: int) -> Matcher:
    """A new matcher for a plan."""
    return MATCHERS[type(plan)](plan, max_matches=max_matches, max_state=max_state)


def _two_step(plan: TwoStepPlan, *, max_matches: int, max_state: int) -> TwoStepMatcher:
    """Of two matchers, one of which builds what the other adds up."""
    inner = NfaMatcher(plan.inner, max_matches=max_matches, max_state=max_state)
    return TwoStepMatcher(plan, inner, max_matches=max_matches, max_state=max_state)


def _aggregate(plan: AggregatePlan, *, max_matches: int, max_state: int) -> Matcher:
    """By the method that the plan has chosen."""
    if plan.method == "inverse":
        return CountingMatcher(plan, max_matches=max_matches, max_state=max_state)
    return AggregateMatcher(plan, max_matches=max_matches, max_state=max_state)


def workload_matcher(plan: WorkloadPlan, *, max_matches: int, max_state: int) -> WorkloadMatcher:
    """Of a matcher for each share of a workload."""
    matchers = [_shared(plan, share, max_matches, max_state) for share in plan.shares]
    return WorkloadMatcher(plan, matchers, max_state)


def _shared(plan: WorkloadPlan, share: Share, max_matches: int, max_state: int) -> SharedMatcher:
    plans = plan.plans_of(share)
    if len(plans) == 1:
        return Alone(plans[0], matcher_for(plans[0], max_matches=max_matches, max_state=max_state))
    counted = tuple(each for each in plans if isinstance(each, AggregatePlan))
    if share.sharing is None:
        return Counting(counted, max_matches=max_matches, max_state=max_state)
    return SharedCounting(counted, share.sharing, max_matches=max_matches, max_state=max_state)


MATCHERS: dict[type[Plan], Callable[..., Matcher]] = {
    NfaPlan: NfaMatcher,
    AggregatePlan: _aggregate,
    TwoStepPlan: _two_step,
    WorkloadPlan: workload_matcher,
}
