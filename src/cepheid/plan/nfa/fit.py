"""The numbers of EMIT COUNT and EMIT COMPRESSED may be narrower where it is known what a window holds."""

from dataclasses import replace
from typing import Protocol

import pyarrow as pa

from cepheid.errors import LimitError
from cepheid.plan.magnitude import DECIMAL_BITS, EXPECTED_EVENTS, exact_type, ways_bits
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.plan.program import Absence, WindowTest
from cepheid.plan.states.automaton import Automaton
from cepheid.plan.states.steps import steps_of
from cepheid.plan.summaries import COUNT, SUMMARIES


class Known(Protocol):
    """What is known of a table's events."""

    def most_events(self, window: WindowTest | None) -> int:
        """How many events a window holds at most."""


def matches_bits(
    automaton: Automaton,
    absences: tuple[Absence, ...],
    window: WindowTest | None,
    events: int = EXPECTED_EVENTS,
) -> int:
    """The bits of the largest number of matches of one partition in a window of so many events."""
    if window is not None and window.counts_events:
        events = min(events, int(window.limit) + 1)
    try:
        return ways_bits(steps_of(automaton, absences), events)
    except LimitError:  # too many steps to tell: whatever it is, it is written in digits
        return DECIMAL_BITS + 1


def fitted(plan: NfaPlan, known: Known) -> NfaPlan:
    """The plan for just the events of a table."""
    if plan.query.emit.mode not in SUMMARIES:
        return plan
    bits = matches_bits(plan.automaton, plan.absences, plan.window, known.most_events(plan.window))
    counted = plan.output_schema.get_field_index(COUNT)
    field = pa.field(COUNT, exact_type(bits))
    return replace(plan, output_schema=plan.output_schema.set(counted, field))
