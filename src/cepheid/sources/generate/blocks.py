"""From pieces of text to blocks of bytes, and what may be asked of a generated document."""

import math
from collections.abc import Iterable, Iterator

BLOCK_BYTES = 1 << 20
PROLOGUE = '<?xml version="1.0" encoding="UTF-8"?>\n'
MEGABYTE = 1_000_000


def blocks_of(pieces: Iterable[str]) -> Iterator[bytes]:
    """The pieces as UTF-8, together in blocks of about a megabyte."""
    held: list[str] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= BLOCK_BYTES:
            yield "".join(held).encode()
            held.clear()
            size = 0
    if held:
        yield "".join(held).encode()


def pieces_up_to(megabytes: float, opening: str, pieces: Iterable[str], closing: str) -> Iterator[str]:
    """A document of about this size: pieces are taken until one more would be too much."""
    left = megabytes * MEGABYTE - len(opening) - len(closing)
    yield opening
    for piece in pieces:
        size = len(piece) if piece.isascii() else len(piece.encode())
        if size / 2 > left:
            break
        left -= size
        yield piece
    yield closing


def check_document(size: float, seed: int, most: float, what: str) -> None:
    """Refuse a size or a seed that means nothing; `what` says what the size is."""
    if not math.isfinite(size) or not 0 < size <= most:
        raise ValueError(f"size is {size:g}, and should be {what} above 0, and at most {most:,.0f}")
    if seed < 0:
        raise ValueError(f"seed is {seed}, and should be at least 0")
