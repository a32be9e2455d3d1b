"""Matches of any engine as a picture: their events on lanes, absences, and what is not shown."""

from __future__ import annotations

import builtins
import datetime as dt
import sys
import xml.etree.ElementTree as xml
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import CepheidError, MissingExtraError
from cepheid.views.time_scale import TimeScale

SVG = "{http://www.w3.org/2000/svg}"
NINE = dt.datetime(2024, 3, 1, 9, 0)


def stream(kinds: str, start: Any = 1) -> pa.Table:
    return pa.Table.from_pylist([{"ts": i, "kind": kind, "x": i * 10} for i, kind in enumerate(kinds, 1)])


def drawn(timeline: Any) -> xml.Element:
    return xml.fromstring(timeline.svg())


def of_kind(picture: xml.Element, kind: str) -> list[xml.Element]:
    return [each for each in picture.iter() if kind in each.attrib.get("class", "").split()]


def texts(picture: xml.Element) -> list[str]:
    return [each.text or "" for each in picture.iter(f"{SVG}text")]


def title(element: xml.Element) -> str:
    return next(each.text or "" for each in element.iter(f"{SVG}title"))


@pytest.mark.parametrize("engine", ["nfa", "tree"])
def test_matches_of_each_engine_are_spans_and_their_events_dots(engine: str) -> None:
    q = cepheid.query("PATTERN SEQ(A a, B+ b[]) WITHIN 10").using(engine)
    m = q.run(stream("ABB"), time="ts", type="kind")
    picture = drawn(m.timeline())
    assert len(of_kind(picture, "span")) == len(m) == 3
    assert len(of_kind(picture, "matched")) == 3  # each event once
    assert [title(each) for each in of_kind(picture, "stretch")] == ["b[] of match 1: 2 events"]
    assert title(of_kind(picture, "span")[1]) == "match 1, 1 to 3 (2)\na: 1\nb[1]: 2\nb[2]: 3"
    third = title(of_kind(picture, "matched")[2])
    assert third == "b[2], b[1] of match 1, 2\nts: 3\nkind: B\nx: 30"


def test_lanes_are_by_type_variable_key_or_a_column() -> None:
    m = cepheid.query("PATTERN SEQ(A a, B b) WHERE [x] WITHIN 10").run(
        [{"ts": 1, "kind": "A", "x": "u", "y": 5}, {"ts": 2, "kind": "B", "x": "u", "y": 6}],
        time="ts",
        type="kind",
    )
    assert m.timeline().lanes == ("A", "B")
    assert m.timeline(by="variable").lanes == ("a", "b")
    assert m.timeline(by="key").lanes == ("u",)
    assert m.timeline(by="y").lanes == ("5", "6")
    with pytest.raises(CepheidError, match="lanes are by 'type', 'variable', 'key', or by a column"):
        m.timeline(by="z")


def test_absences_are_the_time_in_which_nothing_may_be() -> None:
    q = cepheid.query("PATTERN SEQ(~X x, A a, ~Y y, B b, ~Z z) WITHIN 10")
    m = q.run([{"ts": 20, "kind": "A"}, {"ts": 24, "kind": "B"}], time="ts", type="kind")
    gaps = {each.name: (each.start, each.end) for each in m.timeline().stretches}
    assert gaps == {"~x": (14, 20), "~y": (20, 24), "~z": (24, 30)}
    assert m.timeline().lanes == ("X", "A", "Y", "B", "Z")
    assert m.timeline(by="variable").lanes == ("~x", "a", "~y", "b", "~z")


def test_absences_in_an_inner_window_and_where_a_branch_was_not_taken() -> None:
    q = cepheid.query("PATTERN SEQ(A a, (SEQ(B b, ~X x)) WITHIN 3) WITHIN 10")
    m = q.run([{"ts": 1, "kind": "A"}, {"ts": 5, "kind": "B"}], time="ts", type="kind")
    assert [(each.start, each.end) for each in m.timeline().stretches] == [(5, 8)]
    q = cepheid.query("PATTERN SEQ(A a, OR(SEQ(~X x, B b), C c)) WITHIN 10")
    m = q.run([{"ts": 1, "kind": "A"}, {"ts": 5, "kind": "C"}], time="ts", type="kind")
    assert len(m) == 1 and not m.timeline().stretches


def test_what_is_not_shown_is_said() -> None:
    m = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 100").run(
        stream("A" * 6 + "B" * 6), time="ts", type="kind"
    )
    timeline = m.timeline(most=10)
    assert len(timeline.spans) == 10 and timeline.notes[0].startswith("10 of 36 matches are shown")
    assert "10 of 36 matches are shown;" in texts(drawn(timeline))
    assert not m[:3].timeline().notes and len(m[:3].timeline().spans) == 3
    with pytest.raises(CepheidError, match="how many matches are shown at most"):
        m.timeline(most=0)
    none = m[:0].timeline()
    assert "no match" in texts(drawn(none))


def test_a_match_of_very_many_events_is_cut_and_says_so() -> None:
    q = cepheid.query("PATTERN SEQ(A a, B+ b[], C c) WHERE skip_till_next_match { a.x > 0 }")
    m = q.run(stream("A" + "B" * 1500 + "C"), time="ts", type="kind")
    timeline = m.timeline()
    assert len(timeline.events) == 1000 and timeline.notes == ["of match 0 502 events are not shown"]


def test_other_events_are_shown_faintly_if_they_are_given() -> None:
    events = stream("XAXXBX")
    m = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 10").run(events, time="ts", type="kind")
    picture = drawn(m.timeline(events=events.to_pylist()))
    assert len(of_kind(picture, "matched")) == 2
    assert [title(each) for each in of_kind(picture, "aside")] == [
        "ts: 3\nkind: X\nx: 30",
        "ts: 4\nkind: X\nx: 40",
    ]
    many = stream("A" + "X" * 500 + "B")
    m = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 1000").run(many, time="ts", type="kind")
    assert m.timeline(events=many).notes == ["300 of 500 other events in this time are shown"]


def test_returned_variables_are_shown_and_other_results_say_what_to_do() -> None:
    events = stream("ABC")
    m = cepheid.query("PATTERN SEQ(A a, ~X x, B b) WITHIN 10 RETURN b, a.x").run(
        events, time="ts", type="kind"
    )
    timeline = m.timeline()
    assert [event.lane for event in timeline.events] == ["B"]
    assert not timeline.stretches  # where a was is not known
    for text in ("RETURN a.x", "AGG COUNT", "EMIT COUNT", "EMIT COMPRESSED"):
        m = cepheid.query(f"PATTERN SEQ(A a, B b) WITHIN 10 {text}").run(events, time="ts", type="kind")
        with pytest.raises(CepheidError, match="leave RETURN out"):
            m.timeline()
    assert len(cepheid.expand(m).first(5).timeline().spans) == 1


def test_workloads_and_profiles_have_pictures_too() -> None:
    events = stream("ABAB")
    w = cepheid.workload({"one": "PATTERN SEQ(A a, B b) WITHIN 2 RETURN a.x AS x", "two": "PATTERN one o"})
    assert w.run(events, time="ts", type="kind")["two"].timeline().lanes == ("one",)
    p = cepheid.profile("PATTERN SEQ(A a, B b) WITHIN 10", consume="unique")
    assert len(p.run(events, time="ts", type="kind").timeline().spans) == 2
    f = cepheid.profiles({"P": p, "Q": "PATTERN A a"})
    for given in (events, events.to_pylist()):
        timeline = f.run(given, time="ts", type="kind").timeline()
        assert len(timeline.spans) == 4 and set(timeline.lanes) == {"A", "B"}
    f = cepheid.profiles({"P": "PATTERN SEQ(A a, B b) WITHIN 10 RETURN a.x"})
    with pytest.raises(CepheidError, match="leave RETURN out"):
        f.run(events, time="ts", type="kind").timeline()


def test_words_of_events_are_escaped() -> None:
    bad = "</title><script>alert(1)</script>&\"'"
    m = cepheid.query("PATTERN ANY a").run([{"ts": 1, "kind": bad, bad: bad}], time="ts", type="kind")
    timeline = m.timeline()
    assert "<script" not in timeline.html() and bad in title(of_kind(drawn(timeline), "matched")[0])
    assert bad in texts(drawn(timeline))


def test_times_are_written_as_moments() -> None:
    rows = [{"ts": NINE, "kind": "A"}, {"ts": NINE + dt.timedelta(minutes=45), "kind": "B"}]
    m = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 1 hour").run(rows, time="ts", type="kind")
    shown = texts(drawn(m.timeline()))
    assert {"09:00", "09:15", "09:30", "09:45", "2024-03-01 09:00:00 – 09:45:00 · 45 min"} <= set(shown)


def test_words_below_a_picture_of_days_fit_on_a_phone() -> None:
    first = NINE.replace(hour=1, microsecond=1)
    last = first + dt.timedelta(days=3, hours=1, microseconds=27_418)
    rows = [{"ts": first, "kind": "A"}, {"ts": last, "kind": "B"}]
    m = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 4 days").run(rows, time="ts", type="kind")
    shown = texts(drawn(m.timeline()))
    assert {"2024-03-01 01:00:00 – 2024-03-04 02:00:00", "3 d 1 h"} <= set(shown)
    assert [each for each in shown if len(each) == len("2024-03-02")] == ["2024-03-02", "2024-03-03"]


@pytest.mark.parametrize(
    ("scale", "first", "last", "expected"),
    [
        (TimeScale(), 0, 100, ["0", "50", "100"]),
        (TimeScale(), 3, 4, ["3", "4"]),
        (TimeScale(), 0.0, 1.0, ["0.0", "0.5", "1.0"]),
        (TimeScale(), 5, 5, ["5"]),
        (TimeScale(10**9, True), 0, 7200, ["00:00", "00:30", "01:00", "01:30", "02:00"]),
        (TimeScale(10**9, True, "Asia/Kolkata"), 0, 7200, ["05:30", "06:00", "06:30", "07:00", "07:30"]),
        (TimeScale(1, True), 0, 4 * 10**6, ["00:00:00.000", "00:00:00.001", "00:00:00.002", "00:00:00.003"]),
        (TimeScale(86400 * 10**9, True), 0, 20, ["1970-01-01", "1970-01-08", "1970-01-15"]),
        (TimeScale(10**9, True), 10**17, 10**17 + 10, None),  # after the year 9999
    ],
)
def test_ticks_are_round(scale: TimeScale, first: float, last: float, expected: list[str] | None) -> None:
    found = [text for _, text in scale.ticks(first, last)]
    assert found[: len(expected or found)] == (expected or found) and len(found) <= 5


def test_lengths_are_told_in_two_units() -> None:
    seconds = TimeScale(10**9, True)
    assert [seconds.length(each) for each in (0, 61, 3600, 90061)] == ["0 s", "1 min 1 s", "1 h", "1 d 1 h"]
    assert TimeScale().length(1234) == "1,234"


@pytest.fixture
def without_vl_convert(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    ordinary = builtins.__import__

    def refused(name: str, *more: Any, **named: Any) -> Any:
        if name == "vl_convert":
            raise ImportError(name)
        return ordinary(name, *more, **named)

    monkeypatch.delitem(sys.modules, "vl_convert", raising=False)
    monkeypatch.setattr(builtins, "__import__", refused)
    yield


def test_a_picture_as_png() -> None:
    pytest.importorskip("vl_convert")
    m = cepheid.query("PATTERN SEQ(A a, ~X x, B b) WITHIN 10").run(stream("AB"), time="ts", type="kind")
    image = m.timeline().png(width=500)
    assert image[:8] == b"\x89PNG\r\n\x1a\n" and int.from_bytes(image[16:20], "big") == 1000
    assert m.timeline().png(dark=True) != m.timeline().png()


@pytest.mark.usefixtures("without_vl_convert")
def test_a_png_without_what_draws_it_names_the_extra() -> None:
    m = cepheid.query("PATTERN A a").run(stream("A"), time="ts", type="kind")
    with pytest.raises(MissingExtraError, match=r"cepheid\[plot\]"):
        m.timeline().png()
