"""Notifications as they are shown: history, feed and webhooks write them alike."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, func, select

from cepheid.service.moments import shown
from cepheid.service.tables import NOTIFICATIONS


def as_json(row: Any, *, with_profile: bool = False) -> str:
    """A notification. What RETURN gave is JSON already, and is put in as it is."""
    about = {"id": row.id, "match_id": row.match_id, "time": shown(row.time)}
    if with_profile:
        about = {"id": row.id, "profile": row.profile, "match_id": row.match_id, "time": shown(row.time)}
    elif row.silenced:
        about["silenced"] = True
    return f'{json.dumps(about)[:-1]}, "match": {row.match}}}'


def of_profile(connection: Connection, profile: str, after: int, limit: int) -> list[Any]:
    """What a profile told after a notification, the oldest first."""
    mine = (NOTIFICATIONS.c.profile == profile) & (NOTIFICATIONS.c.id > after)
    found = select(NOTIFICATIONS).where(mine).order_by(NOTIFICATIONS.c.id).limit(limit)
    return list(connection.execute(found))


def newest_of(connection: Connection, profile: str, before: int, limit: int) -> list[Any]:
    """What a profile told before a notification, the newest first."""
    mine = (NOTIFICATIONS.c.profile == profile) & (NOTIFICATIONS.c.id < before)
    return list(
        connection.execute(select(NOTIFICATIONS).where(mine).order_by(NOTIFICATIONS.c.id.desc()).limit(limit))
    )


def for_feed(connection: Connection, profile: str | None, after: int, limit: int) -> list[Any]:
    """What goes to the feed after a notification, the oldest first."""
    wanted = NOTIFICATIONS.c.feed.is_(True) & (NOTIFICATIONS.c.id > after)
    if profile is not None:
        wanted &= NOTIFICATIONS.c.profile == profile
    return list(
        connection.execute(select(NOTIFICATIONS).where(wanted).order_by(NOTIFICATIONS.c.id).limit(limit))
    )


def newest(connection: Connection) -> int:
    """The id of the newest notification."""
    return connection.execute(select(func.max(NOTIFICATIONS.c.id))).scalar() or 0
