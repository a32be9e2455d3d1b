"""AGG on Spark gives the rows that one process gives: divided by what GROUP BY names, or in one shard."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import cepheid
from cepheid.errors import UnsupportedError
from cepheid.spark import match, match_files
from tests.spark.live import Arrivals, pieces, run
from tests.spark.streams import BINDING, events

pytestmark = pytest.mark.spark

BY_KEY = "PATTERN SEQ(A a, B b, C c) WHERE [k] WITHIN 300 AGG COUNT, SUM(b.seq) AS s, MIN(a.x) GROUP BY k"
IN_ALL = "PATTERN SEQ(A a, ~C c, B b) WHERE a.x < 0.5 WITHIN 100 AGG COUNT, AVG(b.x) AS mean"
REGULAR = "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 300 AGG COUNT GROUP BY k EMIT EVERY 1000"
AT_THE_END = "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 300 AGG COUNT, MAX(b.x) GROUP BY k EMIT ON CLOSE"


def rows(found: Any) -> Counter[str]:
    """Rows as they are written: whole numbers alike, in whatever type; floats to nine digits."""
    return Counter(str({name: _plain(value) for name, value in row.items()}) for row in found)


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.9g}"
    return str(value)


def embedded(table: pa.Table, text: str) -> Counter[str]:
    return rows(cepheid.query(text).run(table, **BINDING))


@pytest.mark.parametrize("text", [BY_KEY, IN_ALL, REGULAR, AT_THE_END])
def test_batch(spark: SparkSession, tmp_path: Path, text: str) -> None:
    table = events(1200)
    path = tmp_path / "events.parquet"
    pq.write_table(table, path)
    expected = embedded(table, text)
    found = match(spark.createDataFrame(table), text, **BINDING, shards=2)
    assert rows(row.asDict() for row in found.collect()) == expected
    found = match_files(spark, path, text, **BINDING, shards=2)
    assert rows(row.asDict() for row in found.collect()) == expected


@pytest.mark.parametrize("text", [BY_KEY, IN_ALL])
def test_stream(spark: SparkSession, tmp_path: Path, text: str) -> None:
    """Rows are out as soon as their event is."""
    table = events(900)
    arrivals = Arrivals(spark, tmp_path, table.schema)
    arrivals.put(*pieces(table, 3))
    found, _ = run(match(arrivals.stream(), text, **BINDING, shards=2), tmp_path / "checkpoint")
    assert rows(row.asDict() for row in found) == embedded(table, text)


def test_a_stream_has_no_end_to_report_at(spark: SparkSession, tmp_path: Path) -> None:
    arrivals = Arrivals(spark, tmp_path, events(10).schema)
    with pytest.raises(UnsupportedError, match="a stream has none: use EMIT EVERY"):
        match(arrivals.stream(), AT_THE_END, **BINDING)


def test_explain_says_what_is_divided() -> None:
    schema = events(10).schema
    told = str(cepheid.query(BY_KEY).explain(schema, **BINDING))
    assert "divided by keys: all matches of a group agree on k" in told
    assert "one shard runs it" in str(cepheid.query(IN_ALL).explain(schema, **BINDING))
