"""Documents in other encodings, as UTF-8, and where each byte of it came from."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

import numpy as np

from cepheid.errors import XmlError

UTF8, UTF16_LITTLE, UTF16_BIG, LATIN1 = "utf-8", "utf-16-le", "utf-16-be", "latin-1"
KNOWN = {
    "utf-8": UTF8,
    "us-ascii": UTF8,
    "ascii": UTF8,
    "iso-8859-1": LATIN1,
    "latin-1": LATIN1,
    "latin1": LATIN1,
}
"""What a document may call its encoding; UTF-16 is known by its first bytes."""

MARKS = ((codecs.BOM_UTF8, UTF8), (codecs.BOM_UTF16_LE, UTF16_LITTLE), (codecs.BOM_UTF16_BE, UTF16_BIG))
UNMARKED = ((b"<\x00?\x00", UTF16_LITTLE), (b"\x00<\x00?", UTF16_BIG))
LONGEST_MARK = 4
BEGINNINGS = (*(mark for mark, _ in MARKS), *(begin for begin, _ in UNMARKED), b"<?xml")


def first_encoding(head: bytes) -> tuple[str, int]:
    """The encoding that the first bytes tell, and how many of them are only a mark of it."""
    for mark, encoding in MARKS:
        if head.startswith(mark):
            return encoding, len(mark)
    for begin, encoding in UNMARKED:
        if head.startswith(begin):
            return encoding, 0
    return UTF8, 0


def begins_document(head: bytes) -> bool | None:
    """Whether bytes say by themselves that a document begins; None if they are too few to tell."""
    if any(head.startswith(begin) for begin in BEGINNINGS):
        return True
    return None if any(begin.startswith(head) for begin in BEGINNINGS) else False


@dataclass(slots=True)
class Transcoding:
    """Turns chunks of a document into UTF-8."""

    encoding: str
    offset: int  # of the next byte of the document
    line: int = 1  # of that byte
    rest: bytes = b""  # the first bytes of a character that is not whole yet
    broken: XmlError | None = None  # what is wrong with the bytes behind those that were pushed

    def push(self, chunk: bytes) -> tuple[bytes, np.ndarray]:
        """The characters that are whole as UTF-8, and the offset in the document for each of its bytes."""
        data = self.rest + chunk
        whole = len(data) if self.encoding == LATIN1 else _whole_characters(data, self.encoding)
        data, self.rest = data[:whole], data[whole:]
        try:
            text = data.decode(self.encoding)
        except UnicodeDecodeError as error:
            whole = error.start
            text = data[:whole].decode(self.encoding)
            what = f"these bytes are not {self.encoding.upper()}"
            self.broken = XmlError(self.offset + whole, self.line + text.count("\n"), what)
        self.line += text.count("\n")
        numbers = np.frombuffer(text.encode("utf-32-le"), np.uint32)
        widths = 1 + (numbers >= 0x80) + (numbers >= 0x800) + (numbers >= 0x10000)
        taken = np.ones(len(numbers), np.int64) if self.encoding == LATIN1 else 2 + 2 * (numbers >= 0x10000)
        starts = self.offset + np.cumsum(taken) - taken
        self.offset += whole
        return text.encode(), np.repeat(starts, widths)


def _whole_characters(data: bytes, encoding: str) -> int:
    """How many bytes of UTF-16 are of characters that are whole."""
    whole = len(data) & ~1
    if whole and 0xD8 <= data[whole - (1 if encoding == UTF16_LITTLE else 2)] <= 0xDB:
        whole -= 2  # the first half of a pair
    return whole
