"""Where documents come from, and documents to rows by Python's expat, which tells the bytes of each event."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from errno import ENOENT
from pathlib import Path
from typing import Any, BinaryIO
from xml.parsers import expat

import pyarrow as pa

from cepheid.errors import SourceError, XmlError
from cepheid.matchers.twig.matcher import TwigMatcher
from cepheid.sources.xml_tokens import FoundTokens

CHUNK = 1 << 20
CODECS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2", ".lz4": "lz4"}
"""How a file is packed, by its ending."""

XmlSource = str | Path | bytes | bytearray | memoryview | Iterable[bytes]


def chunks_of(source: XmlSource) -> Iterator[bytes]:
    """The bytes of a document: of a file by its path, unpacked by its ending, as given, or in pieces."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        whole = memoryview(source).cast("B")
        for start in range(0, max(len(whole), 1), CHUNK):
            yield bytes(whole[start : start + CHUNK])
    elif isinstance(source, (str, Path)):
        yield from file_chunks(Path(source))
    else:
        yield from _pieces(source)


def file_chunks(path: Path, show: Callable[[int], None] | None = None) -> Iterator[bytes]:
    """The bytes of a file, unpacked; `show` is called with how many of its bytes on disk were read."""
    try:
        with path.open("rb") as file, _unpacked(file, path) as unpacked:
            while chunk := unpacked.read(CHUNK):
                yield chunk
                if show is not None:
                    show(file.tell())
    except (OSError, ValueError) as error:
        raise SourceError(f"cannot read {str(path)[:200]!r}: {_why(error, path)}") from None


def _unpacked(file: BinaryIO, path: Path) -> Any:
    codec = CODECS.get(path.suffix.lower())
    return file if codec is None else pa.CompressedInputStream(file, codec)


def _why(error: Exception, path: Path) -> str:
    is_there = getattr(error, "errno", None) != ENOENT and not isinstance(error, ValueError)
    if not is_there:
        return f"{error}; a text is a path here, so give a document as bytes"
    codec = CODECS.get(path.suffix.lower())
    return f"{error}{f'; its ending says {codec}' if codec and path.is_file() else ''}"


def _pieces(source: Iterable[bytes]) -> Iterator[bytes]:
    try:
        pieces = iter(source)
    except TypeError:
        raise SourceError(
            f"a document is a path, bytes, or an iterable of bytes, not {type(source).__name__}"
        ) from None
    for piece in pieces:
        if not isinstance(piece, (bytes, bytearray, memoryview)):
            raise SourceError(f"a piece of a document should be bytes, not {type(piece).__name__}")
        yield bytes(piece)


class ExpatDocument:
    """One document, whose tokens a matcher takes in after each chunk."""

    def __init__(self, matcher: TwigMatcher) -> None:
        self._matcher = matcher
        self._found = FoundTokens()
        self._depth = 0
        self._bytes = b""  # from `_offset` on: what may be asked for again
        self._offset = 0
        self._is_just_open = False  # nothing came since the start tag
        self._parser = self._made()

    def _made(self) -> Any:
        parser = expat.ParserCreate()
        parser.buffer_text = False  # the place of each event counts
        parser.ordered_attributes = True
        parser.specified_attributes = True  # defaults of the document type are not used by any parser
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.DefaultHandler = self._other
        return parser

    def feed(self, chunk: bytes) -> None:
        """Read one more chunk."""
        self._bytes += chunk
        self._run(lambda: self._parser.Parse(chunk, False))
        seen = max(0, self._parser.CurrentByteIndex - self._offset - 2)  # `/>` may be asked for
        self._bytes, self._offset = self._bytes[seen:], self._offset + seen
        self._found.hand_over(self._matcher)

    def close(self) -> None:
        """The end of the document."""
        self._run(lambda: self._parser.Parse(b"", True))
        self._found.hand_over(self._matcher)

    def _run(self, parse: Callable[[], object]) -> None:
        try:
            parse()
        except expat.ExpatError as error:
            what = f"the document is not well-formed: {expat.ErrorString(error.code)}"
            raise XmlError(self._parser.ErrorByteIndex, error.lineno, what) from None

    # ------------------------------------------------------------ what expat calls

    def _start(self, tag: str, attributes: list[str]) -> None:
        self._depth += 1
        self._is_just_open = True
        self._found.start(tag, self._parser.CurrentByteIndex)
        for name, value in zip(attributes[::2], attributes[1::2], strict=True):
            self._found.attribute(name, value)

    def _end(self, tag: str) -> None:
        place = self._parser.CurrentByteIndex
        here = place - self._offset
        is_empty = self._is_just_open and self._bytes[here - 2 : here] == b"/>"
        end = place if is_empty else self._offset + self._bytes.index(b">", here) + 1
        self._found.end(tag, end)
        self._depth -= 1
        self._is_just_open = False

    def _text(self, text: str) -> None:
        self._is_just_open = False
        self._found.text(text)

    def _other(self, text: str) -> None:
        """Comments and the like; and references to entities that the document declares, which are refused."""
        self._is_just_open = False
        if text.startswith("&") and self._depth:
            what = f"the document declares the entity '{text}', which is not read by this parser"
            raise XmlError(self._parser.CurrentByteIndex, self._parser.CurrentLineNumber, what)
