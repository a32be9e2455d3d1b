"""A funnel over a DataFrame: the same rows as in this process, and no action before one is asked for."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cepheid
from cepheid.errors import CepheidError

pytestmark = pytest.mark.spark

FUNNEL = cepheid.funnel(
    {"View": "view WHERE page < 3", "Cart": "cart", "Paid": "pay"}, within="30 min", by="user"
)


def _events(seed: int, size: int = 400) -> list[dict[str, Any]]:
    """Times differ, since rows that tie have no order on Spark."""
    rng = random.Random(seed)
    times = rng.sample(range(86_400), size)
    return [
        {
            "ts": datetime(2026, 3, 1) + timedelta(seconds=at),
            "kind": rng.choice(["view", "view", "cart", "pay", "other"]),
            "user": rng.choice([None, *(f"u{number}" for number in range(40))]),
            "page": rng.randint(0, 4),
        }
        for at in times
    ]


def _same(found: Any, df: DataFrame, asked: cepheid.Funnel, **binding: Any) -> None:
    wanted = asked.run(found, **binding)
    got = asked.run(df, **binding).collect()
    assert list(got) == list(wanted)
    assert got.svg() == wanted.svg()


def test_the_rows_are_those_of_a_table(spark: SparkSession) -> None:
    events = _events(1)
    df = spark.createDataFrame(events, "ts timestamp_ntz, kind string, user string, page long")
    _same(events, df, FUNNEL, time="ts", type="kind")
    zoned = df.withColumn("ts", F.col("ts").cast("timestamp"))
    assert FUNNEL.run(zoned, time="ts", type="kind").collect().table["count"].to_pylist() == [
        row["count"] for row in FUNNEL.run(events, time="ts", type="kind")
    ]


def test_numbers_as_times_and_several_keys(spark: SparkSession) -> None:
    events = [{**event, "ts": int(event["ts"].timestamp())} for event in _events(2)]
    asked = cepheid.funnel(["view", "cart"], within=1800, by=["user", "page"])
    _same(pa.Table.from_pylist(events), spark.createDataFrame(events), asked, time="ts", type="kind")


def test_nobody_and_nothing(spark: SparkSession) -> None:
    df = spark.createDataFrame([], "ts timestamp_ntz, kind string, user string, page long")
    rows = FUNNEL.run(df, time="ts", type="kind").table.collect()
    assert [(row["step"], row["count"], row["conversion"]) for row in rows] == [
        ("View", 0, None),
        ("Cart", 0, None),
        ("Paid", 0, None),
    ]


def test_no_action_before_one_is_asked_for(spark: SparkSession) -> None:
    """Over rows that fail when they are read, the call itself does not fail."""
    df = spark.range(1).select(
        F.raise_error(F.lit("read")).cast("long").alias("ts"),
        F.lit("view").alias("kind"),
        F.lit(1).alias("user"),
    )
    asked = cepheid.funnel(["view", "cart"], within=5, by="user")
    table = asked.run(df, time="ts", type="kind").table
    assert table.columns == ["step", "count", "conversion", "drop_off", "median_time"]
    with pytest.raises(PySparkException, match="read"):
        table.collect()


def test_a_stream_is_refused(spark: SparkSession) -> None:
    stream = spark.readStream.format("rate").load()
    with pytest.raises(CepheidError, match="foreachBatch"):
        cepheid.funnel(["WHERE value = 1", "WHERE value = 2"], by="value").run(stream, time="timestamp")
