"""The service with matching off: events are read, judged, written and synced, and no profile sees them.

python -m cepheid.bench.service.unmatched
"""

from __future__ import annotations

from sqlalchemy import Connection

from cepheid.service import engine
from cepheid.service.matching import Matching, ToldMatch
from cepheid.service.run import serve
from cepheid.service.settings import settings_from
from cepheid.service.steps import EventsAccepted, Step


class MatchingOff(Matching):
    """Only the clock goes on."""

    _reached: int | None = None

    def apply(self, step: Step) -> list[ToldMatch]:
        """Take one step; no event tells anything."""
        if not isinstance(step, EventsAccepted):
            return super().apply(step)
        self._reached = max(step.times[-1], self._reached or step.times[-1])
        return []

    @property
    def watermark(self) -> int | None:
        """How far the events have come."""
        return self._reached


def fresh(connection: Connection, lateness: int) -> tuple[Matching, int]:
    """In place of what a restart brings back: the benchmark starts once."""
    return MatchingOff(Matching.fresh(lateness)._session), 0


if __name__ == "__main__":
    vars(engine)["recovered"] = fresh
    serve(settings_from())
