"""A reader of a part of a document, and the place where it ends, which may come nearer as it reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Condition

import numpy as np
import pyarrow as pa

from cepheid.matchers.twig.matcher import TwigMatcher
from cepheid.matchers.twig.resting import Rest, rest_of
from cepheid.matchers.twig.scan import layout as scanned
from cepheid.matchers.twig.scan.document import Document
from cepheid.sources.xml import CHUNK

AT_ONCE = 1 << 24
"""So many bytes of rows are put into one table."""

Known = tuple[Rest, int, bytes]


class Limit:
    """Where a reader ends. At first that is expected, then sure; and it comes nearer if others take over."""

    def __init__(self, begin: int, expected: int) -> None:
        self.end = expected
        self._taken, self._is_sure, self._changed = begin, False, Condition()

    def be_sure(self, end: int) -> None:
        """The part ends here."""
        with self._changed:
            self.end, self._is_sure = end, True
            self._changed.notify_all()

    def next_stop(self, place: int) -> int:
        """How far a reader that is at a place may read now: no further than that place if it is done."""
        with self._changed:
            while place >= self.end and not self._is_sure:
                self._changed.wait()
            self._taken = max(min(place + CHUNK, self.end), place)
            return self._taken

    def left(self) -> tuple[int, int]:
        """What nobody has begun to read."""
        with self._changed:
            return (self._taken, self.end) if self._is_sure else (0, 0)

    def give_up(self, place: int) -> int | None:
        """Another reader begins at a place, and ends where this one would have; None if it is too late."""
        with self._changed:
            if not self._is_sure or not self._taken <= place < self.end:
                return None
            end, self.end = self.end, place
            return end


@dataclass(slots=True)
class PartReader:
    """One reader of a document, from some place on, and up to a place that others may bring nearer."""

    matcher: TwigMatcher
    document: Document
    tables: list[pa.Table] = field(default_factory=list)
    place: int = 0
    limit: Limit = field(default_factory=lambda: Limit(0, 0))

    def feed(self, chunk: bytes) -> None:
        """Take in a chunk."""
        for _ in self.document.push(chunk):
            raise AssertionError("the matcher takes in all tokens")

    def read(self, data: np.ndarray, begin: int, end: int) -> None:
        """Take in bytes."""
        self.place, self.limit = begin, Limit(begin, end)
        self.limit.be_sure(end)
        self.go_on(data)

    def go_on(self, data: np.ndarray) -> None:
        """Take in bytes up to the limit: where they stand, as far as that goes, and else as chunks."""
        scanner = self.document.scanner
        while (stop := self.limit.next_stop(self.place)) > self.place:
            is_open = self.document.head is None and not scanner.rest and not scanner.parts
            taken = scanner.read_in_place(data[self.place : stop]) if is_open else 0
            self.place += taken
            if taken == 0 or stop == self.limit.end:
                self.feed(data[self.place : stop].tobytes())
                self.place = stop
                if stop < self.limit.end and not scanner.parts and len(scanner.rest) < CHUNK // 2:
                    self.place, scanner.rest = stop - len(scanner.rest), b""
            if self.matcher.told > AT_ONCE:
                self.make_rows()

    def make_rows(self) -> None:
        """Put the rows that became certain into a table."""
        self.tables.append(self.matcher.rows())

    def close(self) -> None:
        """The document ends here."""
        for _ in self.document.close():
            raise AssertionError("the matcher takes in all tokens")
        self.make_rows()

    def known(self) -> Known | None:
        """All that matters for what comes, or None if it cannot be compared."""
        scanner = self.document.scanner
        rest = rest_of(self.matcher)
        if rest is None or scanner.scan.state[scanned.MODE] != scanned.CONTENT:
            return None
        return rest, int(scanner.scan.state[scanned.DEPTH]), scanner.rest
