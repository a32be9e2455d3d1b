"""Text that stands for a moment or a time of day, where it is compared with one."""

import difflib
import re
from collections.abc import Iterable
from datetime import datetime, time

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


def nearest(name: str, known: Iterable[str]) -> str | None:
    """A hint that names the nearest known name, if one is near."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    if not near:
        lower = {item.lower(): item for item in names}
        near = [lower[name.lower()]] if name.lower() in lower else []
    return f"did you mean '{near[0]}'?" if near else None
