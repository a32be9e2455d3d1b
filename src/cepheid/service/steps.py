"""The steps of the write-ahead record: all that can be done to the session of profiles.

What runs and what is replayed is the same `applied`, so a replay cannot differ from what was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, ClassVar

import pyarrow as pa

from cepheid.matchers.snapshot import Snapshot
from cepheid.profiles import ProfileSet, profile
from cepheid.query import resume
from cepheid.runners.embedded.loose_session import LooseSession
from cepheid.runners.stream.few import FEW
from cepheid.runners.stream.loose import LooseBinding, LooseEvents
from cepheid.service.moments import moment_of, ticks_of

BINDING = LooseBinding.of("time", "type")
TIMES = pa.timestamp("us", "UTC")

MOST_TOLD = 1_000_000
"""How many matches one step may complete: they are in memory until they are written."""


def fresh_session(lateness: int) -> LooseSession:
    """A session without profiles, on times in UTC."""
    late = timedelta(microseconds=lateness)
    return ProfileSet({}).session_over(TIMES, time="time", type="type", lateness=late, max_matches=MOST_TOLD)


def resumed_session(snapshot: bytes) -> LooseSession:
    """A session that goes on where the snapshot was taken."""
    found = resume(ProfileSet({}), snapshot)
    assert isinstance(found, LooseSession)
    return found


@dataclass(slots=True)
class EventsAccepted:
    """Events in the order of their acceptance, as columns: times, types, and each event as JSON."""

    times: list[int] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    kind: ClassVar[str] = "events"

    def body(self) -> bytes:
        """One JSON text a line; none of them has a line break."""
        return "\n".join(self.texts).encode()

    @staticmethod
    def read(body: bytes) -> EventsAccepted:
        """The events of a body."""
        texts = body.decode().split("\n")
        events = [json.loads(text) for text in texts]
        times = [ticks_of(event["time"]) for event in events]
        return EventsAccepted(times, [event["type"] for event in events], texts)

    def loose(self) -> LooseEvents:
        """The events as a session takes them: a few as Python values, many as columns."""
        count = len(self.times)
        places = list(range(count))
        moments: list[str | None] = [None] * count
        if count <= FEW:
            pairs = zip(self.times, self.types, strict=True)
            rows = [{"time": moment_of(time), "type": kind} for time, kind in pairs]
            return LooseEvents(BINDING, rows, self.texts, moments, places=places)
        times = pa.chunked_array([pa.array(self.times, pa.int64()).cast(TIMES)])
        columns = {"time": times, "type": pa.chunked_array([pa.array(self.types, pa.string())])}
        return LooseEvents(BINDING, [{}] * count, self.texts, moments, columns=columns, places=places)

    def applied(self, session: LooseSession) -> tuple[LooseSession, pa.Table | None]:
        """Push them."""
        return session, session.push(self.loose())


@dataclass(frozen=True, slots=True)
class ProfileAdded:
    """A profile, known to the session by its id."""

    id: str
    query: str
    terms: Mapping[str, Any]
    kind: ClassVar[str] = "add"

    def body(self) -> bytes:
        """As JSON."""
        return json.dumps([self.id, self.query, dict(self.terms)]).encode()

    @staticmethod
    def read(body: bytes) -> ProfileAdded:
        """From JSON."""
        return ProfileAdded(*json.loads(body))

    def applied(self, session: LooseSession) -> tuple[LooseSession, pa.Table | None]:
        """Add it."""
        session.add(self.id, profile(self.query, **self.terms))
        return session, None


@dataclass(frozen=True, slots=True)
class _ProfileNamed:
    """Something that is done to a profile that is there."""

    id: str

    def body(self) -> bytes:
        """The id."""
        return self.id.encode()

    @classmethod
    def read(cls, body: bytes) -> Any:
        """From the id."""
        return cls(body.decode())


class ProfileRemoved(_ProfileNamed):
    """A profile is no more."""

    kind: ClassVar[str] = "remove"

    def applied(self, session: LooseSession) -> tuple[LooseSession, pa.Table | None]:
        """Remove it."""
        session.remove(self.id)
        return session, None


class ProfilePaused(_ProfileNamed):
    """A profile sees nothing for a while."""

    kind: ClassVar[str] = "pause"

    def applied(self, session: LooseSession) -> tuple[LooseSession, pa.Table | None]:
        """Pause it."""
        session.pause(self.id)
        return session, None


class ProfileResumed(_ProfileNamed):
    """A profile sees events again."""

    kind: ClassVar[str] = "resume"

    def applied(self, session: LooseSession) -> tuple[LooseSession, pa.Table | None]:
        """Resume it."""
        session.resume(self.id)
        return session, None


@dataclass(frozen=True, slots=True)
class _Ticks:
    """A number of microseconds."""

    ticks: int

    def body(self) -> bytes:
        """The number."""
        return str(self.ticks).encode()

    @classmethod
    def read(cls, body: bytes) -> Any:
        """From the number."""
        return cls(int(body))


class ClockAdvanced(_Ticks):
    """Time has passed without events, up to here."""

    kind: ClassVar[str] = "advance"

    def applied(self, session: LooseSession) -> tuple[LooseSession, pa.Table | None]:
        """Advance."""
        return session, session.advance(moment_of(self.ticks))


class LatenessSet(_Ticks):
    """From here on events may be so late."""

    kind: ClassVar[str] = "lateness"

    def applied(self, session: LooseSession) -> tuple[LooseSession, pa.Table | None]:
        """Go on in a session that has all but this from the one before."""
        saved = Snapshot.from_bytes(session.snapshot())
        saved.values["terms"][0] = self.ticks
        return resumed_session(saved.to_bytes()), None


Step = (
    EventsAccepted
    | ProfileAdded
    | ProfileRemoved
    | ProfilePaused
    | ProfileResumed
    | ClockAdvanced
    | LatenessSet
)

_KINDS: Sequence[Any] = Step.__args__
READ: dict[str, Callable[[bytes], Step]] = {kind.kind: kind.read for kind in _KINDS}
"""How each kind of step is read from the record."""
