"""Expressions over one event give what they give over columns, odd values included."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from datetime import UTC, datetime
from itertools import product
from typing import Any

import pyarrow as pa
import pytest

from cepheid import expressions as ex
from cepheid.events import EventSchema
from cepheid.language.sase.parse import parse_returns
from cepheid.matchers.evaluate import evaluate
from cepheid.matchers.masks import BatchRows
from cepheid.matchers.one_event import RowFunctions
from cepheid.plan.coerce import coerce

NAN, INF = math.nan, math.inf
MOST, LEAST = 2**63 - 1, -(2**63)
WHOLE = [0, 1, -1, 7, -7, 2**53 + 1, MOST, LEAST, None]
REAL = [0.0, -0.0, 0.5, -2.5, 7.0, 2.0**53, 1e308, NAN, INF, -INF, None]
TEXT = ["", "a", "ab", "Straße", "É%_", "a\nb", "🦀", None]
TRUTH = [True, False, None]
MOMENTS = [datetime(1969, 12, 31, 23, 59, 59, 999_999), datetime(2024, 2, 29, 12, 30, 1, 5), None]

COLUMNS = pa.schema(
    {
        "i": pa.int64(),
        "j": pa.int32(),
        "x": pa.float64(),
        "y": pa.float64(),
        "s": pa.string(),
        "u": pa.large_string(),
        "p": pa.bool_(),
        "q": pa.bool_(),
        "t": pa.timestamp("us"),
        "m": pa.timestamp("ms", "Europe/Berlin"),
        "o": pa.struct([("n", pa.int64()), ("s", pa.string())]),
    }
)
STREAM = EventSchema(COLUMNS, "i")

NUMBERS = [
    *(f"a.{one} {sign} a.{other}" for sign in "+-*/%" for one, other in ("ii", "xx", "ix", "xy", "ij", "jx")),
    *(f"{name}(a.{one})" for name in ("abs", "round", "floor", "ceil", "sqrt") for one in "ix"),
    *("-a.i", "-a.x", "a.i + 1", "2 * a.x", "a.i / 2", "a.x % 0.5", "a.i % -7", "coalesce(a.i, a.x)"),
    *("coalesce(a.j, 0)", "CASE WHEN a.i > 0 THEN 1 ELSE a.x END", "CASE WHEN a.x > a.y THEN a.i END"),
]
CONDITIONS = [
    *(
        f"a.{one} {sign} a.{other}"
        for sign in ("=", "!=", "<", "<=", ">", ">=")
        for one, other in ("ii", "ix")
    ),
    *(f"a.{one} {sign} a.{other}" for sign in ("=", "<", ">=") for one, other in ("xy", "su", "ij")),
    *("a.p AND a.q", "a.p OR a.q", "NOT a.p", "a.p = a.q", "a.i IS NULL", "a.x IS NOT NULL", "a.i = null"),
    *("a.i IN (1, 7, null)", "a.i NOT IN (1, 7)", "a.x IN (1, 0.5)", "a.s IN ('a', 'ab')"),
    *("a.i BETWEEN -1 AND 7", "a.x NOT BETWEEN a.y AND 7", "a.i BETWEEN a.x AND null"),
    *("a.s LIKE 'a%'", "a.s NOT LIKE '_'", "a.s LIKE '%\\\\%%'", "regexp_like(a.s, '^[a-z]+$')"),
    *("a.t > '2000-01-01'", "a.t - a.t < 1 min", "a.m >= '2024-01-01'", "a.o.n > 3", "a.o.s = 'a'"),
]
TEXTS = [
    *("lower(a.s)", "upper(a.u)", "length(a.s)", "substr(a.s, 2)", "substr(a.s, -2, 1)", "a.s || a.u"),
    *("regexp_extract(a.s, '(a)(b)?', 1)", "coalesce(a.s, 'none')", "CASE WHEN a.p THEN a.s ELSE 'x' END"),
]
CALENDAR = [f"{name}(a.t)" for name in ("year", "month", "day", "hour", "minute", "second", "day_of_week")]


def over_elements(node: ex.Expression) -> ex.Expression:
    """The same over the columns of one event."""
    if isinstance(node, ex.Attribute):
        return ex.Element(node.name, node.path)
    changes: dict[str, Any] = {}
    for slot in fields(node):
        value = getattr(node, slot.name)
        if isinstance(value, ex.Expression):
            changes[slot.name] = over_elements(value)
        elif isinstance(value, tuple) and value and isinstance(value[0], ex.Expression):
            changes[slot.name] = tuple(over_elements(item) for item in value)
    return replace(node, **changes) if changes else node


def rows() -> list[dict[str, Any]]:
    numbers = list(product(WHOLE, REAL))
    size = len(numbers)
    structs = [{"n": 5, "s": "a"}, {"n": None, "s": "b"}, None]
    every = {
        "j": [0, 3, -3, None],
        "y": REAL[::-1],
        "s": TEXT,
        "u": [*TEXT[1:], "zz", None],
        "p": TRUTH,
        "q": [True, True, True, False, False, False, None, None, None],
        "t": MOMENTS,
        "m": [datetime(2024, 1, 1, tzinfo=UTC), None],
        "o": structs,
    }
    return [
        {"i": whole, "x": real} | {name: values[k % len(values)] for name, values in every.items()}
        for k, (whole, real) in zip(range(size), numbers, strict=True)
    ]


BATCH = pa.RecordBatch.from_pylist(rows(), schema=COLUMNS)
VALUES = [
    column.cast(pa.int64()).to_pylist() if pa.types.is_timestamp(column.type) else column.to_pylist()
    for column in BATCH.columns
]


def bits(value: Any) -> Any:
    """A value that differs where anything about it does; one NaN is as good as another."""
    return type(value), "nan" if value != value else repr(value)


@pytest.mark.parametrize("text", [*NUMBERS, *CONDITIONS, *TEXTS, *CALENDAR, "time_of_day(a.t)"])
def test_one_event_is_as_many(text: str) -> None:
    (item,) = parse_returns(text)
    assert item.expression is not None
    node = over_elements(coerce(item.expression, STREAM))
    function = RowFunctions(tuple(COLUMNS.names), STREAM, "us").function_of(node)
    assert function is not None, "left to Arrow"
    expected = evaluate(node, BatchRows(BATCH, STREAM, "us")).to_pylist()
    found = [function(row) for row in zip(*VALUES, strict=True)]
    assert list(map(bits, found)) == list(map(bits, expected))


@pytest.mark.parametrize("text", ["hour(a.m)", "substr(a.s, a.j)"])
def test_what_is_left_to_arrow(text: str) -> None:
    (item,) = parse_returns(text)
    assert item.expression is not None
    node = over_elements(coerce(item.expression, STREAM))
    assert RowFunctions(tuple(COLUMNS.names), STREAM, "us").function_of(node) is None
