"""Aggregates over lists, and plain numbers back as the column's own type."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from cepheid import expressions as ex
from cepheid.matchers.masks import plain
from cepheid.matchers.rows import aggregate_lists, from_plain, match_ids

NAN = float("nan")
MOST, LEAST = 2**63 - 1, -(2**63)

# values, then each list's expected aggregate: the lists are cut at 0, 2, 2, 5
OFFSETS = np.array([0, 2, 2, 5])
CASES: list[tuple[str, list[Any], list[Any]]] = [
    ("sum", [1, 2, 3, None, 4], [3, None, 7]),
    ("sum", [MOST, 1, MOST, 1, -2], [None, None, None]),
    ("sum", [MOST, -1, LEAST, None, MOST], [MOST - 1, None, -1]),
    ("sum", [LEAST, -1, None, None, None], [None, None, None]),
    ("avg", [1, 2, 3, None, 4], [1.5, None, 3.5]),
    ("avg", [MOST, 1, 1, 1, 1], [None, None, 1.0]),
    ("min", [1, 2, LEAST, None, MOST], [1, None, LEAST]),
    ("max", [1, 2, LEAST, None, MOST], [2, None, MOST]),
    ("count", [1, None, 3, None, 4], [1, 0, 2]),
    ("first", [None, 2, 3, None, 4], [None, None, 3]),
    ("last", [1, None, 3, None, 4], [None, None, 4]),
    ("sum", [0.1, 0.2, 1e308, 1e308, None], [0.1 + 0.2, None, float("inf")]),
    ("min", [1.0, -0.5, 2.0, None, 1.5], [-0.5, None, 1.5]),
    ("avg", [1.0, 2.0, None, None, None], [1.5, None, None]),
    ("min", ["b", "a", None, "é", "Z"], ["a", None, "Z"]),
    ("max", ["b", "a", None, "é", "Z"], ["b", None, "é"]),
    ("last", ["b", "a", None, "é", None], ["a", None, None]),
]


def over_x(function: str) -> ex.Aggregate:
    return ex.Aggregate(function, "a", ex.Scope.WHOLE, ex.Element("x"))


@pytest.mark.parametrize(("function", "given", "expected"), CASES)
def test_aggregates(function: str, given: list[Any], expected: list[Any]) -> None:
    assert aggregate_lists(over_x(function), pa.array(given), OFFSETS).to_pylist() == expected


@pytest.mark.parametrize("function", ["min", "max", "sum", "avg"])
def test_nan_stays(function: str) -> None:
    for values in ([1.0, NAN, 1.0, NAN, 2.0], [NAN, 1.0, 2.0, 1.0, NAN]):
        first, nothing, second = aggregate_lists(over_x(function), pa.array(values), OFFSETS).to_pylist()
        assert np.isnan(first) and np.isnan(second) and nothing is None


TIMES = [
    pa.array([date(2024, 2, 29), None]),
    pa.array([date(2024, 2, 29), None], pa.date64()),
    pa.array([1, None], pa.timestamp("s")),
    pa.array([1, None], pa.timestamp("ms", "Europe/Berlin")),
    pa.array([timedelta(days=1), None]),
    pa.array([time(23, 59), None], pa.time32("s")),
    pa.array([3, None], pa.int8()),
    pa.array([0.5, None], pa.float32()),
    pa.array(["a", None], pa.large_string()),
    pa.array(["a", None]).dictionary_encode(),
]


@pytest.mark.parametrize("values", TIMES, ids=lambda values: str(values.type))
@pytest.mark.parametrize("unit", ["us", "ns"])
def test_there_and_back(values: pa.Array, unit: str) -> None:
    back = from_plain(plain(values, unit), values.type, unit)
    assert back.type == values.type
    assert back.to_pylist() == values.to_pylist()


def test_ids_are_hexadecimal_digits_of_query_and_events() -> None:
    hashes = np.array([[1, 2], [2, 1]], np.uint64)
    found = [match_ids(identity, hashes).to_pylist() for identity in ("0" * 32, "f" * 32)]
    assert all(len(text) == 32 and int(text, 16) >= 0 for texts in found for text in texts)
    assert len({text for texts in found for text in texts}) == 4
