"""How long it takes from an event to its webhook, while events come at a steady rate."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cepheid.bench.harness import in_turn
from cepheid.bench.results import Chart, Section, at_most, no_bar
from cepheid.bench.service.events import body_of, paced_readings
from cepheid.bench.service.load import BareConnection, connections, request, stamped
from cepheid.bench.service.receiving import WebhookTimes
from cepheid.bench.service.sides import TOKEN, ServiceSides
from cepheid.bench.service.sizes import ServiceSizes
from cepheid.errors import CepheidError

BAR = 3.0
TOGETHER, TOLD_EVERY = 10, 2  # events in a request; requests for each that is told
OPEN = 16  # connections
PATIENCE = 30.0  # seconds for the last webhooks
SERVICE, RELAY = "service", "bare relay"
FROM = {"sent": "from sending an event to its webhook", "answered": "from its answer to its webhook"}
QUANTILES = {"median": 50, "99 %": 99}


@dataclass(slots=True)
class PacedRound:
    """When the events that are told were sent and answered."""

    sent: dict[int, float] = field(default_factory=dict)
    answered: dict[int, float] = field(default_factory=dict)
    behind: float = 0.0  # the most that a request was sent too late


def delay(sides: ServiceSides) -> Section:
    """The service with profiles that have webhooks, and a relay that sends the same events on."""
    sizes = sides.sizes
    both = {SERVICE: sides.service, RELAY: sides.relay}
    found, behind = asyncio.run(_measured(both, sides.webhooks, sizes))
    rows = [_row(since, side, times) for since in FROM for side, times in found[since].items()]
    figures = [
        at_most(
            f"{FROM[since]}: {name} to that of a bare relay",
            BAR,
            _at(found[since][SERVICE], q) / max(_at(found[since][RELAY], q), 1e-6),
            f"{_at(found[since][SERVICE], q) * 1e3:.1f} ms and {_at(found[since][RELAY], q) * 1e3:.1f} ms",
        )
        for since in FROM
        for name, q in QUANTILES.items()
    ]
    late = no_bar("requests: the most that one was sent too late", f"{behind * 1e3:.0f} ms")
    return Section(
        f"Delay at {sizes.rate:,} events a second with {sizes.profiles:,} profiles",
        f"Requests of {TOGETHER} events, evenly in time; of every {TOLD_EVERY} requests, one has an event "
        "that is told, by webhook. The relay writes and syncs the same, and then sends that event on, with "
        "the same client, without an outbox and without a signature. Both take turns; sender, receiver and "
        "their clock are one process.",
        tuple(rows),
        (Chart("what", "median ms", kind="bar", title="Median delay"),),
        (*figures, late),
        tuple({**row, "what": f"{row['side']}, {row['from']}"} for row in rows),
    )


async def _measured(
    sides: Mapping[str, str], webhooks: socket.socket, sizes: ServiceSizes
) -> tuple[dict[str, dict[str, list[float]]], float]:
    receiver = WebhookTimes()
    found: dict[str, dict[str, list[float]]] = {since: {side: [] for side in sides} for since in FROM}
    first, behind = 0, 0.0
    async with receiver.listening(webhooks):
        for turn in range(sizes.delay_rounds + 1):
            for name in in_turn(list(sides), turn):
                seconds = sizes.delay_seconds if turn else sizes.delay_seconds / 2
                count = int(sizes.rate * seconds) // TOGETHER
                one = await _paced(sides[name], first, count, sizes)
                first += count * TOGETHER
                await _all_came(one, receiver)
                if not turn:  # it opens connections, and loads what is loaded once
                    continue
                behind = max(behind, one.behind)
                for since in FROM:
                    moments = getattr(one, since)
                    found[since][name] += [max(0.0, receiver.came[n] - moments[n]) for n in moments]
    return found, behind


async def _paced(address: str, first: int, count: int, sizes: ServiceSizes) -> PacedRound:
    """Send requests at their times, over whichever connection is free."""
    one, sending = PacedRound(), []
    requests = _requests(first, count, sizes.profiles)
    free: asyncio.Queue[BareConnection] = asyncio.Queue()

    async def send(number: int, body: bytes) -> None:
        connection = await free.get()
        one.sent[number] = time.perf_counter()
        await connection.ask(body)
        one.answered[number] = time.perf_counter()
        free.put_nowait(connection)

    async with connections(address, OPEN) as opened:
        for each in opened:
            free.put_nowait(each)
        began, pause = time.perf_counter(), TOGETHER / sizes.rate
        for place, (number, body) in enumerate(requests):
            left = began + place * pause - time.perf_counter()
            if left > 0:
                await asyncio.sleep(left)
            one.behind = max(one.behind, -left)
            sending.append(asyncio.create_task(send(number, body)))
        await asyncio.gather(*sending)
    told = set(range(first, first + count * TOGETHER, TOGETHER * TOLD_EVERY))
    one.sent = {n: moment for n, moment in one.sent.items() if n in told}
    one.answered = {n: moment for n, moment in one.answered.items() if n in told}
    return one


def _requests(first: int, count: int, sensors: int) -> list[tuple[int, bytes]]:
    found = []
    for place in range(count):
        number = first + place * TOGETHER
        events = paced_readings(number, TOGETHER, sensors, place % TOLD_EVERY == 0)
        found.append((number, request("/events", body_of(events), TOKEN)))
    bodies = stamped(body for _, body in found)
    return [(number, body) for (number, _), body in zip(found, bodies, strict=True)]


async def _all_came(one: PacedRound, receiver: WebhookTimes) -> None:
    deadline = time.perf_counter() + PATIENCE
    while missing := one.sent.keys() - receiver.came.keys():
        if time.perf_counter() > deadline:
            raise CepheidError(f"{len(missing)} of {len(one.sent)} webhooks never came")
        await asyncio.sleep(0.05)


def _row(since: str, side: str, times: list[float]) -> dict[str, Any]:
    figures = {f"{name} ms": round(_at(times, q) * 1e3, 2) for name, q in QUANTILES.items()}
    return {"from": since, "side": side, **figures, "most ms": round(max(times) * 1e3, 1), "told": len(times)}


def _at(times: list[float], q: int) -> float:
    return float(np.percentile(times, q))
