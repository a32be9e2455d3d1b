"""Whole documents, which are mostly read by words and blocks, and the same in single bytes, which are not.

Both tell the same and refuse the same, and what they refuse lxml refuses. Half of the documents are spoilt.
"""

from __future__ import annotations

import random

import pytest
from lxml import etree

import cepheid
from cepheid.errors import XmlError
from tests.matchers.twig.test_scan import Told, scanned

NAMES = (
    "a",
    "bc",
    "item",
    "keyword",
    "eight888",
    "fifteen-letters",
    "sixteen-letters-",
    "p:a",
    "longer-than-two-words",
)
TEXTS = (
    "",
    "\n",
    "x",
    "text that is longer than a block of thirty-two bytes",
    "&amp;",
    "é",
    "]",
    "a\tb",
    "\r\n",
    "'\"",
)
BYTES = b"<>/=\"'& \n\t\x00\x1f\x7f\x80\xc3\xa9;!?-[]ax:"


def random_document(dice: random.Random) -> bytes:
    """Elements of a few names, so that most have come before."""
    opened: list[str] = []
    text = "<r xmlns:p='u'>"
    for _ in range(dice.randint(5, 40)):
        text += dice.choice(TEXTS)
        if opened and dice.random() < 0.45:
            text += f"</{opened.pop()}{dice.choice(('', '', '', ' '))}>"
            continue
        name = dice.choice(NAMES)
        names = dice.sample(NAMES, dice.choice((0, 0, 0, 1, 2)))
        blank = dice.choice((" ", " ", " ", "\n  "))
        told = "".join(f"{blank}{each}={quoted(dice)}" for each in names)
        is_empty = dice.random() < 0.2
        text += f"<{name}{told}{dice.choice(('', '', ' '))}{'/' * is_empty}>"
        opened += [] if is_empty else [name]
    text += "".join(f"</{name}>" for name in reversed(opened)) + "</r>"
    return text.encode()


def quoted(dice: random.Random) -> str:
    """A value of an attribute."""
    quote, text = dice.choice("\"'"), dice.choice(TEXTS)
    return quote + text.replace(quote, "") + quote


def spoilt(dice: random.Random, document: bytes) -> bytes:
    """A document with a byte that is another one, missing, or one too many."""
    place, byte = dice.randrange(len(document)), bytes([dice.choice(BYTES)])
    return document[:place] + byte * dice.choice((0, 1, 1)) + document[place + dice.choice((0, 1, 1)) :]


def told(document: bytes, cuts: list[int]) -> Told | str:
    """What is told of a document, or why it is refused."""
    try:
        return scanned(document, cuts)
    except XmlError as error:
        return str(error)


def is_refused_by_lxml(document: bytes) -> bool:
    try:
        etree.fromstring(document, etree.XMLParser(huge_tree=True, resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        return True
    return False


def test_a_whole_document_is_told_like_one_in_single_bytes() -> None:
    refused = 0
    for seed in range(150):
        dice = random.Random(seed)
        document = random_document(dice) + b"\n" * 100
        if seed % 2:
            document = spoilt(dice, document)
        whole, pieces = told(document, []), told(document, list(range(1, len(document))))
        assert whole == pieces or (isinstance(whole, str) and isinstance(pieces, str)), document
        assert isinstance(whole, str) == is_refused_by_lxml(document), (whole, document)
        refused += isinstance(whole, str)
    assert 30 < refused < 75


def test_what_is_not_asked_for_is_checked_all_the_same() -> None:
    pattern, rows = cepheid.xml("//keyword(/bc?:/a->A)"), 0
    for seed in range(100):
        dice = random.Random(seed)
        document = random_document(dice) + b"\n" * 100
        document = spoilt(dice, document) if seed % 2 else document
        whole = told(document, [])
        if isinstance(whole, str):
            with pytest.raises(XmlError) as refused:
                pattern.run(document)
            assert str(refused.value) == whole
        else:
            found = pattern.run(document).table
            assert found.equals(pattern.run(document, parser="lxml").table), document
            rows += found.num_rows
    assert rows > 3
