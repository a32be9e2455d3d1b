"""How much profiles told, hour by hour."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, func, select

from cepheid.service.moments import moment_of
from cepheid.service.tables import NOTIFICATIONS
from cepheid.views.bars import Bar

HOUR = 3600 * 10**6
HOURS = 24


def activity(connection: Connection, profiles: Sequence[str], at: int) -> dict[str, list[Bar]]:
    """A bar for each of the last hours of each profile, the oldest first."""
    hour = NOTIFICATIONS.c.told.op("/")(HOUR)  # of whole numbers, so rounded down
    newest = at // HOUR
    recent = NOTIFICATIONS.c.told >= (newest - HOURS + 1) * HOUR
    counts = select(NOTIFICATIONS.c.profile, hour.label("hour"), func.count().label("number"))
    counts = counts.where(recent & NOTIFICATIONS.c.profile.in_(profiles)).group_by(
        NOTIFICATIONS.c.profile, hour
    )
    found = {(row.profile, int(row.hour)): int(row.number) for row in connection.execute(counts)}
    hours = range(newest - HOURS + 1, newest + 1)
    return {
        profile: [
            Bar(found.get((profile, each), 0), f"{moment_of(each * HOUR):%d %b %H:00}") for each in hours
        ]
        for profile in profiles
    }
