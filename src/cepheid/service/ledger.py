"""What the writer has in mind of the tables: the last numbers, and how each profile wants to be told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from cepheid.service.matching import ToldMatch
from cepheid.service.tables import ENDPOINTS, FACTS, NOTIFICATIONS, PROFILES

LAST_NOTIFICATION = "notification"


@dataclass(frozen=True, slots=True)
class Subscription:
    """How a profile wants to be told."""

    feed: bool
    webhooks: bool
    silence_until: int | None


class Ledger:
    """Only the engine's thread uses it; it is read anew when a transaction has failed."""

    def __init__(self, last_step: int) -> None:
        self.last_step = last_step
        self.last_notification = 0
        self._subscriptions: dict[str, Subscription] = {}

    def load(self, connection: Connection) -> None:
        """Read all of it."""
        fact = select(FACTS.c.value).where(FACTS.c.name == LAST_NOTIFICATION)
        kept = connection.execute(fact).scalar() or 0
        newest = connection.execute(select(func.max(NOTIFICATIONS.c.id))).scalar() or 0
        self.last_notification = max(kept, newest)
        self._subscriptions = {}
        self._read(connection, select(PROFILES), select(ENDPOINTS.c.profile))

    def reload(self, connection: Connection, profile: str) -> None:
        """Read one profile anew."""
        self._subscriptions.pop(profile, None)
        rows = select(PROFILES).where(PROFILES.c.id == profile)
        self._read(connection, rows, select(ENDPOINTS.c.profile).where(ENDPOINTS.c.profile == profile))

    def know(self, profile: str, subscription: Subscription) -> None:
        """A profile that was just made."""
        self._subscriptions[profile] = subscription

    def _read(self, connection: Connection, profiles: Any, endpoints: Any) -> None:
        with_webhooks = set(connection.execute(endpoints).scalars())
        for row in connection.execute(profiles):
            found = Subscription(row.feed, row.id in with_webhooks, row.silence_until)
            self._subscriptions[row.id] = found

    def __len__(self) -> int:
        return len(self._subscriptions)

    def next_step(self) -> int:
        """The number of the next step."""
        self.last_step += 1
        return self.last_step

    def notification(self, match: ToldMatch, at: int) -> dict[str, Any]:
        """The row of the next notification."""
        self.last_notification += 1
        own = self._subscriptions[match.profile]
        silenced = own.silence_until is not None and own.silence_until > at
        return {
            "id": self.last_notification,
            "profile": match.profile,
            "match_id": match.match_id,
            "time": match.time,
            "match": match.match,
            "told": at,
            "feed": own.feed and not silenced,
            "silenced": silenced,
        }

    def has_webhooks(self, profile: str) -> bool:
        """Whether what a profile tells goes to the outbox."""
        return self._subscriptions[profile].webhooks
