"""Where a large document is cut, so that its parts can be read at the same time.

A part begins at a start tag where few elements are open. The quick look of `outline` tells where these begin.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

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

LOOK = 0.1
"""What the quick look takes, by what reading takes: the first parts are longer, as later ones wait for it."""


@dataclass(frozen=True, slots=True)
class CutSizes:
    """How a document is cut: numbers of bytes."""

    least: int = 1 << 24  # of a part: what a second reader costs by itself is little beside that
    window: int = 1 << 16  # in which the place is looked for where the least elements are open
    lead: int = 1 << 20  # what a part reads again of the one before, at most


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
    b = data[root:]
    blocks = max((len(b) - 1) // at.BLOCK, 0)
    weights = at.BlockWeights(*(np.zeros(blocks + 1, np.uint8) for _ in range(3)))
    state, last = np.zeros(at.STATE_SIZE, np.int64), 0
    lead = min(sizes.lead, len(b) // parts // 50)
    for end in part_ends(data, root, parts)[:-1]:
        target = max(end - root, last + 1)
        first = _shallow(b, state, weights, target, sizes)
        if first is None:
            return
        begin, opened = first
        second = _shallow(b, state, weights, begin + lead + 1, sizes)
        if second is None or not len(opened):
            return
        last = second[0]
        yield Cut(root + last, root + begin, tuple((opened + root).tolist()))


def _shallow(
    b: np.ndarray, state: np.ndarray, weights: at.BlockWeights, target: int, sizes: CutSizes
) -> tuple[int, np.ndarray] | None:
    """A start tag near a place, and where the elements begin that are open there."""
    block = -(-target // at.BLOCK)
    if block >= len(weights.opens):
        return None
    at.weigh(b, state, weights, block)  # type: ignore[no-untyped-call]
    weighed, depth, skip = state.tolist()
    begin = max(weighed * at.BLOCK, skip)
    place, least = at.shallowest(b, begin, begin + sizes.window, depth)  # type: ignore[no-untyped-call]
    if place < 0:
        return None
    if least < 1:
        return None
    opened = np.zeros(least, np.int64)
    is_found = at.find_open(b, weights, weighed, depth, place, opened)  # type: ignore[no-untyped-call]
    return (int(place), opened) if is_found else None


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
