"""The profiles of the benchmark, and the events that are sent: readings of sensors, few of which are told."""

import json
import random
from collections.abc import Iterator
from typing import Any

ALARM = 99.5
"""A value that makes profiles tell; all others are below 99."""

TOLD = 0.01
"""The share of the events in a batch that has it."""

MOMENT = "2026-01-31T17:00:00.000000Z"
"""Stands in a body where the time goes when it is sent."""


def profile_bodies(count: int, webhook: str | None) -> Iterator[dict[str, Any]]:
    """So many profiles, one for each sensor: half of them wait for one reading, half for two in a row."""
    deliver = [] if webhook is None else [{"webhook": webhook}]
    for k in range(count):
        if k % 2:
            query = (
                f"PATTERN SEQ(Reading a, Reading b) WHERE a.sensor = {k} AND b.sensor = {k} AND a.value > 99 "
                "AND b.value > 99 WITHIN 10 s RETURN b.n AS n"
            )
        else:
            query = f"PATTERN Reading r WHERE r.sensor = {k} AND r.value > 99 WITHIN 1 s RETURN r.n AS n"
        body: dict[str, Any] = {"name": f"sensor {k}", "query": query, "deliver": deliver}
        yield body if k % 2 == 0 else body | {"select": {"a": "last"}, "consume": "unique"}


def reading(number: int, sensor: int, value: float) -> dict[str, Any]:
    """One event."""
    return {
        "type": "Reading",
        "time": MOMENT,
        "n": number,
        "sensor": sensor,
        "value": value,
        "unit": "°C",
        "floor": sensor % 12,
    }


def random_readings(count: int, sensors: int, seed: int) -> list[dict[str, Any]]:
    """Readings of sensors chosen at random."""
    chance = random.Random(seed)
    return [
        reading(number, chance.randrange(sensors), ALARM if chance.random() < TOLD else _usual(chance))
        for number in range(count)
    ]


def paced_readings(first: int, count: int, sensors: int, is_told: bool) -> list[dict[str, Any]]:
    """Readings of which the first is told, by a profile that waits for one alone, or none is."""
    chance = random.Random(first)
    found = [reading(first + k, chance.randrange(sensors), _usual(chance)) for k in range(count)]
    if is_told:
        found[0] |= {"sensor": 2 * chance.randrange(max(1, sensors // 2)), "value": ALARM}
    return found


def _usual(chance: random.Random) -> float:
    return round(chance.uniform(-20.0, 98.0), 1)


def body_of(events: Any) -> bytes:
    """Events as JSON."""
    return json.dumps(events, ensure_ascii=False).encode()
