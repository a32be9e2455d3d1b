"""The toy engine on Spark, which knows nothing of it either."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from cepheid.spark import match
from tests.spark.live import Arrivals, pieces, run
from tests.spark.streams import ids
from tests.test_toy_engine import BINDING, expected, toy_events, toy_query


def test_batch(spark: SparkSession) -> None:
    frame = match(spark.createDataFrame(toy_events()), toy_query().using("latest"), **BINDING, shards=2)
    assert ids(frame) == sorted(row["match_id"] for row in expected(toy_events()))


def test_stream(spark: SparkSession, tmp_path: Path) -> None:
    table = toy_events()
    arrivals = Arrivals(spark, tmp_path, table.schema)
    arrivals.put(*pieces(table, 3))
    found, _ = run(
        match(arrivals.stream(), toy_query().using("latest"), **BINDING, shards=2), tmp_path / "checkpoint"
    )
    assert sorted(row.match_id for row in found) == sorted(row["match_id"] for row in expected(table))
