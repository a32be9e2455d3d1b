"""How much a query may hold and find before it is stopped."""

from __future__ import annotations

import os

from cepheid.errors import CepheidError

MAX_MATCHES = 10_000_000
"""How many matches a run may find, unless `max_matches=` says otherwise."""


def default_max_state() -> int:
    """Half of this machine's memory, unless `max_state=` says otherwise."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (ValueError, OSError):
        return 4 * 2**30


def checked_limit(name: str, value: int | None, default: int) -> int:
    """A limit that was given, or its default."""
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise CepheidError(f"{name}= should be a positive whole number, not {value!r}")
    return value
