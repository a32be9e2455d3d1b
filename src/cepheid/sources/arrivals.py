"""Bytes as they arrive: through a pipe until it is closed, or in a file that grows for ever."""

import os
from collections.abc import Callable, Iterator
from typing import BinaryIO

from cepheid.errors import SourceError
from cepheid.sources.opened import BLOCK_BYTES

Wait = Callable[[int | None, float | None], bool]
"""Wait until a descriptor has something to read, or for so many seconds; whether it has."""

LINGER = 0.05  # seconds to wait for more of the first block, which the types of columns are told by
PAUSE = 0.2  # seconds between two looks at a file


def piped(descriptor: int, wait: Wait) -> Iterator[bytes]:
    """What has arrived, at once if little comes and in large pieces if much comes."""
    patience = LINGER
    while wait(descriptor, None):
        pieces: list[bytes] = []
        room = BLOCK_BYTES
        while room > 0 and (not pieces or wait(descriptor, patience)):
            piece = os.read(descriptor, room)
            if not piece:
                yield b"".join(pieces)
                return
            pieces.append(piece)
            room -= len(piece)
        yield b"".join(pieces)
        patience = 0.0


def followed(path: str, wait: Wait, tell: Callable[[str], None]) -> Iterator[bytes | None]:
    """A file from its start and whatever is added to it; None where another file begins.

    One that is cut off or replaced, as logs are, is read from its start again.
    """
    file = _opened(path)
    try:
        while True:
            if piece := file.read(BLOCK_BYTES):
                yield piece
                wait(None, 0)
            elif _is_cut(file):
                tell(f"{path} was cut off: reading it from its start")
                file.seek(0)
                yield None
            elif _is_replaced(path, file):
                tell(f"{path} was replaced: going on with the new file")
                file.close()
                file = _opened(path)
                yield None
            else:
                wait(None, PAUSE)
    finally:
        file.close()


def _opened(path: str) -> BinaryIO:
    try:
        return open(path, "rb", buffering=0)
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from error


def _is_cut(file: BinaryIO) -> bool:
    return os.fstat(file.fileno()).st_size < file.tell()


def _is_replaced(path: str, file: BinaryIO) -> bool:
    """Whether the name now means another file; while there is none, the old one may still grow."""
    try:
        named, held = os.stat(path), os.fstat(file.fileno())
    except OSError:
        return False
    return (named.st_dev, named.st_ino) != (held.st_dev, held.st_ino)
