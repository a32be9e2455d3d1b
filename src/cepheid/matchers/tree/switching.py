"""The switch of a table: whether composites are condensed, and in which shape, from a race over some of its
events."""

from __future__ import annotations

import math
from dataclasses import replace

import pyarrow as pa

from cepheid.matchers.tree.choosing import chosen_shape, reshaped
from cepheid.matchers.tree.racing import ALIKE, Runner, raced
from cepheid.matchers.tree.stretch import stretch_of
from cepheid.plan.tree.build import condensed
from cepheid.plan.tree.choice import ShapeChoice
from cepheid.plan.tree.condensing import ALWAYS, NEVER, why_not
from cepheid.plan.tree.cost import node_costs
from cepheid.plan.tree.plan import TreePlan
from cepheid.plan.tree.shape import AUTO
from cepheid.plan.tree.switch import CondenseChoice

_SHARE = 0.25
"""How much of the events may be run before."""
_WINDOWS, _LARGEST = 3, 16_384
"""How many windows are run if that is little, and how many events at most."""
_LEAST = 1_024
"""How many are run if there is time, also where windows are small."""
_PLACES, _FILLED = 8, 1.5
"""From how many places of the table they are taken at most, and how many windows each of them fills then."""
_CLEARLY = 2.0
"""How many times as long groups take where the race was too short to fill a window: they gain as it fills."""
_BUSY = 0.5
"""How many pairs and composites beside its own an event has at least where a race says anything: with fewer,
it ran where nothing happens."""
_SHAPES = 2
"""How many shapes take part beside the one from the left."""


def chosen_plan(plan: TreePlan, ordered: pa.Table, window_events: int, chooses_shape: bool) -> TreePlan:
    """The plan that takes the least time over a table, as far as some of its events tell."""
    apart = replace(plan, groupings=())
    if chooses_shape:
        apart = chosen_shape(apart, ordered, window_events)
    together = _condensed(plan, apart)
    plans = together if together and plan.asked_condense == ALWAYS else [apart, *together]
    if len(plans) == 1:
        return plans[0]
    size = min(max(_WINDOWS * window_events, _LEAST), _LARGEST, int(ordered.num_rows * _SHARE))
    places = min(max(int(size / (_FILLED * window_events)), 1), _PLACES)
    stretch = stretch_of(plan, ordered, max(size, 2 * places), places)
    is_expected = bool(plan.groupings) and len(plans) == 2  # that groups pay, so only the opposite is news
    enough = window_events if is_expected else math.inf
    runners, events = raced(plans, stretch, ordered.num_rows, enough)
    return _decided(plan, runners, events, is_short=events <= window_events)


def _condensed(plan: TreePlan, apart: TreePlan) -> list[TreePlan]:
    """The condensed plans to try: from the left, and in the shapes that are best without groups."""
    if plan.asked_condense == NEVER or why_not(plan) is not None:
        return []
    shapes = [plan.shape]
    if apart.shape_choice is not None:
        best = apart.shape_choice.tried or apart.shape_choice.best
        shapes += [each.text for each in best[:_SHAPES] if each.text != plan.shape]
    found = [condensed(reshaped(replace(plan, groupings=()), shape)) for shape in shapes]
    return [_known_by(each, apart.shape_choice) for each in found if each.groupings]


def _known_by(plan: TreePlan, choice: ShapeChoice | None) -> TreePlan:
    """The plan with the numbers by which shapes were compared; what its joins would cost without groups."""
    if choice is None:
        return plan
    return replace(plan, shape_choice=replace(choice, nodes=node_costs(plan, choice.statistics)))


def _decided(plan: TreePlan, runners: list[Runner], events: int, is_short: bool) -> TreePlan:
    best = {is_grouped: _first(runners, is_grouped) for is_grouped in (False, True)}
    apart, together = best[False], best[True]
    if apart is None or together is None:
        is_idle = all(each.work.work < (1 + _BUSY) * events for each in runners)
        return (_from_left(plan, runners) if is_idle else runners[0]).plan
    choice = CondenseChoice(events, apart.work, together.work)
    fastest, slowest = (together, apart) if choice.pays or not apart.runs else (apart, together)
    doubt = ""
    if choice.apart.work < (1 + _BUSY) * events:
        doubt = "too little happens in them to tell"
        together = _from_left(plan, runners)
    elif is_short and fastest is apart and together.runs and together.spent < _CLEARLY * apart.spent:
        doubt = "they do not fill a window"
    elif slowest.runs and slowest.spent < ALIKE * fastest.spent:
        doubt = "both are about alike"
    if doubt:
        fastest = together if plan.groupings else apart
    return replace(fastest.plan, condense_choice=replace(choice, doubt=doubt))


def _first(runners: list[Runner], is_grouped: bool) -> Runner | None:
    return next((each for each in runners if bool(each.plan.groupings) == is_grouped), None)


def _from_left(plan: TreePlan, runners: list[Runner]) -> Runner:
    """Of the trees with groups, the one that would be taken without a race."""
    grouped = [each for each in runners if each.plan.groupings]
    return next((each for each in grouped if each.plan.shape == plan.shape), grouped[0])


def is_open(plan: TreePlan) -> bool:
    """Whether it is not decided yet if composites are condensed."""
    return plan.asked_condense == AUTO and plan.condense_choice is None and why_not(plan) is None
