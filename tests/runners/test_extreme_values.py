"""Values that Arrow holds and Python cannot, in messages and in what is shown: never a traceback."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.matchers.decimals import as_decimals
from cepheid.matchers.shown import readable, shown
from tests.fuzz_values import run_case

BINDING: dict[str, Any] = {"time": "ts", "type": "kind"}
UNITS = ("s", "ms", "us", "ns")


def table(column: pa.Array) -> pa.Table:
    size = len(column)
    return pa.table({"ts": pa.array(range(size)), "kind": pa.repeat("A", size), "u": column})


def ticks(kind: pa.DataType, *numbers: int) -> pa.Array:
    return pa.array(numbers, pa.int64()).view(kind)


def text_of_bytes(*values: bytes) -> pa.Array:
    """Arrow takes it for granted that these are UTF-8."""
    return pa.Array.from_buffers(pa.string(), len(values), pa.array(values, pa.binary()).buffers())


def test_a_time_that_does_not_fit_is_told_by_its_ticks() -> None:
    events = table(ticks(pa.timestamp("s"), 0, 2**62, 1_800_000_000))
    found = cepheid.query("PATTERN ANY a WHERE a.u + 1 s > '2024-01-01'").run(events, **BINDING)
    assert len(found) == 1
    assert found.bad["reason"].to_pylist() == [f"u: {2**62} s since 1970 does not fit a time in us"]


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin", "+05:30"])
@pytest.mark.parametrize("unit", UNITS)
def test_times_before_year_1_and_after_9999(unit: str, zone: str | None) -> None:
    events = table(ticks(pa.timestamp(unit, zone), -(2**63) + 1, -(2**62), 0, 2**62, 2**63 - 1))
    for text in (
        "PATTERN ANY a",
        "PATTERN ANY a WHERE hour(a.u) > 50",
        "PATTERN ANY a WHERE a.u < '0001-01-01'",
    ):
        found = cepheid.query(text).run(events, **BINDING)
        assert found._repr_html_()
        assert repr(found)
        assert all(isinstance(reason, str) for reason in found.bad["reason"].to_pylist())


def test_iterating_says_where_to_look_instead() -> None:
    found = cepheid.query("PATTERN ANY a").run(table(ticks(pa.timestamp("s"), 2**60)), **BINDING)
    for look in (lambda: list(found), lambda: found[0]):
        with pytest.raises(cepheid.CepheidError, match=r"cannot hold .*m\.table"):
            look()


def test_text_that_is_no_utf_8_is_bad() -> None:
    events = table(text_of_bytes(b"a", b"\xff\xfe", b"ab"))
    for column in (events, events.set_column(2, "u", events["u"].combine_chunks().dictionary_encode())):
        found = cepheid.query("PATTERN ANY a WHERE lower(a.u) LIKE 'a%'").run(column, **BINDING)
        assert len(found) == 2
        assert found.bad["reason"].to_pylist() == ["u: its text is not UTF-8"]


def test_nested_values_that_cannot_be_read_are_bad() -> None:
    days = ticks(pa.timestamp("s"), 0, 2**60, 1)
    events = table(pa.StructArray.from_arrays([days], ["p"]))
    found = cepheid.query("PATTERN ANY a RETURN a.u").run(events, **BINDING)
    assert (len(found), found.bad["reason"].to_pylist()) == (
        2,
        ["u: a value inside is beyond what can be read"],
    )


def test_what_does_not_fit_a_session() -> None:
    schema = pa.schema([("ts", pa.int64()), ("kind", pa.string()), ("u", pa.int32())])
    session = cepheid.query("PATTERN ANY a").session(schema, **BINDING)
    for column in (ticks(pa.timestamp("s"), 2**60), ticks(pa.duration("s"), 2**62), text_of_bytes(b"\xff")):
        session.push(table(column))
    times, durations, texts = session.bad["reason"].to_pylist()
    assert times == f"u: {2**60} s since 1970 does not fit int32"
    assert durations == f"u: {2**62} s does not fit int32"
    assert "does not fit int32" in texts


def test_every_value_can_be_shown() -> None:
    for column in (
        ticks(pa.timestamp("us", "Europe/Berlin"), -(2**63), 2**63 - 1),
        ticks(pa.date64(), 2**62),
        pa.array([2**31 - 1, -(2**31)], pa.int32()).view(pa.date32()),
        ticks(pa.duration("ns"), 2**63 - 1),
        text_of_bytes(b"\xc3\x28"),
        pa.ListArray.from_arrays([0, 1], ticks(pa.timestamp("s"), 2**60)),
    ):
        assert all(isinstance(shown(value), str) for value in column)
        assert len(readable(column)) == len(column)
    assert len(shown("x" * 1000)) < 300


def test_floats_beyond_the_largest_decimal() -> None:
    kind = pa.decimal256(76, 40)
    found = as_decimals(pa.array([1e36, -1e36, 0.5, None, np.nan]), kind).to_pylist()
    assert found[0] == found[1].copy_negate() < 10**36
    assert [float(value) if value is not None else None for value in found[2:]] == [0.5, None, None]


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 200, 50))
def test_random_cases(first: int) -> None:
    """As `make fuzz-values` does; the time that a case takes is not looked at here."""
    for number in range(first, first + 50):
        outcome, finding = run_case(number, 11)
        assert outcome != "failed", finding
