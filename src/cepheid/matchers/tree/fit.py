"""A plan for just the events of a table: numbers may be narrower, and its shape and whether composites are
condensed are chosen by what they cost."""

from cepheid.matchers.known import KnownEvents
from cepheid.matchers.tree.choosing import chosen_shape
from cepheid.matchers.tree.stretch import window_events
from cepheid.matchers.tree.switching import chosen_plan, is_open
from cepheid.plan.tree.choice import shape_count
from cepheid.plan.tree.fit import narrowed
from cepheid.plan.tree.plan import TreePlan
from cepheid.plan.tree.shape import AUTO

_WORTH_CHOOSING, _PAIRS_WORTH_CHOOSING = 1_000, 50_000
"""How many events a table has at least, or pairs of events in one window, for a shape to be chosen by what is
known of some of them: that takes some milliseconds."""
_MANY, _MANY_PAIRS = 20_000, 1_000_000
"""How many it has for trees to run some of them before one is chosen."""
_MANY_TO_CONDENSE = 400_000
"""How many pairs are many where it is only asked whether composites are condensed; two variables make none
below the root."""
_MANY_IF_CONDENSED = 100_000
"""How many events are many where composites are condensed anyway, unless they show that it does not pay."""


def fitted(plan: TreePlan, known: KnownEvents) -> TreePlan:
    """The plan for what is known of a table."""
    asks_shape = (
        plan.asked_shape == AUTO and plan.shape_choice is None and shape_count(plan.query.pattern) > 1
    )
    chooses_shape = asks_shape and _is_much(plan, known, _MANY, _MANY_PAIRS)
    if chooses_shape or (is_open(plan) and _is_worth_a_race(plan, known)):
        plan = chosen_plan(plan, known.ordered, window_events(plan, known), chooses_shape)
    elif asks_shape and not plan.groupings and _is_much(plan, known, _WORTH_CHOOSING, _PAIRS_WORTH_CHOOSING):
        plan = chosen_shape(plan, known.ordered, window_events(plan, known))
    return narrowed(plan, known)


def _is_worth_a_race(plan: TreePlan, known: KnownEvents) -> bool:
    """Whether it is worth to see if condensing pays. Where it is done without a look, little can be lost."""
    if plan.groupings:
        return bool(known.ordered.num_rows >= _MANY_IF_CONDENSED)
    return _is_much(plan, known, _MANY, _MANY_TO_CONDENSE if len(plan.positions) > 2 else _MANY_PAIRS)


def _is_much(plan: TreePlan, known: KnownEvents, events: int, pairs: int) -> bool:
    """Whether a table has so many events, or so many pairs of events in one window."""
    there: int = known.ordered.num_rows
    return there >= events or there * window_events(plan, known) >= pairs
