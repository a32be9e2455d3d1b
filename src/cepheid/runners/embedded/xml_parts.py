"""A large document in parts that are read at the same time.

Each part but the first begins with a guess: it reads the start tags of the elements that are open there, then
the last bytes of the part before, and assumes that it then knows what a reader of the whole would know. When
the part before has come to its end, this is compared. If it was right, the rows of both are those of the
whole; if not, the reader of the part before goes on through this one. So rows and errors are always those
of one reader.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.errors import CepheidError
from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.twig.saving import load_document, load_matcher, save_document, save_matcher
from cepheid.runners.embedded.xml_part_reader import Known, Limit, PartReader
from cepheid.sources.xml_cuts import Cut, CutSizes, Cutter, part_ends, root_of, tag_at

PACKED = "only a file that is not packed, or bytes, can be cut"
SMALL = "the document is too small, or nowhere shallow enough"
CODED = "the document is not in UTF-8, or does not begin with its root element soon"
KEPT = "the pattern keeps text, children or rows of elements that are open at a cut"
OTHER = "the parts before had met other conditions than was guessed"


@dataclass(slots=True)
class GuessedPart:
    """A part that begins with a guess, and what came of it."""

    reader: PartReader
    cut: Cut
    limit: Limit
    is_taken_over: bool = False  # from another one that was being read
    guess: Known | None = None
    error: CepheidError | None = None


@dataclass(slots=True)
class PartStats:
    """How a document was read in parts."""

    parts: int = 1
    taken_over: int = 0  # parts of parts that were read by threads which were done
    why_again: str = ""  # why parts were read again, after the ones before
    looking: float = 0.0  # seconds of the processor that the quick look took
    seconds: list[float] = field(default_factory=list)  # and each thread

    def told(self) -> dict[str, Any]:
        """The numbers for people."""
        told: dict[str, Any] = {"parts": self.parts, "part_seconds": self.seconds}
        told["looking_seconds"] = self.looking
        told["taken_over"] = self.taken_over
        return told | ({"read_again": self.why_again} if self.why_again else {})


def read_in_parts(
    data: np.ndarray, parts: int, reader: Callable[[], PartReader], sizes: CutSizes | None = None
) -> tuple[list[pa.Table], dict[str, Any]] | str:
    """The rows of a document that is read in so many parts; or why it has to be read in one."""
    sizes = sizes or CutSizes()
    root = root_of(data)
    if root is None:
        return CODED
    parts = min(parts, (len(data) - root) // sizes.least)
    if parts < 2:
        return SMALL
    first = reader()
    first.read(data, 0, root)
    first.document.begin()
    if first.document.transcoding is not None or first.document.scanner.rest:
        return CODED
    stats = PartStats()
    reading = _PartsInHand(data, first, reader, Cutter(data, root, sizes))
    reading.read(part_ends(data, root, parts), stats)
    if not reading.guessed:
        return SMALL
    return _joined(data, first, reading.guessed, stats), stats.told()


class _PartsInHand:
    """All parts of a document while they are read, by a thread for each.

    A thread that is done takes over half of what another one has left, if that is much. So it matters little
    how well it was reckoned beforehand what takes how long.
    """

    def __init__(
        self, data: np.ndarray, first: PartReader, reader: Callable[[], PartReader], cutter: Cutter
    ) -> None:
        self._data, self._first, self._reader, self._cutter = data, first, reader, cutter
        self._saved, self._is_cut, self._has_failed = _saved(first), Event(), False
        self.guessed: list[GuessedPart] = []

    def read(self, ends: Sequence[int], stats: PartStats) -> None:
        """Read all. Each part begins when its cut is found, and ends where the next begins."""
        limit = self._first.limit = Limit(self._first.place, ends[0])
        with ThreadPoolExecutor(len(ends)) as threads:
            try:
                running = [threads.submit(_timed, self._read_first)]
                began = time.thread_time()
                for cut, end in zip(self._cutter.cuts(ends), ends[1:], strict=False):
                    limit.be_sure(cut.place)
                    limit = Limit(cut.place, end)
                    part = GuessedPart(self._reader(), cut, limit)
                    self.guessed.append(part)
                    running.append(threads.submit(_timed, self._read_guessed, part))
                stats.looking = time.thread_time() - began
            finally:
                limit.be_sure(len(self._data))
                self._is_cut.set()
            stats.seconds = [each.result() for each in running]
        self.guessed.sort(key=lambda part: part.cut.place)

    def _read_first(self) -> None:
        self._first.go_on(self._data)
        self._first.make_rows()
        self._take_over()

    def _read_guessed(self, part: GuessedPart) -> None:
        """Begin with a guess, and read. What goes wrong is left to whoever reads it with certainty."""
        try:
            if _is_led_in(part.reader, part.cut, self._data, self._saved):
                part.guess = part.reader.known()
            if part.guess is not None:
                part.reader.matcher.rows()
                part.reader.limit = part.limit
                part.reader.go_on(self._data)
                part.reader.make_rows()
        except CepheidError as error:
            part.error = error
        self._has_failed |= part.guess is None or part.error is not None
        self._take_over()

    def _take_over(self) -> None:
        """Read half of what another one has left, if it is worth while and all guesses went well so far."""
        self._is_cut.wait()
        limits = [self._first.limit, *(part.limit for part in self.guessed)]
        most = max(limits, key=lambda limit: limit.left()[1] - limit.left()[0])
        begin, end = most.left()
        if end - begin < self._cutter.sizes.worth or self._has_failed:
            return
        cut = self._cutter.cut((begin + end) // 2, (end - begin) // 2)
        last = most.give_up(cut.place) if cut else None
        if cut is None or last is None:
            return
        part = GuessedPart(self._reader(), cut, Limit(cut.place, last), is_taken_over=True)
        part.limit.be_sure(last)
        self.guessed.append(part)
        self._read_guessed(part)


def _timed(read: Callable[..., None], *arguments: Any) -> float:
    """The seconds of the processor that a thread takes."""
    began = time.thread_time()
    read(*arguments)
    return time.thread_time() - began


def _is_led_in(reader: PartReader, cut: Cut, data: np.ndarray, saved: Snapshot) -> bool:
    """Read the prologue, the tags of the open elements, and what stands before the cut."""
    load_matcher(reader.matcher, saved)
    load_document(reader.document, saved)
    scanner = reader.document.scanner
    for place in cut.opened:
        tag = tag_at(data, place)
        scanner.offset = place
        reader.feed(tag or b"")
        if tag is None or scanner.rest:
            return False
    scanner.offset = cut.lead
    reader.read(data, cut.lead, cut.place)
    scanner.lines = 1
    return True


def _joined(
    data: np.ndarray, reader: PartReader, guessed: list[GuessedPart], stats: PartStats
) -> list[pa.Table]:
    """Go from part to part: with its own reader if the guess was right, else with the one before it."""
    tables: list[pa.Table] = []
    ends = [part.cut.place for part in guessed[1:]] + [len(data)]
    for part, end in zip(guessed, ends, strict=True):
        known = reader.known()
        if part.error is None and part.guess is not None and part.guess == known:
            tables += [*reader.tables, reader.matcher.rows()]
            part.reader.document.scanner.lines += reader.document.scanner.lines - 1
            reader = part.reader
            stats.parts += not part.is_taken_over
            stats.taken_over += part.is_taken_over
        else:
            stats.why_again = KEPT if part.guess is None or known is None else OTHER
            stats.seconds.append(_timed(reader.read, data, part.cut.place, end))
    reader.close()
    return tables + reader.tables


def _saved(reader: PartReader) -> Snapshot:
    """All that a reader knows after the prologue."""
    saved = Snapshot("")
    save_matcher(reader.matcher, saved)
    save_document(reader.document, saved)
    return saved
