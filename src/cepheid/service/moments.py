"""Times of events: ISO 8601 or seconds since 1970 as they come, whole microseconds inside, UTC as they go."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from typing import Any

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TICK = timedelta(microseconds=1)
FIRST, LAST = ((each.replace(tzinfo=UTC) - EPOCH) // TICK for each in (datetime.min, datetime.max))


class NoMoment(ValueError):
    """Why something is no time."""


def ticks_of(value: Any) -> int:
    """A time in microseconds since 1970 UTC; without a zone it is in UTC."""
    try:
        if type(value) is str:
            return _of_text(value)
        if type(value) in (int, float) and math.isfinite(value):
            moment = EPOCH + timedelta(microseconds=_exact(value))
            return (moment - EPOCH) // TICK
    except OverflowError:
        raise NoMoment(f"its time {_short(value)} is beyond the years 1 to 9999") from None
    raise NoMoment(f"its time {_short(value)} is neither ISO 8601 nor a number of seconds since 1970")


def _exact(seconds: int | float) -> int:
    return seconds * 10**6 if type(seconds) is int else round(seconds * 1e6)


def _of_text(text: str) -> int:
    try:
        if text.isdigit() and len(text) != 8:  # Python would read 20260131 and a lone hour
            raise ValueError
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise NoMoment(f"its time {_short(text)} is not ISO 8601: write '2026-01-31T17:00:00Z'") from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    ticks = (moment - EPOCH) // TICK
    if not FIRST <= ticks <= LAST:  # in its own zone it is in these years, and in UTC it is not
        raise OverflowError
    return ticks


def moment_of(ticks: int) -> datetime:
    """The same as a datetime in UTC."""
    return EPOCH + timedelta(microseconds=ticks)


def shown(ticks: int) -> str:
    """The same as ISO 8601."""
    return moment_of(ticks).isoformat().removesuffix("+00:00") + "Z"


_AS_SHOWN = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}(?:\.(?!000000)[0-9]{6})?Z"
)


def is_as_shown(text: str) -> bool:
    """Whether a time, which can be read, is written as it would be shown."""
    return _AS_SHOWN.fullmatch(text) is not None


def _short(value: Any) -> str:
    return repr(value)[:60]
