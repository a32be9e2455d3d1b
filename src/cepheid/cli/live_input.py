"""What is said about a live stream: where it comes from, its format, its columns, how late events may be."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from cepheid.cli.deliver import JSON_LINES, text_format
from cepheid.cli.refuse import misuse
from cepheid.cli.say import say
from cepheid.errors import SourceError
from cepheid.sources.arrivals import Wait, followed, piped
from cepheid.sources.lines import Block, blocks_of
from cepheid.sources.live import LEARN
from cepheid.sources.paths import ALIASES, CODECS, STANDARD, ending_of, missing

TYPES = {
    "int": pa.int64(),
    "float": pa.float64(),
    "bool": pa.bool_(),
    "text": pa.string(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
    "timestamp-utc": pa.timestamp("us", "UTC"),
}
"""The types that --column may name."""


@dataclass(frozen=True, slots=True)
class LiveInput:
    """Standard input, or the file that is followed."""

    path: str
    form: str
    lateness: str
    told: Mapping[str, pa.DataType]

    @property
    def name(self) -> str:
        """What messages call it."""
        return "standard input" if self.path == STANDARD else self.path

    def blocks(self, wait: Wait) -> Iterator[Block]:
        """Its lines, as they come."""
        if self.path == STANDARD:
            return blocks_of(piped(sys.stdin.fileno(), wait), self.name)
        return blocks_of(followed(self.path, wait, say), self.name)


def live_input(
    paths: Sequence[str], format: str | None, lateness: str | None, columns: Sequence[str]
) -> LiveInput:
    """What was said about a live stream, once it makes sense."""
    if len(paths) > 1:
        misuse("a live stream stands alone: give either - or one file with --follow")
    (path,) = paths
    form = text_format(format) or JSON_LINES
    if path != STANDARD:
        _refuse_unfollowable(path, format)
        form = text_format(format) or ending_of(path)[0]
    return LiveInput(path, form, lateness or "0", dict(_told(each) for each in columns))


def _refuse_unfollowable(path: str, format: str | None) -> None:
    ending = os.path.splitext(path)[1].lower()
    if os.path.isdir(path):
        misuse(f"--follow takes a file, and {path} is a folder")
    if ending in CODECS:
        misuse(f"--follow reads a file as it grows, and {path} is packed")
    if format is None and ALIASES.get(ending) not in LEARN:
        misuse(f"--follow reads JSON lines, CSV or TSV: say which {path} is with --format")
    if not os.path.exists(path):
        raise SourceError(missing(path))


def _told(given: str) -> tuple[str, pa.DataType]:
    name, equals, kind = given.rpartition("=")
    if not equals or not name:
        misuse(f"--column {given}: write it as NAME=TYPE, such as --column price=float")
    if kind not in TYPES:
        misuse(f"--column {given}: the type is one of {', '.join(TYPES)}")
    return name, TYPES[kind]
