"""Automata, trees and sharing plans as pictures, and what a run has counted at them."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as xml
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.views.near_misses import DrawnEvent, DrawnMiss, near_misses_svg
from cepheid.views.page import lines_html

SVG = "{http://www.w3.org/2000/svg}"
QUERIES = {
    "one": "PATTERN A a WHERE a.x > 3",
    "kleene": "PATTERN SEQ(A a, ~X x, B+ b[]) WHERE a.x < b[i].x WITHIN 10",
    "branches": "PATTERN SEQ(A a, OR(SEQ(B b, C? c), D* d[]), E e) WITHIN 10",
    "long": f"PATTERN SEQ(A a, B b) WHERE a.name = '{'<&' * 200}' WITHIN 10",
}


def drawn(told: Any) -> xml.Element:
    return xml.fromstring(told.svg())


def of_kind(picture: xml.Element, kind: str) -> list[xml.Element]:
    return [each for each in picture.iter() if kind in each.attrib.get("class", "").split()]


def names(picture: xml.Element) -> list[str]:
    return [each.text or "" for each in of_kind(picture, "name")]


def events(kinds: str) -> pa.Table:
    return pa.Table.from_pylist([{"ts": i, "kind": kind, "x": i} for i, kind in enumerate(kinds, 1)])


def test_the_states_of_an_automaton_stand_in_the_order_of_the_text() -> None:
    picture = drawn(cepheid.query(QUERIES["branches"]).explain())
    assert names(picture) == ["a", "b", "c", "d[]", "e", "match"]
    titles = [each.text or "" for each in picture.iter(f"{SVG}title")]
    assert "a → e: begin: E" in titles and "d[] → d[]: take: D" in titles
    assert len(of_kind(picture, "passing")) == 4  # a, b, c and d[] ignore


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("engine", ["nfa", "tree"])
def test_every_picture_is_fit_for_a_phone(name: str, engine: str) -> None:
    told = cepheid.query(QUERIES[name]).using(engine).explain()
    picture = drawn(told)
    width, height = float(picture.attrib["width"]), float(picture.attrib["height"])
    assert width <= 374 and height > 20
    for each in picture.iter():
        assert float(each.attrib.get("y", 0)) <= height and float(each.attrib.get("x", 0)) <= width
    assert "<&" not in told.svg() and told.html().startswith("<!doctype html>")
    assert "<svg" in told._repr_html_() and "<pre>" in told._repr_html_()


def test_an_automaton_and_a_tree_as_png() -> None:
    pytest.importorskip("vl_convert")
    for engine in ("nfa", "tree"):
        told = cepheid.query(QUERIES["branches"]).using(engine).explain()
        image = told.png()
        assert image[:8] == b"\x89PNG\r\n\x1a\n" and int.from_bytes(image[16:20], "big") == 2 * 372
        assert told.png(dark=True) != image


def test_a_tree_has_its_joins_above_their_parts() -> None:
    q = cepheid.query("PATTERN SEQ(A a, B b, C c) WHERE a.x = c.x WITHIN 10")
    told = q.using("tree", shape="((a b) c)", condense="always").explain()
    picture = drawn(told)
    assert names(picture) == ["SEQ(a, b, c)", "SEQ(a, b)", "a", "b", "c"]
    assert [node.parent for node in told.outline] == [-1, 0, 1, 1, 0]
    shown = [each.text or "" for each in picture.iter(f"{SVG}text")]
    assert "shape ((a b) c)" in shown and "groups by {a.x}" in shown


def test_a_sharing_plan_names_each_query_once() -> None:
    w = cepheid.workload(
        {
            "q1": "PATTERN SEQ(A a, B b, C c) WITHIN 10 AGG COUNT",
            "q2": "PATTERN SEQ(A a, B b) WITHIN 10 AGG COUNT",
            "alert": "PATTERN SEQ(A a, B b) WITHIN 5 RETURN a.x AS x",
            "twice": "PATTERN SEQ(alert one, alert two) WITHIN 100",
        }
    )
    told = w.explain()
    assert names(drawn(told)) == ["events", "algebra 1", "q1", "q2", "alert", "twice"]
    assert [node.parent for node in told.outline] == [-1, 0, 1, 1, 0, 4]


def test_sibling_automata_stand_below_the_state_functions() -> None:
    told = cepheid.xml("//p(/a->X[@i=2]*:/b)//c").explain()
    picture = drawn(told)
    assert names(picture) == ["q1", "q2", "q3", "q4", "SiblingFA1", "q2", "q3"]
    assert told.ends == ("q3",) and len(of_kind(picture, "inner")) == 1
    assert names(drawn(cepheid.xml("//p/a").explain())) == ["q1", "q2"]


# -- what was counted ------------------------------------------------------------------------------


def counts(m: Any) -> dict[str, str]:
    return {f"{e.source} {e.target} {e.label.split(':')[0]}": e.count for e in m.explain().edges}


def test_edges_say_how_many_events_passed_and_how_many_runs_took_them() -> None:
    q = cepheid.query("PATTERN SEQ(A a, B b) WHERE skip_till_next_match { b.x > a.x AND b.x > 3 } WITHIN 10")
    m = q.using("nfa", sharing="basic").run(events("ABABX"), time="ts", type="kind")
    assert len(m) == 2
    assert counts(m) == {
        "start a begin": "2 events pass, 2 runs",
        "a b begin": "1 event passes, 2 runs",
        "a a ignore": "0 times",
        "b match complete": "2 runs",
    }
    text = str(m.explain())
    assert "passed, of 5 events" in text and "x > 3" in text
    assert [step.events for step in m.record.counts.steps] == [2, 2, 1]
    picture = drawn(m.explain())
    assert "2 events pass, 2 runs" in [each.text for each in of_kind(picture, "count")]


def test_takes_and_absences_are_counted() -> None:
    q = cepheid.query("PATTERN SEQ(A a, B+ b[], ~X x, C c) WITHIN 10").using("nfa", sharing="basic")
    m = q.run(events("ABBCXC"), time="ts", type="kind")
    found = counts(m)
    assert len(m) == 3
    assert found["b[] b[] take"] == "2 events pass, 1 run"
    assert found["b[] c begin"] == "2 events pass, 6 runs"
    assert "at c: 3 runs ended there by an absence" in str(m.explain())
    assert "one may stand for many" not in str(m.explain())


def test_counts_do_not_depend_on_how_events_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    q = cepheid.query("PATTERN SEQ(A a, B+ b[]) WHERE a.x < b[i].x WITHIN 4").using("nfa", sharing="basic")
    whole = q.run(events("ABBAB" * 8), time="ts", type="kind")
    monkeypatch.setattr("cepheid.runners.stream.feed.SLICE", 7)
    pieces = q.run(events("ABBAB" * 8), time="ts", type="kind")
    assert counts(whole) == counts(pieces) and whole.record.counts.steps == pieces.record.counts.steps


def test_nodes_of_a_tree_say_what_they_tested_and_made() -> None:
    q = cepheid.query("PATTERN SEQ(A a, B b) WHERE a.x = b.x WITHIN 10").using("tree", condense="never")
    m = q.run([{"ts": i, "kind": k, "x": 1} for i, k in enumerate("AABX")], time="ts", type="kind")
    told = {node.name: node.counts for node in m.explain().outline}
    assert told == {
        "SEQ(a, b)": ("2 pairs tested, 2 composites",),
        "a": ("2 events pass, 2 composites",),
        "b": ("1 event passes, 1 composite",),
    }


def test_a_profile_counts_what_its_query_does_and_shared_work_is_not_counted() -> None:
    p = cepheid.profile("PATTERN SEQ(A a, B b) WITHIN 10", consume="unique")
    m = p.run(events("ABAB"), time="ts", type="kind")
    assert counts(m)["start a begin"].startswith("2 events pass")
    w = cepheid.workload(
        {"q": "PATTERN SEQ(A a, B b) WITHIN 9 AGG COUNT", "r": "PATTERN SEQ(A a, C c) WITHIN 9 AGG COUNT"}
    )
    told = w.run(events("ABAB"), time="ts", type="kind")["q"].explain()
    assert "not counted" in str(told)
    m = cepheid.query("PATTERN SEQ(A a, B b) WHERE b.x > 1 WITHIN 9 AGG COUNT").run(
        events("ABAB"), time="ts", type="kind"
    )
    assert "m.explain(events) counts" in str(m.explain())
    told = m.explain(events("ABAB"))
    assert "not counted" not in str(told) and "passed, of 4 events" in str(told)
    assert [edge.count for edge in told.edges] == ["2 events pass", "2 events pass", ""]
    told = cepheid.profiles({"P": p}).run(events("AB"), time="ts", type="kind").explain()
    assert "not counted" in str(told)
    with pytest.raises(cepheid.CepheidError, match="needs a run"):
        dataclasses.replace(m, record=None).explain()


def test_events_that_are_given_again_may_have_more_columns_than_the_run_read() -> None:
    again = [{"ts": i, "kind": kind, "x": i, "z": 1} for i, kind in enumerate("ABAB", 1)]
    q = cepheid.query("PATTERN SEQ(A a, B b) WHERE b.x > 1 WITHIN 9 AGG COUNT")
    told = q.run(again, time="ts", type="kind").explain(again)
    assert [edge.count for edge in told.edges] == ["2 events pass", "2 events pass", ""]
    q = cepheid.query("PATTERN SEQ(A a, B b) WHERE b.x > 1 WITHIN 9 RETURN a.x")
    m = q.run(again, time="ts", type="kind")
    assert m.state_over_time(again, points=4).values
    with pytest.raises(cepheid.CepheidError, match="these events have no column 'x', which the run read"):
        m.state_over_time([{"ts": 1, "kind": "A"}])


def test_pages_have_a_heading_and_no_line_that_is_cut_off() -> None:
    q = cepheid.query("PATTERN SEQ(A a, B b) WHERE b.x > 1 WITHIN 10")
    m = q.run(events("AB"), time="ts", type="kind")
    assert "<h1>How it is run</h1>" in m.explain().html() and "<h1>" not in m.explain()._repr_html_()
    page = m.timeline().html()
    assert "<h1>Matches in time</h1>" in page and "WHERE skip_till_any_match { b.x &gt; 1 }" in page
    assert "Lanes are by kind." in page and "Lanes are by variable." in m.timeline(by="variable").html()
    text = "query\n  PATTERN A a\n\n    deep"
    lines = lines_html(text)
    assert "pre-wrap" in lines and lines.count("display: block") == 4
    assert "padding-left: 4ch; text-indent: -2ch" in lines and "padding-left: 6ch" in lines


def test_near_misses_name_as_many_events_as_there_is_room_for() -> None:
    many = [DrawnEvent("stock", at, "a", "tip") for at in range(60)]
    stop = DrawnEvent("stock", 59, "b", "tip", is_stop=True)
    picture = near_misses_svg([DrawnMiss("2 of 3 parts", "not b", (*many, stop))])
    assert 10 < picture.count(">a</text>") < 40 and picture.count(">b</text>") == 1
    assert picture.count("<circle") == 60


def test_notebooks_show_pictures_by_themselves() -> None:
    from IPython.core.formatters import DisplayFormatter

    q = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 10")
    m = q.run(events("AB"), time="ts", type="kind")
    for shown in (q.explain(), m.explain(), m.timeline()):
        data, _ = DisplayFormatter().format(shown)
        assert "<svg" in data["text/html"]
