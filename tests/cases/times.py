"""Times of random cases: in zones whose clocks change near them, and without a zone; conditions on them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from tests.cases.dice import Dice

CHANGES: dict[str, tuple[datetime, datetime]] = {
    "Europe/Berlin": (datetime(2024, 3, 31, 1), datetime(2024, 10, 27, 1)),
    "America/New_York": (datetime(2024, 3, 10, 7), datetime(2024, 11, 3, 6)),
    "Australia/Lord_Howe": (datetime(2024, 10, 5, 15, 30), datetime(2024, 4, 6, 15)),
}
"""When clocks go on and when they go back in 2024, in UTC."""

ZONES = tuple(CHANGES)
AROUND = [timedelta(minutes=minutes) for minutes in (-1, 0, 29, -31, 61, -90, 150, 0, -1440, 725)]
WRITTEN: dict[str, tuple[str, ...]] = {
    "Europe/Berlin": ("2024-03-31 02:30", "2024-10-27 02:30", "2024-03-31", "2024-10-27 03:00", "2024-10-27"),
    "America/New_York": (
        "2024-03-10 02:10",
        "2024-11-03 01:30",
        "2024-03-10 03:00",
        "2024-11-03",
        "2024-03-11",
    ),
    "Australia/Lord_Howe": (
        "2024-10-06 02:15",
        "2024-04-07 01:45",
        "2024-10-06",
        "2024-04-07 02:00",
        "2024-04-06",
    ),
}
"""Of each zone a time in the gap, one that clocks show twice, and others."""

COMPARED = (
    "{} > '{w}'",
    "{} <= '{w}'",
    "{} >= '{w}'",
    "{} != '{w}'",
    "{} IN ('{w}', TIMESTAMP '{u}')",
    "{} BETWEEN '{w}' AND '{u}'",
    "{} NOT BETWEEN TIMESTAMP '{w}' AND '{u}'",
    "{} + 1 hour <= '{w}'",
    "TIMESTAMP '{w}' - 30 min < {}",
    "{} - TIMESTAMP '{w}' < 1 hour",
    "{} < '{w}T00:15+01:00'",
    "{} NOT IN ('{w}')",
    "coalesce({}, TIMESTAMP '{u}') <= '{w}'",
)
TAKEN_APART = (
    "hour({}) >= 2",
    "hour({}) IN (1, 2, 12)",
    "minute({}) < 30",
    "minute({}) != 14",
    "second({}) < 30",
    "day({}) IN (31, 27, 10, 3, 1)",
    "month({}) IN (3, 10, 1)",
    "year({}) = 2024",
    "day_of_week({}) = 7",
    "day_of_week({}) < 6",
    "time_of_day({}) >= '02:15'",
    "time_of_day({}) BETWEEN '01:00' AND '02:30'",
    "time_of_day({}) < '12:00:30'",
    "hour({} + 90 min) <= 3",
    "time_of_day({} - 1 hour) < '02:00'",
)
OR_ELSE = (
    # clocks of every zone show this time: beside a null, plain values tell the oracle no zone
    "hour(coalesce({}, TIMESTAMP '2024-03-31 01:30')) < 3",
    "CASE WHEN minute({0}) = 0 THEN {0} END <= '2024-03-31 12:00'",
)


def moments(zone: str) -> list[datetime | None]:
    """Times around both changes of a zone's clocks."""
    near = [change + apart for apart in AROUND for change in CHANGES[zone]]
    return [*(in_zone(time, zone) for time in near), None]


def instant(time: Any) -> Any:
    """What orders times. Python compares two of one zone by clocks, which show an hour twice."""
    return time.timestamp() if isinstance(time, datetime) and time.tzinfo is not None else time


def in_zone(time: datetime, zone: str) -> datetime:
    """A time of UTC as clocks in the zone show it."""
    return time.replace(tzinfo=UTC).astimezone(ZoneInfo(zone))


def condition(dice: Dice, reference: str, zone: str) -> str:
    """A condition on one time. What is computed from several events, or instead of one that may not be there,
    is compared, and not taken apart: a zone's calendar is not known to kernels."""
    if "(" in reference or dice.chance(45):
        form = str(dice.pick(COMPARED))
        first, second = sorted((dice.pick(WRITTEN[zone]), dice.pick(WRITTEN[zone])))
        return form.replace("{w}T", "{day}T").format(reference, w=first, u=second, day=first[:10])
    is_surely_there = not re.search(r"\[\d\]", reference)
    return str(dice.pick((*TAKEN_APART, *OR_ELSE) if is_surely_there else TAKEN_APART)).format(reference)
