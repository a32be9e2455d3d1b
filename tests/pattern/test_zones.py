"""Which moment a time on the clocks of a zone is, and which zone a time of a query is in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest

from cepheid.errors import QueryCheckError
from cepheid.events import EventSchema
from cepheid.language.sase.parse import parse_returns
from cepheid.pattern.zones import known_zone, moment_of, zone_of
from cepheid.plan.coerce import coerce

MOMENTS = [
    ("Europe/Berlin", "2024-07-01 12:00", "2024-07-01 10:00"),
    ("Europe/Berlin", "2024-03-31 01:59:59.999999", "2024-03-31 00:59:59.999999"),
    ("Europe/Berlin", "2024-03-31 02:00", "2024-03-31 01:00"),
    ("Europe/Berlin", "2024-03-31 02:59:59.999999", "2024-03-31 01:00"),
    ("Europe/Berlin", "2024-03-31 03:00", "2024-03-31 01:00"),
    ("Europe/Berlin", "2024-10-27 02:30", "2024-10-27 00:30"),
    ("Europe/Berlin", "2024-10-27 03:00", "2024-10-27 02:00"),
    ("America/New_York", "2024-03-10 02:30", "2024-03-10 07:00"),
    ("America/New_York", "2024-11-03 01:30", "2024-11-03 05:30"),
    ("Australia/Lord_Howe", "2024-10-06 02:15", "2024-10-05 15:30"),
    ("Australia/Lord_Howe", "2024-04-07 01:45", "2024-04-06 14:45"),
    ("Pacific/Apia", "2011-12-30 05:00", "2011-12-30 10:00"),  # a day that was left out
    ("America/Sao_Paulo", "2018-11-04", "2018-11-04 03:00"),  # no midnight
    ("+05:30", "2024-01-01", "2023-12-31 18:30"),
    ("-0330", "2024-01-01", "2024-01-01 03:30"),
]


@pytest.mark.parametrize(("name", "local", "utc"), MOMENTS, ids=lambda part: str(part))
def test_the_moment_of_a_local_time(name: str, local: str, utc: str) -> None:
    zone = known_zone(name)
    assert zone is not None
    found = moment_of(datetime.fromisoformat(local), zone)
    assert found == datetime.fromisoformat(utc).replace(tzinfo=UTC)


@pytest.mark.parametrize("end", [datetime.min, datetime.max])
def test_the_ends_of_the_calendar_have_moments(end: datetime) -> None:
    zone = known_zone("Europe/Berlin")
    assert zone is not None
    far = moment_of(end, zone) - datetime(1970, 1, 1, tzinfo=UTC)
    assert abs(far) > timedelta(days=365 * 1900)


@pytest.mark.parametrize("name", ["Europe/Nowhere", "", "+24:00", "+1", "Europe", "../etc/passwd"])
def test_what_is_no_zone(name: str) -> None:
    assert known_zone(name) is None


SCHEMA = EventSchema(
    pa.schema(
        [
            ("ts", pa.timestamp("us", "Europe/Berlin")),
            ("there", pa.timestamp("ms", "America/New_York")),
            ("bare", pa.timestamp("us")),
            ("day", pa.date32()),
            ("odd", pa.timestamp("us", "Europe/Nowhere")),
        ]
    ),
    "ts",
)
ZONES = [
    ("a.ts", "Europe/Berlin"),
    ("a.ts + 1 hour", "Europe/Berlin"),
    ("1 hour + max(a.there)", "America/New_York"),
    ("TIMESTAMP '2024-01-01' + (a.ts - a.there)", None),
    ("a.bare", None),
    ("a.day - 1 hour", None),
    ("last_time()", "Europe/Berlin"),
]


@pytest.mark.parametrize(("text", "zone"), ZONES)
def test_the_zone_of_an_expression(text: str, zone: str | None) -> None:
    (item,) = parse_returns(text)
    assert item.expression is not None
    assert zone_of(item.expression, SCHEMA) == zone


def test_a_zone_that_is_not_known_is_told_where_it_matters() -> None:
    (item,) = parse_returns("hour(a.odd) = 3")
    assert item.expression is not None
    with pytest.raises(QueryCheckError, match="Europe/Nowhere"):
        coerce(item.expression, SCHEMA)
    (item,) = parse_returns("a.odd = a.ts")
    assert item.expression is not None
    coerce(item.expression, SCHEMA)
