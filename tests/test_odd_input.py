"""Odd input of every kind, and the result that is defined for it."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import cepheid
from tests.test_bad_input import TABLE, run, with_column

NAN, INF = float("nan"), float("inf")


def rows(query: str, given: Any = TABLE, **binding: Any) -> list[tuple[Any, ...]]:
    found = run(query, given, **binding).table.drop_columns(["match_id"])
    return [tuple(row.values()) for row in found.to_pylist()]


EMPTY: dict[str, Any] = {
    "an empty list": [],
    "a table without columns": pa.table({}),
    "a table with columns": TABLE.slice(0, 0),
    "columns without a type": pa.table({"time": pa.nulls(0), "type": pa.nulls(0)}),
    "a frame": pd.DataFrame({"time": [], "type": []}),
    "a frame without columns": pd.DataFrame(),
    "Polars": pl.DataFrame({"time": [], "type": []}),
    "no batches": iter([]),
}


@pytest.mark.parametrize("given", EMPTY.values(), ids=EMPTY.keys())
def test_no_events(given: Any) -> None:
    result = run("PATTERN SEQ(A a, ~B b) WITHIN 5", given)
    assert (len(result), result.stats["events"], result.stats["bad"]) == (0, 0, 0)


def test_files_without_events(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text("time,type,x\n", encoding="utf-8")
    pyarrow.parquet.write_table(TABLE.slice(0, 0), tmp_path / "e.parquet")
    pyarrow.parquet.write_table(pa.table({"time": pa.nulls(0), "type": pa.nulls(0)}), tmp_path / "n.parquet")
    for name in ("e.csv", "e.parquet", "n.parquet"):
        assert len(run("PATTERN SEQ(A a, B b)", tmp_path / name)) == 0


def test_times_that_are_none_are_bad() -> None:
    for times, bad in (
        (pa.array([1, None, 3]), 1),
        (pa.array([1.0, NAN, INF]), 2),
        (pa.array([-INF, None, NAN]), 3),
        (pa.array([1, 2**64 - 1, 3], pa.uint64()), 1),
        (pa.array([1, None, 3], pa.timestamp("ns", "Asia/Tokyo")), 1),
        (pa.array([None, None, date(2024, 1, 1)]), 2),
    ):
        result = run("PATTERN ANY a", TABLE.set_column(0, "time", times))
        assert (len(result), result.stats["bad"]) == (3 - bad, bad)
        assert set(result.bad.column("reason").to_pylist()) == {"'time' is no time"}


def test_nulls_satisfy_nothing() -> None:
    assert rows("PATTERN ANY a WHERE a.f = TRUE OR a.f = FALSE RETURN a.x") == [(1,), (2,)]
    assert rows("PATTERN ANY a WHERE NOT a.f RETURN a.x") == [(2,)]
    assert rows("PATTERN ANY a WHERE a.d IS NULL RETURN a.x") == [(3,)]
    assert rows("PATTERN ANY a WHERE [f] RETURN a.x") == [(1,), (2,)]
    assert rows("PATTERN A a RETURN a.x", TABLE.set_column(1, "type", pa.array(["A", None, "A"]))) == [
        (1,),
        (3,),
    ]


def test_events_out_of_order_are_ordered() -> None:
    assert rows("PATTERN SEQ(A a, B b, A c) RETURN a.x, b.x, c.x", TABLE.take([2, 0, 1])) == [(1, 2, 3)]


def test_whole_numbers_that_leave_64_bits_are_null() -> None:
    most = 2**63 - 1
    assert rows(f"PATTERN A a RETURN a.x + {most} AS n, a.x * {most} AS m, -a.x AS o") == [
        (None, most, -1),
        (None, None, -3),
    ]
    assert rows(f"PATTERN A a WHERE a.x + {most} > 0 OR {most} + 1 > 0 RETURN a.x") == []
    assert rows(f"PATTERN A a WHERE {most} + a.x IS NULL RETURN a.x") == [(1,), (3,)]
    assert rows("PATTERN A+ a[] RETURN sum(a.x * 3000000000000000000) AS n, a.len") == [
        (3 * 10**18, 1),
        (None, 2),
        (9 * 10**18, 1),
    ]


# the first two values are one key, the third is another, the last is none
KEYS: dict[str, list[Any]] = {
    "float": [0.0, -0.0, 1.5, NAN],
    "null": [1, 1, 2, None],
    "truth": [True, True, False, None],
    "date": [date(2024, 1, 1), date(2024, 1, 1), date(2024, 1, 2), None],
    "timestamp": [datetime(2024, 1, 1), datetime(2024, 1, 1), datetime(2024, 1, 2), None],
    "duration": [timedelta(1), timedelta(1), timedelta(2), None],
    "decimal": [Decimal("1.10"), Decimal("1.10"), Decimal("1.11"), None],
    "large decimal": [Decimal(10**30), Decimal(10**30), Decimal(10**30 + 1), None],
    "text": ["", "", "é", None],
    "bytes": [b"\xff", b"\xff", b"", None],
}


@pytest.mark.parametrize("values", KEYS.values(), ids=KEYS.keys())
@pytest.mark.parametrize("strategy", ["skip_till_any_match", "skip_till_next_match", "partition_contiguity"])
def test_keys_of_every_type(values: list[Any], strategy: str) -> None:
    table = pa.table({"time": [1, 2, 3, 4, 5], "n": [1, 2, 3, 4, 5], "k": pa.array([*values, values[1]])})
    query = f"PATTERN SEQ(ANY a, ANY b) WHERE {strategy} {{ [k] }} RETURN a.n, b.n AS m"
    expected = [(1, 2), (2, 5)] if strategy != "skip_till_any_match" else [(1, 2), (1, 5), (2, 5)]
    assert rows(query, table, type=None) == expected
    session = cepheid.query(f"{query} WITHIN 100").session(table.schema, time="time")
    pushed = [session.push(table.slice(place, 1)) for place in range(5)]
    assert [tuple(row.values())[:2] for part in pushed for row in part.to_pylist()] == expected


def test_columns_of_odd_types_in_return() -> None:
    odd = {
        "list": pa.array([[1], None, []]),
        "struct": pa.array([{"p": 1}, None, {"p": None}]),
        "binary": pa.array([b"\xff", None, b""]),
        "decimal": pa.array([Decimal("1.50"), None, Decimal("2.25")]),
        "huge": pa.array([2**64 - 1, None, 0], pa.uint64()),
    }
    for name, values in odd.items():
        expected = [(value,) for value in values.to_pylist()]
        assert rows("PATTERN ANY a RETURN a.v", with_column(values)) == expected, name
        assert rows(
            "PATTERN ANY+ a[] WHERE strict_contiguity {} RETURN collect(a.v), a.len", with_column(values)
        )[0] == (
            [expected[0][0]],
            1,
        ), name
    assert rows("PATTERN ANY a WHERE a.v > 1.5 RETURN a.x", with_column(odd["decimal"])) == [(3,)]


def test_column_names_that_mean_something() -> None:
    table = TABLE.rename_columns(["time", "type", "match_id", "reason", "within", "a b", "`"])
    assert rows("PATTERN A a RETURN a.match_id AS m, a.reason, a.`within`, a.`a b` AS q", table) == [
        (1, 1.5, "p", True),
        (3, 3.5, "r", None),
    ]
    assert rows(
        "PATTERN A `where` WHERE `where`.`match_id` > 1 RETURN `where`.`match_id` AS `from`", table
    ) == [(3,)]
    (first, _) = run("PATTERN A a", table).table.to_pylist()
    assert first["a"]["match_id"] == 1 and len(first["match_id"]) == 32


def test_time_and_type_mean_the_columns_of_those_names() -> None:
    table = TABLE.rename_columns(["ts", "kind", "time", "type", "s", "f", "d"])
    assert rows("PATTERN A a WHERE a.time >= 3 RETURN a.time, a.type", table, time="ts", type="kind") == [
        (3, 3.5)
    ]
    plain = TABLE.rename_columns(["ts", "kind", "x", "y", "s", "f", "d"])
    assert rows("PATTERN A a WHERE a.time >= 3 RETURN a.time, a.type", plain, time="ts", type="kind") == [
        (3, "A")
    ]
    assert rows("PATTERN SEQ(A a, A b) WHERE [type] RETURN a.time", plain, time="ts", type="kind") == [(1,)]
    assert rows("PATTERN SEQ(A a, A b) WHERE [time] RETURN a.time", plain, time="ts", type="kind") == []


def test_names_without_a_type_column_are_any_events() -> None:
    assert rows("PATTERN T1;T2;T3 RETURN T1.x, T2.x, T3.x", type=None) == [(1, 2, 3)]


def test_a_type_column_of_any_text() -> None:
    for kind in (pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())):
        table = TABLE.set_column(1, "type", TABLE.column("type").cast(kind))
        assert rows("PATTERN SEQ(A a, B b) RETURN a.x, b.x", table) == [(1, 2)]
    odd = TABLE.set_column(1, "type", pa.array(["A b", "from", "é'\""]))
    assert rows("PATTERN SEQ(`A b` a, `from` b) RETURN a.x, b.x", odd) == [(1, 2)]
