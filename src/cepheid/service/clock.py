"""The clock while nothing comes: after `idle` it goes on from where it stands, a second a second."""

from __future__ import annotations

from datetime import timedelta


class IdleClock:
    """Says how far the watermark should be at a moment of the machine's own, steady clock.

    It knows nothing of the wall clock, and starts anew with every acceptance and every start of the service.
    So time while the service is down does not count.
    """

    def __init__(self, idle: timedelta) -> None:
        self._idle = idle.total_seconds()
        self._since: float | None = None
        self._stood = 0

    def start(self, watermark: int | None, at: float) -> None:
        """Something was accepted, or the service is ready; the watermark stands here."""
        if watermark is not None:
            self._since, self._stood = at, watermark

    def reading(self, at: float) -> int | None:
        """Where the watermark should be; None as long as the clock stands."""
        if self._since is None or at <= self._since + self._idle:
            return None
        return self._stood + int((at - self._since - self._idle) * 1e6)
