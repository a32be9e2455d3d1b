"""Queries that name others find on Spark what they find in one process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import Row, SparkSession

import cepheid
from cepheid.errors import QueryCheckError
from cepheid.events import bind
from cepheid.plan.events.division import By, divided
from cepheid.spark import match_workload
from tests.spark.live import Arrivals, pieces, run
from tests.spark.streams import BINDING, events
from tests.spark.test_aggregates import rows

pytestmark = pytest.mark.spark

BY_KEYS = {
    "rise": "PATTERN SEQ(A a, B b) WHERE skip_till_next_match { [k] AND b.x > a.x } WITHIN 100 "
    "RETURN a.k AS k, b.x - a.x AS by",
    "quiet": "PATTERN SEQ(C c, ~B b) WHERE [k] WITHIN 60 RETURN c.k AS k, c.seq AS since",
    "alarm": "PATTERN SEQ(quiet q, rise r, C c) WHERE skip_till_next_match { [k] AND r.by > 0.2 } WITHIN 500 "
    "RETURN q.since AS since, r.by AS by, c.seq AS at, c.k AS k",
    "count": "PATTERN SEQ(alarm a, A b) WHERE [k] WITHIN 300 AGG COUNT GROUP BY k",
}
COUNTED_BY_KEYS = {
    "many": "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 60 AGG COUNT AS n, SUM(a.x) AS s GROUP BY k "
    "HAVING n >= 2 EMIT ON RISE",
    "then": "PATTERN SEQ(many m, C c) WHERE skip_till_next_match { [k] } WITHIN 100 "
    "RETURN m.k AS k, m.n AS many, c.seq AS at",
}
COUNTED_IN_ONE_SHARD = {
    "all": "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 60 AGG COUNT AS n HAVING n >= 2 EMIT ON RISE",
    "now": "PATTERN A a WITHIN 60 AGG COUNT AS n GROUP BY k EMIT EVERY 50",
    "then": "PATTERN SEQ(all x, now y, C c) WHERE skip_till_next_match { y.n > 1 } WITHIN 100 "
    "RETURN x.n AS many, y.k AS k, c.seq AS at",
}
IN_ONE_SHARD = {
    "rise": BY_KEYS["rise"],
    "pair": "PATTERN SEQ(rise r, rise s) WHERE r.by > 0.3 AND s.by > 0.3 WITHIN 200 "
    "RETURN r.by AS one, s.by AS two",
}


def _stream(size: int) -> pa.Table:
    """Events, and a last one long after them, which closes all windows."""
    table = events(size)
    last = {"ts": 10**6, "kind": "Z", "k": 0, "x": 0.0, "seq": size}
    return pa.concat_tables([table, pa.Table.from_pylist([last], schema=table.schema)])


def _assert_same(found: list[Row], queries: dict[str, str], table: pa.Table) -> None:
    for name, matches in cepheid.workload(queries).run(table, **BINDING).items():
        names = matches.table.column_names
        listed: list[dict[str, Any]] = [row.asDict() for row in found if row["query"] == name]
        assert rows({n: row[n] for n in names} for row in listed) == rows(matches)
        assert len(matches) > 0, name


def _way(queries: dict[str, str]) -> By:
    return divided(cepheid.workload(queries).plan(bind(events(1).schema, **BINDING))).by


def test_batch_by_keys(spark: SparkSession) -> None:
    assert _way(BY_KEYS) is By.KEYS
    table = _stream(1500)
    _assert_same(
        match_workload(spark.createDataFrame(table), BY_KEYS, **BINDING, shards=3).collect(), BY_KEYS, table
    )


def test_batch_in_one_shard(spark: SparkSession) -> None:
    assert _way(IN_ONE_SHARD) is By.NOTHING
    table = _stream(700)
    frame = match_workload(spark.createDataFrame(table), IN_ONE_SHARD, **BINDING)
    _assert_same(frame.collect(), IN_ONE_SHARD, table)


@pytest.mark.parametrize(
    ("queries", "way"), [(COUNTED_BY_KEYS, By.KEYS), (COUNTED_IN_ONE_SHARD, By.NOTHING)], ids=["keys", "one"]
)
def test_rows_of_agg_in_batch_and_stream(
    spark: SparkSession, tmp_path: Path, queries: dict[str, str], way: By
) -> None:
    """Without GROUP BY a row is about all keys, so one shard runs what names it."""
    assert _way(queries) is way
    table = _stream(600).slice(0, 600)
    frame = match_workload(spark.createDataFrame(table), queries, **BINDING, shards=2)
    _assert_same(frame.collect(), queries, table)
    last = {"ts": 10**4, "kind": "Z", "k": 0, "x": 0.0, "seq": 600}
    table = pa.concat_tables([table, pa.Table.from_pylist([last], schema=table.schema)])
    arrivals = Arrivals(spark, tmp_path, table.schema)
    first, *others = pieces(table, 3)
    arrivals.put(first)
    found, _ = run(match_workload(arrivals.stream(), queries, **BINDING, shards=2), tmp_path / "checkpoint")
    arrivals.put(*others)
    more, _ = run(match_workload(arrivals.stream(), queries, **BINDING, shards=2), tmp_path / "checkpoint")
    _assert_same_before(found + more, queries, table, last["ts"])


def _assert_same_before(found: list[Row], queries: dict[str, str], table: pa.Table, end: int) -> None:
    """The same, but for rows of periods that end with the last event: no stream knows which is the last."""
    for name, matches in cepheid.workload(queries).run(table, **BINDING).items():
        names = matches.table.column_names
        expected = [row for row in matches if row.get("time", 0) < end]
        listed = [row.asDict() for row in found if row["query"] == name]
        assert rows({n: row[n] for n in names} for row in listed) == rows(expected)
        assert expected, name


def test_stream(spark: SparkSession, tmp_path: Path) -> None:
    """Stopped and started again in between, so that what waits for an absence goes through a checkpoint."""
    table = _stream(900)
    arrivals = Arrivals(spark, tmp_path, table.schema)
    first, *others = pieces(table, 4)
    arrivals.put(first)
    found, _ = run(match_workload(arrivals.stream(), BY_KEYS, **BINDING, shards=2), tmp_path / "checkpoint")
    arrivals.put(*others)
    more, _ = run(match_workload(arrivals.stream(), BY_KEYS, **BINDING, shards=2), tmp_path / "checkpoint")
    _assert_same(found + more, BY_KEYS, table)


def test_a_stream_that_would_wait_for_ever_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    arrivals = Arrivals(spark, tmp_path, events(1).schema)
    queries = {"one": "PATTERN SEQ(A a, ~B b) WITHIN 5 EVENTS", "two": "PATTERN one o"}
    with pytest.raises(QueryCheckError, match="would wait for ever"):
        match_workload(arrivals.stream(), queries, **BINDING)
