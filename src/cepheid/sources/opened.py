"""What every format gives once a file is open: a schema, and batches on demand."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa

from cepheid.errors import SourceError

BATCH_ROWS = 65_536
BLOCK_BYTES = 4 << 20  # of a text file, read at a time
TEXT_KEPT = 200  # characters of a bad row that are shown


class BadRow(NamedTuple):
    """A row that could not be read, and why."""

    file: str
    line: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Location:
    """Where to read from: `path` is where the bytes are, `name` what messages call it."""

    name: str
    path: str
    ending: str
    packed: bool = False  # whether a codec such as gzip is to be undone


@dataclass(frozen=True, slots=True)
class OpenFile:
    """One file, its schema known; `batches` reads it anew each time and reports what it could not read."""

    name: str
    schema: pa.Schema
    rows: int | None
    batches: Callable[[list[str], list[BadRow]], Iterator[pa.RecordBatch]]
    sparse: bool = False  # whether a row may leave columns out, as JSON lines do


@contextmanager
def reading(location: Location, kind: str) -> Iterator[None]:
    """Turns what the readers raise into one error that names the file."""
    try:
        yield
    except (pa.ArrowException, UnicodeDecodeError, EOFError) as error:
        raise SourceError(f"{location.name} cannot be read as {kind}: {first_line(error)}") from error
    except OSError as error:
        raise SourceError(f"{location.name} cannot be read: {error.strerror or first_line(error)}") from error


def first_line(error: BaseException) -> str:
    """The first line of an error's message; the rest of Arrow's is about Arrow."""
    return (str(error).splitlines() or [type(error).__name__])[0]


def stream(location: Location) -> pa.NativeFile:
    """The file's bytes, unpacked, from the start."""
    return pa.input_stream(location.path, compression="detect" if location.packed else None)
