"""How much profiles told, hour by hour, on the clock of events."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, func, literal_column, select

from cepheid.service.history import newest
from cepheid.service.moments import moment_of
from cepheid.service.steps import EventsAccepted
from cepheid.service.store import now
from cepheid.service.tables import NOTIFICATIONS, STEPS
from cepheid.views.bars import Bar

HOUR = 3600 * 10**6
HOURS = 24
LOOKED_AT = 500_000  # notifications, the newest ones


def event_clock(connection: Connection) -> int:
    """The newest time of the events that were accepted last; without any, the wall clock."""
    steps = select(STEPS.c.newest).where(STEPS.c.kind == EventsAccepted.kind)
    found = connection.execute(steps.order_by(STEPS.c.seq.desc()).limit(1)).scalar()
    return now() if found is None else int(found)


def activity(connection: Connection, profiles: Sequence[str], clock: int) -> dict[str, list[Bar]]:
    """A bar for each of the hours up to this clock, for each profile, the oldest first."""
    # Of whole numbers, so rounded down; written out, as PostgreSQL takes two parameters for two numbers.
    hour = NOTIFICATIONS.c.time.op("/")(literal_column(str(HOUR)))
    last = clock // HOUR
    in_time = NOTIFICATIONS.c.time.between((last - HOURS + 1) * HOUR, (last + 1) * HOUR - 1)
    recent = in_time & (NOTIFICATIONS.c.id > newest(connection) - LOOKED_AT)
    counts = select(NOTIFICATIONS.c.profile, hour.label("hour"), func.count().label("number"))
    counts = counts.where(recent & NOTIFICATIONS.c.profile.in_(profiles))
    rows = connection.execute(counts.group_by(NOTIFICATIONS.c.profile, hour))
    found = {(row.profile, int(row.hour)): int(row.number) for row in rows}
    hours = range(last - HOURS + 1, last + 1)
    return {
        profile: [
            Bar(found.get((profile, each), 0), f"{moment_of(each * HOUR):%d %b %H:00}") for each in hours
        ]
        for profile in profiles
    }
