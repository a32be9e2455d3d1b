"""Sets of profiles: each tells what it tells by itself, however the set changes around it."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import CepheidError
from cepheid.matchers.plain_text import json_lines
from cepheid.profiles import Profile, ProfileSet, profile, profiles
from tests.cases.profiles import ProfileCase, random_profile_case

SCHEMA = {"time": pa.int64(), "type": pa.string(), "k": pa.int64()}
BINDING: dict[str, Any] = {"time": "time", "type": "type"}
PAIRS = profile("PATTERN SEQ(A a, B b) WHERE [k] WITHIN 10 RETURN a.time AS a, b.time AS b", consume="unique")
LONE = profile("PATTERN A a RETURN a.time AS at", once="ever")
QUIET = profile("PATTERN SILENCE OF A a FOR 5 RETURN a.time AS at")


def stream(types: str, start: int = 0) -> list[dict[str, Any]]:
    return [{"time": start + place, "type": kind, "k": 1} for place, kind in enumerate(types)]


def told(table: pa.Table) -> list[tuple[str, int, Any]]:
    return [(row["profile"], row["time"], json.loads(row["match"])) for row in table.to_pylist()]


# -- as one table ----------------------------------------------------------------------------------


def test_what_all_profiles_tell_is_one_table_in_the_order_of_completion() -> None:
    found = profiles({"pairs": PAIRS, "quiet": QUIET, "lone": LONE}).run(stream("AABBZZZZ"), **BINDING)
    assert found.table.schema.names == ["profile", "match_id", "time", "match"]
    assert told(found.table) == [
        ("lone", 0, {"at": 0}),
        ("pairs", 2, {"a": 0, "b": 2}),
        ("pairs", 3, {"a": 1, "b": 3}),
        ("quiet", 6, {"at": 6}),
    ]
    assert found.stats["profiles"] == 3


def test_without_return_a_match_is_an_object_per_variable() -> None:
    found = profiles({"p": "PATTERN SEQ(A a, B? b, C+ c[]) WITHIN 5"}).run(stream("AC"), **BINDING)
    (row,) = told(found.table)
    a, c = ({"time": place, "type": kind, "k": 1} for place, kind in enumerate("AC"))
    assert row == ("p", 1, {"a": a, "b": None, "c": [c]})
    assert told(profiles({"p": "PATTERN EVERY 10"}).run(stream("A"), **BINDING).table) == [("p", 0, {})]


def test_ids_are_those_of_the_profile_alone() -> None:
    events = stream("AABBAB")
    alone = PAIRS.run(events, **BINDING).table.column("match_id").to_pylist()
    found = profiles({"one": PAIRS, "two": PAIRS}).run(events, **BINDING).table
    for name in ("one", "two"):
        assert [row["match_id"] for row in found.to_pylist() if row["profile"] == name] == alone


# -- change while running --------------------------------------------------------------------------


def test_a_profile_sees_what_comes_after_it_was_added() -> None:
    session = profiles({"pairs": PAIRS}).session(SCHEMA, **BINDING)
    assert told(session.push(stream("AA"))) == []
    session.add("later", PAIRS)
    assert session.names == ["pairs", "later"]
    assert told(session.push(stream("AB", start=2))) == [
        ("pairs", 3, {"a": 0, "b": 3}),
        ("later", 3, {"a": 2, "b": 3}),
    ]
    session.remove("pairs")
    assert told(session.push(stream("AB", start=4))) == [("later", 5, {"a": 4, "b": 5})]


def test_events_that_wait_for_the_watermark_came_before() -> None:
    session = profiles({"all": LONE}).session(SCHEMA, **BINDING, lateness=5)
    session.push(stream("AA"))
    session.add("pairs", PAIRS)
    session = cepheid.resume(profiles({}), session.snapshot())
    session.push([{"time": 1, "type": "A", "k": 1}])  # as one that is waiting, but after it
    session.push(stream("B", start=2))
    assert told(session.close()) == [("all", 0, {"at": 0}), ("pairs", 2, {"a": 1, "b": 2})]


def test_a_pause_drops_what_is_half_matched_and_not_what_was_told() -> None:
    session = profiles({"pairs": PAIRS, "lone": LONE}).session(SCHEMA, **BINDING)
    assert len(session.push(stream("A"))) == 1
    session.pause("pairs")
    session.pause("lone")
    session = cepheid.resume(profiles({}), session.snapshot())
    assert told(session.push(stream("BAB", start=1))) == []
    session.resume("pairs")
    session.resume("lone")
    assert told(session.push(stream("BAB", start=4))) == [("pairs", 6, {"a": 5, "b": 6})]
    assert session.stats["paused"] == 0


def test_a_silence_begins_when_a_profile_is_added() -> None:
    session = profiles({}).session(SCHEMA, **BINDING)
    session.push(stream("Z"))
    session.advance(100)
    session.add("quiet", QUIET)
    assert told(session.advance(105)) == []
    assert told(session.advance(106)) == [("quiet", 105, {"at": 105})]


# -- bad input -------------------------------------------------------------------------------------


def test_bad_sets_are_refused() -> None:
    with pytest.raises(CepheidError, match="two profiles are named 'p'"):
        profiles([("p", PAIRS), ("p", LONE)])
    with pytest.raises(CepheidError, match="a profile has a text for a name, not 3"):
        profiles({3: PAIRS})  # type: ignore[dict-item]
    with pytest.raises(CepheidError, match="method= is one of one_step, two_step"):
        profiles({"p": PAIRS}, method="three_step")
    with pytest.raises(CepheidError, match="variant= is one of dynamic, mark, reference"):
        profiles({"p": PAIRS}, variant="static")
    with pytest.raises(CepheidError, match="profile 'p': "):
        profiles({"p": "PATTERN SEQ(A a"})
    with pytest.raises(CepheidError, match=r"profile 'p': there is no attribute|profile 'p': .*'x'"):
        profiles({"p": "PATTERN A a WHERE a.x > 1"}).run(stream("A"), **BINDING)
    with pytest.raises(CepheidError, match="profile 'p': over an unbounded stream"):
        profiles({"p": "PATTERN SEQ(A a, B b)"}).session(SCHEMA, **BINDING)


def test_bad_changes_are_refused_and_change_nothing() -> None:
    session = profiles({"pairs": PAIRS}).session(SCHEMA, **BINDING)
    for change, message in (
        (lambda: session.add("pairs", LONE), "there is a profile 'pairs' already"),
        (lambda: session.add("bad", "PATTERN SEQ(A a, B b)"), "unbounded stream"),
        (lambda: session.add("bad", "PATTERN A a WHERE a.x > 1"), "'x'"),
        (lambda: session.remove("pair"), "there is no profile 'pair'; did you mean 'pairs'"),
        (lambda: session.resume("pairs"), "'pairs' is not paused"),
        (lambda: (session.pause("pairs"), session.pause("pairs")), "'pairs' is paused already"),
    ):
        with pytest.raises(CepheidError, match=message):
            change()
    session.resume("pairs")
    assert len(session.push(stream("AB"))) == 1


# -- random sets -----------------------------------------------------------------------------------


def random_set(rng: random.Random) -> tuple[ProfileCase, dict[str, Profile]]:
    """Profiles that may all have a session over the stream of one case."""
    while True:
        case = random_profile_case(rng)
        if case.lateness == 0 and len(case.events) > 3 and case.time_kind != "timestamp":
            break
    found: dict[str, Profile] = {}
    while len(found) < 3:
        other = random_profile_case(rng)
        if (other.binding, other.time_kind) == (case.binding, case.time_kind) and other.has_window:
            found[f"p{len(found)}"] = profile(other.query_text, **other.parameters)
    return case, found


@pytest.mark.parametrize("seed", range(24))
def test_each_profile_tells_what_it_tells_by_itself(seed: int) -> None:
    """Added and removed at random, with snapshots in between; its own session begins where it was added."""
    rng = random.Random(f"set-{seed}")
    case, members = random_set(rng)
    events = case.table
    edges = list(range(0, len(events) + 1, rng.randint(1, 3)))
    if edges[-1] != len(events):
        edges.append(len(events))
    spans = {name: sorted((rng.randrange(len(edges)), rng.randrange(len(edges)))) for name in members}
    session = ProfileSet({}).session(events.schema, **case.binding)
    alone: dict[str, Any] = {}
    expected: dict[str, list[str]] = {name: [] for name in members}
    rows: list[dict[str, Any]] = []
    for number, (start, stop) in enumerate([*itertools.pairwise(edges), (len(events), len(events))]):
        for name, (first, last) in spans.items():
            if number == first:
                session.add(name, members[name])
                alone[name] = members[name].session(events.schema, **case.binding)
                if start:
                    alone[name].advance(session.watermark)
            elif number == last:
                session.remove(name)
                del alone[name]
        if rng.random() < 0.4:
            session = cepheid.resume(profiles({}), session.snapshot())
        piece = events.slice(start, stop - start)
        rows += session.push(piece).to_pylist()
        for name, own in alone.items():
            expected[name] += _matches(own.push(piece))
    rows += session.close().to_pylist()
    for name, own in alone.items():
        expected[name] += _matches(own.close())
    assert {name: [r["match"] for r in rows if r["profile"] == name] for name in members} == expected


def _matches(table: pa.Table) -> list[str]:
    own = table.drop_columns(["match_id"]).combine_chunks()
    if own.num_columns == 0:
        return ["{}"] * table.num_rows
    return [line for batch in own.to_batches() for line in json_lines(batch).splitlines()]
