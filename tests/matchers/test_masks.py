"""A batch as the columns and bit masks that kernels read."""

from __future__ import annotations

from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from cepheid import expressions as ex
from cepheid.events import bind
from cepheid.matchers.codes import TextCodes
from cepheid.matchers.masks import BatchRows, event_columns, event_masks, plain
from cepheid.pattern.types import ValueType
from cepheid.plan.program import Column, EventTest

X = ex.Element("x")
ABOVE_ONE = ex.Comparison(">", X, ex.Literal(1))
NEVER = EventTest("Z", ())
EVENTS: dict[str, list[Any]] = {"time": [1, 2, 3, 4], "type": ["A", "B", None, "A"], "x": [1, 2, 3, None]}


def rows_of(table: pa.Table) -> BatchRows:
    batch = table.combine_chunks().to_batches()[0]
    return BatchRows(batch, bind(table.schema, "time", "type"), "us")


def texts(kind: pa.DataType) -> BatchRows:
    table = pa.table(EVENTS)
    return rows_of(table.set_column(1, "type", table.column("type").cast(kind)))


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())], ids=str
)
def test_a_bit_for_each_test(kind: pa.DataType) -> None:
    tests = [
        EventTest("A", ()),
        EventTest(None, ()),
        NEVER,
        EventTest(None, (ABOVE_ONE,)),
        EventTest("A", (ABOVE_ONE,)),
        EventTest("Z", ()),
    ]
    masks = event_masks(tests, texts(kind))
    assert [format(mask, "06b")[::-1] for mask in masks] == ["110000", "010100", "010100", "110000"]


def test_the_highest_bit() -> None:
    tests = [NEVER] * 62 + [EventTest(None, (ABOVE_ONE,))]
    assert event_masks(tests, texts(pa.string())).tolist() == [0, 1 << 62, 1 << 62, 0]


def test_columns_are_bits_and_validity() -> None:
    doubled = ex.Arithmetic("*", X, ex.Literal(2))
    columns = [
        Column(X, ValueType.INT),
        Column(X, ValueType.FLOAT),
        Column(doubled, ValueType.INT),
        Column(ex.Element("type"), ValueType.STRING),
        Column(ABOVE_ONE, ValueType.BOOL),
    ]
    codes = TextCodes()
    bits, valid = event_columns(columns, texts(pa.string()), codes)
    assert bits[0].tolist() == [1, 2, 3, 0]
    assert bits[1].view(np.float64).tolist()[:3] == [1.0, 2.0, 3.0]
    assert bits[2].tolist()[:3] == [2, 4, 6]
    assert [codes.texts[code] for code in bits[3][[0, 1, 3]]] == ["A", "B", "A"]
    assert bits[4].tolist()[:3] == [0, 1, 1]
    assert valid.tolist() == [[1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 0, 1], [1, 1, 1, 0]]


PLAIN: list[tuple[str, pa.Array, pa.DataType, Any]] = [
    ("int8", pa.array([1], pa.int8()), pa.int64(), 1),
    ("uint64", pa.array([2**63 - 1], pa.uint64()), pa.int64(), 2**63 - 1),
    ("float32", pa.array([0.5], pa.float32()), pa.float64(), 0.5),
    ("float16", pa.array([0.5], pa.float16()), pa.float64(), 0.5),
    ("decimal", pa.array([Decimal("1.25")]), pa.float64(), 1.25),
    ("dictionary", pa.array(["a"]).dictionary_encode(), pa.string(), "a"),
    ("large string", pa.array(["a"], pa.large_string()), pa.string(), "a"),
    ("seconds", pa.array([1], pa.timestamp("s", "Europe/Berlin")), pa.int64(), 1_000_000),
    ("date32", pa.array([date(1970, 1, 2)]), pa.int64(), 86_400_000_000),
    ("date64", pa.array([date(1970, 1, 2)], pa.date64()), pa.int64(), 86_400_000_000),
    ("duration", pa.array([timedelta(milliseconds=1)], pa.duration("ms")), pa.int64(), 1000),
    ("time32", pa.array([time(0, 0, 1)], pa.time32("s")), pa.int64(), 1_000_000),
    ("time64", pa.array([1500], pa.time64("ns")), pa.int64(), 1),
    ("bool", pa.array([True]), pa.bool_(), True),
]


@pytest.mark.parametrize(
    ("given", "kind", "expected"), [row[1:] for row in PLAIN], ids=[row[0] for row in PLAIN]
)
def test_plain_values(given: pa.Array, kind: pa.DataType, expected: Any) -> None:
    result = plain(given, "us")
    assert result.type == kind
    assert result.to_pylist() == [expected]
