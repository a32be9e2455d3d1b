"""Pictures of matches in time, and of how much there was."""

from __future__ import annotations

import xml.etree.ElementTree as xml

from cepheid.views.bars import Bar, bars_svg
from cepheid.views.timeline import Timeline
from cepheid.views.timeline_contents import TimelineEvent, TimelineSpan

SVG = "{http://www.w3.org/2000/svg}"


def places(picture: xml.Element, kind: str) -> list[str]:
    return [each.attrib["cx"] for each in picture.iter(f"{SVG}circle") if each.attrib["class"] == kind]


def test_events_lie_on_lanes_and_a_match_spans_them() -> None:
    events = [
        TimelineEvent(10, "Door", "a"),
        TimelineEvent(20, "Light", "b"),
        TimelineEvent(15, "Door", "beside", False),
    ]
    timeline = Timeline(events, [TimelineSpan(10, 20, "the match")])
    assert timeline.lanes == ("Door", "Light")
    picture = xml.fromstring(timeline.svg())
    assert places(picture, "matched") == ["3.00%", "97.00%"] and places(picture, "aside") == ["50.00%"]
    assert next(each.text for each in picture.iter(f"{SVG}title")) == "the match"
    assert [each.text for each in picture.iter(f"{SVG}text")] == ["Door", "Light", "10", "10", "20"]


def test_matches_that_overlap_have_rows_of_their_own() -> None:
    spans = [TimelineSpan(0, 5, "x"), TimelineSpan(3, 8, "y"), TimelineSpan(6, 9, "z")]
    picture = xml.fromstring(Timeline([], spans).svg())
    rows = [each.attrib["y"] for each in picture.iter(f"{SVG}rect") if each.attrib["class"] == "span"]
    assert rows[0] == rows[2] != rows[1]


def test_one_moment_and_nothing_at_all_are_pictures_too() -> None:
    one = Timeline([TimelineEvent(5, "A", "x")], [TimelineSpan(5, 5, "m")])
    assert places(xml.fromstring(one.svg()), "matched") == ["50.00%"]
    assert xml.fromstring(Timeline([], []).svg()).tag == f"{SVG}svg"


def test_words_are_escaped_and_a_style_may_be_left_to_the_page() -> None:
    hostile = "<script>&\"'"
    timeline = Timeline([TimelineEvent(1, hostile, hostile)], [TimelineSpan(1, 2, hostile)])
    assert "<script" not in timeline.html() and xml.fromstring(timeline.svg()) is not None
    assert "<style" in timeline.svg() and "<style" not in timeline.svg(styled=False)
    assert "style=" not in timeline.svg(styled=False)


def test_bars_say_their_numbers() -> None:
    picture = xml.fromstring(bars_svg([Bar(2, "one"), Bar(0, "<two>"), Bar(4, "three")], "how many"))
    assert [each.text for each in picture.iter("title")] == ["one: 2", "<two>: 0", "three: 4"]
    heights = [float(r.attrib["height"]) for r in picture.iter("rect") if r.attrib["class"] != "bar-room"]
    assert heights == [20, 1, 40]
    assert xml.fromstring(bars_svg([], "nothing")).attrib["aria-label"] == "nothing"
