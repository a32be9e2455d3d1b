"""The picture of a funnel: well-formed, and safe for whatever a label holds."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import cepheid
from cepheid.views.funnel import percent, shown_length

EVENTS = [
    {"ts": 1, "kind": "A", "user": 1},
    {"ts": 2, "kind": "A", "user": 2},
    {"ts": 4, "kind": "B", "user": 2},
]
LABEL = "<script>1</script> & more"


def test_the_picture_says_what_the_table_does() -> None:
    found = cepheid.funnel({LABEL: "A", "B": "B"}, by="user").run(EVENTS, time="ts", type="kind")
    root = ElementTree.fromstring(found.svg())
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == [LABEL, "2 · 100 %", "↓ −1 · 50 % lost", "median 2", "B", "1 · 50 %"]
    widths = [bar.get("width") for bar in root.iter() if bar.get("class") == "bar"]
    assert widths == ["368.0", "184.0"]
    assert "<script" not in found.html() + found._repr_html_()
    assert found.html().startswith("<!doctype html>") and "viewport" in found.html()


def test_nobody_came() -> None:
    found = cepheid.funnel(["A", "B"], by="user").run(EVENTS[:0] or EVENTS[2:], time="ts", type="kind")
    ElementTree.fromstring(found.svg())
    assert [row["count"] for row in found] == [0, 0]


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (None, "–"),
        (0, "0 %"),
        (1, "100 %"),
        (0.5, "50 %"),
        (1 / 3, "33.3 %"),
        (1e-5, "<0.1 %"),
        (0.9999, ">99.9 %"),
    ],
)
def test_a_share(share: float | None, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0004, "0.4 ms"),
        (1.5, "1.5 s"),
        (59.99, "60 s"),
        (60, "1 min"),
        (632, "10 min 32 s"),
        (3600, "1 h"),
        (90_000, "1 d 1 h"),
    ],
)
def test_a_length(seconds: float, text: str) -> None:
    assert shown_length(seconds) == text
