"""The session of all profiles, step by step, and what each step tells."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import pyarrow as pa

from cepheid.events import END
from cepheid.runners.embedded.loose_session import LooseSession
from cepheid.service.steps import Step, fresh_session, resumed_session

LOG = logging.getLogger("cepheid.service")


@dataclass(frozen=True, slots=True)
class ToldMatch:
    """A match that a profile tells."""

    profile: str
    match_id: str
    time: int
    match: str  # JSON


class Matching:
    """The one owner of the session. Only the engine's thread uses it."""

    def __init__(self, session: LooseSession) -> None:
        self._session = session

    @staticmethod
    def fresh(lateness: int) -> Matching:
        """Without profiles."""
        return Matching(fresh_session(lateness))

    @staticmethod
    def restored(snapshot: bytes) -> Matching:
        """As it was when the snapshot was taken."""
        return Matching(resumed_session(snapshot))

    def snapshot(self) -> bytes:
        """Everything needed to go on elsewhere."""
        return self._session.snapshot()

    def apply(self, step: Step) -> list[ToldMatch]:
        """Take one step; what it tells."""
        self._session, found = step.applied(self._session)
        if found is None:
            return []
        self._expect_nothing_aside()
        return told_matches(found)

    def _expect_nothing_aside(self) -> None:
        """Late and bad events were put aside before they were accepted, so the session finds none."""
        for what, table in (("late", self._session.take_late()), ("bad", self._session.take_bad())):
            if table.num_rows:
                reason = table.column("reason")[0].as_py()
                LOG.error("accepted events were found to be %s: %s", what, reason)

    @property
    def profiles(self) -> list[str]:
        """The ids of the profiles that are there."""
        return self._session.names

    @property
    def watermark(self) -> int | None:
        """How far time has come; None before the first event."""
        reached = self._session.watermark
        return None if abs(reached) == END else int(reached)

    @property
    def lateness(self) -> int:
        """How late events may be."""
        return int(self._session.lateness or 0)

    def unfit(self, text: str) -> str | None:
        """Why an event cannot be used with the profiles that are there."""
        return self._session.unfit(text)


def told_matches(table: pa.Table) -> list[ToldMatch]:
    """The rows of what a session tells."""
    if table.num_rows == 0:
        return []
    times = table.column("time").cast(pa.int64())
    columns = [table.column("profile"), table.column("match_id"), times, table.column("match")]
    return [ToldMatch(*row) for row in zip(*(column.to_pylist() for column in columns), strict=True)]
