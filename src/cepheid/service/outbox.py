"""The outbox of webhooks and channels: how deliveries come into it, are found, and end."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, bindparam, insert, literal, select, update

from cepheid.service.tables import CHANNELS, DELIVERIES, ENDPOINTS, NOTIFICATIONS, PROFILES

HANDED_ON = 64
"""As many notifications are handed on to be delivered with their commit; of more, the outbox is read."""


def _filled() -> Any:
    """What was told, for each webhook and channel of its profile that is on."""
    joined = NOTIFICATIONS.join(ENDPOINTS, ENDPOINTS.c.profile == NOTIFICATIONS.c.profile)
    at = bindparam("at", type_=BigInteger)
    found = (
        select(NOTIFICATIONS.c.id, ENDPOINTS.c.id, literal("pending"), literal(0), at)
        .select_from(joined)
        .where(NOTIFICATIONS.c.id.between(bindparam("first"), bindparam("last")))
        .where(NOTIFICATIONS.c.silenced.is_(False) & ENDPOINTS.c.disabled.is_(None))
        .order_by(NOTIFICATIONS.c.id)
    )
    return insert(DELIVERIES).from_select(["notification", "endpoint", "status", "attempts", "due"], found)


def _to_attempt() -> Any:
    """Deliveries with all that an attempt needs."""
    joined = DELIVERIES.join(NOTIFICATIONS).join(ENDPOINTS, ENDPOINTS.c.id == DELIVERIES.c.endpoint)
    joined = joined.join(PROFILES, PROFILES.c.id == NOTIFICATIONS.c.profile)
    joined = joined.outerjoin(CHANNELS, CHANNELS.c.name == ENDPOINTS.c.channel)
    columns: list[Any] = [
        NOTIFICATIONS,
        DELIVERIES.c.id.label("delivery"),
        DELIVERIES.c.attempts,
        ENDPOINTS.c.id.label("endpoint"),
        ENDPOINTS.c.url,
        ENDPOINTS.c.secret,
        ENDPOINTS.c.old_secret,
        ENDPOINTS.c.old_until,
        ENDPOINTS.c.channel,
        CHANNELS.c.kind.label("channel_kind"),
        CHANNELS.c.url.label("channel_url"),
        CHANNELS.c.labels.label("channel_labels"),
        PROFILES.c.name.label("profile_name"),
    ]
    return select(*columns).select_from(joined)


def _due() -> Any:
    wanted = (DELIVERIES.c.status == "pending") & (DELIVERIES.c.due <= bindparam("at"))
    wanted &= DELIVERIES.c.id.not_in(bindparam("trying", expanding=True))
    wanted &= ENDPOINTS.c.id.not_in(bindparam("full", expanding=True))
    found = _to_attempt().where(wanted)
    return found.order_by(DELIVERIES.c.due, DELIVERIES.c.id).limit(bindparam("room"))


# Made once: to put a statement together takes longer than to run it.
FILL = _filled()
"""For the notifications from `first` to `last`."""

FRESH = (
    _to_attempt()
    .where(NOTIFICATIONS.c.id.between(bindparam("first"), bindparam("last")))
    .order_by(DELIVERIES.c.id)
)
"""What was just put in."""

DUE = _due()
"""What waits and is due: the oldest first."""

ENDED = (
    update(DELIVERIES)
    .where((DELIVERIES.c.id == bindparam("this")) & (DELIVERIES.c.status == "pending"))
    .values(
        status=bindparam("ended"), attempts=bindparam("made"), due=bindparam("next"), outcome=bindparam("how")
    )
)
