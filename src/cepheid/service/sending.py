"""How a notification is sent, one function a way: a webhook, an alert, or a message.

A function makes one attempt, and says how it ended. It does not repeat the address, which may hold secrets.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpcore2
from standardwebhooks import Webhook
from starlette.concurrency import run_in_threadpool

from cepheid.service.addresses import AddressGuard, GuardedNetwork
from cepheid.service.channels import ALERTMANAGER, APPRISE
from cepheid.service.history import as_json
from cepheid.service.moments import shown

AT_ONCE = 64  # connections of each scheme
KEPT_ALIVE = 4.0  # seconds for which a connection waits for another webhook: many servers end one after 5
LONGEST_ANSWER, REST_OF_IT = 64 * 1024, 1.0  # bytes and seconds that are read of an answer's body
LONGEST_WAIT = 24 * 3600.0  # that an endpoint may ask for
WEBHOOK = "webhook"

Headers = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One delivery that is due."""

    id: int
    endpoint: int
    attempts: int
    kind: str | None  # None: the channel is there no more
    url: str
    secrets: tuple[str, ...]
    labels: dict[str, str]
    notification: Any  # its row, with the profile's name
    told: int

    @property
    def message_id(self) -> str:
        """The same at every attempt."""
        return f"{self.notification.profile}_{self.notification.match_id}"


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


class Courier:
    """The client of everything that goes out over HTTP: only to addresses that were checked."""

    def __init__(self, guard: AddressGuard, seconds: float) -> None:
        self.seconds = seconds
        limits: dict[str, Any] = {"max_connections": AT_ONCE, "keepalive_expiry": KEPT_ALIVE}
        self._pools = {
            scheme: httpcore2.AsyncConnectionPool(
                network_backend=GuardedNetwork(guard, scheme == "https"), **limits
            )
            for scheme in ("https", "http")
        }

    async def post(self, url: str, headers: Headers, body: str) -> Outcome:
        """Send JSON; redirects are not followed."""
        timeouts = dict.fromkeys(("connect", "read", "write", "pool"), self.seconds)
        whole = [("Content-Type", "application/json"), ("User-Agent", "cepheid"), *headers]
        try:
            async with asyncio.timeout(self.seconds):
                async with self._pools[url.partition(":")[0].lower()].stream(
                    "POST", url, headers=whole, content=body.encode(), extensions={"timeout": timeouts}
                ) as response:
                    outcome = _outcome(response.status, dict(response.headers))
                    await _read_to_its_end(response)
                    return outcome
        except TimeoutError:
            return Outcome(f"no answer within {self.seconds:g} s")
        except Exception as error:  # whatever a network can do
            return Outcome(f"{type(error).__name__}: {error}"[:300])

    async def close(self) -> None:
        """End all connections."""
        for pool in self._pools.values():
            await pool.aclose()


async def _read_to_its_end(response: httpcore2.Response) -> None:
    """Nobody wants the body, but only a connection that has no more to read can be used again."""
    taken = 0
    with contextlib.suppress(TimeoutError, httpcore2.NetworkError, httpcore2.ProtocolError):
        async with asyncio.timeout(REST_OF_IT):
            async for piece in response.aiter_stream():
                taken += len(piece)
                if taken > LONGEST_ANSWER:
                    return


async def send(attempt: Attempt, courier: Courier) -> Outcome:
    """Make an attempt."""
    if attempt.kind is None:
        return Outcome("the channel is there no more")
    return await SENDERS[attempt.kind](attempt, courier)


# -- webhooks --------------------------------------------------------------------------------------


async def _webhook(attempt: Attempt, courier: Courier) -> Outcome:
    body = webhook_body(attempt.notification)
    return await courier.post(attempt.url, _signed(attempt, body), body)


def webhook_body(row: Any) -> str:
    """What a webhook holds of a notification."""
    about = json.dumps({"type": "cepheid.notification", "timestamp": shown(row.told)})
    data = as_json(row, with_profile=True)[:-1] + f', "name": {json.dumps(row.profile_name)}}}'
    return f'{about[:-1]}, "data": {data}}}'


def _signed(attempt: Attempt, body: str) -> Headers:
    at = datetime.now(UTC)
    signatures = [Webhook(each).sign(attempt.message_id, at, body) for each in attempt.secrets]
    return [
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


# -- alerts and messages ---------------------------------------------------------------------------


async def _alert(attempt: Attempt, courier: Courier) -> Outcome:
    """One alert for each match, by the second version of Alertmanager's API."""
    return await courier.post(f"{attempt.url}/api/v2/alerts", [], json.dumps([alert(attempt)]))


def alert(attempt: Attempt) -> dict[str, Any]:
    """A notification as an alert: labels tell it from others, and annotations say what was found."""
    row = attempt.notification
    own = {"alertname": row.profile_name, "profile": row.profile, "match_id": row.match_id}
    return {
        "labels": attempt.labels | own,
        "annotations": {"summary": row.profile_name, "match": row.match},
        "startsAt": shown(row.time),
    }


async def _message(attempt: Attempt, courier: Courier) -> Outcome:
    from cepheid.service.notes import sent_note

    row = attempt.notification
    text = f"{shown(row.time)}\n{row.match}"
    try:
        async with asyncio.timeout(courier.seconds):
            taken = await run_in_threadpool(sent_note, attempt.url, row.profile_name, text)
    except TimeoutError:
        return Outcome(f"no answer within {courier.seconds:g} s")
    except Exception as error:  # what it says may hold the address
        return Outcome(f"the channel failed: {type(error).__name__}")
    return Outcome("sent", 200) if taken else Outcome("the channel did not take it")


SENDERS: dict[str, Callable[[Attempt, Courier], Awaitable[Outcome]]] = {
    WEBHOOK: _webhook,
    ALERTMANAGER: _alert,
    APPRISE: _message,
}


def secrets_of(row: Any, at: int) -> Sequence[str]:
    """What signs: the secret, and for a day the one before it."""
    old = row.old_secret is not None and row.old_until > at
    return (row.secret, row.old_secret) if old else (row.secret,)
