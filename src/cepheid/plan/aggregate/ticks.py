"""EMIT EVERY by algebra: the ends of periods as events that change nothing, and are reported at."""

from cepheid.plan.aggregate.plan import AggregatePlan, Countable

MOST = 1 << 24
"""More periods than this in a window are not counted among its events."""


def ticks_in_window(plan: Countable | AggregatePlan) -> int | None:
    """How many periods may end in a window; None where they do not stand among the events.

    Kernels let starts leave at events, and know by the number of events in a window how large numbers may
    become. So a window must measure time, and the ends that it may hold are added to its events. A group has
    a row only if it has matches, and so no tick of its own.
    """
    window = plan.window
    if plan.period is None or plan.group or window is None or window.counts_events:
        return None
    if any(step.undone_by for step in plan.steps):
        return None
    ticks = int(window.limit / plan.period) + 2
    return ticks if ticks <= MOST else None
