"""Durations and windows given from Python: exact, whatever the form."""

import re
from datetime import timedelta
from fractions import Fraction

from cepheid.errors import QueryCheckError
from cepheid.pattern.literals import nearest
from cepheid.time import UNIT_NAMES, Duration, Window, parse_unit

_DURATION = re.compile(r"\s*(?P<amount>\d{1,40}(?:\.\d{1,40})?|\.\d{1,40})\s*(?P<unit>[^\W\d]*)\s*")


def parse_duration(value: str | int | float | timedelta) -> Duration:
    """ "12 hours", a timedelta, or a bare number in the unit of a numeric time column."""
    if isinstance(value, timedelta):
        return Duration(Fraction(value // timedelta(microseconds=1)), "us")
    if isinstance(value, int | float):
        return Duration(Fraction(str(value)), None)
    found = _DURATION.fullmatch(value)
    if found is None:
        raise QueryCheckError(
            f"'{value}' is not a duration", hint="write a number and a unit, as in '10 min'"
        )
    unit = parse_unit(found["unit"])
    if found["unit"] and unit is None:
        name = found["unit"]
        near = "did you mean 'min'?" if name in ("m", "M") else nearest(name.lower(), UNIT_NAMES)
        raise QueryCheckError(f"'{name}' is not a unit of time", hint=calendar_hint(name) or near)
    return Duration(Fraction(found["amount"]), unit)


def calendar_hint(unit: str) -> str | None:
    """What to write instead of a unit that is not always as long."""
    if re.fullmatch(r"(?:mo|mon|month|quarter|y|yr|year|decade)s?", unit, re.IGNORECASE):
        return "months and years differ in length: write days, as in 30 days"
    return None


def parse_window(value: str | int | float | timedelta | Window) -> Window:
    """ "12 hours", "< 7 s", "500 events", a timedelta or a bare number."""
    if isinstance(value, Window):
        return value
    if not isinstance(value, str):
        return Window(parse_duration(value))
    text = value.strip()
    half_open = text.startswith("<")
    text = text[1:] if half_open else text
    events = re.fullmatch(r"\s*(\d{1,40})\s*events?\s*", text, re.IGNORECASE)
    return Window(int(events[1]) if events else parse_duration(text), half_open)
