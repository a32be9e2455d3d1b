"""Values as people read them on a page."""

from __future__ import annotations

import json
from typing import Any

from cepheid.service.moments import NoMoment, moment_of, ticks_of

DURATIONS = ("seconds", "minutes", "hours", "days")
LONGEST = 200


def moment(value: Any, exact: bool = True) -> str:
    """A time in UTC: `31 Jan 2026 17:04:00`, with parts of a second where it has them and they are wanted."""
    try:
        found = moment_of(value if isinstance(value, int) else ticks_of(value))
    except (NoMoment, OverflowError):
        return str(value)
    rest = f".{found.microsecond:06}".rstrip("0") if exact and found.microsecond else ""
    return f"{found.day} {found:%b %Y %H:%M:%S}{rest}"


def shown_value(value: Any) -> str:
    """A value of JSON in a few words; an event begins with its type and time."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, dict):
        kind, time = value.get("type"), value.get("time")
        is_event = isinstance(kind, str) and isinstance(time, str)
        first = [kind, moment(time)] if is_event else []
        rest = ((name, each) for name, each in value.items() if not is_event or name not in ("type", "time"))
        text = ", ".join([*map(str, first), *(f"{name} {shown_value(each)}" for name, each in rest)])
    elif isinstance(value, list):
        text = (
            f"{len(value)} × {shown_value(value[0])}, …"
            if len(value) > 1
            else shown_value((value or [""])[0])
        )
    else:
        text = json.dumps(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def plural(number: int, one: str, many: str | None = None) -> str:
    """`1 match`, `2 matches`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
