"""The shape of a tree, chosen by what it costs: how many pairs its joins test, and composites they make.

A stretch of the events gives rates and selectivities, and by these the best shapes are found. Where several
are expected to cost about the same, they are tried on some events: rates that change, and conditions that
depend on each other, are then counted as they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa

from cepheid.errors import LimitError
from cepheid.events import EventBatch
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.tree.matcher import TreeMatcher
from cepheid.matchers.tree.sampling import is_finite, sampled
from cepheid.matchers.tree.stretch import some_events, stretch_of
from cepheid.plan.tree.best_shape import CostedShape, best_shapes
from cepheid.plan.tree.build import in_shape
from cepheid.plan.tree.choice import ShapeChoice
from cepheid.plan.tree.cost import JoinCosts, node_costs
from cepheid.plan.tree.plan import TreePlan
from cepheid.plan.tree.statistics import Statistics

BEST = 4
"""How many shapes are compared at last."""
_SAMPLE, _LARGEST_SAMPLE = 1_000, 16_384
_WINDOWS = 3
"""How many windows a stretch holds, if that is not too many events."""
_WORTH_TRYING = 500_000
"""The least that a run is expected to cost for shapes to be tried on some of its events."""
_TRIED_SHARE = 0.1
"""How much of that all trials may cost."""
_CLEARLY = 3.0
"""How many times the cost of the best a shape is expected to have, so that it need not be tried."""
_PIECE = 128
"""After how many events of a trial it is seen whether that is enough."""
_MOST_STATE, _MOST_MATCHES = 64 * 2**20, 100_000


def chosen_shape(plan: TreePlan, ordered: pa.Table, window_events: int) -> TreePlan:
    """The plan in the shape that costs least over a table, as far as some of its events tell."""
    plan = expected_shape(plan, ordered, window_events)
    if plan.shape_choice is None:
        return plan
    statistics, best = plan.shape_choice.statistics, plan.shape_choice.best
    likely = [each for each in best if each.cost <= _CLEARLY * best[0].cost]
    most = int(ordered.num_rows * _TRIED_SHARE / len(likely))
    if len(likely) == 1 or best[0].cost < _WORTH_TRYING or most < window_events:
        return plan
    events = stretch_of(plan, ordered, min(statistics.events, most))
    shape, tried = best_tried(plan, likely, events)
    return in_chosen(plan, shape, statistics, best, tried)


def expected_shape(plan: TreePlan, ordered: pa.Table, window_events: int) -> TreePlan:
    """The plan in the shape that is expected to cost least over a table."""
    size = min(max(_WINDOWS * window_events, _SAMPLE), _LARGEST_SAMPLE, ordered.num_rows)
    statistics = sampled(plan, stretch_of(plan, ordered, size), ordered.num_rows)
    if not is_finite(statistics):
        return plan
    best = expected_best(plan, statistics)
    return in_chosen(plan, best[0].text, statistics, best)


def expected_best(plan: TreePlan, statistics: Statistics) -> tuple[CostedShape, ...]:
    """The best shapes by what is known, with what they cost over all events."""
    best = best_shapes(plan.query.pattern, JoinCosts(plan, statistics), BEST)
    return tuple(replace(each, cost=each.cost * statistics.windows) for each in best)


def in_chosen(
    plan: TreePlan,
    shape: str,
    statistics: Statistics,
    best: tuple[CostedShape, ...],
    tried: tuple[CostedShape, ...] = (),
) -> TreePlan:
    """The plan in a shape that was chosen, and why."""
    shaped = reshaped(plan, shape)
    choice = ShapeChoice(statistics, node_costs(shaped, statistics), best, tried)
    return replace(shaped, shape_choice=choice)


def reshaped(plan: TreePlan, shape: str) -> TreePlan:
    """The plan in another shape. That it was not asked for stays known; the types of its numbers stay."""
    if shape == plan.shape:
        return plan
    return replace(in_shape(plan, shape), asked_shape=plan.asked_shape, output_schema=plan.output_schema)


def best_tried(
    plan: TreePlan, shapes: Sequence[CostedShape], events: EventBatch
) -> tuple[str, tuple[CostedShape, ...]]:
    """The shape that costs least on some events, and what each of them does."""
    tried = [CostedShape(measured_cost(reshaped(plan, each.text), events), each.text) for each in shapes]
    tried.sort(key=lambda each: each.cost)
    return tried[0].text, tuple(tried)


def measured_cost(plan: TreePlan, events: EventBatch, enough: float = math.inf) -> float:
    """How many pairs a plan tests and composites it makes on some events; condensed, also how many rows it
    writes of the ways that these have. Where that is enough, the rest of the events are left out."""
    matcher = TreeMatcher(plan, Allowance(_MOST_MATCHES, _MOST_STATE))
    cost, piece = 0.0, events.count if enough == math.inf else _PIECE
    for begin in range(0, events.count, max(piece, 1)):
        try:
            matcher.process(some_events(events, begin, min(begin + piece, events.count)))
        except LimitError:
            return math.inf
        figures = matcher.figures
        cost = float(figures["pairs_tested"] + figures["composites"] + matcher.condensed.gathered)
        if cost >= enough:
            break
    return cost
