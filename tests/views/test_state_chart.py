"""What a run held as its events came, as a chart."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as xml
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import CepheidError

EVENTS = pa.table({"ts": list(range(60)), "kind": list("ABC" * 20), "<i>": list(range(60))})


def found(engine: str = "nfa") -> Any:
    q = cepheid.query("PATTERN SEQ(A a, B b) WHERE a.x < b.x WITHIN 5").using(engine)
    return q.run(EVENTS.rename_columns(["ts", "kind", "x"]), time="ts", type="kind")


@pytest.mark.parametrize(
    ("engine", "kinds"), [("nfa", {"runs", "buffered events"}), ("tree", {"composites"})]
)
def test_points_are_taken_after_each_piece(engine: str, kinds: set[str]) -> None:
    m = found(engine)
    assert [each["events"] for each in m.state_over_time().values if each["what"] == "bytes"] == [60]
    chart = m.state_over_time(EVENTS.rename_columns(["ts", "kind", "x"]), points=12)
    values = [each for each in chart.values if each["what"] == "bytes"]
    assert [each["events"] for each in values] == list(range(5, 65, 5))
    assert all(each["number"] > 0 for each in values) and values[0]["time"] == "4"
    assert {each["what"] for each in chart.values} == {"bytes", *kinds}
    assert len(chart.specification["vconcat"]) == 2


def test_the_page_holds_all_that_it_needs() -> None:
    page = found().state_over_time().html()
    assert not re.search(r'(?:src|href)="', page)
    charts = re.search(r"const charts = (\{.*?\});\n", page)
    assert charts is not None and set(json.loads(charts[1])) == {"light", "dark"}
    assert page.count("</script>") == page.count("<script>") == 3


def test_svg_and_png_are_light_or_dark() -> None:
    pytest.importorskip("vl_convert")
    chart = found().state_over_time()
    picture = xml.fromstring(chart.svg())
    assert picture.attrib["class"] == "vega-chart" and "var(--c0)" in chart.svg()
    assert "<svg" in chart._repr_html_()
    assert chart.png()[:8] == b"\x89PNG\r\n\x1a\n" and chart.png() != chart.png(dark=True)


def test_a_chart_without_what_draws_it_is_a_page_in_a_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    chart = found().state_over_time()
    assert chart._repr_html_().startswith("<iframe srcdoc=")
    with pytest.raises(CepheidError, match=r"cepheid\[plot\]"):
        chart.svg()


def test_what_cannot_be_drawn_says_so() -> None:
    with pytest.raises(CepheidError, match="how many points"):
        found().state_over_time(EVENTS, points=0)
    f = cepheid.profiles({"P": "PATTERN A a"})
    with pytest.raises(CepheidError, match="needs the matches of a query"):
        f.run(EVENTS, time="ts", type="kind").state_over_time()
