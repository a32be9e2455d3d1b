"""Names of a document type, spelled for expat: it knows those of XML's fourth edition only, not of the fifth.

Each character beyond ASCII becomes some that both editions know, so that a name stays a name, what is none
stays none, and two names stay two.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, starmap

from cepheid.matchers.twig.scan.characters import begins_name, continues_name

PIECE = re.compile(
    r"<!--.*?-->|(?P<target><\?[^ \t\r\n?]*).*?\?>|(?P<text>\"[^\"]*\"|'[^']*')|(?P<name>[^\x00-\x7f]+)",
    re.DOTALL,
)
"""Comments, instructions, texts, and what of names is beyond ASCII."""

REFERENCE = re.compile(r"[&%][^ \t\r\n;&%]*;")
BEGINS, GOES_ON = "ä", "·"  # a name may begin with the first, and not with the second
SPELLED = re.compile(f"[{BEGINS}{GOES_ON}]([0-9a-f]+){BEGINS}")


@dataclass(slots=True)
class Spelled:
    """A text whose names are spelled, and which place in it is which in the text as given."""

    text: bytes
    places: list[tuple[int, int]]  # the begin, and behind each character that is spelled

    def origin(self, place: int) -> int:
        """Where a byte was in the text as given."""
        here, given = self.places[bisect_right(self.places, place, key=lambda both: both[0]) - 1]
        return given + place - here


def spelled(text: bytes) -> Spelled:
    """A document type with other names. Bytes that are no UTF-8 stay as they are, for expat to refuse."""
    places, made, read, last = [(0, 0)], bytearray(), 0, 0
    try:
        given = "" if text.isascii() else text.decode()
    except UnicodeDecodeError:
        given = ""
    if not given:
        return Spelled(text, places)
    for place in _in_names(given):
        before, instead = given[last:place].encode(), _spelled_character(ord(given[place]))
        made += before + instead.encode()
        read, last = read + len(before) + len(given[place].encode()), place + 1
        places.append((len(made), read))
    return Spelled(bytes(made + given[last:].encode()), places)


def as_given(name: str) -> str:
    """A name that was spelled."""
    return SPELLED.sub(lambda found: chr(int(found[1], 16)), name)


def _in_names(text: str) -> Iterator[int]:
    """Where characters beyond ASCII stand in names; other places do not take them, and expat says so."""
    for piece in PIECE.finditer(text):
        if piece["text"]:
            spans = [found.span() for found in REFERENCE.finditer(text, *piece.span())]
        else:
            spans = [piece.span("target" if piece["target"] else "name")]
        for k in chain.from_iterable(starmap(range, spans)):
            if not text[k].isascii() and continues_name(ord(text[k])):
                yield k


def _spelled_character(number: int) -> str:
    return f"{BEGINS if begins_name(number) else GOES_ON}{number:x}{BEGINS}"
