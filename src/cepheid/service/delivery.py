"""Deliveries: from the outbox to their endpoints, webhooks and channels, until each has taken them.

An attempt that was made but not noted, because the service ended in between, is made again with the same
webhook-id. So a notification is delivered at least once, and the receiver can tell a repeat.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

from sqlalchemy import update
from starlette.concurrency import run_in_threadpool

from cepheid.service.outbox import DUE, ENDED
from cepheid.service.problems import Problem
from cepheid.service.running import Service, heard
from cepheid.service.sending import (
    AT_ONCE,
    LONGEST_WAIT,
    WEBHOOK,
    Attempt,
    Courier,
    Outcome,
    secrets_of,
    send,
)
from cepheid.service.settings import microseconds
from cepheid.service.store import now
from cepheid.service.tables import DELIVERIES, ENDPOINTS
from cepheid.service.turn import Turn

LOG = logging.getLogger("cepheid.service")

TO_ONE_ENDPOINT = 4  # attempts at once
LOOK_AGAIN = 0.5  # seconds, for what has become due
JITTER = 0.2

GONE = 410


class Deliverer:
    """Looks for what is due, and tries."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._trying: dict[int, asyncio.Task[None]] = {}
        self._busy: Counter[int] = Counter()  # attempts at each endpoint
        self._is_limited = False  # more may be due than could be begun
        self._handed_on: set[int] = set()  # since one began to look for what is due
        self._courier = Courier(service.guard, service.settings.webhook_timeout.total_seconds())

    async def run(self) -> None:
        """Deliver until the service stops."""
        service = self._service
        while not service.is_stopping:
            ring = service.outbox_bell.next_ring
            self._handed_on.clear()
            try:
                due = await run_in_threadpool(self._due) if service.engine.is_ready else []
            except Exception:
                LOG.exception("the outbox cannot be read")
                due = []
            for attempt in due:
                if attempt.id not in self._handed_on:  # it may have ended since
                    self._start(attempt)
            await heard(ring, LOOK_AGAIN)
        if self._trying:
            await asyncio.wait(self._trying.values(), timeout=5.0)
        for task in self._trying.values():
            task.cancel()
        await self._courier.close()

    # -- what is due -------------------------------------------------------------------------------

    def take(self, rows: Sequence[Any]) -> None:
        """Deliver what was just committed; for what there is no room, the outbox is read later."""
        for attempt in map(_attempt, () if self._service.is_stopping else rows):
            if self._busy.total() >= AT_ONCE:
                self._is_limited = True
                return
            self._handed_on.add(attempt.id)
            self._start(attempt)

    def _due(self) -> list[Attempt]:
        room = AT_ONCE - self._busy.total()
        self._is_limited = room <= 0
        if self._is_limited:
            return []
        full = [endpoint for endpoint, number in self._busy.items() if number >= TO_ONE_ENDPOINT]
        asked = {"at": now(), "trying": list(self._trying), "full": full, "room": room}
        with self._service.store.reading() as connection:
            rows = connection.execute(DUE, asked).all()
        self._is_limited = len(rows) == room or bool(full)
        return [_attempt(row) for row in rows]

    def _start(self, attempt: Attempt) -> None:
        if attempt.id in self._trying:
            return
        if self._busy[attempt.endpoint] >= TO_ONE_ENDPOINT:
            self._is_limited = True
            return
        self._busy[attempt.endpoint] += 1
        task = asyncio.create_task(self._try(attempt))
        self._trying[attempt.id] = task
        task.add_done_callback(lambda done: self._trying.pop(attempt.id))

    def _ended(self, attempt: Attempt) -> None:
        """An attempt is over: another one may begin, if one waited for this."""
        self._busy[attempt.endpoint] -= 1
        if not self._busy[attempt.endpoint]:
            del self._busy[attempt.endpoint]
        if self._is_limited:
            self._service.outbox_bell.ring()

    # -- one attempt -------------------------------------------------------------------------------

    async def _try(self, attempt: Attempt) -> None:
        try:
            outcome = await send(attempt, self._courier)
        finally:
            self._ended(attempt)
        metrics = self._service.metrics
        (metrics.delivered if outcome.is_delivered else metrics.failed).inc()
        if outcome.is_delivered:
            metrics.delivery_delay.observe(max(0.0, (now() - attempt.told) / 1e6))
        try:  # it does not hurry: events would wait for a commit of its own
            await self._service.engine.do(lambda turn: self._note(turn, attempt, outcome), hurry=False)
        except Problem:
            await asyncio.sleep(0.2)  # the writer has no room: the attempt will be made again

    def _note(self, turn: Turn, attempt: Attempt, outcome: Outcome) -> None:
        """Write how an attempt ended."""
        attempts, schedule = attempt.attempts + 1, self._service.settings.webhook_schedule
        status, due = "pending", now()
        if outcome.is_delivered:
            status = "delivered"
        elif attempts > len(schedule) or outcome.status == GONE:
            status = "failed"
        else:
            due += _pause(microseconds(schedule[attempts - 1]), outcome.retry_after)
        changes = {"ended": status, "made": attempts, "next": due, "how": outcome.text, "this": attempt.id}
        turn.connection.execute(ENDED, changes)
        if outcome.status == GONE:
            switch_off(turn, attempt.endpoint, "it answered 410 Gone")


def switch_off(turn: Turn, endpoint: int, reason: str) -> None:
    """Send nothing more to an endpoint."""
    this = update(ENDPOINTS).where(ENDPOINTS.c.id == endpoint)
    turn.connection.execute(this.values(disabled=turn.at, disabled_reason=reason))
    waiting = (DELIVERIES.c.endpoint == endpoint) & (DELIVERIES.c.status == "pending")
    outcome = f"the endpoint is off: {reason}"
    turn.connection.execute(update(DELIVERIES).where(waiting).values(status="failed", outcome=outcome))


def _pause(scheduled: int, asked: float) -> int:
    """Microseconds until the next attempt: as scheduled, a little sooner or later, or as it was asked for."""
    spread = scheduled * (1 + random.uniform(-JITTER, JITTER))
    return int(max(spread, min(asked, LONGEST_WAIT) * 1e6))


def _attempt(row: Any) -> Attempt:
    """What is due; an endpoint is a webhook, unless it names a channel."""
    if row.channel is None:
        secrets = tuple(secrets_of(row, now()))
        return Attempt(row.delivery, row.endpoint, row.attempts, WEBHOOK, row.url, secrets, {}, row, row.told)
    labels = {} if row.channel_labels is None else json.loads(row.channel_labels)
    return Attempt(
        row.delivery, row.endpoint, row.attempts, row.channel_kind, row.channel_url, (), labels, row, row.told
    )
