"""How often somebody may ask."""

from __future__ import annotations

import time

from limits import parse


class Rate:
    """So many times in each stretch of time, as in `600/minute`; a stretch begins with the first time.

    It is counted here: the storage in memory that `limits` has starts a thread now and then, and takes as
    long as reading an event does.
    """

    def __init__(self, text: str) -> None:
        limit = parse(text)
        self._most, self._seconds = limit.amount, limit.get_expiry()
        self._counts: dict[str, tuple[float, int]] = {}  # since when, and how often
        self._swept = time.monotonic()

    def hit(self, who: str) -> bool:
        """Count one more; whether it may be."""
        at = time.monotonic()
        if at >= self._swept + self._seconds:
            self._forget(at)
        since, count = self._counts.get(who, (at, 0))
        if at >= since + self._seconds:
            since, count = at, 0
        self._counts[who] = since, count + 1
        return count < self._most

    def _forget(self, at: float) -> None:
        """Those whose stretch is over."""
        live = {who: kept for who, kept in self._counts.items() if at < kept[0] + self._seconds}
        self._counts, self._swept = live, at
