"""Namespaces: what the tokenizer accepts and refuses is what lxml does, and names compare by URI."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

import cepheid
from cepheid.errors import CepheidError, QueryCheckError, UnsupportedError, XmlError
from cepheid.matchers.twig.scan.scanner import Scanner, scan_alone
from cepheid.matchers.twig.scan.tables import Scan
from cepheid.matchers.twig.scan.uris import is_uri
from tests.fuzz_xml import namespace_finding

etree = pytest.importorskip("lxml.etree")

XML, XMLNS = "http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/"
U, V = "x:u", "x:v"
OPTIONS = {"huge_tree": True, "no_network": True, "resolve_entities": False}

REFUSED = [
    ("<p:a/>", "the prefix of this name is not declared"),
    ("<a p:x='1'/>", "not declared"),
    ("<a><b xmlns:p='u'/><p:c/></a>", "not declared"),
    ("<a xmlns:p='u' xmlns:q='u' p:x='1' q:x='2'/>", "by another prefix for the same namespace"),
    ("<a xmlns:p=''/>", "bound to no namespace"),
    ("<a xmlns:p='u'><b xmlns:p=''/></a>", "bound to no namespace"),
    ("<a xmlns:xml='u'/>", "cannot be declared otherwise"),
    (f"<a xmlns:p='{XML}'/>", "cannot be declared otherwise"),
    (f"<a xmlns='{XML}'/>", "cannot be declared otherwise"),
    ("<a xmlns:xmlns='u'/>", "cannot be declared otherwise"),
    (f"<a xmlns:p='{XMLNS}'/>", "cannot be declared otherwise"),
    (f"<a xmlns='{XMLNS}'/>", "cannot be declared otherwise"),
    ("<xmlns:a/>", "not declared"),
    ("<a:b:c xmlns:a='u'/>", "a colon stands between"),
    ("<a xmlns:x='u' x:y:z='1'/>", "a colon stands between"),
    ("<:a/>", "a colon stands between"),
    ("<a:/>", "a colon stands between"),
    ("<a :b='1'/>", "a colon stands between"),
    ("<a xmlns:='u'/>", "a colon stands between"),
    ("<a xmlns:a:b='u'/>", "a colon stands between"),
    ("<p:1a xmlns:p='u'/>", "a colon stands between"),
    ("<p:·a xmlns:p='u'/>", "a colon stands between"),
    ("<a xmlns:p='u' p:-x='1'/>", "a colon stands between"),
    ("<?a:b c?><a/>", "a colon stands between"),
    ("<a xmlns='u' xmlns='v'/>", "has this attribute already"),
    ("<a xmlns:p='a b'/>", "the namespace 'a b' is not a URI"),
    ("<a xmlns='&#x20;'/>", "is not a URI"),
    ("<a xmlns:p='é'/>", "is not a URI"),
    ("<p:a xmlns:p='u' xmlns:q='u'></q:a>", "this end tag"),
]
ACCEPTED = [
    f"<a xmlns:xml='{XML}' xml:lang='en'/>",
    "<xml:a/>",
    "<xmlns/>",
    "<xml/>",
    "<a xmlns='u'><b xmlns=''/></a>",
    "<a x='1' xmlns:p='u' p:x='2'/>",
    "<a xmlns='u' xmlns:p='u' p:x='1' x='2'/>",
    "<a xmlns:p='a&amp;b&#x2F;'><p:b/></a>",
    "<p:é xmlns:p='u'/>",
    "<a xmlns:xMl='u'/>",
    "<a xmlns:xml2='u'><xml2:b/></a>",
]


def _is_accepted(data: bytes) -> bool:
    try:
        etree.fromstring(data, etree.XMLParser(**OPTIONS))
    except etree.XMLSyntaxError:
        return False
    return True


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[text for text, _ in REFUSED])
def test_what_lxml_refuses_is_refused(text: str, message: str) -> None:
    data = text.encode()
    assert not _is_accepted(data)
    for parser in ("fast", "lxml"):
        with pytest.raises(XmlError, match=message):
            cepheid.xml("//a").run(data, parser)
    with pytest.raises(XmlError, match=message):
        cepheid.xml("//a").run([data[k : k + 1] for k in range(len(data))])


@pytest.mark.parametrize("text", ACCEPTED)
def test_what_lxml_accepts_is_accepted(text: str) -> None:
    assert _is_accepted(text.encode())
    assert len(cepheid.xml("/*").run(text.encode())) == 1


def test_the_grammar_of_uris_is_that_of_libxml2() -> None:
    signs = [*"ab/?#[]%:@.1{| ~-+;=é", "//", "%2F", "%4", "http://", "urn:", "[::1]", "80", "2147483648"]
    dice = random.Random(1)
    for _ in range(2000):
        uri = "".join(dice.choices(signs, k=dice.randint(1, 5)))
        assert is_uri(uri) == _is_accepted(f'<a xmlns:p="{uri}"/>'.encode()), uri


def element(dice: random.Random, depth: int) -> str:
    """An element of a random document, in which prefixes may be misused now and then."""
    prefixes = ("", "", "p:", "q:", "xml:") if dice.random() < 0.03 else ("", "", "p:", "q:")
    tag = dice.choice(prefixes) + dice.choice("ab")
    attributes = {
        dice.choice(("xmlns", "xmlns:p", "xmlns:q")): dice.choice((U, U, V, "x:&#117;", "x:w"))
        for _ in range(dice.choice((0, 0, 1, 2)))
    }
    if dice.random() < 0.1:
        attributes["xmlns"] = ""
    attributes |= {
        dice.choice(("", "p:", "q:", "xml:")) + dice.choice("ij"): "1"
        for _ in range(dice.choice((0, 0, 1, 2)))
    }
    written = "".join(f' {name}="{value}"' for name, value in attributes.items())
    inside = "".join(element(dice, depth - 1) for _ in range(dice.randint(0, 3) if depth else 0))
    return f"<{tag}{written}>{inside}</{tag}>" if inside or dice.random() < 0.5 else f"<{tag}{written}/>"


def namespaced(dice: random.Random) -> bytes:
    """A random document; most declare their prefixes at the root.

    The namespaces are absolute URIs: of relative ones lxml warns, and then it overlooks some mistakes.
    """
    declared = f" xmlns:p='{U}' xmlns:q='{V}'" if dice.random() < 0.8 else ""
    return f"<r{declared}>{''.join(element(dice, 3) for _ in range(2))}</r>".encode()


XPATHS = ("//x:a", "//a", "//x:a[@y:i]", "//*[@i]", "//y:b//x:a", "/r/x:b", "//*[@xml:i]", "//*[@*]")


def test_names_compare_by_uri_as_in_xpath() -> None:
    given = {"x": U, "y": V}
    patterns = {text: cepheid.xml(text, namespaces=given) for text in XPATHS}
    accepted = 0
    for seed in range(60):
        dice = random.Random(seed)
        data = namespaced(dice)
        if not _is_accepted(data):
            with pytest.raises(XmlError):
                cepheid.xml("//a").run(data)
            continue
        accepted += 1
        root = etree.fromstring(data)
        places = {element: place for place, element in enumerate(root.iter("*"))}
        starts = [row["start"] for row in cepheid.xml("//*").run(data)]
        cuts = sorted(dice.choices(range(len(data)), k=4))
        pieces = [data[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]
        for text, pattern in patterns.items():
            expected = [places[each] for each in root.getroottree().xpath(text, namespaces=given)]
            for source, parser in ((data, "fast"), (pieces, "fast"), (data, "lxml")):
                found = [starts.index(row["start"]) for row in pattern.run(source, parser)]
                assert found == expected, (text, data, parser)
    assert accepted > 12


def test_random_cases_in_namespaces_equal_the_oracle() -> None:
    constructs: Counter[str] = Counter()
    for seed in range(100):
        assert namespace_finding(seed, constructs) is None
    assert sum(count for name, count in constructs.items() if "rows" in name) > 15


def test_a_session_goes_on_with_the_declarations_in_force() -> None:
    pattern = cepheid.xml("//x:a->A[@x:i]", namespaces={"x": "u"})
    data = b"<r xmlns='u' xmlns:p='u'><b xmlns='v' xmlns:q='u'><a q:i='1'/><q:a q:i='2'/></b><a p:i='3'/></r>"
    for size in (1, 5, 17):
        session, found = pattern.session(), []
        for begin in range(0, len(data), size):
            found += session.push(data[begin : begin + size]).to_pylist()
            session = cepheid.resume(pattern, session.snapshot())
        assert [row["attributes"] for row in found] == [[("q:i", "2")], [("p:i", "3")]]
        assert [row["tag"] for row in found] == ["q:a", "a"]
    documents = b"<a xmlns='u' xmlns:x='u' x:i='1'/><a/><x:a xmlns:x='u' x:i='2'/>"
    assert pattern.session().push(documents).num_rows == 2


def test_the_default_namespace_of_a_pattern() -> None:
    data = b"<r xmlns='u'><a i='1'/><b xmlns=''><a/></b></r>"
    assert len(cepheid.xml("/r/a[@i]", namespaces={"": "u"}).run(data)) == 1
    assert len(cepheid.xml("//a", namespaces={}).run(data)) == 1
    assert len(cepheid.xml("//a", namespaces="ignore").run(data)) == 2


@pytest.mark.compiled
def test_many_namespaces_and_names_alike_take_no_long_time() -> None:
    some = "".join(f"<a xmlns='http://x/{number:05}' n{number:05}=''/>" for number in range(3000))
    pattern = cepheid.xml("//x:a", namespaces={"x": "http://x/02999"})
    assert len(pattern.run(f"<r>{some}</r>".encode())) == 1


def test_events_have_the_prefixes_of_the_pattern() -> None:
    first = b"<q:r q:t='1' t='9'><q:v>5</q:v></q:r>"
    data = b"<f xmlns:q='u'>" + first + b"<r xmlns='u' xmlns:k='u' k:t='2'><v>6</v></r></f>"
    events = cepheid.xml("//x:r", namespaces={"x": "u"}).events(data, time="@x:t", columns={"v": "x:v"})
    assert events.to_pylist() == [{"time": 1, "type": "x:r", "v": 5}, {"time": 2, "type": "x:r", "v": 6}]


@pytest.mark.parametrize(
    ("pattern", "namespaces", "message"),
    [
        ("//q:a", {"p": "u"}, "no namespace for the prefix 'q'"),
        ("//a[/b(/q:c)]", {}, "the prefix 'q'"),
        ("//a[@q:i]", {"p": "u"}, "column 5"),
        ("//a", "all", 'namespaces= is None, "ignore", or'),
        ("//a", {"p": 5}, "not {'p': 5}"),
        ("//a", {"p": ""}, "give its URI"),
        ("//a", {"xml": "u"}, "the prefix xml"),
    ],
)
def test_what_is_given_is_checked(pattern: str, namespaces: Any, message: str) -> None:
    with pytest.raises(CepheidError, match=message):
        cepheid.xml(pattern, namespaces=namespaces)


def test_what_knows_no_namespaces_says_so() -> None:
    pattern = cepheid.xml("//p:a", namespaces={"p": "u"})
    with pytest.raises(UnsupportedError, match="expat"):
        pattern.run(b"<a/>", parser="expat")
    with pytest.raises(QueryCheckError, match="prefix 'q'"):
        pattern.events(b"<a/>", time="q:t")


def test_a_tag_is_read_again_once_for_all_that_it_declares() -> None:
    reads: list[int] = []

    def reader(buffer: np.ndarray, scan: Scan, offset: int, places: np.ndarray | None) -> int:
        reads.append(1)
        return scan_alone(buffer, scan, offset, places)

    declared = " ".join(f"xmlns:p{k}='u{k}' p{k}:i='&#38;>'" for k in range(1000))
    list(Scanner(10, 1 << 20, reader=reader).push(f"<a {declared}/>".encode()))
    assert len(reads) < 20
    for wrong in ("xmlns:q='a b'", "xmlns:q='&n;'", "xmlns:q=''"):
        with pytest.raises(XmlError, match=r"^byte 26, line 1"):
            list(Scanner(10, 1 << 20).push(f"<a xmlns:p='u:1' {wrong}/>".encode()))
