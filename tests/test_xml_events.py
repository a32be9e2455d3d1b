"""`x.events`: nodes of a document as events, and queries over them."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from datetime import datetime
from typing import Any

import pytest

import cepheid
from cepheid.errors import CepheidError, QueryError

FEED = b"""<feed>
  <reading at="1" kind="door"><room>2</room><value unit="C">20.5</value></reading>
  <reading at="2" kind="heat"><value unit="C">21</value><value unit="F">70</value></reading>
  <note at="9"/>
  <reading at="3" kind="heat"><room> 2 </room><value unit="F">30</value><room>9</room></reading>
</feed>"""


def test_attributes_and_elements_become_columns() -> None:
    columns = {
        "room": "room",
        "value": "/value",
        "unit": "value/@unit",
        "f": "value[@unit = 'F']",
        "all": ".",
    }
    for parser in ("fast", "expat"):
        events = cepheid.xml("//reading").events(
            FEED, time="@at", type="@kind", columns=columns, parser=parser
        )
        assert events.to_pylist() == [
            {"time": 1, "type": "door", "room": 2, "value": 20.5, "unit": "C", "f": None, "all": "220.5"},
            {"time": 2, "type": "heat", "room": None, "value": 21.0, "unit": "C", "f": 70, "all": "2170"},
            {"time": 3, "type": "heat", "room": 2, "value": 30.0, "unit": "F", "f": 30, "all": " 2 309"},
        ]


def test_a_query_and_a_session_run_over_them() -> None:
    events = cepheid.xml("/feed/reading").events(FEED, time="@at", type="@kind", columns={"value": "value"})
    query = cepheid.query("PATTERN SEQ(door d, heat h) WHERE h.value > d.value WITHIN 5 RETURN h.value AS v")
    assert query.run(events, time="time", type="type").table.column("v").to_pylist() == [21.0, 30.0]
    session = query.session(events.schema, time="time", type="type")
    told = [session.push(events).num_rows, session.close().num_rows]
    assert sum(told) == 2


def test_without_a_path_the_type_is_the_tag() -> None:
    events = cepheid.xml("/feed/*").events(FEED, time="@at", columns={"room": "room"})
    assert events.column("type").to_pylist() == ["reading", "reading", "note", "reading"]
    assert events.column("room").to_pylist() == [2, None, None, 2]
    either = cepheid.xml("/feed(/note->N|/reading->R)").events(FEED, time="@at", columns={"room": "room"})
    assert either.column("room").to_pylist() == [2, None, None, 2]


def test_elements_of_one_tag_inside_each_other_keep_what_is_theirs() -> None:
    data = b"<p t='1'><p t='2'><q><v>a</v></q><v>b</v></p><v>c</v><p t='3'/></p>"
    nodes = cepheid.xml("//p")
    near = nodes.events(data, time="@t", columns={"v": "v", "q": "q/v", "any": "//v", "at": "//p/@t"})
    assert near.to_pydict() == {
        "time": [1, 2, 3],
        "type": ["p", "p", "p"],
        "v": ["c", "b", None],
        "q": [None, "a", None],
        "any": ["a", "a", None],
        "at": [2, None, None],
    }


PATHS = {
    "a": "a",
    "ab": "a/b",
    "any": "*/b",
    "deep": "//b",
    "i": "a/@i",
    "below": "//a/@i",
    "first": "a[1]",
    "dot": "./a/b",
}


def _by_element_tree(node: ET.Element, path: str) -> str | None:
    """What a path finds by Python's own tree, or None where it is nothing."""
    steps, _, attribute = path.partition("/@")
    places = node.findall(f".{steps}" if steps.startswith("//") else steps)
    found: list[str | None]
    if attribute:
        found = [each.get(attribute) for each in places if each.get(attribute) is not None]
    else:
        found = ["".join(each.itertext()) for each in places]
    return (found[0] or None) if found else None


def _random_element(dice: random.Random, depth: int = 0) -> str:
    tag = dice.choice("abc")
    attribute = f" i='x{dice.randrange(9)}'" if dice.random() < 0.5 else ""
    inner = [_random_element(dice, depth + 1) for _ in range(dice.randint(0, 3 if depth < 5 else 0))]
    text = f"t{dice.randrange(9)}" if dice.random() < 0.5 else ""
    return f"<{tag} t='{dice.randrange(99)}'{attribute}>{text}{''.join(inner)}</{tag}>"


def test_random_documents_agree_with_element_tree() -> None:
    patterns = {tag: cepheid.xml(f"//{tag}") for tag in "ac*"}
    some = 0
    for seed in range(60):
        data = f"<r>{''.join(_random_element(random.Random(seed * 10 + k)) for k in range(3))}</r>".encode()
        for tag, pattern in patterns.items():
            nodes = [node for node in ET.fromstring(data).iter() if node.tag == tag or tag == "*" != node.tag]
            if not nodes:
                continue
            events = pattern.events(data, time="@t", columns=PATHS)
            for name, path in PATHS.items():
                expected = [_by_element_tree(node, path) for node in nodes]
                assert events.column(name).to_pylist() == expected, f"seed {seed}: {path} of {tag}, {data!r}"
                some += sum(value is not None for value in expected)
    assert some > 1000


def test_a_run_is_not_changed_by_what_is_asked_of_its_nodes() -> None:
    data = b"<r><a t='1'><v>1</v></a><a t='2'/><b/><a t='3'><v>3</v></a></r>"
    events = cepheid.xml("//r(/a->A+:/b)").events(data, time="@t", columns={"v": "v"})
    assert events.column("v").to_pylist() == [1, None]


def test_a_node_of_two_variables_is_one_event() -> None:
    data = b"<r><s><n t='1'/></s></r>"
    assert cepheid.xml("//r[//n->A][//n->B]").events(data, time="@t").num_rows == 1


def test_prefixes_are_ignored_where_they_are_for_the_pattern() -> None:
    data = b"<f xmlns:p='u'><p:r p:t='5'><p:v p:u='C'>1</p:v></p:r><r t='6'/></f>"
    events = cepheid.xml("//r", namespaces="ignore").events(data, time="@t", columns={"v": "v", "u": "v/@u"})
    assert events.to_pylist() == [
        {"time": 5, "type": "r", "v": 1, "u": "C"},
        {"time": 6, "type": "r", "v": None, "u": None},
    ]


def test_times_are_numbers_or_timestamps() -> None:
    stamped = b"<f><r t='2024-01-01T09:00'/><r t='2024-01-01T09:01:30'/><r t=''/></f>"
    events = cepheid.xml("//r").events(stamped, time="@t")
    assert events.column("time").to_pylist() == [
        datetime(2024, 1, 1, 9),
        datetime(2024, 1, 1, 9, 1, 30),
        None,
    ]
    found = cepheid.query("PATTERN SEQ(r a, r b) WITHIN 5 min").run(events, time="time", type="type")
    assert (len(found), found.bad.num_rows) == (1, 1)
    nothing = cepheid.xml("//none").events(stamped, time="@t", columns={"v": "v"})
    assert len(cepheid.query("PATTERN none a").run(nothing, time="time", type="type")) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"time": "@x"}, "time='@x' finds nothing"),
        ({"time": "at"}, "finds nothing: no node has a time there; an attribute is written '@at'"),
        ({"time": "@at", "type": "room/"}, "no path such as .*: it ends too early: expected"),
        ({"time": "@at", "columns": ["room"]}, r"columns= has paths by the names .*, not \['room'\]"),
        ({"time": "@kind"}, "finds 'door', which is neither a number nor a timestamp"),
        ({"time": "a["}, r"time= 'a\[' is no path"),
        ({"time": "a][b"}, "is no path"),
        ({"time": "2"}, "is no path"),
        ({"time": "a/b//c"}, "goes down by / alone"),
        ({"time": "//@at"}, "should name one attribute"),
        ({"time": "@*"}, "should name one attribute"),
        ({"time": "a->X"}, "marks nothing"),
        ({"time": "a = 5"}, "compares nothing"),
        ({"time": 5}, "takes a path"),
        ({"time": "@at", "columns": {"time": "@at"}}, "columns= has 'time'"),
        ({"time": "@at", "columns": {"v": "a:b:"}}, "columns= v: 'a:b:' is no path"),
    ],
)
def test_what_cannot_be_asked(options: dict[str, Any], message: str) -> None:
    with pytest.raises((CepheidError, QueryError), match=message):
        cepheid.xml("//reading").events(FEED, **options)
