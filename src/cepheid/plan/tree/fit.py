"""How many matches a window may hold, so that EMIT COUNT has a type that is wide enough."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import pyarrow as pa

from cepheid.plan.magnitude import DECIMAL_BITS, EXPECTED_EVENTS, exact_type
from cepheid.plan.positions import Position
from cepheid.plan.program import WindowTest
from cepheid.plan.summaries import COUNT, SUMMARIES
from cepheid.plan.tree.plan import TreePlan


class KnownWindow(Protocol):
    """What is known of a table's events."""

    def most_events(self, window: WindowTest | None) -> int:
        """How many events a window holds at most."""


def combinations_bits(
    positions: Sequence[Position], window: WindowTest | None, events: int = EXPECTED_EVENTS
) -> int:
    """The bits of the largest number of combinations of one partition in a window of so many events."""
    if window is not None and window.counts_events:
        events = min(events, int(window.limit) + 1)
    if any(position.is_open_ended and position.most is None for position in positions):
        return math.ceil(events * math.log2(1 + len(positions))) + 1  # an event is of one variable or of none
    bits = 0.0
    for position in positions:
        most = min(position.most or 1, events)
        bits += most * math.log2(events + 1) if most * 2 > DECIMAL_BITS else _chosen(events, most)
    return math.ceil(bits) + 1


def _chosen(events: int, most: int) -> float:
    return math.log2(sum(math.comb(events, size) for size in range(most + 1)))


def narrowed(plan: TreePlan, known: KnownWindow) -> TreePlan:
    """The plan with numbers that are wide enough for a table."""
    if plan.query.emit.mode not in SUMMARIES:
        return plan
    bits = combinations_bits(plan.positions, plan.window, known.most_events(plan.window))
    counted = plan.output_schema.get_field_index(COUNT)
    field = pa.field(COUNT, exact_type(bits))
    return replace(plan, output_schema=plan.output_schema.set(counted, field))
