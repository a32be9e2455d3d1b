"""The tokenizer as Python sees it: chunks of bytes in, tokens out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from cepheid.errors import XmlError
from cepheid.matchers.twig.scan import layout as at
from cepheid.matchers.twig.scan.doctype import DocumentType, doctype_end, read_doctype
from cepheid.matchers.twig.scan.kernel import scan_bytes
from cepheid.matchers.twig.scan.room import longer, more_names, new_scan
from cepheid.matchers.twig.scan.tables import TokenSpans
from cepheid.matchers.twig.scan.wording import MISTAKES, unknown_entity

REFERENCE = re.compile(rb"&([^;&<\s]{1,200});")
DOCTYPE = b"<!DOCTYPE"


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

    def __init__(self, max_depth: int, max_text: int, entities: Iterable[str] = ()) -> None:
        self.max_depth, self.max_text = max_depth, max_text
        self.offset, self.lines = 0, 1  # of the first byte at hand
        self.type: DocumentType | None = None
        self._rest, self._places = b"", np.zeros(0, np.int64)
        self._scan = new_scan(entities, max_depth)

    def push(self, chunk: bytes, places: np.ndarray | None = None) -> Iterator[Tokenized]:
        """TokenSpans of all that is whole now. They are overwritten when the next are asked for."""
        data = self._rest + chunk
        if places is not None:
            places = self._places = np.concatenate([self._places, places])
        buffer, st = np.frombuffer(data, np.uint8), self._scan.state
        st[at.POSITION] = 0
        why = at.FULL
        while why == at.FULL:
            before = int(st[at.POSITION])
            st[at.TOKENS] = 0
            why = scan_bytes(buffer, len(buffer), self._scan)
            if n := int(st[at.TOKENS]):
                found = TokenSpans(*(column[:n] for column in self._scan.tokens))
                yield Tokenized(found, buffer, self.offset, places)
            elif why == at.FULL and st[at.POSITION] == before:
                self._grow(data)
            if why == at.WRONG:
                raise self._mistake(data)
            if why == at.NEED_BYTES and st[at.MODE] == at.IN_DOCTYPE and self._read_type(data):
                why = at.FULL
        self._keep(data, int(st[at.POSITION]), places)

    def close(self) -> None:
        """The document ends here; it must be whole."""
        st = self._scan.state
        if self._rest or st[at.MODE] != at.CONTENT or st[at.DEPTH] or not st[at.ROOTS]:
            raise XmlError(*self._place(self._rest, len(self._rest)), "the document ends too early")

    @property
    def name_count(self) -> int:
        """How many names there are so far."""
        return int(self._scan.state[at.NAMES])

    def name(self, number: int) -> bytes:
        """A name as it is written."""
        names = self._scan.names
        return names.letters[names.starts[number] : names.ends[number]].tobytes()

    def _read_type(self, data: bytes) -> bool:
        """Read the document type if it is whole, and go on behind it."""
        st = self._scan.state
        begin = int(st[at.POSITION])
        end = doctype_end(data, begin)
        if end is None:
            return False
        offset, line = self._place(data, begin)
        if self.type is not None:
            raise XmlError(offset - len(DOCTYPE), line, "the document has a second type")
        self.type = read_doctype(DOCTYPE + data[begin:end], offset - len(DOCTYPE), line)
        st[at.POSITION], st[at.MODE] = end, at.CONTENT
        return True

    def _keep(self, data: bytes, consumed: int, places: np.ndarray | None) -> None:
        if len(data) - consumed > self.max_text:
            what = f"a tag or the document type is longer than max_text = {self.max_text:,} bytes"
            raise XmlError(*self._place(data, consumed), what)
        self.lines += data.count(b"\n", 0, consumed)
        self.offset, self._rest = self.offset + consumed, data[consumed:]
        if places is not None:
            self._places = places[consumed:]
        searched = int(self._scan.state[at.SEARCHED])
        self._scan.state[at.SEARCHED] = max(searched - consumed, 0)

    def _grow(self, data: bytes) -> None:
        """Give more room to names, to the tokens of one tag, and to open elements."""
        scan, st = self._scan, self._scan.state
        if st[at.DEPTH] >= self.max_depth:
            what = f"more than max_depth = {self.max_depth:,} elements are open"
            raise XmlError(*self._place(data, int(st[at.POSITION])), what)
        self._scan = scan._replace(
            open=longer(scan.open, min(2 * len(scan.open), self.max_depth)),
            names=more_names(scan.names),
            tokens=TokenSpans(*(longer(column, 2 * len(column)) for column in scan.tokens)),
        )

    def _mistake(self, data: bytes) -> XmlError:
        error, where = (int(self._scan.state[k]) for k in (at.ERROR, at.ERROR_AT))
        what = MISTAKES[error]
        if error == at.BAD_REFERENCE and (named := REFERENCE.match(data, where)):
            declared = self.type.declared if self.type else ()
            what = unknown_entity(named[1].decode(errors="replace"), declared)
        return XmlError(*self._place(data, where), what)

    def _place(self, data: bytes, position: int) -> tuple[int, int]:
        """The offset and the line of a byte."""
        offset = self._places[position] if position < len(self._places) else self.offset + position
        return int(offset), self.lines + data.count(b"\n", 0, position)
