"""Profiles over a DataFrame: what each tells in one process, however many shards there are."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

import cepheid
from cepheid.errors import CepheidError
from cepheid.spark import match_profiles
from tests.spark.live import Arrivals, metrics, pieces, run

KINDS = "ABCD"
BINDING: dict[str, Any] = {"time": "t", "type": "kind"}
TEXTS = (
    ("PATTERN A a WHERE a.x = {n}", {}),
    ("PATTERN SEQ(A a, B b) WHERE [k] AND a.x < b.x WITHIN {n}", {"consume": "unique"}),
    ("PATTERN AND(B a, C b) WHERE a.x > {n} WITHIN 5", {"select": "first"}),
    ("PATTERN SEQ(A a, ~C c, B b) WHERE b.x < {n} WITHIN 6", {"once": "ever"}),
    ("PATTERN SEQ(A a, B+ b[]) WHERE a.x = {n} WITHIN 3", {}),
)


def events(count: int) -> list[dict[str, Any]]:
    rng = random.Random(3)
    return [
        {"t": t, "kind": rng.choice(KINDS), "k": rng.randrange(3), "x": rng.randrange(9)}
        for t in range(count)
    ]


def subscriptions(count: int) -> list[dict[str, Any]]:
    found = []
    for number in range(count):
        text, terms = TEXTS[number % len(TEXTS)]
        row = {
            "profile": f"p{number}",
            "query": text.format(n=1 + number % 7),
            "select": None,
            "consume": None,
        }
        found.append({**row, "once": None, "timezone": None, **terms})
    return found


ARROW = pa.schema([("t", pa.int64()), ("kind", pa.string()), ("k", pa.int64()), ("x", pa.int64())])
EVENTS = "t long, kind string, k long, x long"
COLUMNS = "profile string, query string, select string, consume string, once string, timezone string"


def frame_of(spark: SparkSession, rows: list[dict[str, Any]]) -> DataFrame:
    order = ("profile", "query", "select", "consume", "once", "timezone")
    return spark.createDataFrame([tuple(row[name] for name in order) for row in rows], COLUMNS)


def members_of(rows: list[dict[str, Any]]) -> dict[str, cepheid.Profile]:
    return {
        row["profile"]: cepheid.profile(
            row["query"], **{n: row[n] for n in ("select", "consume", "once") if row[n] is not None}
        )
        for row in rows
    }


def in_order(rows: list[Any]) -> list[Any]:
    return sorted((row if isinstance(row, dict) else row.asDict() for row in rows), key=str)


@pytest.mark.parametrize("shards", [1, 3])
def test_profiles_tell_on_spark_what_they_tell_here(spark: SparkSession, shards: int) -> None:
    stream, rows = events(200), subscriptions(40)
    found = match_profiles(
        spark.createDataFrame(stream, EVENTS), frame_of(spark, rows), **BINDING, shards=shards
    )
    assert found.columns == ["profile", "match_id", "time", "match"]
    here = cepheid.profiles(members_of(rows)).run(stream, **BINDING).table.to_pylist()
    assert len(here) > 50
    assert in_order(found.collect()) == in_order(here)


@pytest.mark.parametrize("shards", [1, 3])
def test_a_stream_goes_on_from_its_checkpoint(spark: SparkSession, tmp_path: Path, shards: int) -> None:
    """A session tells the same, which is still open at the end, as the stream is."""
    stream, rows = pa.Table.from_pylist(events(200), ARROW), subscriptions(40)
    arrivals, batches = Arrivals(spark, tmp_path, ARROW), pieces(stream, 4)
    told = []
    for arriving in (batches[:2], batches[2:]):
        arrivals.put(*arriving)
        out = match_profiles(arrivals.stream(), frame_of(spark, rows), **BINDING, shards=shards)
        told += run(out, tmp_path / "checkpoint")[0]
    here = cepheid.profiles(members_of(rows)).session(ARROW, **BINDING).push(stream).to_pylist()
    assert len(here) > 50
    assert in_order(told) == in_order(here)


@pytest.mark.long
def test_a_hundred_thousand_profiles_follow_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    """Each waits for its own room; a few of them are told something."""
    count, rooms = 100_000, 300
    columns = {
        "profile": [f"p{n}" for n in range(count)],
        "query": [
            f"PATTERN SEQ(A a, B b) WHERE a.k = {n} AND b.k = {n} AND b.x > a.x WITHIN 100"
            for n in range(count)
        ],
        "consume": ["unique"] * count,
    }
    pq.write_table(pa.table(columns), tmp_path / "profiles.parquet")
    rng = random.Random(7)
    stream = pa.Table.from_pylist([{**event, "k": rng.randrange(rooms)} for event in events(8_000)], ARROW)
    arrivals = Arrivals(spark, tmp_path, ARROW)
    arrivals.put(*pieces(stream, 4))
    profiles = spark.read.parquet(str(tmp_path / "profiles.parquet"))
    told = run(match_profiles(arrivals.stream(), profiles, **BINDING), tmp_path / "checkpoint")[0]
    members = zip(columns["profile"], columns["query"], strict=True)
    here = cepheid.profiles({name: cepheid.profile(text, consume="unique") for name, text in members})
    found = here.session(ARROW, **BINDING).push(stream).to_pylist()
    assert len(found) > 50
    assert in_order(told) == in_order(found)


def test_events_that_nobody_wants_move_the_clock(spark: SparkSession, tmp_path: Path) -> None:
    """One shard wants A and B, the other C; a window of the first closes with an event of the second."""
    rows = [
        {**row, "query": text}
        for row, text in zip(
            subscriptions(2), ("PATTERN SEQ(A a, ~B b) WITHIN 5", "PATTERN C c"), strict=True
        )
    ]
    arrivals = Arrivals(spark, tmp_path, ARROW)
    arrivals.put(
        *([{"t": t, "kind": kind, "k": 0, "x": 0}] for t, kind in ((1, "A"), (9, "Z"), (3, "A"), (20, "C")))
    )
    out = match_profiles(arrivals.stream(), frame_of(spark, rows), **BINDING, shards=3)
    told, query = run(out, tmp_path / "checkpoint")
    assert [(row.profile, row.time) for row in told] == [("p0", 1), ("p1", 20)]
    assert [figures["late"] for figures in metrics(query)] == [0, 0, 1, 0]
    failing = match_profiles(arrivals.stream(), frame_of(spark, rows), **BINDING, on_late="fail")
    with pytest.raises(StreamingQueryException, match="late"):
        run(failing, tmp_path / "another")


def test_a_checkpoint_has_its_profiles(spark: SparkSession, tmp_path: Path) -> None:
    arrivals, rows = Arrivals(spark, tmp_path, ARROW), subscriptions(10)
    arrivals.put(events(5))
    run(match_profiles(arrivals.stream(), frame_of(spark, rows), **BINDING), tmp_path / "checkpoint")
    arrivals.put(events(5))
    others = match_profiles(arrivals.stream(), frame_of(spark, rows[:9]), **BINDING)
    with pytest.raises(
        StreamingQueryException, match="other ones than those that this checkpoint was made with"
    ):
        run(others, tmp_path / "checkpoint")


def test_a_stream_refuses_what_grows_for_ever(spark: SparkSession, tmp_path: Path) -> None:
    arrivals = Arrivals(spark, tmp_path, ARROW)
    arrivals.put(events(5))
    rows = [{**row, "query": "PATTERN SEQ(A a, B b)"} for row in subscriptions(1)]
    out = match_profiles(arrivals.stream(), frame_of(spark, rows), **BINDING)
    with pytest.raises(StreamingQueryException, match=r"(?s)profile 'p0': .*WITHIN"):
        run(out, tmp_path / "checkpoint")
    with pytest.raises(CepheidError, match="the DataFrame of profiles is a stream"):
        match_profiles(arrivals.stream(), arrivals.stream(), **BINDING)


def test_bad_frames_are_refused(spark: SparkSession) -> None:
    stream = spark.createDataFrame(events(3), "t long, kind string, k long, x long")
    with pytest.raises(CepheidError, match="has no column 'query'"):
        match_profiles(stream, spark.createDataFrame([("p",)], "profile string"), **BINDING)
    with pytest.raises(CepheidError, match="has a column 'text'"):
        wrong = spark.createDataFrame([("p", "q", "t")], "profile string, query string, text string")
        match_profiles(stream, wrong, **BINDING)
    with pytest.raises(CepheidError, match="takes a DataFrame of Spark"):
        match_profiles(stream, [("p", "PATTERN A a")], **BINDING)  # type: ignore[arg-type]
