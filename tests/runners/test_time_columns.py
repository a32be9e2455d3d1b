"""A window over every kind of time column."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import BindingError, CepheidError, QueryCheckError
from tests.runners.streams import BINDING, found

# an A, then a B at the very end of its window, just inside, and just outside
STEPS = (0, 5, 6, 7, 11)
KINDS = ("A", "B", "B", "A", "B")
EXACT = [(0, 1), (0, 2), (3, 4)]  # WITHIN 6 steps
HALF_OPEN = [(0, 1), (3, 4)]  # WITHIN < 6 steps


def answer(times: pa.Array, window: str, **binding: Any) -> list[tuple[int, int]]:
    table = pa.table({"time": times, "type": KINDS, "n": range(5)})
    query = cepheid.query(f"PATTERN SEQ(A a, B b) WITHIN {window} RETURN a.n, b.n AS m")
    whole = found(query.run(table, **BINDING, **binding))
    session = query.session(table.schema, **BINDING, **binding)
    parts = []
    for place in range(5):
        parts += found(session.push(table.slice(place, 1)))
        session = cepheid.resume(query, session.snapshot())
    assert parts == whole
    return whole


WHOLE = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
REAL = [pa.float32(), pa.float64()]


@pytest.mark.parametrize("kind", [*WHOLE, *REAL], ids=str)
def test_numbers(kind: pa.DataType) -> None:
    times = pa.array(STEPS, kind)
    assert answer(times, "6") == EXACT
    assert answer(times, "< 6") == HALF_OPEN
    assert answer(times, "6 s", time_unit="s") == EXACT
    assert answer(times, "< 0.1 min", time_unit="seconds") == HALF_OPEN
    assert answer(times, "6000 ms", time_unit="s") == EXACT
    assert answer(times, "6 hours", time_unit="h") == EXACT


@pytest.mark.parametrize("kind", REAL, ids=str)
def test_fractions(kind: pa.DataType) -> None:
    times = pa.array([step / 4 for step in STEPS], kind)
    assert answer(times, "1.5") == EXACT
    assert answer(times, "< 1.5") == HALF_OPEN
    assert answer(times, "1500 ms", time_unit="s") == EXACT


def test_a_fraction_of_a_tick_is_cut() -> None:
    assert answer(pa.array(STEPS), "6.9") == EXACT
    assert answer(pa.array(STEPS), "< 6.1") == EXACT
    assert answer(pa.array(STEPS), "5.9") == HALF_OPEN


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin", "+05:30"])
def test_timestamps(unit: str, zone: str | None) -> None:
    start = datetime(2024, 3, 31, 0, 58, tzinfo=UTC if zone else None)  # clocks change within the stream
    times = pa.array([start + timedelta(minutes=step) for step in STEPS], pa.timestamp(unit, zone))
    assert answer(times, "6 min") == EXACT
    assert answer(times, "< 6 min") == HALF_OPEN
    assert answer(times, "360 seconds") == EXACT
    assert answer(times, "0.1 hours") == EXACT
    assert answer(times, "359999 ms") == HALF_OPEN


@pytest.mark.parametrize("kind", [pa.date32(), pa.date64()], ids=str)
def test_dates(kind: pa.DataType) -> None:
    times = pa.array([date(2024, 2, 27) + timedelta(days=step) for step in STEPS], kind)
    assert answer(times, "6 days") == EXACT
    assert answer(times, "< 6 days") == HALF_OPEN
    assert answer(times, "144 hours") == EXACT
    assert answer(times, "143 hours") == HALF_OPEN
    assert answer(times, "1 week") == EXACT


def test_before_the_epoch() -> None:
    times = pa.array([datetime(1969, 12, 31, 23, 55) + timedelta(minutes=step) for step in STEPS])
    assert answer(times, "6 min") == EXACT
    assert answer(pa.array([step - 6 for step in STEPS]), "6") == EXACT


def test_a_dictionary_of_times() -> None:
    assert answer(pa.array(STEPS).dictionary_encode(), "6") == EXACT


def test_windows_of_events_need_no_unit() -> None:
    times = pa.array([datetime(2024, 1, 1) + timedelta(minutes=step) for step in STEPS])
    assert answer(times, "2 EVENTS") == [(0, 1), (3, 4)]


def test_the_times_come_out_as_they_went_in() -> None:
    kind = pa.timestamp("ms", "Europe/Berlin")
    table = pa.table({"time": pa.array([0, 60_000], kind), "type": ["A", "A"]})
    query = cepheid.query(
        "PATTERN A+ a[] WITHIN 1 h "
        "RETURN first_time() AS f, last_time() AS l, a[1].time AS t, max(a.time) AS m"
    )
    result = query.run(table, **BINDING).table
    assert [result.schema.field(name).type for name in "fltm"] == [kind] * 4
    assert result.column("l").cast(pa.int64()).to_pylist() == [0, 60_000, 60_000]
    assert result.column("m").equals(result.column("l"))


NOT_TIMES = {
    "text": pa.array(["1"]),
    "truth": pa.array([True]),
    "list": pa.array([[1]]),
    "null": pa.nulls(1),
    "duration": pa.array([timedelta(1)]),
    "time of day": pa.array([1], pa.time32("s")),
    "decimal": pa.array([1]).cast(pa.decimal128(20, 0)),
    "binary": pa.array([b"1"]),
}


@pytest.mark.parametrize("times", NOT_TIMES.values(), ids=NOT_TIMES.keys())
def test_no_time(times: pa.Array) -> None:
    with pytest.raises(BindingError, match=r"'time' is .*, which is not a time: it should be an integer"):
        cepheid.query("PATTERN ANY a").run(pa.table({"time": times}), time="time")


def test_units_and_columns_must_fit() -> None:
    stamped = pa.table({"time": pa.array([1], pa.timestamp("s"))})
    numbers = pa.table({"time": [1]})
    bare, with_unit = cepheid.query("PATTERN ANY a WITHIN 5"), cepheid.query("PATTERN ANY a WITHIN 5 min")
    with pytest.raises(QueryCheckError, match="5 has no unit"):
        bare.run(stamped, time="time")
    with pytest.raises(QueryCheckError, match=r'5 min has a unit.*\n(.*\n)*.*time_unit="min"'):
        with_unit.run(numbers, time="time")
    with pytest.raises(BindingError, match="time_unit= is for numeric time columns"):
        with_unit.run(stamped, time="time", time_unit="s")
    for unit in ("parsec", "", 5):
        with pytest.raises(CepheidError, match="is no unit: use ns, us"):
            with_unit.run(numbers, time="time", time_unit=unit)  # type: ignore[arg-type]


def test_a_literal_beyond_nanoseconds_compares_as_far_off() -> None:
    table = pa.table({"ts": pa.array([1, 2], pa.timestamp("ns")), "kind": ["A", "B"]})
    for condition in (
        "b.ts < '9999-12-31'",
        "b.ts - a.ts < 400000 weeks",
        "b.ts > '0001-01-01' OR a.ts = b.ts",
    ):
        query = cepheid.query(f"PATTERN SEQ(A a, B b) WHERE {condition}")
        assert len(query.run(table, time="ts", type="kind")) == 1
