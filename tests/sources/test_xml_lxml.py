"""By lxml the rows are the same, offsets included."""

from __future__ import annotations

import pytest

import cepheid
from cepheid.errors import XmlError

pytest.importorskip("lxml.etree")

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
