"""On what terms a stream is run: allowed lateness, what becomes of unused events, and limits."""

import os
from dataclasses import dataclass, field
from typing import Any

from cepheid.errors import BindingError, CepheidError
from cepheid.events import EventSchema
from cepheid.runners.stream.moments import Moment, allowed_lateness

MAX_MATCHES = 10_000_000
"""How many matches a run may find, unless `max_matches=` says otherwise."""

MAX_STATE = 2 * 2**30
"""How many bytes a query's state may take, unless `max_state=` says otherwise; less on a small machine."""

CHOICES = ("side", "drop", "fail")
"""What may be done with events that are late or bad."""


def default_max_state() -> int:
    """Two gibibytes, or a quarter of this machine's memory if that is less."""
    try:
        return min(MAX_STATE, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4)
    except (ValueError, OSError):
        return MAX_STATE


@dataclass(frozen=True, slots=True)
class Terms:
    """What a stream is run with, beside its plan; a restart may change it."""

    lateness: Moment = 0  # in ticks of the time column
    on_late: str = "side"
    on_bad: str = "side"
    max_matches: int = MAX_MATCHES
    max_state: int = field(default_factory=default_max_state)

    def __post_init__(self) -> None:
        for name, choice in (("on_late", self.on_late), ("on_bad", self.on_bad)):
            if choice not in CHOICES:
                raise BindingError(f"{name}= is one of {', '.join(CHOICES)}, not {choice!r}")
        checked_limit("max_matches", self.max_matches)
        checked_limit("max_state", self.max_state)


def terms_for(
    stream: EventSchema,
    lateness: Any,
    on_late: str,
    on_bad: str,
    max_matches: int | None,
    max_state: int | None,
) -> Terms:
    """The terms of a stream, from what users write; a limit of None is the default."""
    return Terms(
        allowed_lateness(lateness, stream),
        on_late,
        on_bad,
        MAX_MATCHES if max_matches is None else max_matches,
        default_max_state() if max_state is None else max_state,
    )


def checked_limit(name: str, value: int) -> int:
    """The value, if it can be a limit."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise CepheidError(f"{name}= should be a positive whole number, not {value!r}")
    return value
