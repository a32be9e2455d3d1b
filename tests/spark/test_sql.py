"""Matching in SQL, and what may stand around it."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import cepheid
from cepheid.spark import match, match_files, register
from tests.spark.streams import BINDING, QUERIES, embedded_ids, events, ids

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


def test_match_files_and_sql_agree(spark: SparkSession, trades: pa.Table, tmp_path: Path) -> None:
    """Also on nested columns, on events that have no key or no time, and whatever the filter asks."""
    odd = [None if row % 50 == 7 else row % 7 for row in range(trades.num_rows)]
    nested = pa.array([{"name": f"it's \\ {row}", "marks": [row]} for row in range(trades.num_rows)])
    table = trades.set_column(2, "k", pa.array(odd)).append_column("info", nested)
    path = str(tmp_path / "events.parquet")
    pq.write_table(table, path)
    spark.read.parquet(path).createOrReplaceTempView("nested")
    text = "PATTERN SEQ(A a, B b) WHERE [k] AND a.x + 1 > 1.5 AND b.kind != 'it''s' AND b.x < 0.5 WITHIN 100"
    in_sql = found(spark, "nested", text, "time=ts,type=kind,order=seq")
    assert in_sql == embedded_ids(table, text, **BINDING) != []
    assert in_sql == ids(match(spark.table("nested"), text, **BINDING))
    assert in_sql == ids(match_files(spark, path, text, **BINDING))
    function = f"cepheid_match(TABLE(nested), \"{text}\", 'time=ts,type=kind')"
    sql = f"SELECT a.info.marks[0] AS mark, a.seq FROM {function}"
    assert all(row.mark == row.seq for row in spark.sql(sql).collect())


@pytest.mark.parametrize("text", [QUERIES[0], QUERIES[2], QUERIES[6]])
def test_the_filter_comes_before_the_shuffle(spark: SparkSession, trades: pa.Table, text: str) -> None:
    """And events travel in batches. Where every event counts, there is no filter."""
    sql = f"SELECT * FROM cepheid_match(TABLE(trades), \"{text}\", 'time=ts,type=kind')"
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        spark.sql(sql).explain()
    function, _, rest = out.getvalue().partition("Exchange")
    assert "ArrowEvalPythonUDTF cepheid_match" in function
    assert ("CASE WHEN" in rest) == ("strict_contiguity" not in text)
    told = str(cepheid.query(text).explain(trades, time="ts", type="kind"))
    assert "by cepheid_match in SQL: " in told
    assert ("SQL: the same filter and batches" in told) == ("CASE WHEN" in rest)


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
