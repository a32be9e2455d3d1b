"""Bytes as blocks of whole lines, whether they are read from a file or arrive bit by bit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from cepheid.errors import SourceError
from cepheid.sources.opened import TEXT_KEPT, BadRow

LONGEST_LINE = 64 << 20


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines of a stream, and the number of the first."""

    lines: list[bytes]
    first: int

    def halves(self) -> tuple[Block, Block]:
        """The block, cut in two."""
        middle = len(self.lines) // 2
        return Block(self.lines[:middle], self.first), Block(self.lines[middle:], self.first + middle)


def blocks_of(chunks: Iterable[bytes | None], name: str) -> Iterator[Block]:
    """The lines in these bytes, as soon as they are whole; after None another file begins."""
    first, rest = 1, b""
    for chunk in chunks:
        if chunk is None:
            if rest.strip():
                yield Block([_without_mark(rest, first)], first)
            first, rest = 1, b""
            continue
        body, newline, rest = (rest + chunk).rpartition(b"\n")
        if len(rest) > LONGEST_LINE:
            raise SourceError(f"{name} is not made of lines: one is longer than 64 MB")
        if newline:
            lines = _without_mark(body, first).split(b"\n")
            yield Block(lines, first)
            first += len(lines)
    if rest.strip():
        yield Block([_without_mark(rest, first)], first)


def _without_mark(data: bytes, first: int) -> bytes:
    return data.removeprefix(b"\xef\xbb\xbf") if first == 1 else data


def readable(
    block: Block,
    read: Callable[[list[bytes]], pa.Table],
    why_not: Callable[[bytes, pa.ArrowInvalid], str],
    name: str,
    bad: list[BadRow],
) -> list[pa.Table]:
    """The rows of a block; where Arrow refuses it is halved, until the lines at fault stand alone."""
    try:
        return [read(block.lines)]
    except pa.ArrowInvalid as error:
        if len(block.lines) == 1:
            if line := block.lines[0].strip():
                text = line[:TEXT_KEPT].decode("utf-8", "replace")
                bad.append(BadRow(name, block.first, text, why_not(line, error)))
            return []
    left, right = block.halves()
    return readable(left, read, why_not, name, bad) + readable(right, read, why_not, name, bad)
