"""How large the numbers of AGG over AND may become in windows of so many events: their types.

The bound is on the ways to give events to the variables of a pattern, whichever events they are. It is
a logarithm to base 2: of a Kleene variable alone there are as many ways as sets of events.
"""

import math
from dataclasses import replace

from cepheid.pattern import nodes as pt
from cepheid.pattern.query import EmitMode
from cepheid.pattern.types import ValueType
from cepheid.plan.aggregate.output import aggregate_schema
from cepheid.plan.aggregate.plan import AggregateColumn, TwoStepPlan
from cepheid.plan.aggregate.sizes import Sizes
from cepheid.plan.magnitude import INT64_BITS, exact_type


def sized_ways(plan: TwoStepPlan, sizes: Sizes) -> TwoStepPlan:
    """The plan whose numbers are large enough for such events."""
    window, events = plan.window, sizes.events
    if window is not None and window.counts_events and not plan.query.keys:
        assert isinstance(window.limit, int)
        events = min(events, window.limit + 1)
    bits = math.ceil(_ways(plan.query.pattern, max(events, 1)) + 1e-6) + 1
    if plan.query.emit.mode is EmitMode.ON_CLOSE:
        bits += sizes.in_all.bit_length()
    of_items = [_bits_of(item, plan, bits, events, sizes.largest) for item in plan.items]
    items = tuple(
        item if size is None or item.function == "avg" else replace(item, type=exact_type(size))
        for item, size in zip(plan.items, of_items, strict=True)
    )
    return replace(
        plan,
        output_schema=aggregate_schema(plan, items),
        items=items,
        most_events=events,
        bits=max(bits, *(size or 0 for size in of_items)),
    )


def _ways(node: pt.Pattern, events: int) -> float:
    """The logarithm of how many matches of a pattern so many events may make, at most."""
    match node:
        case pt.Absent():
            return 0.0
        case pt.Kleene(most=most):
            return events if most is None else min(events, most * math.log2(events + 1))
        case pt.Optional():
            return math.log2(events + 1)
        case pt.Choice(parts=parts):
            return math.log2(len(parts)) + max(_ways(part, events) for part in parts)
        case pt.Seq() | pt.Conjunction() | pt.Within():
            return sum(_ways(part, events) for part in pt.parts(node))
        case _:
            return math.log2(events)


def _bits_of(
    item: AggregateColumn, plan: TwoStepPlan, bits: int, events: int, largest: tuple[int, ...]
) -> int | None:
    """How large a whole number may become, besides its sign; None of other numbers."""
    if item.value is None:
        return bits
    value = plan.values[item.value]
    if item.function not in ("sum", "avg") or plan.columns[value.column].type is ValueType.FLOAT:
        return None
    repeats = plan.positions[value.of_steps.index(True)].kleene
    in_a_match = events.bit_length() if repeats else 0
    return bits + in_a_match + (largest[value.column].bit_length() if largest else INT64_BITS)
