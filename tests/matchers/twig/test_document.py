"""Documents as they come: encodings, declarations, types and entities."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import pairwise

import pytest

import cepheid
from cepheid.errors import XmlError
from cepheid.matchers.twig.scan import layout as at
from cepheid.matchers.twig.scan.doctype import TypeEnd, doctype_end
from cepheid.matchers.twig.scan.document import Document
from cepheid.matchers.twig.scan.scanner import Scanner, Tokenized

Element = tuple[str, int, int]


def read(data: bytes, cuts: tuple[int, ...] = (), entities: dict[str, str] | None = None) -> list[Element]:
    """The elements of a document by their ends: name, first byte, byte after the last."""
    document = Document(Scanner(max_depth=100, max_text=10_000, entities=entities))
    begun: list[int] = []
    found: list[Element] = []

    def take(told: Iterable[Tokenized]) -> None:
        for some in told:
            starts, ends = some.offsets(some.tokens.start), some.offsets(some.tokens.end)
            for kind, name, start, end in zip(some.tokens.kind, some.tokens.name, starts, ends, strict=True):
                if kind == at.START:
                    begun.append(int(start))
                elif kind == at.END:
                    found.append((document.scanner.name(name), begun.pop(), int(end)))

    for start, end in pairwise((0, *sorted(cuts), len(data))):
        take(document.push(data[start:end]))
    take(document.close())
    return found


TEXT = "<a>é<b x='\U0001f600'/>€ z</a>"
NARROW = TEXT.replace("\U0001f600", "ü").replace("€", "ß")


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (TEXT.encode(), "utf-8"),
        (b"\xef\xbb\xbf" + TEXT.encode(), "utf-8"),
        (b'<?xml version="1.0" encoding="UTF-8"?>\n' + TEXT.encode(), "utf-8"),
        (b"\xff\xfe" + TEXT.encode("utf-16-le"), "utf-16-le"),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), "utf-16-be"),
        (('<?xml version="1.0" encoding="utf-16"?>' + TEXT).encode("utf-16-le"), "utf-16-le"),
        (
            b"<?xml version='1.0' encoding='ISO-8859-1' standalone='yes' ?>" + NARROW.encode("latin-1"),
            "latin-1",
        ),
    ],
    ids=["plain", "marked", "declared", "little", "big", "unmarked", "latin-1"],
)
def test_offsets_are_of_the_document_as_given(data: bytes, code: str) -> None:
    chance = random.Random(1)
    for _ in range(20):
        cuts = tuple(chance.choices(range(len(data) + 1), k=chance.randrange(5)))
        (inner, first, last), (outer, start, end) = read(data, cuts)
        assert (inner, outer, end) == ("b", "a", len(data))
        assert data[start:end].decode(code) in (TEXT, NARROW)
        within = data[first:last].decode(code)
        assert within.startswith("<b x=") and within.endswith("/>")


TYPE = b"""<!DOCTYPE a [ <!-- > ]> --> <!ELEMENT a ANY> <!ENTITY e "text > ]"> <?x > ?> ]>"""


@pytest.mark.parametrize("cut", range(0, len(TYPE), 7))
def test_a_document_type_is_passed_over(cut: int) -> None:
    assert read(TYPE + b"<a/>", (cut,)) == [("a", len(TYPE), len(TYPE) + 4)]


SIGNS = (b"<!--", b"-->", b"<?", b"?>", b"-", b"<", b"!", b"?", b'"', b"'", b"[", b"]", b">", b"x")


def test_the_end_of_a_document_type_is_found_however_it_comes() -> None:
    chance, found = random.Random(1), 0
    for _ in range(3_000):
        data = b"".join(chance.choices(SIGNS, k=chance.randrange(14)))
        end = doctype_end(data, 0)
        search = TypeEnd()
        ends = (search.find(data[:length], 0) for length in range(len(data) + 1))
        assert next((place for place in ends if place is not None), None) == end, data
        found += end is not None
    assert found > 1_000


@pytest.mark.parametrize("piece", [b"x" * 1024, b"<!ELEMENT a ANY>" * 64, b"<!-- > -->" * 100])
def test_no_byte_of_a_document_type_is_looked_at_again(piece: bytes) -> None:
    search = TypeEnd()
    for count in range(1, 200):
        assert search.find(b"[" + piece * count, 0) is None
        assert search.searched > len(piece) * count - 4


def test_entities_are_those_that_are_given() -> None:
    assert read(b"<a x='&n;'>&n;&lt;&#x41;</a>", entities={"n": "", "m": ""})
    with pytest.raises(XmlError, match="byte 3, line 1: the entity '&n;' is not known: give its text in"):
        read(b"<a>&n;</a>")
    with pytest.raises(XmlError, match="the document declares the entity '&e;'"):
        read(TYPE + b"<a>&e;</a>")


@pytest.mark.parametrize(
    ("head", "code"),
    [
        (b"<?xml version='1.0' encoding='utf8'?>", "utf-8"),
        (b"<?xml version='1.0' encoding='ISO_8859-1'?>", "latin-1"),
        (b"\xef\xbb\xbf<?xml version='1.0' encoding='ISO-8859-1'?>", "utf-8"),
        (b"\xef\xbb\xbf<?xml version='1.0' encoding='UTF-16'?>", "utf-8"),
        (b"<?xml version='1.0' encoding='us-ascii'?>", "us-ascii"),
    ],
)
def test_encodings_have_several_names_and_a_mark_outdoes_them(head: bytes, code: str) -> None:
    data = head + "<a>é</a>".encode(code, "xmlcharrefreplace")
    for parser in ("fast", "lxml"):
        assert [row["text"] for row in cepheid.xml("//a").run(data, parser)] == ["é"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the document ends too early"),
        (b"<?xml", "the document ends too early"),
        (b" <?xml version='1.0'?><a/>", "processing instruction"),
        (b"<?xml version='2.0'?><a/>", "the XML declaration is"),
        (
            b"<?xml version='1.0' encoding='EBCDIC-5'?><a/>",
            "the document is in EBCDIC-5: convert it",
        ),
        (b"<a/><!DOCTYPE a>", "the document type comes after the first element"),
        (b"<!DOCTYPE a><!DOCTYPE a><a/>", "a second type"),
        (b"<!DOCTYPE a [ <!ELEMENT > ]><a/>", "the document type is wrong"),
        (b"<a x='" + b"y" * 20_000, "longer than max_text = 10,000 bytes"),
        (
            b"\xff\xfe<\x00a\x00\n\x00/\x00>\x00\x00\xd8a\x00",
            "byte 12, line 2: these bytes are not UTF-16",
        ),
        (b"<a>\x00</a>", "byte 3, line 1: this character may not stand in XML"),
        (b"<a><?p?x?></a>", "byte 3, line 1: this is not a processing instruction"),
        (b"<!DOCTYPE a [<?p:q?>]><a/>", "the name of the processing instruction 'p:q' has a colon"),
        (b"\xff\xfe<\x00a\x00/\x00>\x00\x00", "byte 10, line 1: these bytes are not UTF-16-LE"),
        (b"\xff\xfe\x00\x00<\x00\x00\x00", "the document is in UTF-32: convert it"),
        (b"<?xml version='1.0' encoding='UTF-16'?><a/>", "it is in UTF-16, and its first bytes are not"),
        ("<?xml version='1.0'?><a/>".encode("cp037"), "the document is in EBCDIC: convert it"),
        (
            b"<?xml version='1.0' encoding='us-ascii'?><a>\n\xc3\xa9</a>",
            "byte 45, line 2: these bytes are not US-ASCII",
        ),
        (b"PK\x03\x04", "text may not stand outside of the root element"),
    ],
)
def test_what_is_wrong_is_said(data: bytes, message: str) -> None:
    for cut in (0, len(data) // 2):
        with pytest.raises(XmlError, match=message):
            read(data, (cut,))


NEW = "<!DOCTYPE Ⰰ [<!ATTLIST Ⰰ a𐀀· NMTOKENS #IMPLIED><?𐀀 'é?><!-- ' 𐀀 --><!ENTITY 𐀁 \"x&𐀀;é%\">]>"


def test_a_document_type_has_names_of_the_fifth_edition() -> None:
    (row,) = cepheid.xml("//*").run(NEW.replace("%", "").encode() + "<Ⰰ a𐀀·=' a  b '/>".encode())
    assert (row["tag"], row["attributes"]) == ("Ⰰ", [("a𐀀·", "a b")])


@pytest.mark.parametrize(
    ("text", "byte", "message"),
    [
        (NEW, len(NEW[: NEW.index("%")].encode()), "not well-formed"),
        ("<!DOCTYPE a [<!ATTLIST 𐀀b·̀ ·x CDATA #IMPLIED>]>", 33, "syntax error"),
        ("<!DOCTYPE a [<!ATTLIST 𐀀 ×x CDATA #IMPLIED>]>", 28, "not well-formed"),
        ("<!DOCTYPE a [<!ENTITY 𐀀:é 'x'>]>", 0, "the name of the entity '𐀀:é' has a colon"),
        ("<!DOCTYPE a [<!ENTITY 𐀀 'x'>]><a>&𐀀;</a>", 36, "the document declares the entity '&𐀀;'"),
    ],
)
def test_what_is_wrong_with_such_names_is_said(text: str, byte: int, message: str) -> None:
    with pytest.raises(XmlError, match=f"^byte {byte}, line 1: (the document type is wrong: )?{message}"):
        read(text.encode())
