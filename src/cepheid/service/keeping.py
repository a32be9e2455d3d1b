"""What is kept and for how long: snapshots of the session, and rows that have had their time."""

from __future__ import annotations

import logging
import time
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from cepheid.service.ledger import LAST_NOTIFICATION, Ledger
from cepheid.service.matching import Matching
from cepheid.service.settings import Settings, microseconds
from cepheid.service.store import now
from cepheid.service.tables import ANSWERS, DELIVERIES, FACTS, NOTIFICATIONS, SEEN, SNAPSHOTS, STEPS
from cepheid.service.turn import Turn

LOG = logging.getLogger("cepheid.service")

SNAPSHOTS_KEPT = 2
REST = 200.0
"""How many times as long as a snapshot took there is none: events wait while it is taken, and no more than
half a percent of them shall."""

MANY_TICKS = 5_000  # steps of an idle clock
FORGOTTEN_AT_ONCE = 5_000  # rows: whoever waits for the writer waits for this


_NEWEST = update(FACTS).where(FACTS.c.name == LAST_NOTIFICATION).values(value=bindparam("newest"))


class Keeping:
    """Decides when to take a snapshot and what to forget. Only the engine's thread uses it."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection, self._settings = connection, settings
        self._events = self._steps = self._ticks = 0  # since the last snapshot
        self._snapshot_at = self._forgot_at = time.monotonic()
        self._snapshot_took = 0.0
        self._last_notification: int | None = None
        self._has_more = False

    def recovered(self, last_step: int) -> None:
        """The session was made anew."""
        newest = self._connection_value(select(func.max(SNAPSHOTS.c.seq))) or 0
        self._steps, self._ticks = last_step - newest, 0
        self._last_notification = None

    def _connection_value(self, query: Any) -> Any:
        with self._connection.begin():
            return self._connection.execute(query).scalar()

    def note(self, turn: Turn) -> None:
        """In a transaction: remember how far the ids of notifications have come, since rows may go."""
        self._events += turn.accepted
        self._steps += turn.steps
        self._ticks += turn.ticks
        if not turn.notified:
            return
        if self._last_notification is None:
            self._connection.execute(delete(FACTS).where(FACTS.c.name == LAST_NOTIFICATION))
            self._connection.execute(insert(FACTS).values(name=LAST_NOTIFICATION, value=0))
        self._last_notification = turn.ledger.last_notification
        self._connection.execute(_NEWEST, {"newest": self._last_notification})

    # -- snapshots ---------------------------------------------------------------------------------

    def wants_snapshot(self) -> bool:
        """Whether there is so much to replay that a snapshot is due."""
        if self._steps == self._ticks and self._ticks < MANY_TICKS:
            return False  # time alone is quickly replayed
        passed = time.monotonic() - self._snapshot_at
        if passed < REST * self._snapshot_took:
            return False
        is_long = passed >= self._settings.snapshot_every.total_seconds()
        return is_long or self._events >= self._settings.snapshot_events

    def snapshot(self, matching: Matching, ledger: Ledger) -> None:
        """Write one, and drop those that are older than the one before it."""
        if not self._steps:
            return
        started = time.monotonic()
        body, seq, at = matching.snapshot(), ledger.last_step, now()
        with self._connection.begin():
            self._connection.execute(delete(SNAPSHOTS).where(SNAPSHOTS.c.seq == seq))
            row = {"seq": seq, "taken": at, "clock": matching.watermark, "body": body}
            self._connection.execute(insert(SNAPSHOTS).values(row))
            kept = select(SNAPSHOTS.c.seq).order_by(SNAPSHOTS.c.seq.desc()).limit(SNAPSHOTS_KEPT)
            numbers = self._connection.execute(kept).scalars().all()
            self._connection.execute(delete(SNAPSHOTS).where(SNAPSHOTS.c.seq < min(numbers)))
        self._events = self._steps = self._ticks = 0
        self._snapshot_at = time.monotonic()
        self._snapshot_took = self._snapshot_at - started
        LOG.info("snapshot after step %d: %d bytes, %.3f s", seq, len(body), self._snapshot_took)

    # -- forgetting --------------------------------------------------------------------------------

    def forget(self) -> None:
        """Delete some of the rows that have had their time; all of them, little by little."""
        at = time.monotonic()
        if at - self._forgot_at < (0.0 if self._has_more else self._settings.forget_every.total_seconds()):
            return
        self._forgot_at, moment, settings = at, now(), self._settings
        oldest = select(func.min(SNAPSHOTS.c.seq)).scalar_subquery()
        events = moment - microseconds(settings.keep_events)
        told = moment - microseconds(settings.keep_notifications)
        answers = moment - microseconds(settings.keep_answers)
        waiting = select(DELIVERIES.c.notification).where(DELIVERIES.c.status == "pending")
        with self._connection.begin():
            gone = [
                self._deleted(STEPS, STEPS.c.seq, (STEPS.c.accepted < events) & (STEPS.c.seq <= oldest)),
                self._deleted(
                    NOTIFICATIONS,
                    NOTIFICATIONS.c.id,
                    (NOTIFICATIONS.c.told < told) & NOTIFICATIONS.c.id.not_in(waiting),
                ),
                self._deleted(ANSWERS, ANSWERS.c.key, ANSWERS.c.made < answers),
                self._deleted(SEEN, SEEN.c.digest, SEEN.c.made < answers),
            ]
        self._has_more = max(gone) >= FORGOTTEN_AT_ONCE

    def _deleted(self, table: Any, key: Any, old: Any) -> int:
        some = select(key).where(old).limit(FORGOTTEN_AT_ONCE)
        return int(self._connection.execute(delete(table).where(key.in_(some) & old)).rowcount)
