"""Matching in SQL, and what may stand around it."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from cepheid.spark import register
from tests.spark.streams import QUERIES, embedded_ids, events

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def trades(spark: SparkSession) -> pa.Table:
    table = events(600)
    moments = pa.array(table.column("ts").to_numpy() * 1_000_000, pa.timestamp("us", "UTC"))
    spark.createDataFrame(table).createOrReplaceTempView("trades")
    spark.createDataFrame(table.set_column(0, "ts", moments)).createOrReplaceTempView("timed")
    spark.createDataFrame(pa.table({"k": range(7), "name": list("abcdefg")})).createOrReplaceTempView("names")
    register(spark)
    return table


def found(spark: SparkSession, view: str, text: str, binding: str) -> list[str]:
    sql = f"SELECT match_id FROM cepheid_match(TABLE({view}), \"{text}\", '{binding}')"
    return sorted(row.match_id for row in spark.sql(sql).collect())


@pytest.mark.parametrize("text", [QUERIES[0], QUERIES[2], QUERIES[6]])
def test_matches_are_those_of_one_process(spark: SparkSession, trades: pa.Table, text: str) -> None:
    wanted = embedded_ids(trades, text, time="ts", type="kind", order=["seq"])
    assert found(spark, "trades", text, "time=ts,type=kind,order=seq") == wanted


def test_joins_filters_and_groups_around_it(spark: SparkSession, trades: pa.Table) -> None:
    rows = spark.sql("""
        WITH m AS (
            SELECT * FROM cepheid_match(
                TABLE(SELECT * FROM trades WHERE x > 0.1),
                'PATTERN SEQ(A a, B b) WHERE skip_till_next_match { [k] } WITHIN 100
                 RETURN a.k AS k, b.ts - a.ts AS gap',
                'time=ts, type=kind, order=seq, shards=3'))
        SELECT names.name, count(*) AS matches, max(m.gap) AS longest
        FROM m JOIN names ON m.k = names.k WHERE m.gap > 5 GROUP BY names.name ORDER BY names.name
    """).collect()
    assert [row.name for row in rows] == list("abcdefg")
    assert all(row.matches > 0 and 5 < row.longest <= 100 for row in rows)


def test_instants_come_back_as_they_went(spark: SparkSession, trades: pa.Table) -> None:
    rows = spark.sql("""
        SELECT t.kind, m.match_id, m.last = t.ts AS same
        FROM cepheid_match(TABLE(timed), 'PATTERN SEQ(A a, B b) WHERE strict_contiguity { [k] }
             WITHIN 1 hour RETURN a.seq AS seq, b.seq AS until, last_time() AS last',
             'time=ts,type=kind,order=seq') m
        JOIN timed t ON m.until = t.seq
    """).collect()
    assert rows and all(row.same and row.kind == "B" for row in rows)


@pytest.mark.parametrize(
    ("binding", "text", "message"),
    [
        ("type=kind", "PATTERN A a", "names no time column"),
        ("time=ts,colour=red", "PATTERN A a", "'colour=red' is none of time="),
        ("time=tss", "PATTERN A a", "did you mean 'ts'"),
        ("time=ts,type=kind", "PATTERN SEQ(A a, ", "expected"),
        ("time=ts,shards=many", "PATTERN A a", "shards= is a positive number"),
    ],
)
def test_errors_are_said_when_the_statement_is_read(
    spark: SparkSession, trades: pa.Table, binding: str, text: str, message: str
) -> None:
    with pytest.raises(Exception, match=message):
        found(spark, "trades", text, binding)
