"""Webhooks, by Standard Webhooks 1.0: from the outbox to their endpoints, until each has answered 2xx.

An attempt that was made but not noted, because the service ended in between, is made again with the same
webhook-id. So a notification is delivered at least once, and the receiver can tell a repeat.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpcore2
from sqlalchemy import select, update
from standardwebhooks import Webhook
from starlette.concurrency import run_in_threadpool

from cepheid.service.addresses import GuardedNetwork
from cepheid.service.history import as_json
from cepheid.service.moments import shown
from cepheid.service.problems import Problem
from cepheid.service.running import Service, heard
from cepheid.service.settings import microseconds
from cepheid.service.store import now
from cepheid.service.tables import DELIVERIES, ENDPOINTS, NOTIFICATIONS, PROFILES
from cepheid.service.turn import Turn

LOG = logging.getLogger("cepheid.service")

AT_ONCE, TO_ONE_ENDPOINT = 64, 4  # attempts
LOOK_AGAIN = 0.5  # seconds, for what has become due
JITTER = 0.2
LONGEST_WAIT = 24 * 3600.0  # that an endpoint may ask for

GONE = 410


@dataclass(frozen=True, slots=True)
class Attempt:
    """One delivery that is due."""

    id: int
    endpoint: int
    attempts: int
    url: str
    secrets: tuple[str, ...]
    message_id: str
    body: str
    told: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an attempt ended."""

    text: str
    status: int | None = None
    retry_after: float = 0.0

    @property
    def is_delivered(self) -> bool:
        """Whether the endpoint has it."""
        return self.status is not None and 200 <= self.status < 300


class Deliverer:
    """Looks for what is due, and tries."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._trying: dict[int, asyncio.Task[None]] = {}
        self._busy: Counter[int] = Counter()  # attempts at each endpoint
        limits: dict[str, Any] = {"max_connections": AT_ONCE, "keepalive_expiry": 30.0}
        self._pools = {
            scheme: httpcore2.AsyncConnectionPool(
                network_backend=GuardedNetwork(service.guard, scheme == "https"), **limits
            )
            for scheme in ("https", "http")
        }

    async def run(self) -> None:
        """Deliver until the service stops."""
        service = self._service
        while not service.is_stopping:
            ring = service.outbox_bell.next_ring
            try:
                due = await run_in_threadpool(self._due) if service.engine.is_ready else []
            except Exception:
                LOG.exception("the outbox cannot be read")
                due = []
            started = sum(self._start(attempt) for attempt in due)
            if not started:
                await heard(ring, LOOK_AGAIN)
            else:
                await asyncio.sleep(0)
        if self._trying:
            await asyncio.wait(self._trying.values(), timeout=5.0)
        for task in self._trying.values():
            task.cancel()
        for pool in self._pools.values():
            await pool.aclose()

    # -- what is due -------------------------------------------------------------------------------

    def _due(self) -> list[Attempt]:
        room = AT_ONCE - len(self._trying)
        if room <= 0:
            return []
        full = [endpoint for endpoint, number in self._busy.items() if number >= TO_ONE_ENDPOINT]
        joined = DELIVERIES.join(NOTIFICATIONS).join(ENDPOINTS, ENDPOINTS.c.id == DELIVERIES.c.endpoint)
        joined = joined.join(PROFILES, PROFILES.c.id == NOTIFICATIONS.c.profile)
        columns: list[Any] = [
            NOTIFICATIONS,
            DELIVERIES.c.id.label("delivery"),
            DELIVERIES.c.attempts,
            ENDPOINTS.c.id.label("endpoint"),
            ENDPOINTS.c.url,
            ENDPOINTS.c.secret,
            ENDPOINTS.c.old_secret,
            ENDPOINTS.c.old_until,
            PROFILES.c.name.label("profile_name"),
        ]
        wanted = (DELIVERIES.c.status == "pending") & (DELIVERIES.c.due <= now())
        wanted &= DELIVERIES.c.id.not_in(list(self._trying)) & ENDPOINTS.c.id.not_in(full)
        found = select(*columns).select_from(joined).where(wanted)
        with self._service.store.reading() as connection:
            rows = connection.execute(found.order_by(DELIVERIES.c.due, DELIVERIES.c.id).limit(room)).all()
        return [_attempt(row) for row in rows]

    def _start(self, attempt: Attempt) -> bool:
        if attempt.id in self._trying or self._busy[attempt.endpoint] >= TO_ONE_ENDPOINT:
            return False
        self._busy[attempt.endpoint] += 1
        task = asyncio.create_task(self._try(attempt))
        self._trying[attempt.id] = task
        task.add_done_callback(lambda done: self._ended(attempt))
        return True

    def _ended(self, attempt: Attempt) -> None:
        del self._trying[attempt.id]
        self._busy[attempt.endpoint] -= 1
        if not self._busy[attempt.endpoint]:
            del self._busy[attempt.endpoint]
        self._service.outbox_bell.ring()

    # -- one attempt -------------------------------------------------------------------------------

    async def _try(self, attempt: Attempt) -> None:
        outcome = await self._sent(attempt)
        metrics = self._service.metrics
        metrics.deliveries.labels("delivered" if outcome.is_delivered else "failed").inc()
        if outcome.is_delivered:
            metrics.delivery_delay.observe(max(0.0, (now() - attempt.told) / 1e6))
        try:
            await self._service.engine.do(lambda turn: self._note(turn, attempt, outcome))
        except Problem:
            await asyncio.sleep(0.2)  # the writer has no room: the attempt will be made again

    async def _sent(self, attempt: Attempt) -> Outcome:
        seconds = self._service.settings.webhook_timeout.total_seconds()
        scheme = attempt.url.partition(":")[0].lower()
        timeouts = dict.fromkeys(("connect", "read", "write", "pool"), seconds)
        try:
            async with asyncio.timeout(seconds):
                async with self._pools[scheme].stream(
                    "POST",
                    attempt.url,
                    headers=_headers(attempt),
                    content=attempt.body.encode(),
                    extensions={"timeout": timeouts},
                ) as response:
                    return _outcome(response.status, dict(response.headers))
        except TimeoutError:
            return Outcome(f"no answer within {seconds:g} s")
        except Exception as error:  # whatever a network can do
            return Outcome(f"{type(error).__name__}: {error}"[:300])

    def _note(self, turn: Turn, attempt: Attempt, outcome: Outcome) -> None:
        """Write how an attempt ended."""
        attempts, schedule = attempt.attempts + 1, self._service.settings.webhook_schedule
        changes: dict[str, Any] = {"attempts": attempts, "outcome": outcome.text}
        if outcome.is_delivered:
            changes["status"] = "delivered"
        elif attempts > len(schedule) or outcome.status == GONE:
            changes["status"] = "failed"
        else:
            changes["due"] = now() + _pause(microseconds(schedule[attempts - 1]), outcome.retry_after)
        row = (DELIVERIES.c.id == attempt.id) & (DELIVERIES.c.status == "pending")
        turn.connection.execute(update(DELIVERIES).where(row).values(**changes))
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
    secrets = [row.secret]
    if row.old_secret is not None and row.old_until > now():
        secrets.append(row.old_secret)
    about = json.dumps({"type": "cepheid.notification", "timestamp": shown(row.told)})
    data = as_json(row, with_profile=True)[:-1] + f', "name": {json.dumps(row.profile_name)}}}'
    body = f'{about[:-1]}, "data": {data}}}'
    message = f"{row.profile}_{row.match_id}"
    return Attempt(row.delivery, row.endpoint, row.attempts, row.url, tuple(secrets), message, body, row.told)


def _headers(attempt: Attempt) -> list[tuple[str, str]]:
    at = datetime.now(UTC)
    signatures = [Webhook(each).sign(attempt.message_id, at, attempt.body) for each in attempt.secrets]
    return [
        ("Content-Type", "application/json"),
        ("User-Agent", "cepheid"),
        ("webhook-id", attempt.message_id),
        ("webhook-timestamp", str(int(at.timestamp()))),
        ("webhook-signature", " ".join(signatures)),
    ]


def _outcome(status: int, headers: dict[bytes, bytes]) -> Outcome:
    lowered = {name.lower(): value for name, value in headers.items()}
    asked = lowered.get(b"retry-after", b"").decode("latin-1")
    return Outcome(f"answered {status}", status, retry_seconds(asked))


def retry_seconds(text: str) -> float:
    """What Retry-After asks for: a number of seconds, or a date."""
    if not text:
        return 0.0
    if text.strip().isdecimal():
        return min(float(text), LONGEST_WAIT)
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return 0.0
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
