"""From a plan to the matcher that runs it.

An engine is imported when a plan asks for it: to declare its compiled functions takes as long as a short run.
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from cepheid.matchers.identity import EventIdentities
from cepheid.matchers.nfa.matcher import NfaMatcher
from cepheid.matchers.protocol import Matcher
from cepheid.matchers.workload.matcher import Alone, SharedMatcher, WorkloadMatcher
from cepheid.plan.aggregate.plan import AggregatePlan, TwoStepPlan
from cepheid.plan.nfa.build import BACKTRACKING
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.plan.plan import Plan
from cepheid.plan.workload.derived import feeding_plan, place_field
from cepheid.plan.workload.plan import Share, WorkloadPlan


def matcher_for(plan: Plan, *, max_matches: int, max_state: int) -> Matcher:
    """A new matcher for a plan."""
    return MATCHERS[type(plan)](plan, max_matches=max_matches, max_state=max_state)


def _nfa(plan: NfaPlan, *, max_matches: int, max_state: int) -> NfaMatcher:
    """By what its runs share."""
    if plan.sharing == BACKTRACKING:
        from cepheid.matchers.baselines.backtracking.matcher import BacktrackingMatcher

        return BacktrackingMatcher(plan, max_matches=max_matches, max_state=max_state)
    return NfaMatcher(plan, max_matches=max_matches, max_state=max_state)


def _two_step(plan: TwoStepPlan, *, max_matches: int, max_state: int) -> Matcher:
    """Of two matchers, one of which builds what the other adds up."""
    from cepheid.matchers.aggregate.two_step.matcher import TwoStepMatcher

    inner = NfaMatcher(plan.inner, max_matches=max_matches, max_state=max_state)
    return TwoStepMatcher(plan, inner, max_matches=max_matches, max_state=max_state)


def _aggregate(plan: AggregatePlan, *, max_matches: int, max_state: int) -> Matcher:
    """By the method that the plan has chosen."""
    if plan.method == "inverse":
        from cepheid.matchers.aggregate.algebra.matcher import CountingMatcher

        return CountingMatcher(plan, max_matches=max_matches, max_state=max_state)
    from cepheid.matchers.aggregate.matcher import AggregateMatcher

    return AggregateMatcher(plan, max_matches=max_matches, max_state=max_state)


def workload_matcher(plan: WorkloadPlan, *, max_matches: int, max_state: int) -> WorkloadMatcher:
    """Of a matcher for each share of a workload."""
    matchers = [_shared(plan, share, max_matches, max_state) for share in plan.shares]
    return WorkloadMatcher(plan, matchers, max_state)


def _shared(plan: WorkloadPlan, share: Share, max_matches: int, max_state: int) -> SharedMatcher:
    plans = plan.plans_of(share)
    if len(plans) == 1:
        (only,) = plans
        if any(share.members[0] in fed_by for fed_by in plan.feeders):
            assert isinstance(only, NfaPlan)
            return _feeding(only, place_field(plan), max_matches, max_state)
        return Alone(only, matcher_for(only, max_matches=max_matches, max_state=max_state))
    counted = tuple(each for each in plans if isinstance(each, AggregatePlan))
    if share.sharing is None:
        from cepheid.matchers.aggregate.algebra.matcher import Counting

        return Counting(counted, max_matches=max_matches, max_state=max_state)
    from cepheid.matchers.baselines.chop_connect.matcher import SharedCounting

    return SharedCounting(counted, share.sharing, max_matches=max_matches, max_state=max_state)


def _feeding(plan: NfaPlan, place: pa.Field, max_matches: int, max_state: int) -> Alone:
    """A matcher whose matches are events to others; their places say nothing of who the events are."""
    placed = feeding_plan(plan, place)
    matcher = NfaMatcher(placed, max_matches=max_matches, max_state=max_state)
    matcher.identities = EventIdentities(plan.needed)
    return Alone(placed, matcher)


MATCHERS: dict[type[Plan], Callable[..., Matcher]] = {
    NfaPlan: _nfa,
    AggregatePlan: _aggregate,
    TwoStepPlan: _two_step,
    WorkloadPlan: workload_matcher,
}
