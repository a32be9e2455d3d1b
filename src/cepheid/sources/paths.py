"""From what the user wrote to files that exist: globs, folders, endings, standard input."""

import difflib
import glob
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from cepheid.errors import SourceError
from cepheid.sources.opened import Location, stream

STANDARD = "-"
CODECS = (".gz", ".bz2", ".zst", ".lz4")
ALIASES = {
    **dict.fromkeys((".parquet", ".pq"), ".parquet"),
    ".csv": ".csv",
    ".tsv": ".tsv",
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), ".jsonl"),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), ".arrow"),
    ".arrows": ".arrows",
}
"""Every known ending, to the one that names its format."""

TEXTS = (".csv", ".tsv", ".jsonl")
BLANK_BYTES = 4096
"""Up to this size, a file of text may hold nothing but white space, or an archive of nothing."""


def locations(paths: Sequence[str | Path], standard: str = ".jsonl") -> list[Location]:
    """Every file that the paths mean and that holds something, in their order; folders and globs in the order
    of names."""
    if not paths:
        raise SourceError("no file was given")
    places = [place for path in paths for place in _locate(os.fspath(path), standard)]
    return _without_empty(places)


def _without_empty(places: list[Location]) -> list[Location]:
    """The files that hold more than white space: writers leave empty ones, which have not even columns."""
    full = [place for place in places if not _is_empty(place)]
    if not full and os.path.getsize(places[0].path) == 0:
        raise SourceError(f"{places[0].name} is empty")
    return full or places  # what a format expects of a file is said by its reader


def _is_empty(place: Location) -> bool:
    size = os.path.getsize(place.path)
    if size > BLANK_BYTES or (size and place.ending not in TEXTS):
        return size == 0
    try:
        with stream(place) as file:
            return not file.read(BLANK_BYTES).strip()
    except (pa.ArrowException, OSError):
        return False  # what is wrong with it is said by its reader


def ending_of(path: str) -> tuple[str, bool]:
    """The format's ending, and whether a codec's ending follows it."""
    stem, last = os.path.splitext(path.lower())
    packed = last in CODECS
    if packed:
        last = os.path.splitext(stem)[1]
    if last not in ALIASES:
        near = difflib.get_close_matches(last, ALIASES, n=1) if last else []
        hint = f"did you mean '{near[0]}'? " if near else ""
        raise SourceError(
            f"{path}: {hint}the format is told by the ending, which is one of "
            f"{' '.join(ALIASES)}, and after it for text {' '.join(CODECS)}"
        )
    return ALIASES[last], packed


def _locate(path: str, standard: str) -> Iterator[Location]:
    if path == STANDARD:
        yield _standard_input(standard)
    elif os.path.isdir(path):
        yield from _folder(path)
    elif os.path.exists(path):
        yield _file(path)
    elif glob.has_magic(path):
        yield from _glob(path)
    else:
        raise SourceError(missing(path))


def _file(path: str) -> Location:
    ending, packed = ending_of(path)
    if not os.access(path, os.R_OK):
        raise SourceError(f"{path} cannot be read: permission denied")
    return Location(path, path, ending, packed)


def _glob(pattern: str) -> Iterator[Location]:
    found = sorted(path for path in glob.glob(pattern, recursive=True) if os.path.isfile(path))
    if not found:
        raise SourceError(f"no file matches {pattern}")
    for path in found:
        yield _file(path)


def _folder(folder: str) -> Iterator[Location]:
    found = sorted(path for path in Path(folder).rglob("*.parquet") if is_data(path, folder))
    if not found:
        raise SourceError(f"{folder} is a folder with no Parquet file in it; name the files: {folder}/*.csv")
    for path in found:
        yield _file(str(path))


def is_data(path: Path, folder: str) -> bool:
    """Writers such as Spark leave files that begin with `_` or `.` beside the data."""
    return path.is_file() and not any(part[0] in "_." for part in path.relative_to(folder).parts)


def missing(path: str) -> str:
    """That there is no such file, and which may be meant."""
    folder, name = os.path.split(path)
    if not os.path.isdir(folder or "."):
        return f"{path} does not exist: there is no folder {folder}"
    near = difflib.get_close_matches(name, os.listdir(folder or "."), n=3)
    hint = f"; did you mean {' or '.join(os.path.join(folder, other) for other in near)}?" if near else ""
    return f"{path} does not exist{hint}"


def _standard_input(ending: str) -> Location:
    """Standard input is kept in a file, since it is read twice."""
    if sys.stdin is None or sys.stdin.closed:
        raise SourceError("standard input is closed")
    with tempfile.NamedTemporaryFile(prefix="cepheid-", suffix=ending, delete=False) as kept:
        shutil.copyfileobj(sys.stdin.buffer, kept)
    _remove_at_exit(kept.name)
    return Location("standard input", kept.name, ending)


def _remove_at_exit(path: str) -> None:
    import atexit

    atexit.register(lambda: Path(path).unlink(missing_ok=True))
