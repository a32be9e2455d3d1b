"""Points in time and allowed lateness, as users write them, in ticks of the time column."""

import math
from datetime import date, datetime
from numbers import Real
from typing import Any

import pyarrow as pa

from cepheid.errors import BindingError, QueryError
from cepheid.events import EventSchema
from cepheid.matchers.evaluate import ticks
from cepheid.pattern.durations import parse_duration
from cepheid.pattern.literals import parse_timestamp
from cepheid.pattern.zones import known_zone, moment_of
from cepheid.plan.windows import tick_nanoseconds, ticks_of

Moment = int | float

INT64 = range(-(2**63), 2**63)


def allowed_lateness(lateness: Any, schema: EventSchema) -> Moment:
    """An allowed lateness in ticks of the time column."""
    try:
        duration = parse_duration(lateness)
    except QueryError as error:
        raise BindingError(f"lateness={lateness!r} is no duration: write '5 min' ({error.message})") from None
    except (TypeError, ValueError):
        raise BindingError(f"lateness={lateness!r} is no duration: write '5 min'") from None
    if duration.amount < 0:
        raise BindingError("lateness= is negative")
    if duration.amount == 0:
        return 0
    if duration.unit is None and not schema.has_numeric_time:
        raise BindingError(f"lateness={lateness} needs a unit, since '{schema.time}' is a time: '5 min'")
    try:
        exact = ticks_of(duration, schema)
    except QueryError as error:
        raise BindingError(f"lateness={lateness!r}: {error}") from None
    return float(exact) if pa.types.is_floating(schema.type_of(schema.time)) else int(exact)


def moment(value: Any, schema: EventSchema) -> Moment:
    """A point in time, as users write it, in ticks of the time column, rounded up to a whole one."""
    if schema.has_numeric_time:
        return _numeric_moment(value, schema)
    if isinstance(value, str):
        parsed = parse_timestamp(value)
        if parsed is None:
            raise BindingError(f"'{value}' is not a timestamp: write '2026-01-31 17:00:00'")
        value = parsed
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if not isinstance(value, datetime) or value != value:
        raise BindingError(f"{value!r} is not a time: pass a datetime or '2026-01-31 17:00:00'")
    zone = known_zone(getattr(schema.type_of(schema.time), "tz", None) or "UTC")
    if value.tzinfo is None and zone is not None:
        value = moment_of(value, zone)
    return _held(-(-ticks(value, "ns") // (tick_nanoseconds(schema) or 1)), value, schema)


def _numeric_moment(value: Any, schema: EventSchema) -> Moment:
    if isinstance(value, bool) or not isinstance(value, Real) or value != value:
        raise BindingError(f"{value!r} is not a time here: '{schema.time}' is a number")
    if pa.types.is_floating(schema.type_of(schema.time)) or math.isinf(value):
        return float(value)
    whole: int = math.ceil(value)  # type: ignore[assignment]
    return _held(whole, value, schema)


def _held(tick: int, value: Any, schema: EventSchema) -> int:
    if tick not in INT64:
        raise BindingError(f"{value!r} is beyond what the time column '{schema.time}' can hold")
    return tick
