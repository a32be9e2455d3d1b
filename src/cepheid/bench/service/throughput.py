"""How many events a second are accepted: in batches, and one by one over many connections."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from statistics import median

from cepheid.bench.harness import in_turn, median_ratio
from cepheid.bench.results import Chart, Figure, Section, at_least, no_bar
from cepheid.bench.service.events import body_of, random_readings
from cepheid.bench.service.load import request, send_all, stamped
from cepheid.bench.service.sides import TOKEN, ServiceSides
from cepheid.bench.service.sizes import BATCH, BATCH_CONNECTIONS, CONNECTIONS, ServiceSizes

BATCH_BAR, SINGLE_BAR = 0.5, 0.6
WITH, OFF, BARE = "with profiles", "matching off", "bare route"

Rounds = dict[str, list[float]]
"""The seconds of each round, by side."""


def throughput(sides: ServiceSides) -> Section:
    """Both measurements, on the same processes."""
    sizes = sides.sizes
    batches, singles = _batches(sizes), _singles(sizes)
    by_batch = _measured({WITH: sides.service, OFF: sides.off}, batches, BATCH_CONNECTIONS, sizes.rounds)
    by_one = _measured({WITH: sides.service, BARE: sides.bare}, singles, CONNECTIONS, sizes.rounds)
    rows = [
        *_rows(f"batches of {BATCH}", by_batch, len(batches) * BATCH),
        *_rows(f"one by one, {CONNECTIONS} connections", by_one, len(singles)),
    ]
    figures = (
        _share("batches: throughput to that with matching off", BATCH_BAR, by_batch, OFF),
        _share("single events: throughput to that of a bare route", SINGLE_BAR, by_one, BARE),
        *(no_bar(f"{row['sent']}, {row['side']}", f"{row['events/s']:,} events/s") for row in rows),
    )
    return Section(
        f"Throughput with {sizes.profiles:,} profiles",
        "The sides take turns, round by round, on the clock on the wall; one process each, and the client is "
        f"another. Batches come over {BATCH_CONNECTIONS} connections. With matching off, the same route "
        "reads, judges, writes and syncs the same events. The bare route has the same server and framework, "
        "writes and syncs the same bodies in groups as large, and does nothing else. One event in a hundred "
        "is told.",
        tuple(rows),
        (Chart("side", "events/s", kind="bar", title="Events a second"),),
        figures,
        tuple({**row, "side": f"{row['sent']}: {row['side']}"} for row in rows),
    )


def _batches(sizes: ServiceSizes) -> list[bytes]:
    events = random_readings(sizes.batches * BATCH, sizes.profiles, seed=1)
    pieces = (events[k : k + BATCH] for k in range(0, len(events), BATCH))
    return [request("/events", body_of(piece), TOKEN) for piece in pieces]


def _singles(sizes: ServiceSizes) -> list[bytes]:
    events = random_readings(sizes.single_events, sizes.profiles, seed=2)
    return [request("/events", body_of(event), TOKEN) for event in events]


def _measured(sides: Mapping[str, str], requests: Sequence[bytes], count: int, rounds: int) -> Rounds:
    """A round of each side is thrown away first."""
    spent: Rounds = {name: [] for name in sides}
    for turn in range(rounds + 1):
        for name in in_turn(list(sides), turn):
            seconds = asyncio.run(_timed(sides[name], stamped(requests), count))
            if turn:
                spent[name].append(seconds)
    return spent


async def _timed(address: str, requests: Sequence[bytes], count: int) -> float:
    began = time.perf_counter()
    await send_all(address, requests, count)
    return time.perf_counter() - began


def _rows(sent: str, spent: Rounds, events: int) -> list[dict[str, object]]:
    return [
        {
            "sent": sent,
            "side": name,
            "events/s": round(events / median(seconds)),
            "best events/s": round(events / min(seconds)),
            "rounds": len(seconds),
        }
        for name, seconds in spent.items()
    ]


def _share(name: str, bar: float, spent: Rounds, other: str) -> Figure:
    value = median_ratio(spent[other], spent[WITH])
    best = min(spent[other]) / min(spent[WITH])
    return at_least(name, bar, value, f"round by round, in the middle; by the best rounds {best:.2f}×")
