"""Why a profile told what it told, and nothing else: a why over the recorded events that it has seen.

The matches are found by the engine that told them, over the record that it was fed with. Like a preview, a
trace runs in a process of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa
from sqlalchemy import Connection, func, select

from cepheid.profiles import profile
from cepheid.runners.embedded.why.loose import AskedProfile, why_in_loose
from cepheid.service.moments import shown
from cepheid.service.preview import beginning
from cepheid.service.recovery import steps_after
from cepheid.service.steps import (
    BINDING,
    ClockAdvanced,
    EventsAccepted,
    ProfileAdded,
    ProfilePaused,
    ProfileResumed,
)
from cepheid.service.tables import NOTIFICATIONS, PROFILES, STEPS

MOST_EVENTS = 50_000
"""So many of the newest events are looked at."""


@dataclass(frozen=True, slots=True)
class TraceJob:
    """A profile that is asked about."""

    profile: str
    query: str
    terms: Mapping[str, Any]
    lateness: int
    most_events: int
    since: int | None = None
    has_picture: bool = False
    what: ClassVar[str] = "trace"

    def answer(self, connection: Connection) -> dict[str, Any]:
        """What came how far, as JSON can hold it."""
        return traced(connection, self)


@dataclass(slots=True)
class SeenEvents:
    """The newest events that a profile has seen, in the order of their acceptance, and its clock."""

    events: EventsAccepted
    clock: int | None
    notes: list[str]


def traced(connection: Connection, job: TraceJob) -> dict[str, Any]:
    """Why the profile fired, or did not."""
    seen = seen_events(connection, job)
    asked = profile(job.query, **job.terms)
    until = float("inf") if seen.clock is None else seen.clock
    subject = AskedProfile(job.query, asked.query.tree, asked.terms, until)
    stream = BINDING.stream(pa.timestamp("us", "UTC"), ())
    why = why_in_loose(subject, stream, seen.events.loose(), tuple(seen.notes))
    picture = {"svg": why.svg()} if job.has_picture else {}
    told = {"notifications": _notifications(connection, job)}
    return {"profile": job.profile, **told, **why.as_dict(), **picture}


def seen_events(connection: Connection, job: TraceJob) -> SeenEvents:
    """What the profile has seen since it was made or last resumed, as much of it as is looked at."""
    begun, ended = _seen_between(connection, job.profile)
    newest = beginning(connection, job.most_events)
    found, notes = EventsAccepted(), []
    clock: int | None = None
    for seq, step in steps_after(connection, max(begun, newest)):
        if ended is not None and seq >= ended:
            break
        if isinstance(step, EventsAccepted):
            _add(found, step, job.since)
            reached = max(step.times) - job.lateness
        elif isinstance(step, ClockAdvanced):
            reached = step.ticks
        else:
            continue
        clock = reached if clock is None else max(clock, reached)
    if newest > begun:
        notes.append(
            f"the newest {job.most_events:,} recorded events are looked at: what was told before them, and "
            "may have used up or held back something, is not seen"
        )
    if ended is not None:
        notes.append("the profile is paused: it sees nothing until it is resumed")
    if job.since is not None:
        notes.append(f"events since {shown(job.since)}: what began before is not seen")
    return SeenEvents(found, clock, notes)


def _add(found: EventsAccepted, step: EventsAccepted, since: int | None) -> None:
    for time, kind, text in zip(step.times, step.types, step.texts, strict=True):
        if since is None or time >= since:
            found.times.append(time)
            found.types.append(kind)
            found.texts.append(text)


def _seen_between(connection: Connection, name: str) -> tuple[int, int | None]:
    """The step after which the profile sees events, and the one from which on it does not."""
    row = connection.execute(select(PROFILES.c.created, PROFILES.c.paused).where(PROFILES.c.id == name)).one()
    body = name.encode()
    turned = {
        kind: connection.execute(
            select(func.max(STEPS.c.seq)).where((STEPS.c.kind == kind) & (STEPS.c.body == body))
        ).scalar()
        for kind in (ProfilePaused.kind, ProfileResumed.kind)
    }
    begun = turned[ProfileResumed.kind] or _made(connection, name, row.created)
    if not row.paused:
        return begun, None
    return begun, turned[ProfilePaused.kind] or 0


def _made(connection: Connection, name: str, created: int) -> int:
    """The step that made the profile; where it is forgotten, all that are there came after it."""
    made = select(STEPS.c.seq, STEPS.c.body).where(
        (STEPS.c.kind == ProfileAdded.kind) & (STEPS.c.accepted == created)
    )
    return next((seq for seq, body in connection.execute(made) if ProfileAdded.read(body).id == name), 0)


def _notifications(connection: Connection, job: TraceJob) -> int:
    """How much the profile has told since then, as its history has it."""
    mine = NOTIFICATIONS.c.profile == job.profile
    if job.since is not None:
        mine &= NOTIFICATIONS.c.time >= job.since
    return connection.execute(select(func.count()).select_from(NOTIFICATIONS).where(mine)).scalar() or 0
