"""What EMIT gives besides matches, on Spark as in one process; compressed matches are expanded here."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import cepheid
from cepheid.errors import UnsupportedError
from cepheid.spark import match
from tests.spark.live import Arrivals, pieces, run
from tests.spark.streams import BINDING, embedded_ids, events, ids

pytestmark = pytest.mark.spark

KLEENE = (
    "PATTERN SEQ(A+ a[], B b) WHERE [k] AND a[i].x > a[i-1].x WITHIN 300 RETURN b.k AS k, b.seq AS at, a.len"
)
TABLE = events(1200)


@pytest.mark.parametrize("emit", ["FIRST 2", "LONGEST", "NON OVERLAPPING"])
def test_chosen_matches(spark: SparkSession, emit: str) -> None:
    text = f"{KLEENE} EMIT {emit}"
    found = match(spark.createDataFrame(TABLE), cepheid.query(text), **BINDING, shards=3)
    assert ids(found) == embedded_ids(TABLE, text, **BINDING)


def test_counts(spark: SparkSession) -> None:
    query = cepheid.query(KLEENE.split(" RETURN")[0] + " EMIT COUNT")
    found = match(spark.createDataFrame(TABLE), query, **BINDING, shards=3).collect()
    here = query.run(TABLE, **BINDING)
    numbers = {row["match_id"]: (row["time"], row["k"], int(row["count"])) for row in here}
    assert {row.match_id: (row.time, row.k, int(row["count"])) for row in found} == numbers
    assert len(found) == len(here) > 50


def test_compressed_matches_are_expanded_where_they_are_wanted(spark: SparkSession) -> None:
    query = cepheid.query(KLEENE + " EMIT COMPRESSED")
    compressed = match(spark.createDataFrame(TABLE), query, **BINDING, shards=3).toArrow()
    with pytest.raises(cepheid.CepheidError, match="expand\\(table, q, time="):
        cepheid.expand(compressed)
    matches = cepheid.expand(compressed, query, **BINDING)
    assert matches.count() == sum(int(number) for number in compressed.column("count").to_pylist())
    assert ids(matches.table) == embedded_ids(TABLE, KLEENE, **BINDING)


def test_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    text = f"{KLEENE} EMIT COMPRESSED"
    arrivals = Arrivals(spark, tmp_path, TABLE.schema)
    arrivals.put(*pieces(TABLE, 3), [{"ts": 10**6, "kind": "Z", "k": 0, "x": 0.0, "seq": 10**6}])
    found, _ = run(match(arrivals.stream(), cepheid.query(text), **BINDING, shards=2), tmp_path / "check")
    assert sorted(row.match_id for row in found) == embedded_ids(TABLE, text, **BINDING)


def test_backtracking_runs_no_stream(spark: SparkSession, tmp_path: Path) -> None:
    query = cepheid.query(KLEENE).using("nfa", sharing="backtracking")
    table = spark.createDataFrame(TABLE)
    assert ids(match(table, query, **BINDING, shards=2)) == embedded_ids(TABLE, KLEENE, **BINDING)
    with pytest.raises(UnsupportedError, match="whole tables only"):
        match(Arrivals(spark, tmp_path, TABLE.schema).stream(), query, **BINDING)
