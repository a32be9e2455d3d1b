"""A workload on Spark gives the rows that each query gives in one process, in one pass over the events."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import Row, SparkSession

import cepheid
from cepheid.errors import UnsupportedError
from cepheid.spark import match_workload
from tests.spark.live import Arrivals, pieces, run
from tests.spark.streams import BINDING, events
from tests.spark.test_aggregates import rows

pytestmark = pytest.mark.spark

QUERIES = {
    "pairs": "PATTERN SEQ(A a, B b) WHERE [k] WITHIN 300 AGG COUNT GROUP BY k",
    "triples": "PATTERN SEQ(A a, B b, C c) WHERE [k] WITHIN 300 AGG COUNT, SUM(b.seq) AS s GROUP BY k",
    "matches": "PATTERN SEQ(A a, C c) WHERE [k] AND a.x > 0.9 WITHIN 20 RETURN a.k AS k, c.seq AS last",
}


def _by_query(found: list[Row]) -> dict[str, list[dict[str, object]]]:
    listed: dict[str, list[dict[str, object]]] = {name: [] for name in QUERIES}
    for row in found:
        listed[row["query"]].append(row.asDict())
    return listed


def _assert_same(found: list[Row], size: int) -> None:
    listed = _by_query(found)
    for name, matches in cepheid.workload(QUERIES).run(events(size), **BINDING).items():
        names = matches.table.column_names
        assert rows({n: row[n] for n in names} for row in listed[name]) == rows(matches)
        assert len(matches) > 0


def test_batch(spark: SparkSession) -> None:
    frame = match_workload(spark.createDataFrame(events(1200)), QUERIES, **BINDING, shards=2)
    assert frame.columns[0] == "query"
    _assert_same(frame.collect(), 1200)


def test_stream(spark: SparkSession, tmp_path: Path) -> None:
    """Over a stream, match_workload finds what a session of the workload finds."""
    table = events(900)
    arrivals = Arrivals(spark, tmp_path, table.schema)
    parts = pieces(table, 3)
    arrivals.put(*parts)
    workload = cepheid.workload(QUERIES)
    stream = match_workload(arrivals.stream(), workload, **BINDING, shards=2)
    found, _ = run(stream, tmp_path / "checkpoint")
    _assert_same(found, 900)
    listed = _by_query(found)
    session = workload.session(table.schema, **BINDING)
    pushed = [session.push(part) for part in parts]
    for name in QUERIES:
        matches = pa.concat_tables([each[name] for each in pushed])
        assert rows({n: row[n] for n in matches.column_names} for row in listed[name]) == rows(
            matches.to_pylist()
        )


def test_a_stream_has_no_end_to_report_at(spark: SparkSession, tmp_path: Path) -> None:
    arrivals = Arrivals(spark, tmp_path, events(10).schema)
    with pytest.raises(UnsupportedError, match="a stream has none"):
        match_workload(arrivals.stream(), {"q": f"{QUERIES['pairs']} EMIT ON CLOSE"}, **BINDING)
