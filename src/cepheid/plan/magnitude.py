"""How large the numbers of an aggregate may become, and which Arrow type holds them.

Counts are exact and never wrap: int64 where a bound proves that it is enough, else decimal, else
the digits as text. The bound is on the ways through a pattern if a window held `events` events, each
of them fit for every step.
"""

import math
from collections import Counter
from collections.abc import Sequence

import pyarrow as pa

from cepheid.plan.states.steps import Step

EXPECTED_EVENTS = 1 << 24
"""How many events a window of a stream without end is expected to hold, unless it is told."""

INT64_BITS = 63
DECIMAL_BITS = 126  # of 38 digits


def repeats(steps: tuple[Step, ...]) -> bool:
    """Whether a match may hold any number of events."""
    return any(number in step.after for number, step in enumerate(steps))


def ways_bits(steps: tuple[Step, ...], events: int) -> int:
    """The bits of the largest number of matches in a window of so many events."""
    if repeats(steps):
        most = max(sum(number in step.after for step in steps) for number in range(len(steps)))
        return math.ceil(events * math.log2(1 + most)) + len(steps).bit_length()
    return sum(
        count * math.comb(events, length) for length, count in _ways_by_length(steps).items()
    ).bit_length()


def ways_bits_by_step(steps: tuple[Step, ...], events: Sequence[int]) -> int:
    """The same, where it is known how many events of a window may take each step; without repetition."""
    at: list[int] = []
    for step, count in zip(steps, events, strict=True):
        at.append(count * (step.begins + sum(at[source] for source in step.after)))
    return sum(ways for ways, step in zip(at, steps, strict=True) if step.ends).bit_length()


def _ways_by_length(steps: tuple[Step, ...]) -> Counter[int]:
    """How many ways lead through so many steps from a first to a last one."""
    at: list[Counter[int]] = []
    whole: Counter[int] = Counter()
    for step in steps:
        here: Counter[int] = Counter({1: 1} if step.begins else {})
        for source in step.after:
            here.update({length + 1: count for length, count in at[source].items()})
        at.append(here)
        if step.ends:
            whole.update(here)
    return whole


def exact_type(bits: int) -> pa.DataType:
    """What holds whole numbers of so many bits, besides the sign."""
    if bits <= INT64_BITS:
        return pa.int64()
    return pa.decimal128(38, 0) if bits <= DECIMAL_BITS else pa.string()
