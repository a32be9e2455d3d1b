"""A streaming DataFrame gives, by and by, what a table gives."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import cepheid
from cepheid.errors import BindingError, CepheidError, QueryCheckError
from cepheid.events import bind
from cepheid.runners.spark.streaming import PARTITIONS, PROVIDER, ROCKSDB
from cepheid.spark import match
from tests.spark.live import Arrivals, metrics, pieces, run
from tests.spark.reference import certain_ids
from tests.spark.streams import BINDING, QUERIES, events

pytestmark = pytest.mark.spark

KEYED, ABSENT = QUERIES[0], QUERIES[4]
BY_KIND: dict[str, Any] = {"time": "t", "type": "kind"}
SCHEMA = pa.schema([("t", pa.int64()), ("kind", pa.string())])
QUIET = "PATTERN SEQ(A a, ~B b) WITHIN 5 RETURN a.t AS t"


def expected(table: pa.Table, text: str, **binding: Any) -> list[str]:
    plan = cepheid.query(text).plan(bind(table.schema, **{"time_unit": None, "order": (), **binding}))
    return certain_ids(plan, table)


def rows(*events: tuple[Any, str]) -> list[dict[str, Any]]:
    return [{"t": time, "kind": kind} for time, kind in events]


def failure(out: DataFrame, checkpoint: Path) -> str:
    with pytest.raises(StreamingQueryException) as caught:
        run(out, checkpoint)
    return str(caught.value)


def test_several_queries_over_several_runs(spark: SparkSession, tmp_path: Path) -> None:
    """In one streaming query, which is stopped and goes on from its checkpoint."""
    table = events(1500)
    arrivals = Arrivals(spark, tmp_path, table.schema)
    texts = (KEYED, ABSENT)

    def all_matches() -> DataFrame:
        found = [
            match(arrivals.stream(), text, **BINDING, shards=2).select(F.lit(text).alias("q"), "match_id")
            for text in texts
        ]
        return reduce(DataFrame.union, found)

    seen, batches = [], pieces(table, 4)
    for arriving in (batches[:2], batches[2:]):
        arrivals.put(*arriving)
        found, query = run(all_matches(), tmp_path / "checkpoint")
        seen += found
    for text in texts:
        assert sorted(row.match_id for row in seen if row.q == text) == expected(table, text, **BINDING), text
    told = metrics(query)
    assert len(told) == len(texts) * 2
    assert sum(figures["events"] for figures in told) <= len(texts) * 750


def test_a_checkpoint_fits_its_stream_only(spark: SparkSession, tmp_path: Path) -> None:
    """It is refused at a start, whether data has arrived since or not."""
    arrivals = Arrivals(spark, tmp_path, SCHEMA)
    query = "PATTERN SEQ(A a, B b) WHERE [kind] WITHIN 5"
    arrivals.put(rows((1, "A"), (2, "B")))
    run(match(arrivals.stream(), query, **BY_KIND, shards=2), tmp_path / "checkpoint")
    said = failure(match(arrivals.stream(), query, **BY_KIND, shards=5), tmp_path / "checkpoint")
    assert "made with 2 shards" in said
    assert "pass shards=2, or start with a new checkpoint folder" in said
    arrivals.put(rows((3, "A")))
    other = query.replace("5", "6")
    said = failure(match(arrivals.stream(), other, **BY_KIND, shards=2), tmp_path / "checkpoint")
    assert "made by another query: go on with that, or start with a new checkpoint folder" in said
    assert f"made by  {cepheid.query(query)}" in said


def test_windows_close_in_silence(spark: SparkSession, tmp_path: Path) -> None:
    """Only one shard has events at first; the others' time passes, and events that cannot matter move it."""
    schema = pa.schema([("t", pa.int64()), ("kind", pa.string()), ("k", pa.int64())])
    arrivals = Arrivals(spark, tmp_path, schema)
    arrivals.put([{"t": -20, "kind": "A", "k": k} for k in range(4)])
    arrivals.put([{"t": -15, "kind": "B", "k": 1}, {"t": -15, "kind": "Z", "k": 9}])
    out = match(arrivals.stream(), "PATTERN SEQ(A a, ~B b) WHERE [k] WITHIN 5 RETURN a.k AS k", **BY_KIND)
    assert run(out, tmp_path / "checkpoint")[0] == []
    arrivals.put([{"t": -14, "kind": "Z", "k": 9}])
    found, query = run(out, tmp_path / "checkpoint")
    assert sorted(row.k for row in found) == [0, 2, 3]
    assert metrics(query)[-1]["watermark"] == "-14"


def test_late_and_bad_events_come_beside(spark: SparkSession, tmp_path: Path) -> None:
    arrivals = Arrivals(spark, tmp_path, SCHEMA)
    arrivals.put(rows((10, "A"), (None, "A")), rows((12, "B"), (9, "A")), rows((14, "A"), (2, "B")))
    text = "PATTERN SEQ(A a, B b) WITHIN 5 RETURN a.t AS a, b.t AS b"
    found, query = run(match(arrivals.stream(), text, **BY_KIND, side=True), tmp_path / "checkpoint")
    matches = [(row.a, row.b) for row in found if row.side is None]
    assert matches == [(10, 12)]
    unused = [(row.side.what, row.side.reason, *row.side.event) for row in found if row.side is not None]
    assert sorted(unused, key=str) == [
        ("bad", "'t' is no time", None, "A"),
        ("late", "behind the watermark", 2, "B"),
        ("late", "behind the watermark", 9, "A"),
    ]
    told = metrics(query)
    assert [figures["events"] for figures in told] == [1, 1, 1]
    assert [figures["late"] for figures in told] == [0, 1, 1]
    assert [figures["bad"] for figures in told] == [1, 0, 0]
    assert [figures["matches"] for figures in told] == [0, 1, 0]
    by_shard = {entry["key"]: entry["value"] for entry in told[-1]["state_bytes_by_shard"]}
    assert by_shard == {0: told[-1]["state_bytes"]} == {0: told[-1]["state_bytes_max"]}
    said = failure(match(arrivals.stream(), text, **BY_KIND, on_late="fail"), tmp_path / "another")
    assert "an event is late: behind the watermark" in said


def test_lateness_puts_events_in_order(spark: SparkSession, tmp_path: Path) -> None:
    arrivals = Arrivals(spark, tmp_path, SCHEMA)
    arrivals.put(rows((6, "B"), (9, "C")), rows((5, "A")), rows((12, "C")))
    out = match(arrivals.stream(), "PATTERN SEQ(A a, B b) WITHIN 5", **BY_KIND, lateness=4)
    found, query = run(out, tmp_path / "checkpoint")
    assert [(row.a.t, row.b.t) for row in found] == [(5, 6)]
    assert [figures["waiting"] for figures in metrics(query)] == [1, 2, 0]


DAY = datetime(2024, 5, 1, 12, tzinfo=UTC)
TIMES: list[tuple[pa.DataType, list[Any], str]] = [
    (pa.date32(), [date(1969, 12, 30), date(1969, 12, 31), date(1970, 3, 1)], "2 days"),
    (pa.timestamp("us"), [datetime(1960, 1, 1, 0, 0, s) for s in (1, 2, 59)], "30 s"),
]


@pytest.mark.parametrize(("kind", "moments", "window"), TIMES, ids=lambda value: str(value)[:20])
def test_every_kind_of_time(
    spark: SparkSession, tmp_path: Path, kind: pa.DataType, moments: list[Any], window: str
) -> None:
    schema = pa.schema([("t", kind), ("kind", pa.string())])
    arrivals = Arrivals(spark, tmp_path, schema)
    batches = [rows((moment, letter)) for moment, letter in zip(moments, "AAC", strict=True)]
    arrivals.put(*batches)
    text = f"PATTERN SEQ(A a, A+ b[], ~B c) WITHIN {window}"
    found, _ = run(match(arrivals.stream(), text, **BY_KIND), tmp_path / "checkpoint")
    table = pa.Table.from_pylist([row for batch in batches for row in batch], schema=schema)
    wanted = cepheid.query(text).run(table, **BY_KIND).table
    assert [row.match_id for row in found] == wanted.column("match_id").to_pylist()
    assert [row.a.kind for row in found] == ["A"]
    assert [[part.kind for part in row.b] for row in found] == [["A"]]


def test_watermarks_of_the_user_before_and_after(spark: SparkSession, tmp_path: Path) -> None:
    """The clock is our own; what comes after may count windows over the matches."""
    schema = pa.schema([("t", pa.timestamp("us", "UTC")), ("kind", pa.string())])
    arrivals = Arrivals(spark, tmp_path, schema)
    moments = [DAY + timedelta(minutes=minute) for minute in (0, 1, 2, 3, 300, 301, 600, 601)]
    arriving = rows(*zip(moments, "ABABABAB", strict=True))
    arrivals.put(*(arriving[start : start + 2] for start in range(0, 8, 2)))
    marked = arrivals.stream().withWatermark("t", "1 hour")
    text = "PATTERN SEQ(A a, B b) WHERE skip_till_next_match {} WITHIN 5 min RETURN b.t AS t"
    found, _ = run(match(marked, text, **BY_KIND), tmp_path / "before")
    assert len(found) == 4
    matches = match(arrivals.stream(), text, **BY_KIND).withWatermark("t", "1 hour")
    counted, _ = run(matches.groupBy(F.window("t", "1 hour")).count(), tmp_path / "after")
    assert [row["count"] for row in counted] == [2, 1]


def test_what_is_asked_is_checked_before_data_moves(spark: SparkSession, tmp_path: Path) -> None:
    stream = Arrivals(spark, tmp_path, SCHEMA).stream()
    with pytest.raises(BindingError, match="lateness"):
        match(stream, QUIET, **BY_KIND, lateness="soon")
    with pytest.raises(BindingError, match="on_late"):
        match(stream, QUIET, **BY_KIND, on_late="keep")
    with pytest.raises(QueryCheckError, match="remember events for ever"):
        match(stream, "PATTERN SEQ(A a, B b)", **BY_KIND)
    spark.conf.set(PARTITIONS, 20)
    try:
        with pytest.warns(UserWarning, match="runs 20 tasks for 2 shards"):
            match(stream, "PATTERN SEQ(A a, B b) WHERE [kind] WITHIN 5", **BY_KIND, shards=2)
        spark.conf.unset(PROVIDER)
        with pytest.raises(CepheidError, match="needs Spark's RocksDB state store: "):
            match(stream, QUIET, **BY_KIND)
    finally:
        spark.conf.set(PARTITIONS, 2)
        spark.conf.set(PROVIDER, ROCKSDB)


def test_plain_columns_of_every_type_come_out_as_they_went_in(spark: SparkSession, tmp_path: Path) -> None:
    """And nulls among them; a struct beside them makes the matches travel packed."""
    moment = datetime(2026, 3, 29, 1, 30, 0, 123456)  # an hour that some clocks do not have
    kinds: dict[str, tuple[pa.DataType, Any]] = {
        "yes": (pa.bool_(), True),
        "tiny": (pa.int8(), -7),
        "small": (pa.int16(), 300),
        "middle": (pa.int32(), 70_000),
        "large": (pa.int64(), 2**62 + 1),
        "half": (pa.float32(), 0.5),
        "real": (pa.float64(), 0.1),
        "text": (pa.string(), "né"),
        "raw": (pa.binary(), b"\0\xff"),
        "day": (pa.date32(), moment.date()),
        "there": (pa.timestamp("us", "UTC"), moment.replace(tzinfo=UTC)),
        "somewhere": (pa.timestamp("us"), moment),
        "price": (pa.decimal128(20, 3), Decimal("12345678901234567.891")),
        "lasts": (pa.duration("us"), timedelta(days=1, microseconds=5)),
    }
    schema = pa.schema([("t", pa.int64()), *((name, kind) for name, (kind, _) in kinds.items())])
    full = {name: value for name, (_, value) in kinds.items()}
    given = [{"t": 1, **full}, {"t": 2, **dict.fromkeys(full)}, {"t": 3, **full}]
    arrivals = Arrivals(spark, tmp_path, schema)
    arrivals.put(given)
    listed = ", ".join(f"a.{name} AS {name}" for name in kinds)
    for number, query in enumerate((f"PATTERN ANY a WITHIN 5 RETURN {listed}", "PATTERN ANY a WITHIN 5")):
        found, _ = run(match(arrivals.stream(), query, time="t", shards=1), tmp_path / f"checkpoint{number}")
        table = spark.read.schema(arrivals.stream().schema).parquet(str(arrivals.folder))
        whole = match(table, query, time="t").collect()
        assert {row.match_id: row for row in found} == {row.match_id: row for row in whole}
        assert len(found) == len(given)
