"""What clocks show, against Python's own arithmetic of zones."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest

from cepheid.matchers.clocks import on_clocks

EPOCH = datetime(1970, 1, 1)
ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Apia"]


def shown(moment: datetime, zone: str) -> datetime:
    return moment.replace(tzinfo=UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None, fold=0)


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize(
    "years", [(1600, 1800), (1850, 1950), (1950, 2037), (2037, 2110), (2400, 3000), (9000, 9999)]
)
def test_all_ages(zone: str, years: tuple[int, int]) -> None:
    chance = random.Random(f"{zone} {years}")
    first, last = (datetime(year, 1, 2) for year in years)
    some = [
        first + timedelta(seconds=chance.randrange(int((last - first).total_seconds()))) for _ in range(400)
    ]
    given = pa.array(some, pa.timestamp("us")).cast(pa.int64())
    found = on_clocks(given, "us", zone).cast(pa.timestamp("us")).to_pylist()
    assert found == [shown(moment, zone) for moment in some]


@pytest.mark.parametrize("zone", ZONES)
def test_every_hour_of_some_years(zone: str) -> None:
    """To the second before and after each."""
    some = [datetime(2011, 1, 1) + timedelta(hours=n // 2, seconds=-(n % 2)) for n in range(2 * 24 * 366 * 2)]
    given = pa.array(some, pa.timestamp("ns")).cast(pa.int64())
    found = on_clocks(given, "ns", zone).cast(pa.timestamp("ns")).cast(pa.timestamp("us")).to_pylist()
    assert found == [shown(moment, zone) for moment in some]


def test_nulls_and_nothing_and_offsets() -> None:
    given = pa.array([0, None, -1], pa.int64())
    assert on_clocks(given, "us", "+05:30").to_pylist() == [19_800_000_000, None, 19_799_999_999]
    assert on_clocks(given, "us", "Europe/Berlin").to_pylist() == [3_600_000_000, None, 3_599_999_999]
    assert on_clocks(given.slice(0, 0), "us", "Europe/Berlin").to_pylist() == []


def test_times_beyond_the_calendar() -> None:
    far = pa.array([2**62, -(2**62)], pa.int64())
    ahead = np.subtract(on_clocks(far, "us", "Europe/Berlin"), far)
    assert ahead[0] in (3_600_000_000, 7_200_000_000)
    assert ahead[1] == 3_208_000_000  # the sun over Berlin
