"""Times are taken apart in the time zone of the session, and literals are in it, by every door."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cepheid
from cepheid.errors import BindingError
from cepheid.runners.spark.schema import spark_schema
from cepheid.runners.spark.zone import SETTING, plain_zone
from cepheid.spark import match, match_files, match_workload, register
from tests.spark.live import Arrivals, pieces, run

pytestmark = pytest.mark.spark

BINDING: dict[str, Any] = {"time": "ts", "order": ["seq"]}
CHANGES = {
    "Europe/Berlin": (datetime(2024, 3, 31), datetime(2024, 10, 27)),
    "America/New_York": (datetime(2024, 3, 10), datetime(2024, 11, 3)),
    "Australia/Lord_Howe": (datetime(2024, 10, 6), datetime(2024, 4, 7)),
}
"""The days on which clocks go on, and back."""

CONDITIONS = {
    "Europe/Berlin": "p.ts BETWEEN '2024-03-31 02:30' AND '2024-03-31 05:00' OR p.ts >= '2024-10-27 02:30'",
    "America/New_York": "p.ts < '2024-03-10 02:30' OR p.ts IN ('2024-11-03 01:30', '2024-11-03')",
    "Australia/Lord_Howe": "p.ts < '2024-04-07 01:45' OR p.ts + 1 hour > '2024-10-06 02:15'",
}
TAKEN_APART = "(hour(p.ts) = 0 OR time_of_day(p.ts) BETWEEN '01:30' AND '02:45' OR day_of_week(p.ts) = 1)"
NAIVE = "hour(p.bare) = 2 OR p.bare > '2024-10-27 02:30'"


def table(zone: str) -> pa.Table:
    """A time every quarter of an hour, two days around each change; the same without a zone."""
    starts = [change - timedelta(days=1) for change in CHANGES[zone]]
    times = sorted(start + timedelta(minutes=15 * step) for start in starts for step in range(256))
    return pa.table(
        {
            "ts": pa.array([time.replace(tzinfo=UTC) for time in times], pa.timestamp("us", zone)),
            "bare": pa.array(times, pa.timestamp("us")),
            "seq": range(len(times)),
        }
    )


@contextmanager
def zoned(spark: SparkSession, zone: str) -> Iterator[None]:
    before = spark.conf.get(SETTING)
    spark.conf.set(SETTING, zone)
    yield
    spark.conf.set(SETTING, before)


def frame(spark: SparkSession, events: pa.Table) -> DataFrame:
    """With TIMESTAMP_NTZ where there is no zone: left alone, Spark would put such times into its own."""
    return spark.createDataFrame(events, spark_schema(events.schema))


def numbers(rows: DataFrame) -> list[int]:
    return sorted(row.seq for row in rows.collect())


def query(condition: str) -> str:
    returned = "p.seq AS seq, hour(p.ts + 1 hour) AS h, p.ts AS ts"
    return f"PATTERN ANY p WHERE {condition} WITHIN 1 s RETURN {returned}"


def expected(events: pa.Table, condition: str) -> list[int]:
    return [row["seq"] for row in cepheid.query(query(condition)).run(events, **BINDING)]


@pytest.mark.parametrize("zone", CHANGES)
def test_every_zone_in_batches_and_files(spark: SparkSession, tmp_path: Path, zone: str) -> None:
    events = table(zone)
    path = tmp_path / "events.parquet"
    pq.write_table(events, path)
    for condition in (TAKEN_APART, CONDITIONS[zone], NAIVE):
        wanted = (
            cepheid.query(query(condition))
            .run(events, **BINDING)
            .table.select(["seq", "h", "ts"])
            .to_pylist()
        )
        assert 0 < len(wanted) < len(events)
        for there in (zone, "Asia/Tokyo") if condition == NAIVE else (zone,):
            with zoned(spark, there):
                found = match(frame(spark, events), query(condition), **BINDING)
                rows = sorted(
                    found.select("seq", "h", "ts").toArrow().to_pylist(), key=lambda row: row["seq"]
                )
                assert [(row["seq"], row["ts"].timestamp()) for row in rows] == [
                    (row["seq"], row["ts"].timestamp()) for row in wanted
                ]
                if there == zone:
                    assert [row["h"] for row in rows] == [row["h"] for row in wanted]
        with zoned(spark, "Asia/Tokyo"):  # a file has its own zone
            assert numbers(match_files(spark, path, query(condition), **BINDING)) == [
                row["seq"] for row in wanted
            ]


def test_hours_are_those_of_spark(spark: SparkSession) -> None:
    events = table("Europe/Berlin")
    for zone in CHANGES:
        with zoned(spark, zone):
            df = frame(spark, events)
            own = numbers(df.where((F.hour("ts") == 0) | ((F.hour("ts") == 2) & (F.minute("ts") == 15))))
            assert (
                numbers(match(df, query("hour(p.ts) = 0 OR time_of_day(p.ts) = '02:15'"), **BINDING)) == own
            )


def by_workload(spark: SparkSession, events: pa.Table, condition: str, folder: Path) -> list[int]:
    queries = {"one": query(condition), "other": "PATTERN ANY p AGG COUNT WITHIN 1 s"}
    found = match_workload(frame(spark, events), queries, **BINDING)
    return numbers(found.where("query = 'one'").select("seq"))


def by_sql(spark: SparkSession, events: pa.Table, condition: str, folder: Path) -> list[int]:
    frame(spark, events).createOrReplaceTempView("zoned")
    register(spark)
    text = f"SELECT seq FROM cepheid_match(TABLE(zoned), \"{query(condition)}\", 'time=ts,order=seq')"
    return numbers(spark.sql(text))


def by_stream(spark: SparkSession, events: pa.Table, condition: str, folder: Path) -> list[int]:
    arrivals = Arrivals(spark, folder, events.schema)
    for piece in pieces(events, 2):
        arrivals.put(piece)
    found, _ = run(match(arrivals.stream(), query(condition), shards=1, **BINDING), folder / "checkpoint")
    return sorted(row.seq for row in found)


DOORS: tuple[Callable[[SparkSession, pa.Table, str, Path], list[int]], ...] = (by_workload, by_sql, by_stream)


@pytest.mark.parametrize("door", DOORS)
def test_the_other_doors(spark: SparkSession, tmp_path: Path, door: Callable[..., list[int]]) -> None:
    zone = "Europe/Berlin"
    events = table(zone)
    condition = f"{TAKEN_APART} AND ({CONDITIONS[zone]})"
    with zoned(spark, zone):
        assert door(spark, events, condition, tmp_path) == expected(events, condition) != []


def test_sql_is_made_known_anew_for_another_zone(spark: SparkSession) -> None:
    with zoned(spark, "Europe/Berlin"):
        by_sql(spark, table("Europe/Berlin"), TAKEN_APART, Path())
    text = f"SELECT seq FROM cepheid_match(TABLE(zoned), \"{query(TAKEN_APART)}\", 'time=ts,order=seq')"
    with zoned(spark, "Asia/Tokyo"), pytest.raises(Exception, match="register"):
        spark.sql(text).collect()
    register(spark)


def test_agg_reads_times_in_the_zone(spark: SparkSession) -> None:
    events = table("Europe/Berlin")
    text = "PATTERN ANY p WHERE hour(p.ts) = 2 AGG COUNT AS n, MIN(time_of_day(p.ts)) AS t WITHIN 1 s"
    wanted = cepheid.query(text).run(events, **BINDING).table.select(["n", "t"]).to_pylist()
    with zoned(spark, "Europe/Berlin"):
        found = match(frame(spark, events), text, **BINDING).orderBy("time")
        rows = found.select("n", F.col("t").cast("string").alias("t")).collect()
    assert [row.t for row in rows] == [str(row["t"]) for row in wanted]
    assert [row.n for row in rows] == [row["n"] for row in wanted] != []


@pytest.mark.parametrize("name", ["GMT+1", "UTC-3:30", "+5:30", "PST", "EST", "IST", "Etc/GMT+5", "Z", "UTC"])
def test_zones_as_spark_writes_them(spark: SparkSession, name: str) -> None:
    moment = pa.array([1_720_000_000], pa.timestamp("s", plain_zone(name))).cast(
        pa.timestamp("s", plain_zone(name))
    )
    local = moment.to_pylist()[0]
    with zoned(spark, name):
        row = spark.sql(
            "SELECT hour(t) AS h, minute(t) AS m FROM (SELECT timestamp_seconds(1720000000) AS t)"
        )
        assert [(r.h, r.m) for r in row.collect()] == [(local.hour, local.minute)]


def test_a_zone_that_is_not_known() -> None:
    with pytest.raises(BindingError, match="Mars/Olympus"):
        plain_zone("Mars/Olympus")
