"""EMIT EVERY by algebra: the ends of periods as events that change nothing, and are reported at."""

from cepheid.plan.aggregate.plan import AggregatePlan, Countable


def stands_among_events(plan: Countable | AggregatePlan) -> bool:
    """Whether the ends of periods may stand among the events: a window that counts events would count them
    too, and an absence between two steps has a kernel of its own."""
    if plan.period is None or (plan.window is not None and plan.window.counts_events):
        return False
    return not any(step.undone_by for step in plan.steps)
