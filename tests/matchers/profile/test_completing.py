"""Matches that the last part of a pattern completes, where nothing holds them back."""

from __future__ import annotations

from functools import cache
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.profiles import profile, profiles
from tests.laws.profile_sets import WAYS

STREAM: dict[str, Any] = {"time": "time", "type": "type"}
SCHEMA = {"time": pa.int64(), "type": pa.string(), "k": pa.int64(), "x": pa.int64()}
MANY = 1_500  # more than there is room for at first
PAIRS = "PATTERN SEQ(A a, B b) WHERE [k] AND a.x < b.x WITHIN 1400 RETURN a.time AS a, b.time AS b"
TRIPLES = "PATTERN SEQ(A a, B b, C c) WHERE a.x < 3 RETURN a.time AS a, b.time AS b"
TWICE = "PATTERN AND(A a, A b) WHERE a.time > 1490 AND b.time > 1490 RETURN a.time AS a, b.time AS b"


def events() -> list[dict[str, Any]]:
    """Many that begin a pair, of two keys, then a few that complete all that the window holds."""
    kinds = ["A"] * MANY + ["B", "B", "C", "B"]
    return [{"time": t, "type": kind, "k": t % 2, "x": t % 300} for t, kind in enumerate(kinds)]


@cache
def alone(text: str) -> list[str]:
    """The ids of the matches of a profile by itself."""
    ids: list[str] = profile(text).run(events(), **STREAM).table.column("match_id").to_pylist()
    return ids


@pytest.mark.parametrize("way", WAYS)
def test_what_one_event_completes_is_told_in_the_order_of_events(way: str) -> None:
    texts = {"pairs": PAIRS, "triples": TRIPLES, "twice": TWICE}
    found = profiles(texts, **WAYS[way]).run(events(), **STREAM).table.to_pylist()
    for name, text in texts.items():
        told = [row["match_id"] for row in found if row["profile"] == name]
        assert told and told == alone(text)


def test_a_snapshot_in_between_changes_nothing() -> None:
    of = profiles({"pairs": PAIRS})
    session = of.session(SCHEMA, **STREAM)
    rows = events()
    session.push(rows[:MANY])
    resumed = cepheid.resume(of, session.snapshot())
    assert resumed.push(rows[MANY:]).equals(session.push(rows[MANY:]))
