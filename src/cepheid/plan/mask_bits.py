"""The bits of an event's mask, each for one test of the event: begin, take (of Kleene variables), absent."""

import itertools
from collections.abc import Sequence

from cepheid.errors import LimitError
from cepheid.plan.positions import Position
from cepheid.plan.program import EventTest

MAX_TESTS = 63
"""A mask is one word. It has a bit for each variable and each absence, and one more for each Kleene variable,
of which the first event and later ones are tested apart."""


def take_bits(positions: Sequence[Position]) -> list[int | None]:
    """For each position the bit of its take test; None if it takes no more than one event."""
    bits = itertools.count(len(positions))
    return [next(bits) if position.kleene else None for position in positions]


def absence_bit(positions: Sequence[Position], number: int) -> int:
    """The bit of an absence: behind those of begin and take."""
    return len(positions) + sum(position.kleene for position in positions) + number


def in_order_of_bits(
    positions: Sequence[Position],
    begin: Sequence[EventTest],
    take: Sequence[EventTest],
    absent: Sequence[EventTest],
) -> list[EventTest]:
    """All tests of an event, each at the place of its bit."""
    takes = [test for test, position in zip(take, positions, strict=True) if position.kleene]
    return [*begin, *takes, *absent]


def check_tests(positions: Sequence[Position], absences: int) -> None:
    """Refuse a pattern whose tests do not fit into a mask."""
    variables, repeated = len(positions), sum(position.kleene for position in positions)
    if variables + repeated + absences > MAX_TESTS:
        raise LimitError(
            f"the pattern is too large: {variables} variables, {repeated} of them repeated, and {absences} "
            f"absences are {variables + repeated + absences} tests of an event, and at most {MAX_TESTS} are "
            "possible (two for a repeated variable, one for any other and for an absence). Divide it: in a "
            "workload, a query may name another, whose matches are then its events"
        )
