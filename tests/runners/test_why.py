"""Why there is no match: the worked cases, and every way in which something stops."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa
import pytest

import cepheid
from cepheid.why import NearMiss, Why

NINE = datetime(2026, 1, 5, 9)
BINDING: dict[str, Any] = {"time": "ts", "type": "kind"}
INTRUSION = "PATTERN SEQ(Door d, Motion m, Window w) WHERE [room] AND m.value > 20 WITHIN 10 min"


def event(minute: float, kind: str, room: Any = 12, value: Any = None) -> dict[str, Any]:
    return {"ts": NINE + timedelta(minutes=minute), "kind": kind, "room": room, "value": value}


def table(*events: dict[str, Any]) -> pa.Table:
    columns = [("ts", pa.timestamp("us")), ("kind", pa.string()), ("room", pa.int64()), ("value", pa.int64())]
    return pa.Table.from_pylist(list(events), schema=pa.schema(columns))


def why(text: str, *events: dict[str, Any], **options: Any) -> Why:
    return cepheid.query(text).why(table(*events), **BINDING, **options)


def nearest(text: str, *events: dict[str, Any], **options: Any) -> NearMiss:
    answer = why(text, *events, **options)
    assert answer.near, str(answer)
    return answer.near[0]


# -- the three worked cases ------------------------------------------------------------------------


def test_the_wrong_room() -> None:
    miss = nearest(INTRUSION, event(0, "Door"), event(2, "Motion", value=30), event(4, "Window", room=13))
    (failed,) = miss.failed
    assert (miss.kind, miss.came, miss.parts, miss.waits_for) == ("key", 2, 3, "Window w")
    assert [(e.variable, e.time) for e in miss.events] == [("d", NINE), ("m", NINE + timedelta(minutes=2))]
    assert (failed.text, failed.left, failed.right) == ("[room]", 12, 13)
    assert miss.event is not None and miss.event.time == NINE + timedelta(minutes=4)
    assert "[room] differs: 12 before, 13 here" in miss.says


def test_a_part_that_came_after_the_window() -> None:
    miss = nearest(INTRUSION, event(0, "Door"), event(2, "Motion", value=30), event(14, "Window"))
    (failed,) = miss.failed
    assert (miss.kind, miss.came, failed.text) == ("window", 2, "WITHIN 10 min")
    assert (failed.left, failed.right) == (NINE + timedelta(minutes=14), NINE + timedelta(minutes=10))
    assert miss.event is not None and miss.event.type == "Window"
    assert "that ended at 2026-01-05 09:10:00" in miss.says


def test_a_condition_that_failed() -> None:
    miss = nearest(INTRUSION, event(0, "Door"), event(2, "Motion", value=17), event(4, "Window"))
    (failed,) = miss.failed
    assert (miss.kind, miss.came) == ("condition", 1)
    assert (failed.text, failed.left, failed.right, failed.is_null) == ("m.value > 20", 17, 20, False)
    assert miss.event is not None and (miss.event.type, miss.event.time) == (
        "Motion",
        NINE + timedelta(minutes=2),
    )
    assert miss.would_match_at == NINE + timedelta(minutes=4)
    assert "m.value > 20 is false: m.value is 17" in miss.says


# -- the other ways --------------------------------------------------------------------------------


def test_null_is_said_to_be_null() -> None:
    miss = nearest(INTRUSION, event(0, "Door"), event(2, "Motion"), event(4, "Window"))
    assert miss.failed[0].is_null
    assert "m.value > 20 is unknown: m.value is null" in miss.says


def test_an_event_without_a_key_is_said_to_have_none() -> None:
    miss = nearest(INTRUSION, event(0, "Door"), event(2, "Motion", room=None, value=30))
    assert miss.kind == "key" and miss.failed[0].is_null
    assert "[room]: it has none" in miss.says


def test_an_absence_names_the_event_that_was_there() -> None:
    text = "PATTERN SEQ(Door d, ~Badge b, Window w) WHERE [room] WITHIN 10 min"
    miss = nearest(text, event(0, "Door"), event(1, "Badge", room=13), event(2, "Badge"), event(4, "Window"))
    assert (miss.kind, miss.came, miss.parts) == ("absence", 2, 2)
    assert miss.event is not None and miss.event.time == NINE + timedelta(minutes=2)
    assert miss.event.variable == "b"


def test_nothing_of_the_type_came() -> None:
    miss = nearest(INTRUSION, event(0, "Door"), event(2, "Motion", value=30), event(30, "Door"))
    assert (miss.kind, miss.came, miss.event) == ("nothing", 2, None)
    assert "no event of type Window came after it; its window closed at 2026-01-05 09:10:00" in miss.says


def test_a_window_that_is_still_open() -> None:
    miss = nearest(INTRUSION, event(0, "Door"), event(2, "Motion", value=30))
    assert "its window is open until 2026-01-05 09:10:00" in miss.says


def test_no_event_could_begin() -> None:
    miss = nearest(INTRUSION, event(2, "Motion", value=30))
    assert (miss.kind, miss.events, miss.says) == (
        "nothing",
        (),
        "there is no event of type Door for Door d",
    )


def test_the_first_event_failed() -> None:
    miss = nearest("PATTERN SEQ(Door d, Window w) WHERE d.value > 5", event(0, "Door", value=3))
    assert (miss.kind, miss.came, miss.parts) == ("condition", 0, 2)
    assert miss.failed[0].left == 3


@pytest.mark.parametrize(
    "strategy, room, who",
    [("strict_contiguity", 13, "Badge"), ("partition_contiguity", 12, "Badge")],
)
def test_contiguity_names_the_event_between(strategy: str, room: int, who: str) -> None:
    text = f"PATTERN SEQ(Door d, Window w) WHERE {strategy} {{ [room] }} WITHIN 10 min"
    miss = nearest(text, event(0, "Door"), event(1, "Badge", room=room), event(2, "Window"))
    assert (miss.kind, miss.came, miss.parts) == ("strategy", 2, 2)
    assert miss.event is not None and miss.event.type == who
    assert f"{strategy} does not pass over" in miss.says


def test_a_strategy_that_took_another_event() -> None:
    text = "PATTERN SEQ(Door d, Motion m, Window w) WHERE skip_till_next_match { w.value = m.value }"
    events = [
        event(0, "Door"),
        event(1, "Motion", value=1),
        event(2, "Motion", value=2),
        event(3, "Window", value=2),
    ]
    answer = why(text, *events)
    by_kind = {miss.kind: miss for miss in answer.near}
    taken = by_kind["strategy"].event
    assert taken is not None and taken.time == NINE + timedelta(minutes=1)
    assert by_kind["condition"].failed[0].values == {"w.value": 2, "m.value": 1}


def test_conditions_over_several_events() -> None:
    text = (
        "PATTERN SEQ(Motion+ a[], Door d) WHERE a[i].value > a[i-1].value AND a.len >= 3 AND avg(a.value) > 2"
    )
    events = [event(n, "Motion", value=value) for n, value in enumerate([1, 2, 2])]
    answer = why(text, *events, event(4, "Door"))
    assert not answer.matches
    texts = {failed.text: failed for failed in answer.near[0].failed}
    assert texts["a.len >= 3"].left == 2 and texts["a.len >= 3"].right == 3
    assert texts["avg(a.value) > 2"].left == 1.5


def test_and_and_or() -> None:
    miss = nearest(
        "PATTERN AND(Door d, Window w) WHERE d.value = w.value", event(0, "Window", value=1), event(1, "Door")
    )
    assert miss.failed[0].is_null and [e.variable for e in miss.events] == ["w"]
    miss = nearest(
        "PATTERN SEQ(Door d, OR(Window w, Badge b)) WITHIN 5 min", event(0, "Door"), event(6, "Badge")
    )
    assert miss.kind == "window" and miss.waits_for == "Badge b"


def test_a_match_that_was_not_let_out() -> None:
    text = "PATTERN SEQ(Door d, Window w) EMIT NON OVERLAPPING"
    answer = why(text, event(0, "Door"), event(1, "Door"), event(2, "Window"))
    assert (answer.matches, answer.told) == (2, 1)
    assert answer.near[0].kind == "not told"


def test_a_constant_that_is_never_true() -> None:
    answer = why("PATTERN Door d WHERE 1 = 2", event(0, "Door"))
    assert answer.notes == ("1 = 2 is never true: nothing can match",)


# -- what is looked at -----------------------------------------------------------------------------


def test_matches_are_counted_also_with_aggregates() -> None:
    events = [event(0, "Door"), event(1, "Window"), event(2, "Window")]
    assert why("PATTERN SEQ(Door d, Window w) AGG COUNT AS n", *events).matches == 2
    assert "2 matches in 3 events" in str(why("PATTERN SEQ(Door d, Window w)", *events))


def test_having_is_not_looked_at_and_that_is_told() -> None:
    answer = why(
        "PATTERN SEQ(Door d, Window w) AGG COUNT AS n HAVING n > 5", event(0, "Door"), event(1, "Window")
    )
    assert answer.matches == 1 and "what HAVING lets out" in answer.notes[0]


@pytest.mark.parametrize("kind", ["Window", "Badge"])
def test_times_at_the_end_of_what_a_column_can_hold(kind: str) -> None:
    late = pa.array([2**63 - 9, 2**63 - 2], pa.int64()).cast(pa.timestamp("us"))
    rows = pa.table({"ts": late, "kind": ["Door", kind], "value": [2, 1]})
    answer = cepheid.query("PATTERN SEQ(Door d, Window w) WHERE w.value > d.value WITHIN 1 hour").why(
        rows, **BINDING
    )
    assert answer.near and json.dumps(answer.as_dict()) and answer.html()


def test_too_many_matches_are_counted_all_the_same() -> None:
    events = [event(n / 60, "Motion", value=n) for n in range(20)]
    answer = why("PATTERN Motion+ a[]", *events)
    assert answer.matches == 2**20 - 1
    assert "the matches are counted, and too many to be listed" in answer.notes


def test_so_is_what_was_let_out_of_them() -> None:
    events = [event(n / 60, "Motion", value=n) for n in range(200)]
    text = "PATTERN SEQ(Motion a, Motion b)"
    assert 200 * 199 // 2 > 10_000
    answer = why(f"{text} EMIT NON OVERLAPPING", *events)
    assert (answer.matches, answer.told) == (19_900, 100)
    answer = cepheid.profile(text, consume="unique").why(table(*events), **BINDING)
    assert (answer.matches, answer.told) == (19_900, None)
    assert any("was not counted" in note for note in answer.notes)


def test_around_a_time() -> None:
    events = [
        event(60 * hour + minute, kind) for hour in range(8) for minute, kind in ((0, "Door"), (20, "Window"))
    ]
    text = "PATTERN SEQ(Door d, Window w) WITHIN 10 min"
    answer = why(text, *events, around="2026-01-05 12:05:00")
    assert answer.near[0].events[0].time == datetime(2026, 1, 5, 12)
    assert answer.events == 2 and "looked at 2 of 16 events: around that time" in answer.notes


def test_each_part_of_the_time_keeps_its_best() -> None:
    far = [event(n, "Door") for n in range(40)]
    near = [event(n / 10 + 0.01, kind, value=30) for n in range(40) for kind in ("Door", "Motion")]
    answer = why(INTRUSION, *near, *far)
    hours = {miss.time.minute // 10 for miss in answer.near}
    assert {miss.came for miss in answer.near[:5]} == {2} and hours == {0, 1, 2, 3}


def test_limits_are_told() -> None:
    events = [event(n, "Door") for n in range(50)]
    answer = why("PATTERN SEQ(Door d, Window w)", *events, max_events=10)
    assert answer.events == 10
    assert answer.notes == ("looked at 10 of 50 events: the newest; max_events=10 is the limit",)
    with pytest.raises(cepheid.CepheidError, match="max_events= should be a positive whole number, not 0"):
        why(INTRUSION, max_events=0)


def test_no_events() -> None:
    answer = why(INTRUSION)
    assert (answer.matches, answer.events, answer.since) == (0, 0, None)
    assert answer.near[0].says == "there is no event of type Door for Door d"


def test_errors_are_those_of_a_run() -> None:
    with pytest.raises(cepheid.CepheidError, match="nonsense"):
        why("PATTERN Door d WHERE d.nonsense > 1", event(0, "Door"))
    with pytest.raises(cepheid.CepheidError, match="is not a timestamp"):
        why(INTRUSION, event(0, "Door"), around="noon")


def test_it_is_json_too() -> None:
    answer = why(INTRUSION, event(0, "Door"), event(2, "Motion", value=17))
    plain = json.loads(json.dumps(answer.as_dict()))
    assert plain["near_misses"][0]["event"]["time"] == "2026-01-05T09:02:00"
    assert plain["near_misses"][0]["failed"][0]["right"] == 20


# -- profiles --------------------------------------------------------------------------------------

PAIR = "PATTERN SEQ(Door d, Window w) WHERE [room]"


def told(events: list[dict[str, Any]], **terms: Any) -> Why:
    return cepheid.profile(PAIR, **terms).why(table(*events), **BINDING)


@pytest.mark.parametrize(
    "terms, says",
    [
        ({"once": "ever"}, "once=ever held it back"),
        ({"consume": "unique"}, "consume='unique' had used up an event of it"),
        ({"select": {"d": "first"}}, "select does not choose its events: select d first"),
    ],
)
def test_a_match_that_a_profile_did_not_tell(terms: dict[str, Any], says: str) -> None:
    answer = told([event(0, "Door"), event(1, "Door"), event(2, "Window")], **terms)
    assert (answer.matches, answer.told) == (2, 1)
    assert answer.near[0].kind == "not told" and says in answer.near[0].says


def test_a_silence_that_was_ended_too_soon() -> None:
    profile = cepheid.profile("PATTERN SILENCE OF Motion m FOR 30 min WHERE [room]")
    motions = ((0, 1), (5, 2), (25, 1), (30, 2), (40, 1))
    answer = profile.why(table(*(event(n, "Motion", room=room) for n, room in motions)), **BINDING)
    assert answer.matches == 0 and any("SILENCE are passed over" in note for note in answer.notes)
    longest = answer.near[0]
    assert longest.kind == "silence" and longest.event is not None
    assert (longest.events[0].time.minute, longest.event.time.minute) == (0, 25)
    assert longest.says.startswith("silent from 2026-01-05 09:00:00, but not for 30 min: 2026-01-05 09:25:00")
    assert any("which is not yet 30 min" in miss.says for miss in answer.near)


def test_events_that_wait_for_a_time_event() -> None:
    profile = cepheid.profile("PATTERN SEQ(Door d, SILENCE OF Motion m FOR 30 min)")
    answer = profile.why(table(event(0, "Door"), event(10, "Motion")), **BINDING)
    assert "it has its events, but no AT, EVERY or SILENCE came with it" in str(answer)


# -- the picture -----------------------------------------------------------------------------------


def test_the_picture_has_a_lane_a_type_and_a_cross_where_it_stopped() -> None:
    picture = why(INTRUSION, event(0, "Door"), event(2, "Motion", value=17)).svg()
    root = ElementTree.fromstring(picture)
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Door", "Motion", "d", "m", "m.value > 20 is false: m.value is 17"} <= set(texts)
    assert picture.count('class="stop"') == 1 and picture.count('class="dot"') == 1
    assert "prefers-color-scheme:dark" in picture and 'viewBox="0 0 380 ' in picture


def test_what_is_shown_is_escaped() -> None:
    kind = "<script>alert(1)</script>"
    answer = cepheid.query("PATTERN SEQ(ANY a, B b)").why([{"ts": 1, "kind": kind}], **BINDING)
    for shown in (answer.html(), answer._repr_html_(), answer.svg()):
        assert "<script>" not in shown and "&lt;script&gt;" in shown
    assert "http" not in answer.html().replace('xmlns="http://www.w3.org/2000/svg"', "")


def test_of_many_first_events_the_engine_knows_which_came_furthest() -> None:
    doors = [event(n / 100, "Door", room=n) for n in range(5_000)]
    far = [event(21.017, "Motion", room=2101, value=30), event(21.018, "Window", room=7)]
    answer = why(INTRUSION, *doors, *far)
    assert answer.near[0].came == 2 and answer.near[0].events[0].attributes["room"] == 2101
    assert any("not all combinations were followed" in note for note in answer.notes)
