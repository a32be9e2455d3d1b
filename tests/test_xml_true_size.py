"""Documents of strangers at their true size, in chunks: what is read and held before they are refused.

Each is in a process of its own, whose peak of memory is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, repeat
from typing import Any

import pytest

import cepheid
from cepheid.bench.harness import in_fresh_process, resident_bytes
from cepheid.errors import CepheidError
from cepheid.xml import LONGEST

pytestmark = [pytest.mark.slow, pytest.mark.compiled]

MEGABYTE = 1 << 20
GIGABYTE = 1 << 30
LAUGHS = "".join(f"<!ENTITY l{k} '{f'&l{k - 1};' * 10}'>" for k in range(1, 10))


def _filled(head: bytes, piece: bytes, size: int, tail: bytes) -> Iterator[bytes]:
    """So many bytes of the same, in chunks of a megabyte."""
    chunk = piece * (MEGABYTE // len(piece))
    return chain([head], repeat(chunk, size // len(chunk)), [tail])


DOCUMENTS: dict[str, Callable[[], Iterator[bytes]]] = {
    "an attribute of a gigabyte": lambda: _filled(b"<r><a b='", b"x", GIGABYTE, b"'/></r>"),
    "blanks of a gigabyte in a tag": lambda: _filled(b"<r><a", b" ", GIGABYTE, b"/></r>"),
    "a name of a gigabyte": lambda: _filled(b"<r><", b"n", GIGABYTE, b"/></r>"),
    "a text of a gigabyte that is asked for": lambda: _filled(b"<r><a>", b"text ", GIGABYTE, b"</a></r>"),
    "a text of a gigabyte that is not": lambda: _filled(b"<r><b>", b"text ", GIGABYTE, b"</b></r>"),
    "a comment of a gigabyte": lambda: _filled(b"<r><!--", b"- ", GIGABYTE, b"--></r>"),
    "a depth of a million": lambda: _filled(b"<r>", b"<a>", 3_000_000, b""),
    "billion laughs": lambda: _filled(
        f"<!DOCTYPE r [<!ENTITY l0 'ha'>{LAUGHS}]><r>".encode(), b"&l9;", 64 * MEGABYTE, b"</r>"
    ),
    "quadratic blow-up": lambda: _filled(
        b"<!DOCTYPE r [<!ENTITY e '" + b"x" * 1_000_000 + b"'>]><r>", b"&e;", 64 * MEGABYTE, b"</r>"
    ),
    "a document type of a gigabyte": lambda: _filled(
        b"<!DOCTYPE r [", b"<!ELEMENT b ANY>", GIGABYTE, b"]><r/>"
    ),
    "truncated": lambda: _filled(b"<r>", b"<b>text</b>", 64 * MEGABYTE, b"<b"),
}
REFUSED = {
    "an attribute of a gigabyte": ("longer than max_text = 268,435,456 bytes", LONGEST),
    "blanks of a gigabyte in a tag": ("longer than max_text = 268,435,456 bytes", LONGEST),
    "a name of a gigabyte": ("longer than max_text = 268,435,456 bytes", LONGEST),
    "a text of a gigabyte that is asked for": ("longer than max_text = 268,435,456 bytes", LONGEST),
    "a depth of a million": ("more than max_depth = 10,000 elements are open", 0),
    "billion laughs": ("declares the entity '&l9;', which is not read", 0),
    "quadratic blow-up": ("declares the entity '&e;', which is not read", MEGABYTE),
    "a document type of a gigabyte": ("the document type is longer than 16,777,216 bytes", 1 << 24),
    "truncated": ("the document ends too early", 65 * MEGABYTE),
}
HELD = {"a text of a gigabyte that is asked for": 2 * LONGEST, "truncated": 0}
"""How much of it is held, where that is not what was read: a text is copied to make room for more of it."""

ROOM = 64 * MEGABYTE
"""What else a process may take: chunks, tables, and what Python keeps."""


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_at_its_limit(name: str) -> None:
    message, limit = REFUSED[name]
    told = in_fresh_process(read_document, name=name)
    assert message in told["error"]
    assert told["read"] <= limit + 2 * MEGABYTE
    assert told["peak_resident"] - told["before"] <= HELD.get(name, limit) + ROOM


@pytest.mark.parametrize("name", ["a text of a gigabyte that is not", "a comment of a gigabyte"])
def test_what_is_long_and_passes(name: str) -> None:
    told = in_fresh_process(read_document, name=name)
    assert (told["error"], told["rows"]) == ("", 0) and told["read"] >= GIGABYTE - MEGABYTE
    assert told["peak_resident"] - told["before"] <= ROOM


# ---------------------------------------------------------------- in a process of its own


def read_document(name: str) -> dict[str, Any]:
    """Read a document in a session, after a small one: how far it came, and why no further."""
    pattern, read, rows, error = cepheid.xml("//a"), 0, 0, ""
    pattern.run(b"<r/>")
    before, session = resident_bytes(), pattern.session()
    try:
        for chunk in DOCUMENTS[name]():
            read += len(chunk)
            rows += session.push(chunk).num_rows
        session.close()
    except CepheidError as refused:
        error = str(refused)
    return {"read": read, "rows": rows, "error": error, "before": before}
