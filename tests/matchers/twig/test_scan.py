"""The tokenizer tells what expat tells, wherever the bytes are cut, and refuses what expat refuses."""

from __future__ import annotations

import random
from itertools import pairwise
from xml.parsers import expat

import pytest

from cepheid.errors import XmlError
from cepheid.matchers.twig.scan import layout as at
from cepheid.matchers.twig.scan.scanner import Scanner

Told = list[tuple[object, ...]]


def scanned(document: bytes, cuts: list[int]) -> Told:
    scanner = Scanner(max_depth=1000, max_text=1 << 20)
    told: Told = []
    places = [0, *cuts, len(document)]
    for start, end in pairwise(places):
        for some in scanner.push(document[start:end]):
            for kind, name, first, last, _ in zip(*some.tokens, strict=True):
                raw = some.buffer[first:last].tobytes()
                begin = int(first) + some.offset
                if kind == at.START:
                    told.append(("start", scanner.name(name), begin))
                elif kind == at.END:
                    told.append(("end", scanner.name(name), int(last) + some.offset))
                elif kind == at.ATTRIBUTE:
                    told.append(("attribute", scanner.name(name), raw.decode()))
                elif told and told[-1][0] == "text":
                    told[-1] = ("text", str(told[-1][1]) + raw.decode())
                else:
                    told.append(("text", raw.decode()))
    scanner.close()
    return told


def by_expat(document: bytes) -> Told:
    told: Told = []
    parser = expat.ParserCreate()
    parser.ordered_attributes = True

    def start(name: str, attributes: list[str]) -> None:
        told.append(("start", name, parser.CurrentByteIndex))
        told.extend(("attribute", *pair) for pair in zip(attributes[::2], attributes[1::2], strict=True))

    def end(name: str) -> None:
        told.append(("end", name, None))

    def text(data: str) -> None:
        if told and told[-1][0] == "text":
            told[-1] = ("text", str(told[-1][1]) + data)
        else:
            told.append(("text", data))

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    parser.Parse(document, True)
    return told


def without_ends(told: Told) -> Told:
    return [each[:2] if each[0] == "end" else each for each in told]


PIECES = (
    *(b"<a>", b"</a>", b"<b x='1'>", b"</b>", b"<c/>", b"<dd y=\"2\" z = '3' />", b"text", b" ", b"\n"),
    *(b"\xc3\xa9", b"\xe2\x82\xac", b"\xf0\x9f\x98\x80", "<é>".encode(), "</é>".encode()),
    *(b"<!-- - a -->", b"<?go on?>", b"<![CDATA[<]]>", b"]", b">"),
)
MISTAKEN = (
    *(b"<a", b"</", b"&", b"&x;", b"<a x=1>", b"<a x='1' x='2'>", b"]]>", b"\x01", b"\xff", b"<!-- -- -->"),
    *(b"<1>", b"<a x='<'>", b"<?xml?>", b"<![CDATA[", b"<b x='1'y='2'>", b"<!x>", b"\xc3", b"\xed\xa0\x80"),
    *(b"</a", b"< a>", b"<a/ >"),
)


def document_of(chance: random.Random, mistakes: float) -> bytes:
    """Pieces one after the other; mostly the open element is the one that is closed."""
    made, opened = [b"<r>"], [b"r"]
    for _ in range(chance.randrange(12)):
        piece = chance.choice(MISTAKEN) if chance.random() < mistakes else chance.choice(PIECES)
        if piece.startswith(b"</"):
            piece = b"</" + opened.pop() + chance.choice([b"", b" "]) + b">" if len(opened) > 1 else b"t"
        elif (
            piece.startswith(b"<")
            and piece[1:2] not in b"!?/"
            and piece.endswith(b">")
            and not piece.endswith(b"/>")
        ):
            opened.append(piece[1:-1].split(b" ")[0])
        made.append(piece)
    return b"".join([*made, *(b"</" + name + b">" for name in reversed(opened))])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("mistakes", [0, 0.1])
def test_the_tokens_are_those_of_expat_wherever_the_bytes_are_cut(seed: int, mistakes: float) -> None:
    chance = random.Random(f"{seed} {mistakes}")
    for _ in range(150):
        document = document_of(chance, mistakes)
        cuts = sorted(chance.choices(range(len(document) + 1), k=chance.randrange(4)))
        try:
            expected = by_expat(document)
        except expat.ExpatError:
            with pytest.raises(XmlError):
                scanned(document, cuts)
            continue
        found = scanned(document, cuts)
        assert without_ends(found) == without_ends(expected), document
        for each in found:
            if each[0] == "end":
                assert document[int(str(each[2])) - 1 : int(str(each[2]))] == b">"


def test_many_names_deep_trees_and_wide_tags() -> None:
    names = [f"n{number}" for number in range(2_000)]
    document = "".join(f"<{name}>" for name in names[:900]) + "".join(
        f"</{name}>" for name in reversed(names[:900])
    )
    wide = "<w " + " ".join(f"{name}=''" for name in names) + "/>"
    assert len(scanned(f"<r>{document}{wide}</r>".encode(), [])) == 2 + 1800 + 2 + 2000


def test_an_error_says_where() -> None:
    with pytest.raises(XmlError, match="byte 8, line 2: this end tag is not of the element that is open"):
        scanned(b"<a>\nx<b></a>", [3, 7])
    with pytest.raises(XmlError, match="line 1: more than max_depth = 1,000 elements are open"):
        scanned(b"<a>" * 2_000, [])
    with pytest.raises(XmlError, match="the document ends too early"):
        scanned(b"<a>", [])
