"""Profiles over a DataFrame: what each tells in one process, however many shards there are."""

from __future__ import annotations

import random
from typing import Any

import pytest
from pyspark.sql import SparkSession

import cepheid
from cepheid.errors import CepheidError
from cepheid.spark import match_profiles

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


COLUMNS = "profile string, query string, select string, consume string, once string, timezone string"


@pytest.mark.parametrize("shards", [1, 3])
def test_profiles_tell_on_spark_what_they_tell_here(spark: SparkSession, shards: int) -> None:
    stream, rows = events(200), subscriptions(40)
    order = ("profile", "query", "select", "consume", "once", "timezone")
    frame = spark.createDataFrame([tuple(row[name] for name in order) for row in rows], COLUMNS)
    found = match_profiles(
        spark.createDataFrame(stream, "t long, kind string, k long, x long"), frame, **BINDING, shards=shards
    )
    assert found.columns == ["profile", "match_id", "time", "match"]
    members = {
        row["profile"]: cepheid.profile(
            row["query"], **{n: row[n] for n in ("select", "consume", "once") if row[n] is not None}
        )
        for row in rows
    }
    here = cepheid.profiles(members).run(stream, **BINDING).table.to_pylist()
    there = [row.asDict() for row in found.collect()]
    assert len(here) > 50
    assert sorted(there, key=str) == sorted(here, key=str)


def test_bad_frames_are_refused(spark: SparkSession) -> None:
    stream = spark.createDataFrame(events(3), "t long, kind string, k long, x long")
    with pytest.raises(CepheidError, match="has no column 'query'"):
        match_profiles(stream, spark.createDataFrame([("p",)], "profile string"), **BINDING)
    with pytest.raises(CepheidError, match="has a column 'text'"):
        wrong = spark.createDataFrame([("p", "q", "t")], "profile string, query string, text string")
        match_profiles(stream, wrong, **BINDING)
    with pytest.raises(CepheidError, match="takes a DataFrame of Spark"):
        match_profiles(stream, [("p", "PATTERN A a")], **BINDING)  # type: ignore[arg-type]
