"""A DataFrame gives what a table gives: the same matches with the same ids."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import cepheid
from cepheid.errors import BindingError, CepheidError, QueryError, UnsupportedError
from cepheid.events import bind
from cepheid.plan.events.pushdown import pushed
from cepheid.runners.spark.filters import arrow_filter
from cepheid.runners.spark.parquet import open_parquet
from cepheid.spark import match, match_files
from tests.spark.streams import BINDING, QUERIES, embedded_ids, events, ids

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return events()


@pytest.fixture(scope="module")
def folder(table: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("events")
    shuffled = table.take(np.random.default_rng(2).permutation(table.num_rows))
    pq.write_table(shuffled.slice(0, 1000), folder / "1.parquet", row_group_size=300)
    pq.write_table(shuffled.slice(1000), folder / "2.parquet", row_group_size=700)
    return folder


@pytest.mark.parametrize("text", QUERIES)
def test_matches_are_those_of_one_process(
    spark: SparkSession, table: pa.Table, folder: Path, text: str
) -> None:
    wanted = embedded_ids(table, text, **BINDING)
    assert wanted, "a test that finds nothing shows nothing"
    df = spark.read.parquet(str(folder))
    assert ids(match(df, cepheid.query(text), **BINDING)) == wanted
    assert ids(match_files(spark, folder, text, **BINDING, shards=3)) == wanted


def test_rows_are_those_of_one_process(spark: SparkSession, table: pa.Table) -> None:
    text = "PATTERN SEQ(A a, B+ b[]) WHERE skip_till_next_match { [k] AND a.x < 0.05 } WITHIN 300"
    found = match(spark.createDataFrame(table), text, **BINDING)
    rows = sorted((row.asDict(recursive=True) for row in found.collect()), key=lambda row: row["match_id"])
    wanted = sorted(cepheid.query(text).run(table, **BINDING), key=lambda row: row["match_id"])
    assert rows == wanted


@pytest.mark.parametrize("shards", [1, 2, 5])
def test_shards_change_nothing(spark: SparkSession, table: pa.Table, shards: int) -> None:
    df = spark.createDataFrame(table)
    for text in (QUERIES[0], QUERIES[2]):
        assert ids(match(df, text, **BINDING, shards=shards)) == embedded_ids(table, text, **BINDING)


def test_keys_may_be_divided_by_time(spark: SparkSession, table: pa.Table, folder: Path) -> None:
    wanted = embedded_ids(table, QUERIES[0], **BINDING)
    df = spark.createDataFrame(table)
    assert ids(match(df, QUERIES[0], **BINDING, divide="time", shards=4)) == wanted
    assert ids(match_files(spark, folder, QUERIES[0], **BINDING, divide="time", shards=4)) == wanted


def test_a_way_of_dividing_that_would_change_the_answer_is_refused(
    spark: SparkSession, table: pa.Table
) -> None:
    df = spark.createDataFrame(table)
    with pytest.raises(UnsupportedError, match="cannot be divided by time: EMIT NON OVERLAPPING"):
        match(df, QUERIES[8], **BINDING, divide="time")
    with pytest.raises(UnsupportedError, match="cannot be divided by keys: there is no equivalence test"):
        match(df, QUERIES[2], **BINDING, divide="keys")


def test_ties_are_ordered_by_content(spark: SparkSession) -> None:
    table = events(400, ties=True).drop_columns(["seq"])
    ordered = table.sort_by(
        [("ts", "ascending"), ("k", "ascending"), ("kind", "ascending"), ("x", "ascending")]
    )
    binding = {"time": "ts", "type": "kind"}
    shuffled = table.take(np.random.default_rng(3).permutation(table.num_rows))
    for text in (QUERIES[0], QUERIES[2], QUERIES[5]):
        wanted = embedded_ids(ordered, text, **binding)
        assert ids(match(spark.createDataFrame(shuffled), text, **binding)) == wanted


TIMES: dict[str, Any] = {
    "timestamp": pa.array(np.arange(40) * 1_000_000, pa.timestamp("us", "UTC")),
    "without a zone": pa.array(np.arange(40) * 1_000_000, pa.timestamp("us")),
    "before 1970": pa.array(np.arange(-20, 20) * 1_000_000, pa.timestamp("us", "UTC")),
    "date": pa.array([datetime.date(2026, 1, 1) + datetime.timedelta(days=day) for day in range(40)]),
    "float": pa.array(np.arange(40) / 10),
    "negative": pa.array(np.arange(40) - 1000),
    "far": pa.array(np.arange(40) + 2**62),
}


@pytest.mark.parametrize("name", TIMES)
def test_every_kind_of_time(spark: SparkSession, tmp_path: Path, name: str) -> None:
    table = pa.table({"ts": TIMES[name], "kind": ["A", "B", "C", "B"] * 10})
    window = {
        "timestamp": "3 s",
        "without a zone": "3 s",
        "before 1970": "3 s",
        "date": "3 days",
        "float": "0.3",
    }
    text = f"PATTERN SEQ(~C n, A a, B b) WITHIN {window.get(name, '3')}"
    wanted = embedded_ids(table, text, time="ts", type="kind")
    assert wanted
    assert ids(match(spark.createDataFrame(table), text, time="ts", type="kind")) == wanted
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=10)
    assert ids(match_files(spark, tmp_path, text, time="ts", type="kind")) == wanted


def test_bad_rows_come_with_the_reason(spark: SparkSession, tmp_path: Path) -> None:
    table = pa.table({"ts": [1, None, 2, None], "kind": ["A", "B", "B", "C"], "x": [1, 2, 3, 4]})
    pq.write_table(table, tmp_path / "a.parquet")
    text = "PATTERN SEQ(A a, B b) WITHIN 10"
    for found in (
        match(spark.createDataFrame(table), text, time="ts", type="kind", side=True),
        match_files(spark, tmp_path, text, time="ts", type="kind", side=True),
    ):
        rows = [row.asDict(recursive=True) for row in found.collect()]
        assert [row["b"]["x"] for row in rows if row["side"] is None] == [3]
        sides = sorted((row["side"] for row in rows if row["side"]), key=lambda side: side["event"]["x"])
        assert [(side["what"], side["reason"], side["event"]["x"]) for side in sides] == [
            ("bad", "'ts' is no time", 2),
            ("bad", "'ts' is no time", 4),
        ]
    assert len(ids(match(spark.createDataFrame(table), text, time="ts", type="kind"))) == 1


def test_bad_rows_may_fail_the_job(spark: SparkSession) -> None:
    df = spark.createDataFrame(pa.table({"ts": [1, None], "kind": ["A", "B"]}))
    with pytest.raises(Exception, match="on_bad='fail'"):
        match(df, "PATTERN A a", time="ts", type="kind", on_bad="fail").collect()


def test_errors_come_before_data_moves(spark: SparkSession, table: pa.Table) -> None:
    df = spark.createDataFrame(table)
    with pytest.raises(BindingError, match="no column 'tss' for time="):
        match(df, QUERIES[0], time="tss", type="kind")
    with pytest.raises(QueryError, match="kk"):
        match(df, "PATTERN SEQ(A a, B b) WHERE [kk]", time="ts", type="kind")
    with pytest.raises(CepheidError, match="shards= should be a positive whole number"):
        match(df, QUERIES[0], **BINDING, shards=0)
    with pytest.raises(BindingError, match="on_bad= is one of side, drop, fail"):
        match(df, QUERIES[0], **BINDING, on_bad="ignore")


def test_nothing_runs_before_an_action(spark: SparkSession, tmp_path: Path) -> None:
    pq.write_table(events(10), tmp_path / "a.parquet")
    df = spark.read.parquet(str(tmp_path))
    found = match(df, QUERIES[0], **BINDING)
    (tmp_path / "a.parquet").unlink()
    with pytest.raises(Exception, match=r"(?i)not exist|no such file"):
        found.collect()


def test_a_divided_folder_has_the_columns_of_its_names(spark: SparkSession, tmp_path: Path) -> None:
    for day in (1, 2):
        (tmp_path / f"day={day}").mkdir()
        pq.write_table(events(100, seed=day), tmp_path / f"day={day}" / "a.parquet")
    text = "PATTERN SEQ(A a, B b) WHERE skip_till_next_match { [day, k] } WITHIN 100"
    wanted = ids(match(spark.read.parquet(str(tmp_path)), text, **BINDING))
    assert wanted and ids(match_files(spark, tmp_path, text, **BINDING)) == wanted


def test_row_groups_that_cannot_matter_are_not_read(tmp_path: Path) -> None:
    kinds = ["A"] * 100 + ["B"] * 100 + ["C"] * 800
    table = pa.table({"ts": range(1000), "kind": kinds, "x": range(1000)})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=100)
    plan = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 10").plan(bind(table.schema, time="ts", type="kind"))
    wanted = arrow_filter(pushed(plan).filter, plan.schema)  # type: ignore[arg-type]
    files = open_parquet(tmp_path)
    assert [group.rows for group in files.coded(["kind"]).row_groups(wanted)] == [100, 100]


def test_empty_files_among_others_change_nothing(
    spark: SparkSession, table: pa.Table, tmp_path: Path
) -> None:
    """Whether they have no bytes, no columns, or no rows and other types."""
    (tmp_path / "a.parquet").touch()
    pq.write_table(pa.table({}), tmp_path / "b.parquet")
    pq.write_table(pa.table({"ts": pa.array([], pa.string()), "kind": pa.nulls(0)}), tmp_path / "c.parquet")
    pq.write_table(table, tmp_path / "d.parquet")
    wanted = embedded_ids(table, QUERIES[0], **BINDING)
    for paths in (tmp_path, str(tmp_path / "*.parquet"), sorted(tmp_path.iterdir())):
        assert ids(match_files(spark, paths, QUERIES[0], **BINDING)) == wanted


def test_events_on_spark_are_not_run_here(spark: SparkSession) -> None:
    with pytest.raises(BindingError, match=r"the events are on Spark: cepheid.spark.match\(df, q"):
        cepheid.query("PATTERN ANY a").run(spark.range(1), time="id")
