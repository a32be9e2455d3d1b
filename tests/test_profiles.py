"""Profiles as users hold them: bad input, explanations, ids, sessions, and what they hold."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import CepheidError, QueryCheckError, UnsupportedError
from cepheid.matchers import forgetting
from cepheid.matchers.profile import partitions
from cepheid.pattern import event, every, nth, seq, silence

PAIRS = "PATTERN SEQ(A a, B b) WITHIN 10"
SCHEMA = {"time": pa.int64(), "type": pa.string(), "k": pa.int64()}


def stream(types: str, step: int = 1, k: int = 1) -> list[dict[str, Any]]:
    return [{"time": step * place, "type": kind, "k": k} for place, kind in enumerate(types)]


def run(text: str, events: Any, **parameters: Any) -> cepheid.query:
    return cepheid.profile(text, **parameters).run(events, time="time", type="type")


BAD = [
    ("PATTERN SEQ(A+ a[], B b)", {"select": "first"}, "'a' holds several events"),
    ("PATTERN SEQ(A+ a[], B b)", {"select": {"a": 2}}, "'a' holds several events"),
    ("PATTERN SEQ(A? a, B b)", {"select": {"a": "last"}}, "'a' is optional"),
    ("PATTERN SEQ(A a, ~C c, B b)", {"select": {"c": "first"}}, "'c' is negated"),
    (PAIRS, {"select": "last"}, "'b' comes after all others"),
    (PAIRS, {"select": {"b": "last"}}, "'b' comes after all others"),
    ("PATTERN A a", {"select": "last"}, "'a' comes after all others"),
    ("PATTERN SEQ(A a, B b, ~C c)", {"select": {"b": "last"}}, "'b' comes after all others"),
    ("PATTERN SEQ(A a, (SEQ(B b, C c)) WITHIN 3)", {"select": {"c": "last"}}, "'c' comes after all others"),
    (PAIRS, {"select": {"x": "first"}}, "select= names 'x'"),
    (PAIRS, {"select": 0}, "select= cannot be 0"),
    (PAIRS, {"select": True}, "select= cannot be True"),
    (PAIRS, {"select": "newest"}, "select= cannot be 'newest'"),
    ("PATTERN SEQ(A[2] a, B b)", {"select": {"a": "first"}}, "'a' is selected twice"),
    (PAIRS, {"consume": "some"}, "consume= is one of all, unique, reapply"),
    (PAIRS, {"once": "always"}, "once= is 'ever' or a period"),
    (PAIRS, {"once": -1}, "once= should be a period longer than nothing"),
    (PAIRS, {"once": 0}, "longer than nothing"),
    (PAIRS, {"once": ["12 hours"]}, "once= is 'ever' or a period"),
    (PAIRS, {"timezone": "Mars/Olympus"}, "there is no time zone 'Mars/Olympus'"),
    (PAIRS, {"timezone": None}, "there is no time zone None"),
    ("PATTERN SEQ(A a, B b) AGG COUNT", {}, "AGG gives none"),
    ("PATTERN SEQ(A a, B b) EMIT LONGEST", {}, "not EMIT LONGEST"),
]


@pytest.mark.parametrize(("text", "parameters", "message"), BAD, ids=[row[2] for row in BAD])
def test_bad_parameters_are_refused(text: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(QueryCheckError) as caught:
        cepheid.profile(text, **parameters)
    assert message in str(caught.value)


def test_the_caret_points_at_the_variable() -> None:
    with pytest.raises(QueryCheckError) as caught:
        cepheid.profile("PATTERN SEQ(A+ a[], B b)", select="first")
    assert "\n              ^^^^^^\n" in str(caught.value)


OVER_A_STREAM = [
    ("PATTERN SEQ(A a, EVERY 10 min) WITHIN 60", {}, "time_unit"),
    ("PATTERN SEQ(A a, AT '17:00') WITHIN 60", {}, "AT reads a clock"),
    (PAIRS, {"once": "12 hours"}, "once= is 12 hours"),
    ("PATTERN SEQ(A a, EVERY 1.5) WITHIN 60", {}, "falls between two times"),
    ("PATTERN SEQ(A a, EVERY 10) WHERE strict_contiguity { } WITHIN 60", {}, "under strict_contiguity"),
    ("PATTERN SEQ(A a, SILENCE OF B b FOR 5) WITHIN 60 EVENTS", {}, "in a window of EVENTS"),
    ("PATTERN EVERY 10 WHERE [k]", {}, "a match of AT and EVERY alone has no k"),
    ("PATTERN OR(EVERY 10, A a) WHERE [k]", {}, "a match of AT and EVERY alone has no k"),
]


@pytest.mark.parametrize(
    ("text", "parameters", "message"), OVER_A_STREAM, ids=[row[2] for row in OVER_A_STREAM]
)
def test_what_does_not_fit_the_stream_is_refused(text: str, parameters: Any, message: str) -> None:
    with pytest.raises((QueryCheckError, UnsupportedError)) as caught:
        run(text, stream("AB"), **parameters)
    assert message in str(caught.value)


UNBOUNDED = [
    ("PATTERN SEQ(A a, B b)", {}),
    ("PATTERN A a", {"select": "first"}),
    ("PATTERN SEQ(A a, B b) WHERE strict_contiguity { }", {"consume": "unique"}),
]


@pytest.mark.parametrize(("text", "parameters"), UNBOUNDED)
def test_what_would_remember_for_ever_is_no_session(text: str, parameters: Any) -> None:
    with pytest.raises(QueryCheckError, match="unbounded stream"):
        cepheid.profile(text, **parameters).session(SCHEMA, time="time", type="type")


def test_a_profile_of_all_matches_has_the_ids_of_its_query() -> None:
    events = stream("AABBAB")
    found = cepheid.query(PAIRS).run(events, time="time", type="type")
    assert run(PAIRS, events).table.equals(found.table)


@pytest.mark.parametrize("consume", ["all", "unique", "reapply"])
def test_what_is_told_is_a_part_of_what_is_found(consume: str) -> None:
    events = stream("AABBABCABB")
    found = cepheid.query(PAIRS).run(events, time="time", type="type")
    told = run(PAIRS, events, consume=consume, once=2)
    assert {row["match_id"] for row in told} < {row["match_id"] for row in found}
    assert told.stats["not_told"] == len(found) - len(told)
    assert told.stats["found_by"] == "nfa"


def test_used_up_events_still_break_what_they_broke() -> None:
    """A choice among the matches makes no new ones: B is told, and is still there between A and C."""
    events = stream("ABC")
    assert len(run("PATTERN OR(SEQ(A a, ~B n, C c), B b)", events, consume="unique")) == 1
    assert (
        len(run("PATTERN SEQ(A a, B b) WHERE skip_till_next_match { }", stream("AABB"), consume="unique"))
        == 1
    )


def test_explanations_say_who_finds_the_matches() -> None:
    told = str(cepheid.profile("PATTERN SEQ(A a, EVERY 10 min) WITHIN 1 hour", once="ever").explain())
    assert "matches of the nfa engine" in told and "EVERY 10 min" in told and "once ever" in told
    assert "tree engine" in str(cepheid.profile("PATTERN AND(A a, B b) WITHIN 5").explain())
    assert "tree engine" in str(
        cepheid.profile(PAIRS).using("tree").explain(pa.schema(SCHEMA), time="time", type="type")
    )
    assert "consume unique" in repr(cepheid.profile(PAIRS, consume="unique"))


def test_the_builder_makes_profiles_too() -> None:
    made = seq(nth("A", "a", 2), silence("B", "b", 3), every(4)).within(20)
    written = "PATTERN SEQ(A[2] a, SILENCE OF B b FOR 3, EVERY 4) WITHIN 20"
    events = stream("AABZZZZZZZZZ")
    told = cepheid.profile(made).run(events, time="time", type="type")
    assert told.table.equals(run(written, events).table) and len(told) == 1
    assert (
        len(
            cepheid.profile(event("A", "a"), once=timedelta(seconds=1)).run(
                stream("AA"), time="time", type="type", time_unit="ms"
            )
        )
        == 1
    )


def test_time_begins_with_an_advance() -> None:
    session = cepheid.profile("PATTERN SILENCE OF A a FOR 30").session(SCHEMA, time="time", type="type")
    assert session.advance(100).num_rows == 0
    assert session.advance(130).num_rows == 0  # an event of this time may still come
    assert session.advance(131).num_rows == 1
    assert session.advance(1000).num_rows == 0  # once per silence
    assert session.push([{"time": 1000, "type": "A", "k": 1}]).num_rows == 0
    assert session.close().num_rows == 0  # no time event after the newest time


def test_close_makes_the_time_events_of_the_newest_time() -> None:
    session = cepheid.profile("PATTERN EVERY 10").session(SCHEMA, time="time", type="type")
    assert session.push(stream("AB", step=20)).num_rows == 2  # 0 and 10
    assert session.close().num_rows == 1


def test_what_time_events_no_match_waits_for_are_not_made() -> None:
    """Years between two events have as few of them as minutes."""
    events = [{"time": 0, "type": "A"}, {"time": 10**12, "type": "A"}]
    assert len(run("PATTERN SEQ(A a, EVERY 1) WITHIN 5", events)) == 7
    with pytest.raises(CepheidError, match="EVERY 1 would be more than max_matches"):
        run("PATTERN EVERY 1", events)


@pytest.mark.parametrize("consume", ["unique", "reapply"])
def test_state_is_bounded_by_the_window(consume: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session with new keys all the time holds no more as time goes by."""
    monkeypatch.setattr(partitions, "_SPARE", 0)
    monkeypatch.setattr(forgetting, "SPARE", 0)
    text = "PATTERN SEQ(A a, EVERY 7, B b) WHERE [k] WITHIN 20"
    profile = cepheid.profile(text, select={"a": "first"}, consume=consume, once=50)
    session = profile.session(SCHEMA, time="time", type="type")
    sizes = []
    for part in range(12):
        events = [
            {"time": 2000 * part + 2 * place, "type": "AB"[place % 2], "k": place // 4 + 500 * part}
            for place in range(1000)
        ]
        session.push(events)
        sizes.append(len(session.snapshot()))
    assert max(sizes[6:]) < 1.3 * max(sizes[:6])


def test_a_snapshot_is_of_one_profile() -> None:
    session = cepheid.profile(PAIRS, consume="unique").session(SCHEMA, time="time", type="type")
    with pytest.raises(CepheidError, match="another query"):
        cepheid.resume(cepheid.profile(PAIRS), session.snapshot())


DAYS = [datetime(2024, 1, 1) + timedelta(days=day) for day in range(6)]
WEEK = pa.table({"time": pa.array(DAYS, pa.timestamp("us")), "type": list("ABZZZZ"), "k": ["x"] * 6})
FORMS = {
    **{unit: WEEK.set_column(0, "time", WEEK["time"].cast(pa.timestamp(unit))) for unit in ("s", "ms", "ns")},
    "date64": WEEK.set_column(0, "time", WEEK["time"].cast(pa.date64())),
    "zone": WEEK.set_column(0, "time", WEEK["time"].cast(pa.timestamp("us", "Asia/Tokyo"))),
    "dictionary": WEEK.set_column(1, "type", WEEK["type"].dictionary_encode()),
    "large text": WEEK.set_column(1, "type", WEEK["type"].cast(pa.large_string())),
    "key": WEEK.set_column(2, "k", WEEK["k"].dictionary_encode()),
    "no nulls": WEEK.cast(pa.schema([field.with_nullable(False) for field in WEEK.schema])),
    "names": WEEK.append_column("type()", WEEK["k"]).append_column("place()", WEEK["k"]),
}


@pytest.mark.parametrize("form", FORMS)
def test_time_events_in_every_form_of_stream(form: str) -> None:
    """Also event by event, with a snapshot after each; a match is known by the same id in every unit."""
    text = "PATTERN SEQ(A a, SILENCE OF B b FOR 2 days, AT '00:00') WHERE [k] WITHIN 9 days RETURN b.k AS k"
    profile = cepheid.profile(text)
    whole = profile.run(FORMS[form], time="time", type="type")
    session = profile.session(FORMS[form].schema, time="time", type="type")
    found = []
    for row in range(len(WEEK)):
        found += session.push(FORMS[form].slice(row, 1)).to_pylist()
        session = cepheid.resume(profile, session.snapshot())
    found += session.close().to_pylist()
    assert found == list(whole)
    assert len(found) == 3
    if form in ("s", "ms", "ns"):
        assert found == list(profile.run(WEEK, time="time", type="type"))


def test_far_times_have_no_calendar() -> None:
    far = pa.table({"time": [2**62, 2**62 + 50], "type": ["A", "B"]})
    assert len(run("PATTERN SEQ(A a, EVERY 10) WITHIN 20", far)) == 2
    at = cepheid.profile("PATTERN SEQ(A a, AT '17:00') WITHIN 20")
    assert len(at.run(far, time="time", type="type", time_unit="s")) == 0
