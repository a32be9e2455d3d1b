"""From a plan to the matcher that runs it.

An engine is imported when a plan asks for it: to declare its compiled functions takes as long as a short run.
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from cepheid.matchers.allowance import Allowance
from cepheid.matchers.identity import EventIdentities
from cepheid.matchers.nfa.matcher import NfaMatcher
from cepheid.matchers.protocol import Matcher
from cepheid.matchers.workload.matcher import WorkloadMatcher
from cepheid.plan.aggregate.plan import AggregatePlan, TwoStepPlan
from cepheid.plan.nfa.build import BACKTRACKING
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.plan.plan import Plan
from cepheid.plan.workload.derived import feeding_plan, place_field
from cepheid.plan.workload.plan import Share, WorkloadPlan


def matcher_for(plan: Plan, allowance: Allowance) -> Matcher:
    """A new matcher for a plan, within these limits."""
    return MATCHERS[type(plan)](plan, allowance)


def _nfa(plan: NfaPlan, allowance: Allowance) -> NfaMatcher:
    """By what its runs share."""
    if plan.sharing == BACKTRACKING:
        from cepheid.matchers.baselines.backtracking.matcher import BacktrackingMatcher

        return BacktrackingMatcher(plan, allowance)
    return NfaMatcher(plan, allowance)


def _two_step(plan: TwoStepPlan, allowance: Allowance) -> Matcher:
    """Of two matchers, one of which builds what the other adds up."""
    from cepheid.matchers.aggregate.two_step.matcher import TOO_MANY_BUILT, TwoStepMatcher

    return TwoStepMatcher(plan, NfaMatcher(plan.inner, allowance.part(TOO_MANY_BUILT)), allowance)


def _aggregate(plan: AggregatePlan, allowance: Allowance) -> Matcher:
    """By the method that the plan has chosen."""
    if plan.method == "inverse":
        from cepheid.matchers.aggregate.algebra.matcher import CountingMatcher

        return CountingMatcher((plan,), allowance)
    from cepheid.matchers.aggregate.matcher import AggregateMatcher

    return AggregateMatcher(plan, allowance)


def _workload(plan: WorkloadPlan, allowance: Allowance) -> WorkloadMatcher:
    """Of a matcher for each share of a workload."""
    return WorkloadMatcher(plan, [_share(plan, share, allowance.part()) for share in plan.shares], allowance)


def _share(plan: WorkloadPlan, share: Share, allowance: Allowance) -> Matcher:
    """A matcher that has an output for each query of the share."""
    plans = plan.plans_of(share)
    if len(plans) == 1:
        (only,) = plans
        if not any(share.members[0] in fed_by for fed_by in plan.feeders):
            return matcher_for(only, allowance)
        assert isinstance(only, NfaPlan)
        return _feeding(only, place_field(plan), allowance)
    counted = tuple(each for each in plans if isinstance(each, AggregatePlan))
    if share.sharing is None:
        from cepheid.matchers.aggregate.algebra.matcher import CountingMatcher

        return CountingMatcher(counted, allowance)
    from cepheid.matchers.baselines.chop_connect.matcher import SharedCounting

    return SharedCounting(counted, share.sharing, allowance)


def _feeding(plan: NfaPlan, place: pa.Field, allowance: Allowance) -> NfaMatcher:
    """A matcher whose matches are events to others; their places say nothing of who the events are."""
    matcher = NfaMatcher(feeding_plan(plan, place), allowance)
    matcher.identities = EventIdentities(plan.needed)
    return matcher


MATCHERS: dict[type[Plan], Callable[..., Matcher]] = {
    NfaPlan: _nfa,
    AggregatePlan: _aggregate,
    TwoStepPlan: _two_step,
    WorkloadPlan: _workload,
}
