"""A whole document, as it comes: its encoding, its declaration, its type, and then its tokens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cepheid.matchers.twig.scan.declaration import declaration_end, declared_encoding
from cepheid.matchers.twig.scan.encodings import (
    LONGEST_MARK,
    UTF8,
    Transcoding,
    first_encoding,
    refuse_others,
)
from cepheid.matchers.twig.scan.scanner import Scanner, Tokenized


@dataclass(slots=True)
class Document:
    """Reads chunks of one document, in any encoding that is known, cut anywhere."""

    scanner: Scanner
    head: bytes | None = b""  # what came before the encoding was certain; None afterwards
    transcoding: Transcoding | None = None
    raw: bytes = b""  # of a stream in another encoding: the bytes that are not read yet, as they came

    def push(self, chunk: bytes) -> Iterator[Tokenized]:
        """The tokens of all that is whole now."""
        if self.head is None:
            yield from self._pushed(chunk)
            return
        self.head += chunk
        yield from self._begun(is_last=False)

    def begin(self) -> None:
        """The root element follows: what came before tells the encoding."""
        if self.head is not None:
            for _ in self._begun(is_last=True):
                raise AssertionError("no tokens come before the root element")

    def close(self) -> Iterator[Tokenized]:
        """The document ends here."""
        if self.head is not None:
            yield from self._begun(is_last=True)
        self.scanner.close()
        if self.transcoding is not None:
            self.transcoding.close()

    def _begun(self, is_last: bool) -> Iterator[Tokenized]:
        """Find out the encoding from the first bytes, and go on with what follows the declaration."""
        assert self.head is not None
        if len(self.head) < LONGEST_MARK and not is_last:
            return
        refuse_others(self.head)
        marked, mark = first_encoding(self.head)
        if marked == UTF8:
            text, width = self.head[mark:], 1
        else:
            text, width = Transcoding(marked, mark).push(self.head[mark:])[0], 2
        end = declaration_end(text, is_last)
        if end is None:
            return
        is_certain = mark > 0 or marked != UTF8
        encoding = declared_encoding(text[:end], marked, is_certain) if end else marked
        begin, head = mark + end * width, self.head
        self.head = None
        self.scanner.offset += begin
        self.scanner.lines += text[:end].count(b"\n")
        if encoding != UTF8:
            self.transcoding = Transcoding(encoding, self.scanner.offset, self.scanner.lines)
        yield from self._pushed(head[begin:])

    def _pushed(self, chunk: bytes) -> Iterator[Tokenized]:
        if self.transcoding is None:
            yield from self.scanner.push(chunk)
            return
        scanner = self.scanner
        self.raw += chunk if scanner.is_stream else b""
        scanner.raw_from = self._raw_from
        text, places = self.transcoding.push(chunk)
        yield from scanner.push(text, np.append(places, self.transcoding.offset))
        if self.transcoding.broken is not None and scanner.following is None:
            raise self.transcoding.broken
        if scanner.following is None and scanner.is_stream:
            self.raw = self._raw_from(int(scanner.places[0]))

    def _raw_from(self, offset: int) -> bytes:
        """The bytes that came from an offset on."""
        assert self.transcoding is not None
        end = self.transcoding.offset + len(self.transcoding.rest)
        return self.raw[len(self.raw) - (end - offset) :]
