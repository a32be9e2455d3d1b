"""How large the numbers of a plan may become in windows of so many events: their types, and the method."""

from dataclasses import dataclass, replace

from cepheid.pattern.query import EmitMode
from cepheid.pattern.types import ValueType
from cepheid.plan.aggregate.having import tested_rows
from cepheid.plan.aggregate.methods import method_for
from cepheid.plan.aggregate.output import aggregate_schema
from cepheid.plan.aggregate.plan import AggregateColumn, AggregatePlan, Countable
from cepheid.plan.magnitude import INT64_BITS, exact_type, repeats, ways_bits, ways_bits_by_step

MATCHERS = {
    "inverse": "cepheid.matchers.aggregate.algebra.matcher.counting_alone",
}
"""The matchers of methods that have one of their own."""

UNKNOWN = 1 << 40
"""So many events a stream may have of which nothing is known."""

_MATCHER = "cepheid.matchers.aggregate.matcher.AggregateMatcher"


@dataclass(frozen=True, slots=True)
class Sizes:
    """What is known of a stream's events."""

    events: int  # in a window, at most
    in_all: int = UNKNOWN  # at the end of the input the windows of all first events are added up
    largest: tuple[int, ...] = ()  # of the values of each column, where that is known
    by_step: tuple[int, ...] = ()  # how many events of a window may take each step, where that is known


def sized(plan: Countable, sizes: Sizes) -> AggregatePlan:
    """The plan whose numbers are large enough for such events."""
    window, events = plan.window, sizes.events
    if window is not None and window.counts_events and not plan.query.keys:
        assert isinstance(window.limit, int)
        events = min(events, window.limit + 1)
    bits = ways_bits(plan.steps, 2 * events)  # what is known of a window's events is known of two at once
    if sizes.by_step:
        bits = min(bits, ways_bits_by_step(plan.steps, sizes.by_step))
    in_window = bits
    if plan.query.emit.mode is EmitMode.ON_CLOSE:
        bits += sizes.in_all.bit_length()
    longest = bits + min(events, len(plan.steps) if not repeats(plan.steps) else events).bit_length()
    of_items = [_bits_of(item, plan, bits, longest, sizes.largest) for item in plan.items]
    items = tuple(
        item if size is None or item.function == "avg" else replace(item, type=exact_type(size))
        for item, size in zip(plan.items, of_items, strict=True)
    )
    most = max(bits, *(size or 0 for size in of_items))
    method = method_for(plan, most, is_known=sizes.in_all < UNKNOWN)
    by_method = replace(plan.engine, matcher=MATCHERS.get(method, _MATCHER))
    engine, having = tested_rows(by_method, plan.having)
    return plan.become(
        AggregatePlan,
        engine=engine,
        having=having,
        output_schema=aggregate_schema(plan, items),
        items=items,
        most_events=events,
        bits=most if bits == in_window else in_window,
        method=method,
    )


def _bits_of(
    item: AggregateColumn, plan: Countable, bits: int, longest: int, largest: tuple[int, ...]
) -> int | None:
    """How large a whole number may become, besides its sign; None of other numbers."""
    if item.function == "count":
        return bits
    assert item.value is not None
    column = plan.values[item.value].column
    if item.function not in ("sum", "avg") or plan.columns[column].type is ValueType.FLOAT:
        return None
    return longest + (largest[column].bit_length() if largest else INT64_BITS)
