"""Where a large document is cut, so that its parts can be read at the same time.

A part begins at a start tag where few elements are open. The quick look of `outline` tells where these begin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import numpy as np

from cepheid.matchers.twig.scan import outline as at
from cepheid.matchers.twig.scan.doctype import doctype_end
from cepheid.matchers.twig.scan.encodings import UTF8, first_encoding
from cepheid.sources.xml import CODECS, XmlSource

HEAD = 1 << 16
"""The root element begins in so many bytes, or the document is read in one part."""

TAG = re.compile(rb"<[^\"'>]*(?:\"[^\"]*\"[^\"'>]*|'[^']*'[^\"'>]*)*>")
SAMPLES, SAMPLE = 128, 1 << 12
"""How many samples of a document are looked at, and how many bytes each has."""

LESS, TAG_WORK = 60, 35
"""A tag takes as long as so many bytes of text."""

LOOK = 0.07
"""What the quick look takes, by what reading takes: the first parts are longer, as later ones wait for it."""


@dataclass(frozen=True, slots=True)
class CutSizes:
    """How a document is cut: numbers of bytes."""

    least: int = 1 << 24  # of a part: what a second reader costs by itself is little beside that
    window: int = 1 << 16  # in which the place is looked for where the least elements are open
    lead: int = 1 << 20  # what a part reads again of the one before, at most
    worth: int = 1 << 23  # of what one reader has left, if another is to take over half of it


@dataclass(frozen=True, slots=True)
class Cut:
    """The beginning of a part, and how a reader gets there."""

    place: int
    lead: int  # it reads from here on, so that it has met what is often met
    opened: tuple[int, ...]  # the start tags of the elements that are open there


def document_bytes(source: XmlSource) -> np.ndarray | None:
    """The bytes of a document that can be cut; None if it comes in pieces, or packed."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = np.frombuffer(source, np.uint8)
        data.flags.writeable = False  # kernels are compiled for arrays that they only read
        return data
    if not isinstance(source, (str, Path)) or Path(source).suffix.lower() in CODECS:
        return None
    path = Path(source)
    if not path.is_file() or path.stat().st_size == 0:
        return None  # whoever reads it says what is wrong
    return np.asarray(np.memmap(path, np.uint8, "r"))


def root_of(data: np.ndarray) -> int | None:
    """Where the root element begins; None if that is not near, or not in UTF-8."""
    head = data[:HEAD].tobytes()
    encoding, place = first_encoding(head)
    if encoding != UTF8:
        return None
    while (place := head.find(b"<", place)) >= 0:
        if head.startswith(b"<!DOCTYPE", place):
            end = doctype_end(head, place + len(b"<!DOCTYPE"))
        elif head.startswith((b"<!", b"<?"), place):
            last = b"-->" if head.startswith(b"<!", place) else b"?>"
            found = head.find(last, place)
            end = found + len(last) if found >= 0 else None
        else:
            return place
        if end is None:
            return None
        place = end
    return None


def cuts_of(data: np.ndarray, root: int, parts: int, sizes: CutSizes) -> Iterator[Cut]:
    """The beginnings of all parts but the first, as they are found."""
    return Cutter(data, root, sizes).cuts(part_ends(data, root, parts))


@dataclass(frozen=True, slots=True)
class _Shallow:
    """A start tag, how many elements are open there, and the blocks before it with how many behind these."""

    place: int
    least: int
    block: int
    depth: int


class Cutter:
    """Finds places where a document can be cut. Threads may ask at the same time."""

    def __init__(self, data: np.ndarray, root: int, sizes: CutSizes) -> None:
        self.sizes = sizes
        self._b, self._root = data[root:], root
        blocks = max((len(self._b) - 1) // at.BLOCK, 0)
        self._weights = at.BlockWeights(*(np.zeros(blocks + 1, np.uint8) for _ in range(3)))
        self._state = np.zeros(at.STATE_SIZE, np.int64)
        self._asking = Lock()

    def cuts(self, ends: Sequence[int]) -> Iterator[Cut]:
        """The beginnings of all parts but the first, by where parts should end."""
        last = self._root
        for end in ends[:-1]:
            cut = self.cut(max(end, last + 1), len(self._b) // len(ends))
            if cut is None:
                return
            last = cut.place
            yield cut

    def cut(self, target: int, length: int) -> Cut | None:
        """The beginning of a part of some length behind a place, if there is one."""
        lead = min(self.sizes.lead, length // 50)
        with self._asking:
            first = self._shallow(target - self._root)
            second = first and self._shallow(first.place + lead + 1)
            opened = None if not first or not second else self._opened(first)
        if not first or not second or opened is None:
            return None
        return Cut(self._root + second.place, self._root + first.place, opened)

    def _shallow(self, target: int) -> _Shallow | None:
        """A start tag near a place where few elements are open."""
        block = -(-target // at.BLOCK)
        if block >= len(self._weights.opens):
            return None
        block, begin, depth = self._weighed(block)
        end = begin + self.sizes.window
        place, least = at.shallowest(self._b, begin, end, depth)  # type: ignore[no-untyped-call]
        return None if place < 0 or least < 1 else _Shallow(int(place), int(least), block, depth)

    def _opened(self, found: _Shallow) -> tuple[int, ...] | None:
        """Where the elements begin that are open at a start tag."""
        opened = np.zeros(found.least, np.int64)
        going_back = (found.block, found.depth, found.place, opened)
        is_found = at.find_open(self._b, self._weights, *going_back)  # type: ignore[no-untyped-call]
        return tuple((opened + self._root).tolist()) if is_found else None

    def _weighed(self, block: int) -> tuple[int, int, int]:
        """A block behind others that are weighed, where its tags begin, and how many are open there."""
        opens, shuts, begins = self._weights
        at.weigh(self._b, self._state, self._weights, block)  # type: ignore[no-untyped-call]
        weighed, depth, skip = self._state.tolist()
        while block < weighed and begins[block] == at.BLOCK:  # in the middle of a comment
            block += 1
        if block == weighed:
            return block, max(block * at.BLOCK, skip), depth
        depth = int(opens[:block].sum(dtype=np.int64) - shuts[:block].sum(dtype=np.int64))
        return block, block * at.BLOCK + int(begins[block]), depth


def shares(parts: int) -> list[float]:
    """Where parts end, so that all are done at one time if each begins when the quick look has come to it."""
    whole = 1 - (1 - LOOK) ** parts
    return [(1 - (1 - LOOK) ** number) / whole for number in range(1, parts + 1)]


def part_ends(data: np.ndarray, root: int, parts: int) -> list[int]:
    """Where parts should end so that they take the same time: a tag takes as long as some text does.

    How many tags there are is told by samples, as one section of a document may have many more than another.
    """
    b = data[root:]
    stretch = max(len(b) // SAMPLES, 1)
    starts = np.arange(0, len(b), stretch)
    tags = [np.count_nonzero(b[start : start + SAMPLE] == LESS) / SAMPLE for start in starts.tolist()]
    work = np.append(0, np.cumsum((1 + TAG_WORK * np.array(tags)) * np.diff(np.append(starts, len(b)))))
    ends = np.interp(np.array(shares(parts)) * work[-1], work, np.append(starts, len(b)))
    return [root + int(end) for end in ends]


def tag_at(data: np.ndarray, place: int) -> bytes | None:
    """The start tag that begins there."""
    found = TAG.match(data.data, place)
    return found[0] if found else None
