"""`cepheid.xml`: sources, results in other forms, and errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cepheid
from cepheid.errors import CepheidError, QueryError, SourceError, XmlError

PEOPLE = b"""<?xml version="1.0"?>
<people>
  <person id="p1"><name>Ann</name><mail>a@x</mail><mail>b@x</mail></person>
  <person id="p2"><name>Bob</name></person>
  <person id="p3"><mail>c@x</mail></person>
</people>
"""


def test_a_path_bytes_and_pieces_give_the_same(tmp_path: Path) -> None:
    pattern = cepheid.xml("//person->P/name->N")
    file = tmp_path / "people.xml"
    file.write_bytes(PEOPLE)
    whole = pattern.run(PEOPLE)
    pieces = pattern.run(PEOPLE[place : place + 1] for place in range(len(PEOPLE)))
    assert whole.table == pattern.run(file).table == pattern.run(str(file)).table == pieces.table
    assert [(row["var"], row["text"]) for row in whole] == [
        ("P", "Anna@xb@x"),
        ("N", "Ann"),
        ("P", "Bob"),
        ("N", "Bob"),
    ]
    assert len(whole) == whole.stats["nodes"] == 4
    assert whole.stats["parser"] == "fast"
    by_expat = pattern.run(PEOPLE, parser="expat")
    assert by_expat.table == whole.table and by_expat.stats["parser"] == "expat"
    assert repr(whole) == f"<4 nodes in {len(PEOPLE)} bytes>"
    row = next(iter(whole))
    assert PEOPLE[row["start"] : row["end"]].startswith(b'<person id="p1">')
    assert row["attributes"] == [("id", "p1")]


@pytest.mark.parametrize("parser", ["fast", "lxml", "expat"])
def test_references_are_to_characters_of_any_length(parser: str) -> None:
    meant = "A\x7f\x80é\u07ff\u0800€\ufffd\U00010000\U0001f600\U0010ffff"
    for form in ("&#{};", "&#x{:x};", "&#x0{:X};"):
        written = "".join(form.format(ord(character)) for character in meant)
        (row,) = cepheid.xml("//a").run(f"<a b='{written}'>{written}</a>".encode(), parser)
        assert (row["text"], dict(row["attributes"])["b"]) == (meant, meant)
    assert len(cepheid.xml("//a[@b = '€']").run(b"<a b='&#8364;'/>", parser)) == 1


@pytest.mark.parametrize("parser", ["fast", "lxml", "expat"])
def test_defaults_of_attributes_are_not_used(parser: str) -> None:
    data = b'<!DOCTYPE a [<!ATTLIST a b CDATA "1" c CDATA "2">]><a c="3"/>'
    assert [row["attributes"] for row in cepheid.xml("//a").run(data, parser)] == [[("c", "3")]]


def test_trees_are_nested_by_parent() -> None:
    trees = cepheid.xml("//person->P[/name->N]/mail->M").run(PEOPLE).trees()
    assert [(tree["attributes"], [(c["var"], c["text"]) for c in tree["children"]]) for tree in trees] == [
        ({"id": "p1"}, [("N", "Ann"), ("M", "a@x"), ("M", "b@x")])
    ]


def test_wide_has_a_row_a_match() -> None:
    wide = cepheid.xml("//person->P[/name->N[1]][/mail->M]").run(PEOPLE).wide()
    assert wide.column_names == ["match", "P", "N", "M"]
    assert wide.to_pylist() == [
        {"match": PEOPLE.index(b"<person"), "P": "Anna@xb@x", "N": "Ann", "M": ["a@x", "b@x"]}
    ]
    either = cepheid.xml("//person(/name->N|/mail->M)").run(PEOPLE).wide()
    assert either.column("N").to_pylist() == [["Ann"], ["Bob"], []]


def test_names_compare_as_written_or_by_what_follows_the_prefix() -> None:
    data = b'<p:a xmlns:p="u"><b p:i="1"/></p:a>'
    assert len(cepheid.xml("//p:a[/b[@p:i=1]]").run(data)) == 1
    assert len(cepheid.xml("//a").run(data)) == 0
    assert len(cepheid.xml("//q:a[/b[@i=1]]", namespaces="ignore").run(data)) == 1


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"<a><b></a>", "byte 6, line 1: this end tag is not of the element that is open"),
        (b"", "the document ends too early"),
        (b"<a/><b/>", "byte 4, line 1: the document has a second root element"),
        ("/nowhere/x.xml", "cannot read"),
        ("<a/>", "give a document as bytes"),
        (5, "not int"),
        (["<a/>"], "should be bytes"),
        (b'<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>', "the entity '&e;'"),
    ],
)
def test_bad_documents(source: object, message: str) -> None:
    with pytest.raises((SourceError, XmlError), match=message):
        cepheid.xml("//a").run(source)  # type: ignore[arg-type]
    if isinstance(source, bytes):
        with pytest.raises(XmlError, match="line 1"):
            cepheid.xml("//a").run(source, parser="expat")


@pytest.mark.parametrize("document", [b"<a><b =></a>", b"<a><b / ></a>", b"<a><b c='1' =/></a>"])
def test_a_wrong_tag_is_told_once(document: bytes) -> None:
    with pytest.raises(XmlError):
        cepheid.xml("//b").run(document)


def test_entities_may_be_given_and_limits_are_stated() -> None:
    document = b"<a x='&n;'>&n;&amp;</a>"
    (row,) = cepheid.xml("//a", entities={"n": "<no>"}).run(document)
    assert row["text"] == "<no>&" and row["attributes"] == [("x", "<no>")]
    with pytest.raises(XmlError, match="more than max_depth = 3 elements are open"):
        cepheid.xml("//a", max_depth=3).run(b"<a>" * 5)
    with pytest.raises(XmlError, match="longer than max_text = 100 bytes"):
        cepheid.xml("//a", max_text=100).run(b"<a x='" + b"y" * 200)
    with pytest.raises(CepheidError, match="parser= is 'fast', 'lxml' or 'expat', not 'sax'"):
        cepheid.xml("//a").run(b"<a/>", parser="sax")


def test_entities_of_html_need_no_list() -> None:
    document = b"<a>na&iuml;ve &mdash; &lt;</a>"
    for parser in ("fast", "lxml"):
        (row,) = cepheid.xml("//a", entities="html").run(document, parser)
        assert row["text"] == "na\u00efve \u2014 <"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"entities": "xhtml"}, r'entities= is None, "html", or texts by the names .*, not \'xhtml\''),
        ({"entities": ["x"]}, "entities= is None"),
        ({"entities": {"x": 5}}, r"not \{'x': 5\}"),
        ({"max_depth": 0}, "max_depth= is a whole number, 1 or more, not 0"),
        ({"max_depth": 1.5}, "max_depth= is a whole number"),
        ({"max_text": "1 MB"}, "max_text= is a whole number, 1 or more, not '1 MB'"),
        ({"max_text": True}, "not True"),
    ],
)
def test_options_that_mean_nothing_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(CepheidError, match=message):
        cepheid.xml("//a", **options)


def test_bad_patterns() -> None:
    with pytest.raises(QueryError, match="column 5"):
        cepheid.xml("//a[")
    with pytest.raises(CepheidError, match="a pattern is a text"):
        cepheid.xml(5)  # type: ignore[arg-type]
    with pytest.raises(CepheidError, match="namespaces"):
        cepheid.xml("//a", namespaces="all")


def test_text_that_looks_like_a_tag_does_not_move_the_bytes() -> None:
    data = b"<r><a>/></a><a x='/>'></a><a><!--/>--></a><a x='>'/><a ></a ></r>"
    rows = list(cepheid.xml("//a").run(data))
    assert [data[row["start"] : row["end"]] for row in rows] == [
        b"<a>/></a>",
        b"<a x='/>'></a>",
        b"<a><!--/>--></a>",
        b"<a x='>'/>",
        b"<a ></a >",
    ]


def test_deep_documents_and_long_patterns_need_no_deep_stack() -> None:
    data = b"<a>" * 20_000 + b"</a>" * 20_000
    assert len(cepheid.xml("//a//a[/a]//a->X", max_depth=20_000).run(data)) == 19_998
    long = cepheid.xml("/a" * 250, max_depth=20_000)
    assert len(long.run(data)) == 1


def test_what_nothing_matched_in_may_have_namespaces() -> None:
    data = "<?xml version='1.0' encoding='utf-16'?><!-- a --><r xmlns='u'><a/></r>".encode("utf-16")
    (note,) = cepheid.xml("//p:a").run(data).notes
    assert "the root element 'r' has the default namespace 'u'" in note
    assert cepheid.xml("//a").run(data).notes == ()
    assert 'namespaces={"p": "u"}' in note
    (note,) = cepheid.xml("//p:b", namespaces={"p": "v"}).run(data).notes
    assert "is in the namespace 'u', which namespaces= does not have" in note
    (note,) = cepheid.xml("//a", namespaces={"p": "u"}).run(data).notes
    assert "in a pattern a name without a prefix is in no namespace" in note
    assert cepheid.xml("//p:b", namespaces={"p": "u"}).run(data).notes == ()
    assert cepheid.xml("//b", namespaces="ignore").run(data).notes == ()
    assert cepheid.xml("//b").run(b"<r/>").notes == ()


def test_the_last_of_the_last_is_held_until_all_is_known() -> None:
    document = b"<r>" + b"<p><b/></p><p><b/><b><c/></b></p>" * 20 + b"</r>"
    matched = cepheid.xml("//p[/b[last()][last()](/c->C)]").run(document)
    assert len(matched) == 20
    assert len(cepheid.xml("//p[/b[last()][1](/c->C)]").run(document)) == 20
