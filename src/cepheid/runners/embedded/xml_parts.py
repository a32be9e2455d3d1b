"""A large document in parts that are read at the same time.

Each part but the first begins with a guess: it reads the start tags of the elements that are open there, then
the last bytes of the part before, and assumes that it then knows what a reader of the whole would know. When
the part before has come to its end, this is compared. If it was right, the rows of both are those of the
whole; if not, the reader of the part before goes on through this one. So rows and errors are always those
of one reader.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.errors import CepheidError
from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.twig.matcher import TwigMatcher
from cepheid.matchers.twig.resting import Rest, rest_of
from cepheid.matchers.twig.saving import load_document, load_matcher, save_document, save_matcher
from cepheid.matchers.twig.scan import layout as scanned
from cepheid.matchers.twig.scan.document import Document
from cepheid.sources.xml import CHUNK
from cepheid.sources.xml_cuts import Cut, CutSizes, cuts_of, part_ends, root_of, tag_at

AT_ONCE = 1 << 24
"""So many bytes of rows are put into one table."""

PACKED = "only a file that is not packed, or bytes, can be cut"
SMALL = "the document is too small, or nowhere shallow enough"
CODED = "the document is not in UTF-8, or does not begin with its root element soon"
KEPT = "the pattern keeps text, children or rows of elements that are open at a cut"
OTHER = "the parts before had met other conditions than was guessed"


@dataclass(slots=True)
class PartReader:
    """One reader of a document, from some place on."""

    matcher: TwigMatcher
    document: Document
    tables: list[pa.Table] = field(default_factory=list)

    def feed(self, chunk: bytes) -> None:
        """Take in a chunk."""
        for _ in self.document.push(chunk):
            raise AssertionError("the matcher takes in all tokens")

    def read(self, data: np.ndarray, begin: int, end: int) -> None:
        """Take in bytes: where they stand, as far as that goes, and else as chunks."""
        place, scanner = begin, self.document.scanner
        while place < end:
            stop = min(place + CHUNK, end)
            is_open = self.document.head is None and not scanner.rest and not scanner.parts
            taken = scanner.read_in_place(data[place:stop]) if is_open else 0
            place += taken
            if taken == 0 or stop == end:
                self.feed(data[place:stop].tobytes())
                place = stop
                if stop < end and not scanner.parts and len(scanner.rest) < CHUNK // 2:
                    place, scanner.rest = stop - len(scanner.rest), b""
            if self.matcher.told > AT_ONCE:
                self.tables.append(self.matcher.rows())

    def close(self) -> None:
        """The document ends here."""
        for _ in self.document.close():
            raise AssertionError("the matcher takes in all tokens")
        self.tables.append(self.matcher.rows())

    def known(self) -> tuple[Rest, int, bytes] | None:
        """All that matters for what comes, or None if it cannot be compared."""
        scanner = self.document.scanner
        rest = rest_of(self.matcher)
        if rest is None or scanner.scan.state[scanned.MODE] != scanned.CONTENT:
            return None
        return rest, int(scanner.scan.state[scanned.DEPTH]), scanner.rest


@dataclass(slots=True)
class GuessedPart:
    """A part that begins with a guess, and what came of it."""

    reader: PartReader
    cut: Cut
    guess: tuple[Rest, int, bytes] | None = None
    error: CepheidError | None = None


@dataclass(slots=True)
class PartStats:
    """How a document was read in parts."""

    parts: int = 1
    why_again: str = ""  # why parts were read again, after the ones before
    looking: float = 0.0  # seconds of the processor that the quick look took
    seconds: list[float] = field(default_factory=list)  # and each part

    def told(self) -> dict[str, Any]:
        """The numbers for people."""
        told: dict[str, Any] = {"parts": self.parts, "part_seconds": self.seconds}
        told["looking_seconds"] = self.looking
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
    guessed = _read_all(data, root, parts, first, reader, sizes, stats)
    if not guessed:
        return SMALL
    return _joined(data, first, guessed, stats), stats.told()


def _read_all(
    data: np.ndarray,
    root: int,
    parts: int,
    first: PartReader,
    reader: Callable[[], PartReader],
    sizes: CutSizes,
    stats: PartStats,
) -> list[GuessedPart]:
    """Read all parts at the same time. Each begins when its cut is found, and ends where the next begins."""
    saved = _saved(first)
    sure = part_ends(data, root, parts)
    ends: list[Future[int]] = [Future() for _ in range(parts)]
    guessed: list[GuessedPart] = []
    with ThreadPoolExecutor(parts) as threads:
        try:
            running = [threads.submit(_timed, _read_first, first, data, root, sure[0], ends[0])]
            began = time.thread_time()
            for number, cut in enumerate(cuts_of(data, root, parts, sizes), 1):
                ends[number - 1].set_result(cut.place)
                guessed.append(GuessedPart(reader(), cut))
                job = (_read_guessed, guessed[-1], data, saved, sure[number], ends[number])
                running.append(threads.submit(_timed, *job))
            stats.looking = time.thread_time() - began
        finally:
            for end in ends[len(guessed) :]:
                end.set_result(len(data))
        stats.seconds = [each.result() for each in running]
    return guessed


def _timed(read: Callable[..., None], *arguments: Any) -> float:
    """The seconds of the processor that a part takes."""
    began = time.thread_time()
    read(*arguments)
    return time.thread_time() - began


def _read_first(reader: PartReader, data: np.ndarray, begin: int, sure: int, end: Future[int]) -> None:
    reader.read(data, begin, sure)
    reader.read(data, sure, end.result())


def _read_guessed(part: GuessedPart, data: np.ndarray, saved: Snapshot, sure: int, end: Future[int]) -> None:
    """Begin with a guess, and read the part. What goes wrong is left to whoever reads it with certainty."""
    reader, cut = part.reader, part.cut
    try:
        if not _is_led_in(reader, cut, data, saved):
            return
        part.guess = reader.known()
        if part.guess is None:
            return
        reader.matcher.rows()
        sure = max(cut.place, sure)
        reader.read(data, cut.place, sure)
        reader.read(data, sure, end.result())
    except CepheidError as error:
        part.error = error


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
            stats.parts += 1
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
