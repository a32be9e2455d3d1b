"""The profiles of the benchmark, and the events that are sent: readings of sensors, few of which are told."""

import json
import random
from collections.abc import Iterator
from typing import Any

ALARM = 99.5
"""A value that makes profiles tell; all others are below 99."""

ALARMS = 0.02
"""The share of the events in a batch that has it: one half is told, the other begins a sequence."""

MOMENT = "2026-01-31T17:00:00.000000Z"
"""Stands in a body where the time goes when it is sent."""


def profile_bodies(count: int, webhook: str | None) -> Iterator[dict[str, Any]]:
    """So many profiles, one for each sensor. Those of even sensors wait for one reading and have a webhook.
    Of the others, half wait for one reading and half for two in a row; they only have a history."""
    for k in range(count):
        query = f"PATTERN Reading r WHERE r.sensor = {k} AND r.value > 99 WITHIN 1 s RETURN r.n AS n"
        body: dict[str, Any] = {"name": f"sensor {k}", "query": query}
        if k % 4 == 3:
            body["query"] = (
                f"PATTERN SEQ(Reading a, Reading b) WHERE a.sensor = {k} AND b.sensor = {k} AND a.value > 99 "
                "AND b.value > 99 WITHIN 10 s RETURN b.n AS n"
            )
            body |= {"select": {"a": "last"}, "consume": "unique"}
        yield body | ({"deliver": [{"webhook": webhook}]} if k % 2 == 0 and webhook is not None else {})


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
    """Readings of sensors chosen at random; alarms come from those without a webhook."""
    chance, found = random.Random(seed), []
    for number in range(count):
        if chance.random() < ALARMS:
            found.append(reading(number, 2 * chance.randrange(sensors // 2) + 1, ALARM))
        else:
            found.append(reading(number, chance.randrange(sensors), _usual(chance)))
    return found


def paced_readings(first: int, count: int, sensors: int, is_told: bool) -> list[dict[str, Any]]:
    """Readings of which the first is told, by a profile with a webhook, or none is."""
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
