"""Expressions over columns: three-valued logic, and what leaves the range of a type."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from cepheid import expressions as ex
from cepheid.events import EventSchema
from cepheid.language.sase.parse import parse_returns
from cepheid.matchers.evaluate import evaluate, numbers, ticks
from cepheid.plan.coerce import coerce
from cepheid.time import Duration

NAN = float("nan")
MOST, LEAST = 2**63 - 1, -(2**63)
TRUTH = [True, False, None]
PAIRS = [(p, q) for p in TRUTH for q in TRUTH]


class Columns:
    """Rows whose attributes are the columns of a dict."""

    unit = "us"

    def __init__(self, **columns: Any) -> None:
        self.columns = {
            name: values if isinstance(values, pa.Array) else pa.array(values)
            for name, values in columns.items()
        }
        self.length = len(next(iter(self.columns.values())))

    def leaf(self, node: ex.Expression) -> pa.Array:
        assert isinstance(node, ex.Attribute)
        values = self.columns[node.name]
        is_time = pa.types.is_timestamp(values.type)
        return values.cast(pa.timestamp("us", values.type.tz)).cast(pa.int64()) if is_time else values

    @property
    def schema(self) -> EventSchema:
        return EventSchema(pa.schema([(name, values.type) for name, values in self.columns.items()]), "")


def value(text: str, **columns: Any) -> list[Any]:
    (item,) = parse_returns(text)
    assert item.expression is not None
    rows = Columns(**columns)
    result: list[Any] = evaluate(coerce(item.expression, rows.schema), rows).to_pylist()
    return result


def _and(p: bool | None, q: bool | None) -> bool | None:
    return False if p is False or q is False else None if p is None or q is None else True


def _not(p: bool | None) -> bool | None:
    return None if p is None else not p


LOGIC = {
    "v.p AND v.q": _and,
    "v.p OR v.q": lambda p, q: _not(_and(_not(p), _not(q))),
    "NOT v.p AND v.q": lambda p, q: _and(_not(p), q),
    "v.p = v.q": lambda p, q: None if None in (p, q) else p == q,
    "v.p != v.q": lambda p, q: None if None in (p, q) else p != q,
    "v.p IS NULL OR v.q IS NOT NULL": lambda p, q: p is None or q is not None,
    "v.p IN (v.q, TRUE)": lambda p, q: None if p is None else True if p else None if q is None else p == q,
    "v.p NOT IN (v.q, NULL)": lambda p, q: False if p is not None and p == q else None,
    "v.p AND NULL": lambda p, q: False if p is False else None,
    "v.p OR NULL": lambda p, q: True if p else None,
    "NOT NULL": lambda p, q: None,
}


@pytest.mark.parametrize("text", LOGIC)
def test_three_valued_logic(text: str) -> None:
    p, q = (pa.array(side, pa.bool_()) for side in zip(*PAIRS, strict=True))
    assert value(text, p=p, q=q) == [LOGIC[text](*pair) for pair in PAIRS]


ARITHMETIC: list[tuple[str, list[Any], list[Any]]] = [
    ("v.x + 1", [1, MOST, None, LEAST], [2, None, None, LEAST + 1]),
    ("v.x - 1", [1, LEAST, MOST], [0, None, MOST - 1]),
    ("v.x * 2", [MOST, 2**62, -(2**62), 3], [None, None, LEAST, 6]),
    ("-v.x", [LEAST, MOST, 0], [None, -MOST, 0]),
    ("abs(v.x)", [LEAST, -5, None], [None, 5, None]),
    ("v.x / 2", [7, None, MOST], [3.5, None, 2.0**62]),
    ("v.x / 0", [7, 0], [None, None]),
    ("7 / v.x", [0, 2], [None, 3.5]),
    ("v.x % 3", [7, -7, 8], [1, -1, 2]),
    ("v.x % -3", [7, -7], [1, -1]),
    ("v.x % 0", [7], [None]),
    ("v.x % 2.5", [7, -7], [2.0, -2.0]),
    ("v.x + 0.5", [1, None], [1.5, None]),
    ("v.x = 1.0", [1, 2, None], [True, False, None]),
    ("v.x BETWEEN 2 AND 4", [1, 2, 4, 5, None], [False, True, True, False, None]),
    ("v.x NOT BETWEEN 2 AND NULL", [1, 3], [True, None]),
    ("v.x > NULL", [1], [None]),
    ("v.x + NULL", [1], [None]),
    ("9223372036854775807 + 1", [1], [None]),
    ("9223372036854775807 + v.x", [0, 1], [MOST, None]),
    ("round(v.x)", [5], [5]),
]


@pytest.mark.parametrize(("text", "given", "expected"), ARITHMETIC, ids=[row[0] for row in ARITHMETIC])
def test_whole_numbers(text: str, given: list[Any], expected: list[Any]) -> None:
    assert value(text, x=pa.array(given, pa.int64())) == expected


REALS: list[tuple[str, list[Any], list[Any]]] = [
    ("v.y / 0", [1.0, 0.0, NAN], [None, None, None]),
    ("v.y % 0", [1.0], [None]),
    ("v.y = v.y", [NAN, 1.0, None], [False, True, None]),
    ("v.y != v.y", [NAN, 1.0], [True, False]),
    ("v.y < 1", [NAN, 0.5], [False, True]),
    ("v.y BETWEEN 0 AND 2", [NAN, 1.0], [False, True]),
    ("v.y IN (1, 2)", [1.0, NAN, None, 3.0], [True, False, None, False]),
    ("v.y IS NULL", [NAN, None], [False, True]),
    ("round(v.y)", [0.5, 1.5, -2.5], [0.0, 2.0, -2.0]),
    ("floor(v.y)", [-0.5, 1.5], [-1.0, 1.0]),
    ("ceil(v.y)", [-1.5, 1.5], [-1.0, 2.0]),
    ("sqrt(v.y)", [4.0, -1.0, None], [2.0, None, None]),
    ("v.y = -0.0", [0.0, -0.0], [True, True]),
]


@pytest.mark.parametrize(("text", "given", "expected"), REALS, ids=[row[0] for row in REALS])
def test_reals(text: str, given: list[Any], expected: list[Any]) -> None:
    assert value(text, y=pa.array(given, pa.float64())) == expected


TEXTS: list[tuple[str, list[Any], list[Any]]] = [
    ("v.s < 'b'", ["a", "b", "é", "B", None], [True, False, False, True, None]),
    ("v.s LIKE 'a%_'", ["ab", "a", "abc", "xa", None], [True, False, True, False, None]),
    ("v.s NOT LIKE '%\\%'", ["5%", "5"], [False, True]),
    ("v.s LIKE 'a.c'", ["abc", "a.c"], [False, True]),
    ("lower(v.s)", ["ÀB", None], ["àb", None]),
    ("upper(v.s)", ["àb"], ["ÀB"]),
    ("length(v.s)", ["é🦀", "", None], [2, 0, None]),
    ("lower(v.s) IN ('x', 'y')", ["X", "z"], [True, False]),
    ("NULL LIKE 'a'", ["a"], [None]),
]


@pytest.mark.parametrize(("text", "given", "expected"), TEXTS, ids=[row[0] for row in TEXTS])
def test_texts(text: str, given: list[Any], expected: list[Any]) -> None:
    assert value(text, s=pa.array(given, pa.string())) == expected


def test_the_calendar_is_that_of_the_column() -> None:
    moment = datetime(2024, 6, 1, 23, 30, 15, tzinfo=UTC)
    utc = pa.array([moment, None], pa.timestamp("us", "UTC"))
    berlin = utc.cast(pa.timestamp("us", "Europe/Berlin"))
    assert value("hour(v.t)", t=utc) == [23, None]
    assert value("hour(v.t)", t=berlin) == [1, None]
    assert value("day(v.t)", t=berlin) == [2, None]
    assert value("day_of_week(v.t)", t=utc) == [6, None]
    assert value("time_of_day(v.t)", t=berlin) == [(1 * 3600 + 30 * 60 + 15) * 1_000_000, None]
    assert value("hour(TIMESTAMP '2024-06-01 05:00')", t=utc) == [5, 5]


def test_ticks_are_whole() -> None:
    assert ticks(datetime(1970, 1, 1, 0, 0, 1), "us") == 1_000_000
    assert ticks(datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC), "ns") == -1000
    assert ticks(Duration(3, "ns"), "us") == 0  # type: ignore[arg-type]


def test_numbers_are_bits_and_validity() -> None:
    bits, valid = numbers(pa.array([1.5, None]))
    assert bits.view(np.float64).tolist() == [1.5, 0.0]
    assert valid.tolist() == [1, 0]
    bits, valid = numbers(pa.array([True, None, False]))
    assert (bits.tolist(), valid.tolist()) == ([1, 0, 0], [1, 0, 1])
    assert numbers(pa.nulls(2))[1].tolist() == [0, 0]
