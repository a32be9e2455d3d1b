"""A plan for just the events of a table: its numbers may be narrower, and its method quicker."""

from dataclasses import replace

from cepheid.matchers.aggregate.crowd import most_by_step
from cepheid.matchers.aggregate.largest import largest_values
from cepheid.matchers.known import KnownEvents
from cepheid.plan.aggregate.plan import AggregatePlan, TwoStepPlan
from cepheid.plan.aggregate.sizes import Sizes, sized
from cepheid.plan.aggregate.way_sizes import sized_ways
from cepheid.plan.magnitude import INT64_BITS, repeats


def fitted(plan: AggregatePlan | TwoStepPlan, known: KnownEvents) -> AggregatePlan | TwoStepPlan:
    """The plan for what is known of a table. How many events take each step is looked at only if it helps."""
    if isinstance(plan, TwoStepPlan) and not plan.is_counted:
        return plan
    largest = largest_values(plan, known.ordered)
    sizes = Sizes(known.most_events(plan.window), known.ordered.num_rows, largest)
    if isinstance(plan, TwoStepPlan):
        return sized_ways(plan, sizes)
    narrower = sized(plan, sizes)
    if narrower.bits <= INT64_BITS or repeats(plan.steps):
        return narrower
    return sized(plan, replace(sizes, by_step=most_by_step(plan, known.ordered, known.time)))
