"""How much a query may hold and find before it is stopped."""

from __future__ import annotations

import os

from cepheid.errors import CepheidError

MAX_MATCHES = 10_000_000
"""How many matches a run may find, unless `max_matches=` says otherwise."""


MAX_STATE = 2 * 2**30
"""How many bytes a query's state may take, unless `max_state=` says otherwise; less on a small machine."""


def default_max_state() -> int:
    """Two gibibytes, or a quarter of this machine's memory if that is less."""
    try:
        return min(MAX_STATE, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4)
    except (ValueError, OSError):
        return MAX_STATE


def checked_limit(name: str, value: int | None, default: int) -> int:
    """A limit that was given, or its default."""
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise CepheidError(f"{name}= should be a positive whole number, not {value!r}")
    return value
