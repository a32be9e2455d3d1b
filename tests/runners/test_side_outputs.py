"""Late and bad events: never used, never lost in silence."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import CepheidError, EventError
from tests.runners.streams import BINDING, QUERY, ROWS, TABLE, found

GOOD = {"time": 9, "type": "A", "x": 1, "s": "p"}
INT, FLOAT, TEXT = pa.int64(), pa.float64(), pa.string()


def session(**options: Any) -> Any:
    return QUERY.session(TABLE.schema, **BINDING, **options)


# -- late ------------------------------------------------------------------------------------------


def test_an_event_is_late_by_the_watermark_as_it_arrived() -> None:
    stream = session(lateness=2)
    stream.push([{**GOOD, "time": t} for t in (10, 8, 7, 12, 10, 9)])
    assert stream.late.column("time").to_pylist() == [7, 9]
    assert set(stream.late.column("reason").to_pylist()) == {"behind the watermark"}
    assert stream.stats["late"] == 2


def test_an_event_at_the_watermark_is_not_late() -> None:
    stream = session()
    stream.push(ROWS[1])
    stream.push({**GOOD, "time": 2})
    stream.advance(5)
    stream.push({**GOOD, "time": 5})
    assert stream.stats["late"] == 0
    stream.push({**GOOD, "time": 4})
    assert stream.stats["late"] == 1


def test_nothing_in_a_table_is_late() -> None:
    result = QUERY.run(TABLE.take([3, 2, 1, 0]), **BINDING)
    assert result.stats["late"] == result.late.num_rows == 0
    assert result.late.column_names == [*TABLE.column_names, "reason"]


# -- bad -------------------------------------------------------------------------------------------

BAD: list[tuple[str, dict[str, Any], str]] = [
    ("no time", {"time": None}, "'time' is no time"),
    ("a missing time", {"x": 1}, "'time' is no time"),
    ("text for a time", {"time": "soon"}, "time: 'soon' does not fit int64"),
    ("a fraction for a whole number", {"time": 9, "x": 1.5}, "x: 1.5 does not fit int64"),
    ("a decimal fraction", {"time": 9, "x": Decimal("1.5")}, "x: Decimal('1.5') does not fit int64"),
    ("NaN for a whole number", {"time": 9, "x": float("nan")}, "x: nan does not fit int64"),
    ("a number too large", {"time": 9, "x": 2**64}, "x: 18446744073709551616 does not fit int64"),
    ("a truth value for a number", {"time": 9, "x": True}, "x: True does not fit int64"),
    ("text for a number", {"time": 9, "x": "1"}, "x: '1' does not fit int64"),
    ("a number for text", {"time": 9, "s": 1}, "s: 1 does not fit string"),
    ("a number for the type", {"time": 9, "type": 1}, "type: 1 does not fit string"),
    ("bytes for text", {"time": 9, "s": b"p"}, "s: b'p' does not fit string"),
    ("half a character", {"time": 9, "s": "\ud800"}, "s: '\\ud800' does not fit string"),
    ("a list for a number", {"time": 9, "x": [1]}, "x: [1] does not fit int64"),
    ("a timestamp for a number", {"time": 9, "x": datetime(2024, 1, 1)}, "does not fit int64"),
    ("an object", {"time": 9, "x": object()}, "does not fit int64"),
]


@pytest.mark.parametrize(("row", "reason"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
@pytest.mark.parametrize("alone", [True, False])
def test_bad_dicts(row: dict[str, Any], reason: str, alone: bool) -> None:
    stream = session()
    stream.push([row] if alone else [GOOD, row, GOOD])
    assert stream.stats["bad"] == stream.bad.num_rows == 1
    assert reason in stream.bad.column("reason")[0].as_py()
    assert stream.stats["events"] == (0 if alone else 2)


def test_what_fits_well_enough() -> None:
    stream = session()
    rows = [
        {"time": 9.0, "x": np.int8(3)},
        {"time": np.int64(9), "x": Decimal(3)},
        {"time": 9, "x": None},
        {"time": 9, "more": 1},
    ]
    stream.push(rows)
    assert stream.stats["bad"] == 0
    assert stream.stats["events"] == 4


TABLES: list[tuple[str, dict[str, Any], list[str]]] = [
    ("text for numbers", {"time": [1, 2], "x": ["1", None]}, ["x: '1' does not fit int64"]),
    ("some fractions", {"time": [1, 2], "x": [1.5, 2.0]}, ["x: 1.5 does not fit int64"]),
    ("numbers for text", {"time": [1, 2], "s": [1, None]}, ["s: 1 does not fit string"]),
    ("lists", {"time": [1, 2], "x": [[1], None]}, ["x: [1] does not fit int64"]),
    ("structs", {"time": [1, 2], "x": [{"a": 1}, None]}, ["x: {'a': 1} does not fit int64"]),
    ("uint64", {"time": [1, 2], "x": pa.array([2**63, 1], pa.uint64())}, [f"x: {2**63} does not fit int64"]),
    ("NaN times", {"time": [float("nan"), 2.0]}, ["time: nan does not fit int64"]),
    ("infinite times", {"time": [float("inf"), 2.0]}, ["time: inf does not fit int64"]),
    ("moments for numbers", {"time": pa.array([1, None], pa.timestamp("s"))}, ["does not fit", "is no time"]),
    ("no time column", {"x": [1]}, ["'time' is no time"]),
]


@pytest.mark.parametrize(("columns", "reasons"), [row[1:] for row in TABLES], ids=[row[0] for row in TABLES])
def test_bad_tables(columns: dict[str, Any], reasons: list[str]) -> None:
    stream = session()
    stream.push(pa.table(columns))
    found_reasons = stream.bad.column("reason").to_pylist()
    assert len(found_reasons) == len(reasons)
    assert all(part in reason for part, reason in zip(reasons, found_reasons, strict=True))


def test_a_table_with_other_widths_fits() -> None:
    stream = session()
    other = pa.table(
        {
            "s": pa.array(["p"], pa.large_string()),
            "x": pa.array([1], pa.int8()),
            "time": [1.0],
            "type": pa.array(["A"]).dictionary_encode(),
            "more": [1],
        }
    )
    stream.push(other)
    assert (stream.stats["bad"], stream.stats["events"]) == (0, 1)


REALS = {"time": FLOAT, "type": TEXT}


@pytest.mark.parametrize("time", [None, float("nan"), float("inf"), float("-inf")])
def test_times_that_are_none(time: float | None) -> None:
    query = cepheid.query("PATTERN A a")
    table = pa.table({"time": pa.array([time, 1.0], FLOAT), "type": ["A", "A"]})
    result = query.run(table, **BINDING)
    assert (len(result), result.stats["bad"]) == (1, 1)
    stream = query.session(REALS, **BINDING)
    stream.push(table)
    assert (stream.stats["events"], stream.stats["bad"], stream.watermark) == (1, 1, 1.0)


def test_whole_numbers_beyond_int64_are_bad_only_where_they_are_computed_with() -> None:
    huge = pa.table({"time": [1, 2], "type": ["A", "A"], "u": pa.array([2**64 - 1, 5], pa.uint64())})
    passed_on = cepheid.query("PATTERN A a RETURN a.u").run(huge, **BINDING)
    assert found(passed_on) == [(2**64 - 1,), (5,)]
    keyed = cepheid.query("PATTERN A a WHERE [u] RETURN a.u").run(huge, **BINDING)
    assert found(keyed) == [(2**64 - 1,), (5,)]
    for text in (
        "PATTERN A a WHERE a.u > 1 RETURN a.u",
        "PATTERN A a RETURN a.u + 0",
        "PATTERN A+ a[] RETURN max(a.u)",
    ):
        compared = cepheid.query(text).run(huge, **BINDING)
        assert found(compared) == [(5,)]
        assert compared.bad.column("reason").to_pylist() == [f"u: {2**64 - 1} does not fit int64"]
    counted = cepheid.query("PATTERN A a RETURN a.time").run(huge, time="u", type="type")
    assert (len(counted), counted.stats["bad"]) == (1, 1)


def test_moments_beyond_the_unit_of_the_query_are_bad() -> None:
    times = pa.array([1, 2], pa.timestamp("ns"))
    table = pa.table({"time": times, "type": ["A", "A"], "until": [date(9999, 12, 31), date(2024, 1, 1)]})
    result = cepheid.query("PATTERN A a WHERE a.until > a.time RETURN a.until").run(table, **BINDING)
    assert found(result) == [(date(2024, 1, 1),)]
    assert result.bad.column("reason").to_pylist() == ["until: 9999-12-31 does not fit a time in ns"]
    stream = cepheid.query("PATTERN A a WHERE a.until > a.time").session(table.schema, **BINDING)
    assert len(stream.push(table)) == 1
    assert stream.stats["bad"] == 1


# -- choices ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["late", "bad"])
def test_choices_in_a_session(what: str) -> None:
    rows = [ROWS[3], ROWS[0]] if what == "late" else [GOOD, {"time": None}]
    kept = session(**{f"on_{what}": "side"})
    kept.push(rows)
    dropped = session(**{f"on_{what}": "drop"})
    dropped.push(rows)
    assert (kept.stats[what], getattr(kept, what).num_rows) == (1, 1)
    assert (dropped.stats[what], getattr(dropped, what).num_rows) == (1, 0)
    with pytest.raises(EventError, match=f"an event is {what}: .*on_{what}='fail'"):
        session(**{f"on_{what}": "fail"}).push(rows)


def test_choices_in_a_run() -> None:
    rows = [*ROWS, {"time": None}, {"time": float("nan")}]
    assert QUERY.run(rows, **BINDING).stats["bad"] == 2
    dropped = QUERY.run(rows, **BINDING, on_bad="drop")
    assert (dropped.stats["bad"], dropped.bad.num_rows) == (2, 0)
    with pytest.raises(EventError, match="2 events are bad"):
        QUERY.run(rows, **BINDING, on_bad="fail")


@pytest.mark.parametrize("choice", ["ignore", None, 5, ["side"], ""])
def test_no_such_choice(choice: Any) -> None:
    for name in ("on_late", "on_bad"):
        with pytest.raises(CepheidError, match=f"{name}= is one of side, drop, fail"):
            QUERY.run(TABLE, **BINDING, **{name: choice})
        with pytest.raises(CepheidError, match=f"{name}= is one of side, drop, fail"):
            session(**{name: choice})


def test_the_side_outputs_can_be_taken() -> None:
    stream = session()
    stream.push([ROWS[3], ROWS[0], {"time": None}])
    assert (stream.take_late().num_rows, stream.take_bad().num_rows) == (1, 1)
    assert (stream.late.num_rows, stream.bad.num_rows) == (0, 0)
    stream.push([ROWS[0]])
    assert stream.take_late().num_rows == 1
    assert (stream.stats["late"], stream.stats["bad"]) == (2, 1)


def test_a_stream_with_a_column_named_reason() -> None:
    table = pa.table({"time": [1, None], "type": ["A", "A"], "reason": ["mine", "mine"]})
    result = cepheid.query("PATTERN A a RETURN a.reason").run(table, **BINDING)
    assert found(result) == [("mine",)]
    assert result.bad.column_names == ["time", "type", "reason"]
    assert result.bad.column("reason").to_pylist() == ["'time' is no time"]
