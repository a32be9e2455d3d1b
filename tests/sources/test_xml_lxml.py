"""By lxml the rows are the same, offsets included."""

from __future__ import annotations

import pytest

import cepheid
from cepheid.errors import XmlError

etree = pytest.importorskip("lxml.etree")

PATTERN = cepheid.xml("//a->A[/b->B]")
DOCUMENT = (
    """<?xml version="1.0" encoding="{}"?>
<!DOCTYPE r [ <!ATTLIST a d CDATA "default"> ]>
<r xmlns="u" xmlns:p="v"><a i = 'x&#10;y
z' p:j="&lt;é&amp;&#38;&amp;#38;" xmlns:q="""
    + "'w'"
    + """><b><![CDATA[<é>]]>&amp;\r\n</b></a ><?go on?>
<p:a xmlns=""><!-- <a/> --><p:b/></p:a><a><b/></a></r>
"""
)


@pytest.mark.parametrize("encoding", ["UTF-8", "ISO-8859-1", "UTF-16"])
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_the_rows_are_the_same(encoding: str, size: int) -> None:
    data = DOCUMENT.format(encoding).encode(encoding)
    pieces = [data[begin : begin + size] for begin in range(0, len(data), size)]
    fast, by_lxml = PATTERN.run(data), PATTERN.run(pieces, parser="lxml")
    assert by_lxml.stats["parser"] == "lxml"
    assert list(by_lxml) == list(fast) and len(fast) == 4


TYPES = """<!DOCTYPE r [
  <!ATTLIST a i NMTOKENS #IMPLIED d CDATA "default" k (x|y) "x">
  <!ATTLIST a i CDATA #IMPLIED>
  <!ATTLIST p:a p:i IDREF #IMPLIED j CDATA #IMPLIED>
]>"""
VALUES = ("  x   y ", "x", "", "  ", "&#32;x &#10;\ty", "\n x\r\n\ty&#13; ", "&amp; &#38;amp;  ")


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("size", [3, 10_000])
def test_types_of_attributes_say_which_blanks_count(value: str, size: int) -> None:
    v = f"'{value}'"
    tags = f"<a i={v} j={v} k={v}/><b i={v}/><p:a p:i={v} j={v} i={v}/>"
    data = f"{TYPES}<r xmlns:p='u'>{tags}</r>".encode()
    pieces = [data[begin : begin + size] for begin in range(0, len(data), size)]
    rows = list(cepheid.xml("//*").run(pieces))
    assert rows == list(cepheid.xml("//*").run(data, parser="lxml"))
    expected = etree.fromstring(data, etree.XMLParser(resolve_entities=False))
    told = [[text for name, text in row["attributes"] if not name.startswith("xmlns")] for row in rows]
    assert told == [list(each.attrib.values()) for each in expected.iter()]


def test_types_are_those_of_their_own_document() -> None:
    session = cepheid.xml("//a").session()
    told = session.push(f"{TYPES}<a i=' x '/><a i=' x '/>{TYPES}<a i=' x '/>".encode())
    assert [row["attributes"] for row in told.to_pylist()] == [[("i", "x")], [("i", " x ")], [("i", "x")]]


GIVEN = {"n": '<é & "b"> %', "m": "", "long": "x" * 100}


@pytest.mark.parametrize(
    "kind", ["", "<!DOCTYPE r>", "<!DOCTYPE r [<!ENTITY n '1'>]>", "<!DOCTYPE r SYSTEM '[' [ ]>"]
)
@pytest.mark.parametrize("encoding", ["UTF-8", "ISO-8859-1", "UTF-16"])
def test_entities_that_are_given_mean_the_same_by_both(kind: str, encoding: str) -> None:
    content = "<r><a i='&n;&amp;n;&m;'>é&n;&long;</a><a>&m;</a></r>"
    text = f"<?xml version='1.0' encoding='{encoding}'?>{kind}{content}"
    data, pattern = text.encode(encoding), cepheid.xml("//a", entities=GIVEN)
    rows = list(pattern.run(data))
    assert rows[0]["text"] == f"é{GIVEN['n']}{GIVEN['long']}"
    assert rows[0]["attributes"] == [("i", GIVEN["n"] + "&n;")]
    assert list(pattern.run([data[k : k + 5] for k in range(0, len(data), 5)], parser="lxml")) == rows


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("<!ENTITY e 'x'>", "declares the entity '&e;', which is not read: give its text in entities="),
        ("<!ENTITY p:e 'x'>", "the name of the entity 'p:e' has a colon"),
        ("<!NOTATION p:n SYSTEM 'x'>", "the name of the notation 'p:n' has a colon"),
        ("<!ATTLIST r xmlns CDATA 'u'>", "a default for xmlns, which is not read"),
    ],
)
@pytest.mark.parametrize("parser", ["fast", "lxml"])
def test_what_a_document_type_declares(kind: str, message: str, parser: str) -> None:
    with pytest.raises(XmlError, match=message):
        PATTERN.run(f"<!DOCTYPE r [{kind}]><r>&e;</r>".encode(), parser)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<r><a></r>", "byte 6, line 1: this end tag"),
        (b"<r>", "ends too early"),
    ],
)
def test_what_is_wrong_is_said(data: bytes, message: str) -> None:
    with pytest.raises(XmlError, match=message):
        PATTERN.run(data, parser="lxml")


def test_the_prefix_xml_may_be_declared() -> None:
    data = b'<a xmlns:xml="http://www.w3.org/XML/1998/namespace" xml:lang="el" xmlns=""/>'
    fast, by_lxml = (list(cepheid.xml("//a").run(data, parser=parser)) for parser in ("fast", "lxml"))
    assert by_lxml == fast
