"""The tokenizer as Python sees it: chunks of bytes in, tokens out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from cepheid.errors import XmlError
from cepheid.matchers.twig.scan import layout as at
from cepheid.matchers.twig.scan.characters import CUT
from cepheid.matchers.twig.scan.doctype import DocumentType, TypeEnd, read_doctype
from cepheid.matchers.twig.scan.encodings import UTF8, begins_document, first_encoding
from cepheid.matchers.twig.scan.kernel import scan_bytes
from cepheid.matchers.twig.scan.lists import list_attribute
from cepheid.matchers.twig.scan.names import NO_ROOM
from cepheid.matchers.twig.scan.room import longer, more_names, new_scan, with_spelling
from cepheid.matchers.twig.scan.tables import Scan, TokenSpans, name_text
from cepheid.matchers.twig.scan.tags import tag_end
from cepheid.matchers.twig.scan.text import lines_in
from cepheid.matchers.twig.scan.uris import NamespaceNumbers, declared_in, is_uri, meaning
from cepheid.matchers.twig.scan.wording import MISTAKES, NO_XML, ends_too_early, unknown_entity

REFERENCE = re.compile(rb"&([^;&<\s]{1,200});")
DOCTYPE = b"<!DOCTYPE"
PLAINLY = (at.SECOND_ROOT, at.LATE_DOCTYPE)
BEGINS = (*PLAINLY, at.BAD_INSTRUCTION, at.OUTSIDE, at.BAD_MARKUP)
"""What is wrong where another document begins: of the first two, nothing else can be."""
LONGEST_TYPE = 1 << 24
"""A document type is not put together from more bytes than these."""

Reader = Callable[[np.ndarray, Scan, int, np.ndarray | None], int]
"""Reads bytes with what the tokenizer works on; the offset of the first, and the places of all."""


@dataclass(frozen=True, slots=True)
class Tokenized:
    """Some tokens, and the bytes that they are spans of."""

    tokens: TokenSpans
    buffer: np.ndarray
    offset: int  # of the first of these bytes in the document
    places: np.ndarray | None = None  # of each of them and of the next, where they were in another encoding

    def offsets(self, positions: np.ndarray) -> np.ndarray:
        """Where bytes are in the document as it was given."""
        return positions + self.offset if self.places is None else self.places[positions]


class Scanner:
    """Turns chunks of one document, in UTF-8 and cut anywhere, into tokens."""

    def __init__(
        self,
        max_depth: int,
        max_text: int,
        entities: Mapping[str, str] | None = None,
        reader: Reader | None = None,
        namespaces: Iterable[str] = (),
    ) -> None:
        self.max_depth, self.max_text = max_depth, max_text
        self.offset, self.lines = 0, 1  # of the first byte at hand
        self.type: DocumentType | None = None
        self._type_end = TypeEnd()
        self.is_stream = False  # whether another document may follow
        self.following: bytes | None = None  # the first bytes of that one
        self.raw_from: Callable[[int], bytes] | None = (
            None  # in another encoding: the bytes from an offset on
        )
        self.rest, self.places = b"", np.zeros(0, np.int64)
        self.parts: list[bytes] = []  # what came since, in a tag that is not whole yet
        self.part_places: list[np.ndarray] = []
        self._entities = entities or {}
        self.namespaces = NamespaceNumbers.of(namespaces)
        self._spelled: set[bytes] = set()  # the ways of writing namespaces that have come
        self.scan = new_scan(self._entities, max_depth)
        self.scan.state[at.LONGEST_TAG] = max_text
        self._reader = reader or scan_alone

    def push(self, chunk: bytes, places: np.ndarray | None = None) -> Iterator[Tokenized]:
        """Tokens of all that is whole now. They are overwritten when the next are asked for.

        With a reader, there are none: it takes them in. `places` are those of each byte, and of the next one.
        """
        if self.rest and self._is_in_tag(chunk, places):
            return
        data = b"".join([self.rest, *self.parts, chunk])
        if places is not None:
            places = self.places = joined_places([self.places, *self.part_places, places])
        self.parts, self.part_places = [], []
        buffer, st = np.frombuffer(data, np.uint8), self.scan.state
        st[at.POSITION] = 0
        why = at.FULL
        while why == at.FULL:
            before = int(st[at.POSITION])
            st[at.TOKENS] = 0
            why = self._reader(buffer, self.scan, self.offset, places)
            if n := int(st[at.TOKENS]):
                found = TokenSpans(*(column[:n] for column in self.scan.tokens))
                yield Tokenized(found, buffer, self.offset, places)
            elif why == at.FULL and st[at.POSITION] == before:
                self._grow(data)
            if why == at.WRONG:
                why = self._next_document(data)
            if why == at.NEW_SPELLING:
                self._learn_spelling(data)
                why = at.FULL
            if why == at.NEED_BYTES and st[at.MODE] == at.IN_DOCTYPE and self._read_type(data):
                why = at.FULL
        if self.following is None:
            self._keep(data, int(st[at.POSITION]), places)

    def read_in_place(self, buffer: np.ndarray) -> int:
        """Read bytes where they stand, by a reader: how many it took. Nothing is at hand from before.

        It ends in front of a tag that is not whole, and of whatever else `push` has to look at.
        """
        st = self.scan.state
        st[at.POSITION] = st[at.TOKENS] = 0
        self._reader(buffer, self.scan, self.offset, None)
        taken = int(st[at.POSITION])
        self.lines += int(lines_in(buffer, taken))
        self.offset += taken
        st[at.POSITION], st[at.SEARCHED] = 0, max(st[at.SEARCHED] - taken, 0)
        return taken

    def _is_in_tag(self, chunk: bytes, places: np.ndarray | None) -> bool:
        """Whether a chunk lies inside a tag that does not end in it: it is put aside.

        So the bytes of a long tag are looked at once, and put together once.
        """
        st = self.scan.state
        searched = int(st[at.SEARCHED])
        if st[at.MODE] != at.CONTENT or searched == 0:
            return False
        quote = int(st[at.QUOTE])
        st[at.POSITION], st[at.SEARCHED] = -1, 0
        is_over = tag_end(np.frombuffer(chunk, np.uint8), len(chunk), st) != CUT
        st[at.POSITION], st[at.SEARCHED] = 0, searched
        if is_over:
            st[at.QUOTE] = quote
            return False
        self.parts.append(chunk)
        if places is not None:
            self.part_places.append(places)
        st[at.SEARCHED] += len(chunk)
        if st[at.SEARCHED] > self.max_text:
            raise self._too_long(self.rest, 0)
        return True

    def begin_again(self) -> None:
        """Another document follows; the names that came so far stay known."""
        st = self.scan.state
        facts = self.scan.names.facts
        facts[facts[:, at.NAMESPACE] >= at.LISTED_OF, at.BOUND] = 0
        kept = [at.NAMES, at.NAME_BYTES, at.NEEDS_CARE, at.LONGEST_TAG]
        known = st[kept]
        st[:] = 0
        st[kept] = known
        self.scan.names.last_tag[:] = -1
        self.type, self.following, self.raw_from, self.places = None, None, None, np.zeros(0, np.int64)

    def close(self) -> None:
        """The document ends here; it must be whole."""
        st = self.scan.state
        if self.rest or st[at.MODE] != at.CONTENT or st[at.DEPTH] or not st[at.ROOTS]:
            rest = b"".join([self.rest, *self.parts])
            self.places = joined_places([self.places, *self.part_places])
            names = [self.name(number) for number in self.scan.open[: st[at.DEPTH]]]
            what = ends_too_early(names, has_root=bool(st[at.ROOTS]))
            raise XmlError(*self._place(rest, len(rest)), what)

    @property
    def name_count(self) -> int:
        """How many names there are so far."""
        return int(self.scan.state[at.NAMES])

    def name(self, number: int) -> str:
        """A name as it is written."""
        return name_text(self.scan.names, number)

    def _next_document(self, data: bytes) -> int:
        """What is wrong may only be that another document begins, in a stream: if so, keep its bytes.

        Why the tokenizer goes no further: that, or that it cannot be told yet.
        """
        st = self.scan.state
        error, position = int(st[at.ERROR]), int(st[at.POSITION])
        if not self.is_stream or st[at.DEPTH] or not st[at.ROOTS] or error not in BEGINS:
            raise self._mistake(data)
        place = position if error != at.OUTSIDE else int(st[at.ERROR_AT])
        head = data[place:] if self.raw_from is None else self.raw_from(int(self.places[place]))
        begins = begins_document(head)
        if begins is None and error not in PLAINLY:
            st[at.POSITION] = place
            return at.NEED_BYTES
        if not begins and error in PLAINLY and first_encoding(head)[0] == UTF8 and head[:1] == b"<":
            begins = head[1:2] != b"\x00"
        if not begins:
            raise self._mistake(data) if error not in PLAINLY else self._unmarked(data, place)
        offset, self.lines = self._place(data, place)
        self.following, self.rest, self.offset = head, b"", offset
        st[at.SEARCHED] = 0
        return at.WRONG

    def _unmarked(self, data: bytes, place: int) -> XmlError:
        what = "in a stream, a document in UTF-16 begins with a byte order mark or an XML declaration"
        return XmlError(*self._place(data, place), what)

    def _read_type(self, data: bytes) -> bool:
        """Read the document type if it is whole, and go on behind it."""
        st = self.scan.state
        begin = int(st[at.POSITION])
        end = self._type_end.find(data, begin)
        if end is None:
            return False
        self._type_end = TypeEnd()
        offset, line = self._place(data, begin)
        if self.type is not None:
            raise XmlError(offset - len(DOCTYPE), line, "the document has a second type")
        self.type = read_doctype(DOCTYPE + data[begin:end], offset - len(DOCTYPE), line)
        self.type.begin, self.type.end = self._place(data, begin)[0], self._place(data, end)[0]
        for element, attribute in self.type.lists:
            self._list_attribute(element.encode(), attribute.encode())
        st[at.POSITION], st[at.MODE] = end, at.CONTENT
        return True

    def _list_attribute(self, element: bytes, attribute: bytes) -> None:
        """Note that an attribute of some elements is a list."""
        both = np.frombuffer(element + attribute, np.uint8)
        while list_attribute(both, len(element), self.scan.names, self.scan.state) == NO_ROOM:
            count = int(self.scan.state[at.NAMES])
            self.scan = self.scan._replace(names=more_names(self.scan.names, 1, count))

    def _learn_spelling(self, data: bytes) -> None:
        """Note which namespace a declaration means that is written in a new way, and others of its tag.

        The tag is read again afterwards, so it is not done for one after the other.
        """
        start, end = (int(self.scan.state[k]) for k in (at.SPELLED, at.SPELLED_END))
        name = meaning(data[start:end].decode(), self._entities)
        if not is_uri(name):
            raise XmlError(*self._place(data, start), f"the namespace '{name[:100]}' is not a URI")
        self._note_spelling(data[start:end], name)
        for value, name in declared_in(data, end, self._entities):
            if value not in self._spelled:
                self._note_spelling(value, name)

    def _note_spelling(self, value: bytes, name: str) -> None:
        number = self.namespaces.number(name)
        table = with_spelling(self.scan.spellings, len(self._spelled), value, number)
        self.scan = self.scan._replace(spellings=table)
        self._spelled.add(value)

    def _keep(self, data: bytes, consumed: int, places: np.ndarray | None) -> None:
        if len(data) - consumed > self.max_text:
            raise self._too_long(data, consumed)
        if self.scan.state[at.MODE] == at.IN_DOCTYPE and len(data) - consumed > LONGEST_TYPE:
            what = f"the document type is longer than {LONGEST_TYPE:,} bytes"
            raise XmlError(*self._place(data, consumed), what)
        self.lines += int(lines_in(np.frombuffer(data, np.uint8), consumed))
        self.offset, self.rest = self.offset + consumed, data[consumed:]
        if places is not None:
            self.places = places[consumed:]
        searched = int(self.scan.state[at.SEARCHED])
        self.scan.state[at.SEARCHED] = max(searched - consumed, 0)

    def _too_long(self, data: bytes, position: int) -> XmlError:
        what = f"a tag or the document type is longer than max_text = {self.max_text:,} bytes"
        return XmlError(*self._place(data, position), what)

    def _grow(self, data: bytes) -> None:
        """Give more room to names, to the tokens of one tag, and to open elements."""
        scan, st = self.scan, self.scan.state
        if st[at.DEPTH] >= self.max_depth:
            what = f"more than max_depth = {self.max_depth:,} elements are open"
            raise XmlError(*self._place(data, int(st[at.POSITION])), what)
        self.scan = scan._replace(
            open=longer(scan.open, min(2 * len(scan.open), self.max_depth)),
            names=more_names(scan.names, 1, int(st[at.NAMES])),
            declarations=longer(scan.declarations, 2 * len(scan.declarations)),
            tokens=TokenSpans(*(longer(column, 2 * len(column)) for column in scan.tokens)),
        )

    def _mistake(self, data: bytes) -> XmlError:
        error, where = (int(self.scan.state[k]) for k in (at.ERROR, at.ERROR_AT))
        if error == at.TOO_LONG:
            return self._too_long(data, where)
        what = MISTAKES[error]
        if error == at.OUTSIDE and not self.scan.state[at.ROOTS]:
            what += NO_XML
        if error == at.BAD_REFERENCE and (named := REFERENCE.match(data, where)):
            declared = self.type.declared if self.type else ()
            what = unknown_entity(named[1].decode(errors="replace"), declared)
        return XmlError(*self._place(data, where), what)

    def _place(self, data: bytes, position: int) -> tuple[int, int]:
        """The offset and the line of a byte."""
        offset = self.places[position] if position < len(self.places) else self.offset + position
        return int(offset), self.lines + data.count(b"\n", 0, position)


def joined_places(places: list[np.ndarray]) -> np.ndarray:
    """The places of bytes that follow each other; each array ends with that of the next byte."""
    return np.concatenate([*(some[:-1] for some in places[:-1]), places[-1]])


def scan_alone(buffer: np.ndarray, scan: Scan, offset: int, places: np.ndarray | None) -> int:
    """Make tokens, and leave them to whoever asks."""
    return int(scan_bytes(buffer, len(buffer), scan))
