"""WITHIN in the ticks of the time column, exactly."""

import math
from fractions import Fraction

import pyarrow as pa

from cepheid.errors import QueryCheckError
from cepheid.events import EventSchema
from cepheid.plan.program import WindowTest
from cepheid.time import UNIT_NANOSECONDS, Duration, Window

MOST_EVENTS = 2**62
"""No stream has more events than this, so a larger number in a query means no more than it."""


def window_test(window: Window, schema: EventSchema) -> WindowTest:
    """The test that a window means over this stream."""
    if isinstance(window.length, int):
        limit = min(window.length - (2 if window.half_open else 1), MOST_EVENTS)
        return WindowTest(counts_events=True, limit=limit)
    length = ticks_of(window.length, schema)
    if pa.types.is_floating(schema.type_of(schema.time)):
        return WindowTest(False, float(length), window.half_open, half_open=window.half_open)
    whole = math.ceil(length) - 1 if window.half_open else math.floor(length)
    return WindowTest(False, min(whole, 2**63 - 1), half_open=window.half_open)


def ticks_of(length: Duration, schema: EventSchema) -> Fraction:
    """A duration in the unit of the time column."""
    if length.unit is None:
        if not schema.has_numeric_time:
            raise QueryCheckError(
                f"a window of {length} needs a unit, since '{schema.time}' is a timestamp",
                hint=f"write WITHIN {length} seconds",
            )
        return length.amount
    size = tick_nanoseconds(schema)
    if size is None:
        raise QueryCheckError(
            f"a window of {length} over the numeric time column '{schema.time}' needs its unit",
            hint="pass time_unit=, such as time_unit='s' (on the command line: --time-unit s)",
        )
    return length.nanoseconds() / size


def tick_nanoseconds(schema: EventSchema) -> int | None:
    """How long one tick of the time column is, or None for a number without a unit."""
    kind = schema.type_of(schema.time)
    if pa.types.is_timestamp(kind):
        return UNIT_NANOSECONDS[kind.unit]
    if pa.types.is_date32(kind):
        return UNIT_NANOSECONDS["d"]
    if pa.types.is_date64(kind):
        return UNIT_NANOSECONDS["ms"]
    return UNIT_NANOSECONDS[schema.time_unit] if schema.time_unit else None
