"""Events of a live stream of text: its first lines say which columns there are, and of which types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import pyarrow as pa

from cepheid.errors import SourceError
from cepheid.sources.delimited import DELIMITERS, delimited_columns
from cepheid.sources.files import EventFiles
from cepheid.sources.json_lines import json_columns
from cepheid.sources.lines import Block
from cepheid.sources.opened import BadRow, OpenFile


class LiveColumns(Protocol):
    """What is known of a stream's columns, once its first lines have come."""

    @property
    def schema(self) -> pa.Schema:
        """The columns and their types."""

    def rows(self, block: Block, columns: Sequence[str], name: str, bad: list[BadRow]) -> list[pa.Table]:
        """The rows of a block that fit, with these columns; the others go to `bad`."""


Learn = Callable[[Block, str, Mapping[str, pa.DataType]], LiveColumns | None]

LEARN: dict[str, Learn] = {
    ".jsonl": json_columns,
    **{ending: partial(delimited_columns, delimiter=mark) for ending, mark in DELIMITERS.items()},
}
"""Each format's way to learn the columns of a stream from its first lines."""


@dataclass(frozen=True, slots=True)
class LiveStream:
    """A stream whose columns are known; each block of lines becomes events."""

    name: str
    columns: LiveColumns
    schema: pa.Schema

    def events(self, block: Block, needed: Sequence[str]) -> EventFiles:
        """The events of a block, with the columns that are needed."""

        def batches(columns: list[str], bad: list[BadRow]) -> Iterator[pa.RecordBatch]:
            for table in self.columns.rows(block, columns, self.name, bad):
                yield from table.to_batches()

        schema = pa.schema([self.schema.field(name) for name in needed])
        return EventFiles((OpenFile(self.name, schema, None, batches),), schema, None, 0)


def live_stream(
    form: str, name: str, block: Block, told: Mapping[str, pa.DataType], *, whole: bool = False
) -> LiveStream | None:
    """The stream that begins with these lines, or None if they do not say what it is.

    A column without a value is not known yet, unless this is the whole stream.
    """
    lines = any(line.strip() for line in block.lines)
    columns = LEARN[form](block, name, told) if lines else None
    if columns is None:
        if whole and lines:
            raise SourceError(f"{name} is not JSON lines: no line of it is an object")
        return None
    known = [field for field in columns.schema if whole or not pa.types.is_null(field.type)]
    return LiveStream(name, columns, pa.schema(known))
