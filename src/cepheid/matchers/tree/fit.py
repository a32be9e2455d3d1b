"""A plan for just the events of a table: numbers may be narrower, and its shape and whether composites are
condensed are chosen by what they cost."""

from cepheid.matchers.known import KnownEvents
from cepheid.matchers.tree.stretch import window_events
from cepheid.matchers.tree.switching import chosen_plan, is_open
from cepheid.plan.tree.choice import shape_count
from cepheid.plan.tree.fit import narrowed
from cepheid.plan.tree.plan import TreePlan
from cepheid.plan.tree.shape import AUTO

_WORTH_CHOOSING = 20_000
"""How many events a table has at least for a shape to be chosen,"""
_MANY_PAIRS = 1_000_000
"""or how many pairs of events lie in one window."""
_MANY_TO_CONDENSE = 400_000
"""How many pairs are many where it is only asked whether composites are condensed; two variables make none
below the root."""
_MANY_IF_CONDENSED = 100_000
"""How many events are many where composites are condensed anyway, unless they show that it does not pay."""


def fitted(plan: TreePlan, known: KnownEvents) -> TreePlan:
    """The plan for what is known of a table."""
    chooses_shape = plan.asked_shape == AUTO and plan.shape_choice is None and is_worth_choosing(plan, known)
    if chooses_shape or (is_open(plan) and _is_worth_a_race(plan, known)):
        plan = chosen_plan(plan, known.ordered, window_events(plan, known), chooses_shape)
    return narrowed(plan, known)


def _is_worth_a_race(plan: TreePlan, known: KnownEvents) -> bool:
    """Whether it is worth to see if condensing pays. Where it is done without a look, little can be lost."""
    if plan.groupings:
        return bool(known.ordered.num_rows >= _MANY_IF_CONDENSED)
    return _is_much(plan, known, _MANY_TO_CONDENSE if len(plan.positions) > 2 else _MANY_PAIRS)


def is_worth_choosing(plan: TreePlan, known: KnownEvents) -> bool:
    """Whether the work is so much that looking at some events first takes little beside it."""
    if shape_count(plan.query.pattern) == 1:
        return False
    return _is_much(plan, known, _MANY_PAIRS)


def _is_much(plan: TreePlan, known: KnownEvents, pairs: int) -> bool:
    events: int = known.ordered.num_rows
    return events >= _WORTH_CHOOSING or events * window_events(plan, known) >= pairs
