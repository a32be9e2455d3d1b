"""Literals: values of Python as such, and text that stands for a moment or a time of day."""

import difflib
import re
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from cepheid.expressions import Literal
from cepheid.time import Duration

_TOO_FINE = re.compile(r"\.\d{7,}")
_TIME_OF_DAY = re.compile(r"\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?")


def parse_timestamp(text: str) -> datetime | None:
    """An ISO 8601 timestamp or date, to the microsecond, or None."""
    if _TOO_FINE.search(text):
        return None
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        return None


def parse_time_of_day(text: str) -> time | None:
    """`HH:MM[:SS[.f]]`, or None."""
    if not _TIME_OF_DAY.fullmatch(text):
        return None
    try:
        return time.fromisoformat(text)
    except ValueError:
        return None


def literal_of(value: object) -> Literal | None:
    """A value of Python as a literal; None if it cannot stand in a query."""
    if isinstance(value, timedelta):
        days, seconds, rest = value.days, value.seconds, value.microseconds
        return Literal(Duration(Fraction((days * 86_400 + seconds) * 1_000_000 + rest), "us"))
    if isinstance(value, date) and not isinstance(value, datetime):
        return Literal(datetime(value.year, value.month, value.day))
    if isinstance(value, Decimal):
        return Literal(float(value))
    plain: Any = value.item() if hasattr(value, "item") else value
    if plain is None or isinstance(plain, bool | int | float | str | datetime | time | Duration):
        return Literal(plain)
    return None


def nearest(name: str, known: Iterable[str]) -> str | None:
    """A hint that names the nearest known name, if one is near."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    if not near:
        lower = {item.lower(): item for item in names}
        near = [lower[name.lower()]] if name.lower() in lower else []
    return f"did you mean '{near[0]}'?" if near else None
