"""Time events in the single step: made by the temporal pool, and told as by each profile alone."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.profiles import Profile, ProfileSet, profile, profiles
from tests.laws.profile_sets import WAYS, by_name, rows_of

BINDING: dict[str, Any] = {"time": "time", "type": "type"}
SCHEMA = pa.schema([("time", pa.int64()), ("type", pa.string()), ("k", pa.int64()), ("x", pa.int64())])
EVENTS = pa.Table.from_pylist(
    [
        {"time": time, "type": kind, "k": k, "x": x}
        for time, kind, k, x in [
            (0, "A", 1, 1),
            (1, "B", 2, 2),
            (2, "A", 2, 3),
            (2, "A", 2, 3),
            (6, "A", 1, 4),
            (8, "B", 1, 5),
            (12, "B", 2, 6),
            (12, "A", 1, 7),
            (19, "B", 1, 8),
            (30, "Z", 1, 9),
        ]
    ],
    schema=SCHEMA,
)
MEMBERS: dict[str, Profile] = {
    "silence": profile("PATTERN SILENCE OF A a FOR 3"),
    "keyed": profile("PATTERN SILENCE OF A a FOR 3 WHERE [k]"),
    "some": profile("PATTERN SILENCE OF A a FOR 3 WHERE a.x > 1", once="ever"),
    "others": profile("PATTERN SILENCE OF A a FOR 3 WHERE a.x > 3", consume="unique"),
    "every": profile("PATTERN EVERY 5"),
    "then": profile("PATTERN SEQ(A a, SILENCE OF B b FOR 2) WHERE [k] AND b.x > a.x WITHIN 20"),
    "after": profile("PATTERN SEQ(SILENCE OF A a FOR 3, B b) WITHIN 9", select={"a": "last"}),
    "ticked": profile("PATTERN SEQ(A a, EVERY 5) WITHIN 6", select="first", consume="reapply"),
    "both": profile("PATTERN AND(EVERY 5, B b) WITHIN 4", once=6),
    "either": profile("PATTERN OR(SILENCE OF B b FOR 4, A a) WITHIN 9", consume="unique"),
    "spoiled": profile("PATTERN SEQ(EVERY 5, ~A a, B b) WITHIN 9"),
    "twice": profile("PATTERN SEQ(EVERY 5, EVERY 5) WITHIN 9"),
    "alike": profile("PATTERN SEQ(SILENCE OF A a FOR 3, SILENCE OF A b FOR 3) WITHIN 20"),
    "one": profile("PATTERN SEQ(EVERY 3, EVERY 6) WITHIN 5"),
    "other": profile("PATTERN SEQ(EVERY 6, EVERY 3) WITHIN 5"),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_table_is_told_as_by_each_profile_alone(way: str) -> None:
    found = profiles(MEMBERS, **WAYS[way]).run(EVENTS, **BINDING)
    alone = {name: rows_of(each.run(EVENTS, **BINDING).table) for name, each in MEMBERS.items()}
    assert by_name(found.table, MEMBERS) == alone
    assert found.stats["beside"] == 0 and found.stats["time_events"] > 0


@pytest.mark.parametrize("way", WAYS)
def test_a_session_is_cut_saved_and_changed_in_between(way: str) -> None:
    session = profiles({"silence": MEMBERS["silence"]}, **WAYS[way]).session(SCHEMA, **BINDING)
    alone = {"silence": MEMBERS["silence"].session(SCHEMA, **BINDING)}
    expected: dict[str, Any] = {name: [] for name in MEMBERS}
    tables = []
    for row in range(EVENTS.num_rows):
        name = list(MEMBERS)[1 + row]
        session.add(name, MEMBERS[name])
        alone[name] = MEMBERS[name].session(SCHEMA, **BINDING)
        if row:
            alone[name].advance(session.watermark)
        session = cepheid.resume(ProfileSet({}, **WAYS[way]), session.snapshot())
        tables.append(session.push(EVENTS.slice(row, 1)))
        for each, own in alone.items():
            expected[each] += rows_of(own.push(EVENTS.slice(row, 1)))
        if row == 6:
            session.remove("keyed")
            del alone["keyed"]
    tables.append(session.close())
    for each, own in alone.items():
        expected[each] += rows_of(own.close())
    assert by_name(pa.concat_tables(tables), MEMBERS) == expected


def test_each_key_has_a_timer_to_itself() -> None:
    quiet = profile("PATTERN SILENCE OF A a FOR 3 WHERE [k] RETURN a.k AS k, a.x AS x, a.time AS at")
    told = [
        json.loads(row["match"]) for row in profiles({"q": quiet}).run(EVENTS, **BINDING).table.to_pylist()
    ]
    assert told == [
        {"k": 1, "x": 1, "at": 3},
        {"k": 2, "x": 3, "at": 5},
        {"k": 1, "x": 4, "at": 9},
        {"k": 1, "x": 7, "at": 15},
    ]


def test_a_sensor_that_reports_sharp_is_never_silent() -> None:
    sharp = pa.Table.from_pylist([{"time": 3 * n, "type": "A", "k": 1, "x": n} for n in range(9)], SCHEMA)
    assert profiles({"q": MEMBERS["silence"]}).run(sharp, **BINDING).table.num_rows == 0


def test_a_pause_stops_timers_and_a_resume_sets_them_anew() -> None:
    session = profiles({"silence": MEMBERS["silence"]}).session(SCHEMA, **BINDING)
    session.push(EVENTS.slice(0, 1))
    session.pause("silence")
    assert session.advance(20).num_rows == 0 and session.stats["records"] == 0
    session.resume("silence")
    assert session.advance(23).num_rows == 0
    assert session.advance(24).column("time").to_pylist() == [23]
    assert session.advance(90).num_rows == 0  # once per silence


def test_profiles_may_read_other_clocks() -> None:
    texts = {zone: profile("PATTERN AT '09:00'", timezone=zone) for zone in ("UTC", "Europe/Berlin")}
    start = datetime(2024, 5, 1, 6, tzinfo=UTC)
    hours = [{"time": start + timedelta(hours=n), "type": "A"} for n in (0, 12)]
    found = profiles(texts).run(hours, **BINDING).table
    times = {row["profile"]: row["time"].hour for row in found.to_pylist()}
    assert times == {"UTC": 9, "Europe/Berlin": 7}


def test_events_without_a_schema_may_fall_silent() -> None:
    texts = {"q": "PATTERN SILENCE OF A a FOR 3 WHERE [k]", "e": "PATTERN SEQ(A a, EVERY 5) WITHIN 6"}
    session = profiles(texts).session(**BINDING)
    session.push({"time": 1, "type": "A", "k": "x", "more": [1]})
    found = session.push([{"time": 3, "type": "A", "k": 7}, {"time": 9, "type": "B"}]).to_pylist()
    assert [(row["profile"], row["time"], json.loads(row["match"])) for row in found] == [
        ("q", 4, {"a": {"k": "x", "more": [1], "time": 4}}),
        ("e", 5, {"a": {"k": "x", "more": [1], "time": 1, "type": "A"}}),
        ("e", 5, {"a": {"k": 7, "time": 3, "type": "A"}}),
        ("q", 6, {"a": {"k": 7, "time": 6}}),
    ]


def test_what_is_far_from_all_events_is_not_made() -> None:
    few = pa.Table.from_pylist([{"time": t, "type": "A"} for t in (0, 10**9)], SCHEMA)
    found = profiles({"e": "PATTERN SEQ(A a, EVERY 5) WITHIN 9"}).run(few, **BINDING)
    assert len(found) == 3 and found.stats["time_events"] < 9


def test_a_profile_that_is_added_before_any_event_is_sure_leaves_silences_alone() -> None:
    """The first event waits for the watermark when the second profile comes."""
    silence = cepheid.profile("PATTERN SILENCE OF A a FOR 2 WHERE a.x > 0 WITHIN 5")
    session = cepheid.profiles({"silence": silence}).session(time="time", type="type", lateness=3)
    told = session.push([{"time": 2, "type": "C"}]).to_pylist()
    session.add("other", cepheid.profile("PATTERN SEQ(A a, B b) WITHIN 3"))
    told += session.push([{"time": 9, "type": "C"}]).to_pylist()
    told += session.close().to_pylist()
    assert [(row["profile"], row["time"]) for row in told] == [("silence", 4)]


@pytest.mark.parametrize("way", WAYS)
def test_a_profile_that_is_added_before_any_event_is_sure_leaves_ticks_alone(way: str) -> None:
    """What was there before begins with the first event; the one that was added began before that, at the
    watermark."""
    pair = "PATTERN SEQ(EVERY 3, A a, B b) WITHIN 5 RETURN a.time, b.time"
    session = cepheid.profiles({"first": pair}, **WAYS[way]).session(time="time", type="type", lateness=4)
    told = session.push([{"time": 1, "type": "A"}]).to_pylist()
    session.add("second", pair)
    told += session.push([{"time": 2, "type": "A"}, {"time": 4, "type": "A"}]).to_pylist()
    told += session.push([{"time": 5, "type": "B"}, {"time": 20, "type": "C"}]).to_pylist()
    assert [(row["profile"], row["match"]) for row in told] == [
        ("first", '{"a_time": 4, "b_time": 5}'),
        ("second", '{"a_time": 2, "b_time": 5}'),
        ("second", '{"a_time": 4, "b_time": 5}'),
        ("second", '{"a_time": 4, "b_time": 5}'),
    ]


@pytest.mark.parametrize("way", WAYS)
def test_time_may_pass_in_many_steps_before_the_first_event(way: str) -> None:
    """The first step is the beginning, and no later one is."""
    texts = {"every": "PATTERN EVERY 5", "silence": "PATTERN SILENCE OF A a FOR 4"}
    session = profiles(texts, **WAYS[way]).session(SCHEMA, **BINDING)
    told = [
        (row["profile"], row["time"]) for to in (12, 14, 16, 21) for row in session.advance(to).to_pylist()
    ]
    assert told == [("every", 15), ("silence", 16), ("every", 20)]
