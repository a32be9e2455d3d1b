"""Loose columns, read from many events at once as from each by itself."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from cepheid.events import FewEvents
from cepheid.matchers.loose_columns import LooseReading, LooseStore
from cepheid.plan.loose.stream import Form, LooseColumn, loose_stream

STREAM = loose_stream(pa.timestamp("us", "UTC"), "time", "type", (), None)
COLUMNS = (*(LooseColumn(("x",), form) for form in Form), LooseColumn(("x", "y"), Form.NUMBER))
NAMES = tuple(STREAM.schema.columns.names)


def rows(values: list[Any], moments: str | None = None) -> list[tuple[Any, ...]]:
    return [(n, "A", json.dumps({"x": value}), moments) for n, value in enumerate(values)]


def batch(given: list[tuple[Any, ...]]) -> pa.RecordBatch:
    fields = zip(zip(*given, strict=True), STREAM.schema.columns, strict=True)
    columns = [pa.array(column, field.type) for column, field in fields]
    return pa.RecordBatch.from_arrays(columns, schema=STREAM.schema.columns)


@pytest.mark.parametrize(
    "values",
    [
        [1, 2, 3],
        [1, 2.5, None],
        [2**53 + 1, 1],
        [10**300, 1],
        ["a", "é", '"'],
        ["a", None],
        [True, False],
        [True, 1],
        [{"y": 1}, {"y": "2"}, 3, [1, None]],
        [None, None],
        [1.0, -0.0, 1e22],
    ],
)
def test_many_are_read_as_one_by_one(values: list[Any]) -> None:
    reading, given = LooseReading(STREAM, COLUMNS), rows(values)
    wide = reading.rows(batch(given))
    few = reading._few(FewEvents(given, NAMES, tuple(STREAM.schema.columns.types)))
    for number, column in enumerate(COLUMNS):
        place = len(NAMES) + number
        expected = pa.array(
            [row[place] for row in few.rows], pa.int64() if column.form is Form.MOMENT else few.types[place]
        )
        assert wide.column(place).cast(expected.type).equals(expected), column.name


def test_a_few_rows_are_those_of_all() -> None:
    reading = LooseReading(STREAM, COLUMNS)
    store = LooseStore(reading)
    for first in (0, 30, 60):
        store.look_at(batch(rows(list(range(first, first + 30)))))
        store.keep(np.arange(5, 15))
    store.look_at(batch(rows(list(range(90, 120)))))
    asked = np.array([0, 9, 10, 29, 30, 59, -1, 31])
    expected = [5, 14, 35, 74, 90, 119, None, 91]
    assert store.column("x (number)", asked).to_pylist() == expected
    many = np.tile(asked, 10)
    for name in NAMES:
        assert store.column(name, many).slice(0, asked.size).equals(store.column(name, asked)), name
