"""Documents in other encodings, as UTF-8, and where each byte of it came from."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

import numpy as np

from cepheid.errors import XmlError

UTF8, UTF16_LITTLE, UTF16_BIG, LATIN1, ASCII = "utf-8", "utf-16-le", "utf-16-be", "latin-1", "us-ascii"
KNOWN = {
    **dict.fromkeys(("utf-8", "utf8"), UTF8),
    **dict.fromkeys(("us-ascii", "ascii"), ASCII),
    **dict.fromkeys(("iso-8859-1", "iso_8859-1", "iso8859-1", "iso88591", "latin-1", "latin1", "l1"), LATIN1),
}
"""What a document may call its encoding; UTF-16 is known by its first bytes."""

OTHERS = {
    "UTF-32": (b"\xff\xfe\0\0", b"\0\0\xfe\xff", b"<\0\0\0", b"\0\0\0<"),
    "EBCDIC": (b"\x4c\x6f\xa7\x94",),
}
"""What is not read, and known by its first bytes."""

PACKED = {"gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd", "bzip2": b"BZh", "lz4": b"\x04\x22\x4d\x18"}
"""How bytes may be packed, by the first of them."""

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


def refuse_others(head: bytes) -> None:
    """Say so if the first bytes are of an encoding that is not read, or packed."""
    for name, begins in OTHERS.items():
        if head.startswith(begins):
            raise not_read(name)
    for name, begin in PACKED.items():
        if head.startswith(begin):
            how = "unpack them first, or name a file that ends in .gz, .zst, .bz2 or .lz4"
            raise XmlError(0, 1, f"these bytes are packed by {name}: {how}")


def not_read(name: str) -> XmlError:
    """That a document is in an encoding which is not read, or not in the one that it declares."""
    if name.startswith("UTF-16"):
        return XmlError(0, 1, f"the document says that it is in {name}, and its first bytes are not")
    known = "UTF-8, UTF-16 or ISO-8859-1"
    return XmlError(0, 1, f"the document is in {name}: convert it to {known}, which can be read")


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
        has_single_bytes = self.encoding in (LATIN1, ASCII)
        whole = len(data) if has_single_bytes else _whole_characters(data, self.encoding)
        data, self.rest = data[:whole], data[whole:]
        try:
            text = data.decode(self.encoding)
        except UnicodeDecodeError as error:
            whole = error.start
            text = data[:whole].decode(self.encoding)
            self.broken = self._not_of_it(self.offset + whole, self.line + text.count("\n"))
        self.line += text.count("\n")
        numbers = np.frombuffer(text.encode("utf-32-le"), np.uint32)
        widths = 1 + (numbers >= 0x80) + (numbers >= 0x800) + (numbers >= 0x10000)
        taken = np.ones(len(numbers), np.int64) if has_single_bytes else 2 + 2 * (numbers >= 0x10000)
        starts = self.offset + np.cumsum(taken) - taken
        self.offset += whole
        return text.encode(), np.repeat(starts, widths)

    def close(self) -> None:
        """The document ends here, which it may not do within a character."""
        if self.rest:
            raise self._not_of_it(self.offset, self.line)

    def _not_of_it(self, offset: int, line: int) -> XmlError:
        return XmlError(offset, line, f"these bytes are not {self.encoding.upper()}")


def _whole_characters(data: bytes, encoding: str) -> int:
    """How many bytes of UTF-16 are of characters that are whole."""
    whole = len(data) & ~1
    if whole and 0xD8 <= data[whole - (1 if encoding == UTF16_LITTLE else 2)] <= 0xDB:
        whole -= 2  # the first half of a pair
    return whole
