"""A plan for just the events of a table: numbers may be narrower, and a shape is chosen by what it costs."""

from cepheid.matchers.known import KnownEvents
from cepheid.matchers.tree.choosing import chosen_shape
from cepheid.matchers.tree.stretch import window_events
from cepheid.plan.tree.choice import shape_count
from cepheid.plan.tree.fit import narrowed
from cepheid.plan.tree.plan import TreePlan
from cepheid.plan.tree.shape import AUTO

_WORTH_CHOOSING = 20_000
"""How many events a table has at least for a shape to be chosen,"""
_MANY_PAIRS = 1_000_000
"""or how many pairs of events lie in one window."""


def fitted(plan: TreePlan, known: KnownEvents) -> TreePlan:
    """The plan for what is known of a table."""
    is_open = plan.asked_shape == AUTO and plan.shape_choice is None and not plan.groupings
    if is_open and is_worth_choosing(plan, known):
        plan = chosen_shape(plan, known.ordered, window_events(plan, known))
    return narrowed(plan, known)


def is_worth_choosing(plan: TreePlan, known: KnownEvents) -> bool:
    """Whether the work is so much that looking at some events first takes little beside it."""
    if shape_count(plan.query.pattern) == 1:
        return False
    events: int = known.ordered.num_rows
    return events >= _WORTH_CHOOSING or events * window_events(plan, known) >= _MANY_PAIRS
