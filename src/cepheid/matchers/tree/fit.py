"""A plan for just the events of a table: numbers may be narrower, and a shape is chosen by what it costs.

The cost of a shape is how many pairs its joins test and how many composites they make. It is counted on a
stretch of the table: the rates of events, the selectivity of conditions and what the window holds are all in
it, also where they depend on each other.
"""

import pyarrow as pa

from cepheid.errors import LimitError
from cepheid.events import EventBatch, time_values
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.joining import join_arrays
from cepheid.matchers.known import KnownEvents
from cepheid.matchers.tree.matcher import TreeMatcher
from cepheid.plan.tree.build import in_shape
from cepheid.plan.tree.fit import narrowed
from cepheid.plan.tree.plan import TreePlan
from cepheid.plan.tree.shape import AUTO
from cepheid.plan.tree.shapes import possible_shapes

_WORTH_CHOOSING = 20_000
"""How many events a table has at least for a shape to be chosen."""
_SAMPLE = 1_000
_MOST_STATE, _MOST_MATCHES = 64 * 2**20, 100_000


def fitted(plan: TreePlan, known: KnownEvents) -> TreePlan:
    """The plan for what is known of a table."""
    if plan.asked_shape == AUTO and known.ordered.num_rows >= _WORTH_CHOOSING:
        plan = cheapest(plan, known.ordered)
    return narrowed(plan, known)


def cheapest(plan: TreePlan, ordered: pa.Table) -> TreePlan:
    """The plan in the shape that costs least on some events of a table; of several, the first."""
    shapes = possible_shapes(plan.query.pattern)
    if len(shapes) == 1:
        return plan
    events = ordered.slice((ordered.num_rows - _SAMPLE) // 2, _SAMPLE)
    plans = [in_shape(plan, shape) for shape in shapes]
    return min(plans, key=lambda each: measured_cost(each, events))


def measured_cost(plan: TreePlan, events: pa.Table) -> float:
    """How many pairs a plan tests, and composites it makes, on some events."""
    columns = [join_arrays(events.column(name).chunks) for name in plan.needed]
    data = pa.RecordBatch.from_arrays(columns, list(plan.needed))
    time = time_values(data.column(plan.schema.time))
    matcher = TreeMatcher(plan, Allowance(_MOST_MATCHES, _MOST_STATE))
    try:
        matcher.process(EventBatch(data, time, time[-1].item()))
    except LimitError:
        return float("inf")
    figures = matcher.figures
    return float(figures["pairs_tested"]) + float(figures["composites"])
