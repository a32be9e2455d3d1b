"""Documents of strangers: each is refused with a clear error, at a stated limit, before it costs much."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator

import pytest

import cepheid
from cepheid.errors import CepheidError, LimitError, XmlError

LAUGHS = "".join(f"<!ENTITY l{k} '{f'&l{k - 1};' * 10}'>" for k in range(1, 10))
LAUGHING = f"<!DOCTYPE a [<!ENTITY l0 'ha'>{LAUGHS}"
LONG = "<!ENTITY e '" + "x" * 50_000 + "'>"

REFUSED = {
    "billion laughs": (
        f"{LAUGHING}]><a>&l9;</a>",
        "the document declares the entity '&l9;', which is not read",
    ),
    "laughs in an attribute": (f"{LAUGHING}]><a b='&l9;'/>", "declares the entity '&l9;'"),
    "laughs in a default": (f"{LAUGHING}<!ATTLIST a b CDATA '&l9;'>]><a/>", "the document type is wrong"),
    "quadratic blow-up": (f"<!DOCTYPE a [{LONG}]><a>{'&e;' * 50_000}</a>", "declares the entity '&e;'"),
    "an external entity": (
        "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>",
        "declares the entity",
    ),
    "an external address": (
        "<!DOCTYPE a [<!ENTITY e SYSTEM 'http://x.invalid/'>]><a>&e;</a>",
        "declares the entity",
    ),
    "an unknown entity": ("<a>&nbs;</a>", "the entity '&nbs;' is not known: give its text in entities="),
    "an entity of HTML": ("<a>&nbsp;</a>", "'&nbsp;' is not known: entities=\"html\" has its text"),
    "too deep": ("<a>" * 1_000_000, "byte 30,000, line 1: more than max_depth = 10,000 elements are open"),
    "truncated in text": ("<a>text", "byte 7, line 1: the document ends too early: <a> is open"),
    "truncated in a tag": ("<a><b x='", "byte 9, line 1: the document ends too early"),
    "truncated in a type": ("<!DOCTYPE a [", "the document ends too early"),
    "nothing": ("", "byte 0, line 1: the document ends too early: it has no element"),
    "no character": ("<a>&#0;</a>", "'&#0;' is no character that XML allows"),
    "a large number": (f"<a>&#{'9' * 500};</a>", "this is not a reference"),
    "a long reference": (f"<a>&{'x' * 5_000};</a>", "byte 3, line 1: this is not a reference"),
}
BYTES = {
    "binary": (bytes(range(256)) * 10, "byte 0, line 1: text may not stand outside"),
    "a zip file": (b"PK\x03\x04" + bytes(100), "text may not stand outside"),
    "zeros": (bytes(100), "text may not stand outside"),
    "JSON": (b'{"a": 1}', "text may not stand outside of the root element: an XML document begins with '<'"),
    "text behind": (b"<a/>x", "text may not stand outside of the root element$"),
    "a gzip file": (
        gzip.compress(b"<a/>"),
        "these bytes are packed by gzip: unpack them first, or name a file",
    ),
    "a zstd file": (b"\x28\xb5\x2f\xfd" + bytes(9), "packed by zstd"),
    "Latin-1 that says UTF-8": (
        b"<?xml version='1.0' encoding='utf-8'?><a>\xe9</a>",
        "these bytes are not UTF-8",
    ),
    "UTF-8 that says UTF-16": (
        b"<?xml version='1.0' encoding='utf-16'?><a/>",
        "the document says that it is in UTF-16",
    ),
    "UTF-16 cut in half": ("<a/>".encode("utf-16")[:-1], "the document ends too early"),
    "UTF-32": ("<a/>".encode("utf-32"), "byte"),
    "another encoding": (
        b"<?xml version='1.0' encoding='cp1252'?><a/>",
        "the document is in CP1252: convert it",
    ),
}


@pytest.mark.parametrize("parser", ["fast", "lxml"])
@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(text: str, message: str, parser: str) -> None:
    with pytest.raises(XmlError, match=message):
        cepheid.xml("//a").run(text.encode(), parser)


@pytest.mark.parametrize(("data", "message"), BYTES.values(), ids=BYTES)
def test_bytes_that_are_refused(data: bytes, message: str) -> None:
    for size in (1, 7, 10_000):
        with pytest.raises(XmlError, match=message):
            cepheid.xml("//a").run([data[begin : begin + size] for begin in range(0, len(data), size)])


class Endless:
    """A document that never ends, in pieces; it counts how much of it was asked for."""

    def __init__(self, head: bytes, piece: bytes) -> None:
        self._head, self._piece, self.size = head, piece, 0

    def __iter__(self) -> Iterator[bytes]:
        yield self._head
        while True:
            self.size += len(self._piece)
            yield self._piece


ENDLESS = {
    "an attribute": (b"<a b='", b"x"),
    "an attribute of signs": (b"<a b='", b'>"/'),
    "a name": (b"<", b"a"),
    "a document type": (b"<!DOCTYPE a [", b"<!ELEMENT b ANY>"),
    "blanks in a tag": (b"<a", b" "),
    "UTF-16": ("\ufeff<a b='".encode("utf-16-le"), "xy".encode("utf-16-le")),
}


@pytest.mark.parametrize(("head", "piece"), ENDLESS.values(), ids=ENDLESS)
def test_what_never_ends_is_given_up_at_the_limit(head: bytes, piece: bytes) -> None:
    limit = 1 << 20
    endless = Endless(head, piece * (4096 // len(piece)))
    with pytest.raises(XmlError, match=r"longer than max_text = 1,048,576 bytes"):
        cepheid.xml("//a", max_text=limit).run(iter(endless))
    assert endless.size <= 2 * limit + 10_000


@pytest.mark.parametrize("pattern", ["//a", "//a[/b = 6]", "//a//b->B", "//a(/b->B)"])
def test_the_text_of_a_node_has_a_limit(pattern: str) -> None:
    endless = Endless(b"<a><b>", b"text" * 1000)
    with pytest.raises(LimitError, match=r"the text of this element, .* is longer than max_text = 1,000,000"):
        cepheid.xml(pattern, max_text=1_000_000).run(iter(endless))
    assert endless.size < 5_000_000
    short = cepheid.xml("//a", max_text=10)
    assert len(short.run(b"<r>" + b"x" * 100_000 + b"<a>0123456789</a></r>")) == 1
    with pytest.raises(LimitError, match=r"byte 3: .* longer than max_text = 10 bytes"):
        short.run(b"<r><a>01234567890</a></r>")


def test_a_tag_is_as_long_as_it_is_however_it_is_cut() -> None:
    tag = b"<a b='" + b"x" * 91 + b"'/>"
    for size in (1, 50, 1000):
        pieces = [tag[begin : begin + size] for begin in range(0, len(tag), size)]
        assert len(cepheid.xml("//a", max_text=100).run(pieces)) == 1
        with pytest.raises(XmlError, match="max_text = 99 bytes"):
            cepheid.xml("//a", max_text=99).run(pieces)


def test_a_long_tag_in_many_pieces_is_put_together_once() -> None:
    value = b"x>y" * (1 << 20)
    data = b"<a b='" + value + b"' c=\"" + value + b'"/>'
    (row,) = cepheid.xml("//a").run(data[begin : begin + 512] for begin in range(0, len(data), 512))
    assert row["attributes"] == [("b", value.decode()), ("c", value.decode())]


def test_an_entity_that_is_given_takes_the_room_of_its_uses() -> None:
    pattern = cepheid.xml("//a", entities={"e": "x" * 1_000_000})
    (row,) = pattern.run(b"<a b='&e;'>" + b"y&amp;" * 100_000 + b"&e;</a>")
    assert len(row["text"]) == 1_200_000 and len(row["attributes"][0][1]) == 1_000_000
    with pytest.raises(LimitError, match="longer than max_text"):
        cepheid.xml("//a", entities={"e": "x" * 1_000_000}, max_text=5_000_000).run(b"<a>" + b"&e;" * 10_000)


def test_random_bytes_never_give_a_traceback() -> None:
    document = (
        b"<?xml version='1.0'?><!DOCTYPE r [<!ATTLIST a i ID #IMPLIED>]><r xmlns:p='u'><p:a i='1'>t</p:a></r>"
    )
    pattern, accepted = cepheid.xml("//*->A[@i]"), 0
    for seed in range(200):
        dice = random.Random(seed)
        data = bytearray(document)
        for _ in range(dice.randint(1, 3)):
            place = dice.randrange(len(data))
            data[place : place + dice.choice((0, 1, 4))] = dice.choice(
                (b"", bytes([dice.randrange(256)]), b"<", b"&")
            )
        cuts = sorted(dice.choices(range(len(data)), k=2))
        try:
            pattern.run([bytes(data[a:b]) for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)])
            accepted += 1
        except CepheidError:
            pass
    assert 0 < accepted < 200


@pytest.mark.parametrize("text", ["<{}/>", "<a {}='1'/>", "<a><?{} ?></a>"])
def test_a_name_has_a_limit(text: str) -> None:
    data = text.format("b" * 10_000_001).encode()
    with pytest.raises(XmlError, match="this is not a name, of at most 10,000,000 bytes"):
        cepheid.xml("//a").run(data)
