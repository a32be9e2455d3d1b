"""A day in a building, up to now: what the pages of the tests show."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from tests.service.serving import RunningService, iso

HOURS = 20
BURGLARS = "PATTERN SEQ(WindowBroken w, Presence p)\nWHERE   [office]\nWITHIN  10 min"
HOT = (
    "PATTERN Temperature t\nWHERE   t.value > 26\nWITHIN  1 s\nRETURN  t.office AS office, t.value AS degrees"
)


def day(now: datetime) -> list[dict[str, Any]]:
    """Temperatures every ten minutes in six offices, people who come and go, and three broken windows."""
    dice, found = Random(7), []
    start = now.replace(minute=0, second=0, microsecond=0) - timedelta(hours=HOURS)
    for minute in range(0, HOURS * 60 - 10, 10):
        for office in range(1, 7):
            when = start + timedelta(minutes=minute, seconds=office)
            warm = 21 + 4 * (minute // 60 % 12) / 11 + dice.gauss(0, 0.9)
            found.append(
                {"type": "Temperature", "time": iso(when), "office": office, "value": round(warm, 1)}
            )
        if dice.random() < 0.5:
            when = start + timedelta(minutes=minute, seconds=dice.randrange(100, 500))
            found.append({"type": "Presence", "time": iso(when), "office": dice.randrange(1, 7)})
    for hour, office in ((3, 2), (9, 5), (15, 2)):
        when = start + timedelta(hours=hour, seconds=30)
        found.append({"type": "WindowBroken", "time": iso(when), "office": office})
        found += [
            {"type": "Presence", "time": iso(when + timedelta(minutes=n)), "office": office} for n in (2, 6)
        ]
    return sorted(found, key=lambda event: str(event["time"]))


def burglary(service: RunningService, office: int) -> None:
    """A window breaks and somebody comes, now."""
    now = datetime.now(UTC)
    events = [("WindowBroken", 0), ("Presence", 1)]
    service.send(
        *(
            {"type": kind, "time": iso(now + timedelta(milliseconds=n)), "office": office}
            for kind, n in events
        )
    )
