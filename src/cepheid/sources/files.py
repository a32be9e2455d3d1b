"""Events from files: Parquet, CSV, JSON lines and Arrow, by their ending, as one stream of batches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa

from cepheid.errors import SourceError
from cepheid.sources.columnar import open_arrow, open_parquet
from cepheid.sources.delimited import open_delimited
from cepheid.sources.hive import with_folder_columns
from cepheid.sources.json_lines import open_json_lines
from cepheid.sources.opened import BadRow, Location, OpenFile
from cepheid.sources.paths import locations
from cepheid.sources.text_types import widen
from cepheid.sources.write import write_table

__all__ = ["BadRow", "EventFiles", "open_events", "write_table"]

OPENERS: dict[str, Callable[[Location], OpenFile]] = {
    ".parquet": open_parquet,
    ".csv": open_delimited,
    ".tsv": open_delimited,
    ".jsonl": open_json_lines,
    ".arrow": open_arrow,
    ".arrows": open_arrow,
}


@dataclass(frozen=True, slots=True)
class EventFiles:
    """Files of one schema, one after another; iterating reads them, in bounded memory."""

    files: tuple[OpenFile, ...]
    schema: pa.Schema
    rows: int | None  # how many rows there are, where the files say so
    bytes: int  # how large the files are on disk
    bad: list[BadRow] = field(default_factory=list, compare=False)  # of the last reading

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        self.bad.clear()
        for file in self.files:
            wanted = [name for name in self.schema.names if name in file.schema.names]
            for batch in file.batches(wanted, self.bad):
                if batch.num_rows:
                    yield _fitted(batch, self.schema)

    def select(self, columns: Sequence[str]) -> EventFiles:
        """The same files, of which only these columns are read."""
        unknown = [name for name in columns if name not in self.schema.names]
        if unknown:
            raise SourceError(f"the files have no column '{unknown[0]}', but {', '.join(self.schema.names)}")
        return replace(self, schema=pa.schema([self.schema.field(name) for name in columns]), bad=[])

    def to_reader(self) -> pa.RecordBatchReader:
        """The batches as an Arrow reader."""
        return pa.RecordBatchReader.from_batches(self.schema, iter(self))

    def to_table(self) -> pa.Table:
        """Everything in memory."""
        return pa.Table.from_batches(list(self), schema=self.schema)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """What libraries of the Arrow family read from."""
        return self.to_reader().__arrow_c_stream__(requested_schema)


def open_events(
    paths: Sequence[str | Path], *, columns: Sequence[str] | None = None, standard: str | None = None
) -> EventFiles:
    """The events of these files, folders and globs; `-` is standard input as JSON lines, or as a file with
    the ending `standard`."""
    places = locations([paths] if isinstance(paths, str | Path) else paths, standard or ".jsonl")
    files = with_folder_columns([OPENERS[place.ending](place) for place in places], places)
    counts = [file.rows for file in files]
    opened = EventFiles(
        files,
        _one_schema(files),
        rows=None if None in counts else sum(count or 0 for count in counts),
        bytes=sum(os.path.getsize(place.path) for place in places),
    )
    return opened if columns is None else opened.select(columns)


def _one_schema(files: tuple[OpenFile, ...]) -> pa.Schema:
    """The schema that all files fit, or an error that names the file and the column that do not.

    A file without rows has no say, unless none has: what wrote it may not have known the types.
    """
    files = tuple(file for file in files if file.rows != 0) or files
    first = files[0]
    fields = {column.name: column.type for column in first.schema}
    if len(fields) < len(first.schema.names):
        return first.schema  # a repeated name is refused with a better message when the columns are bound
    for file in files[1:]:
        if not (file.sparse and first.sparse) and set(file.schema.names) != set(fields):
            raise SourceError(_difference(first, file))
        for column in file.schema:
            known = fields.get(column.name, pa.null())
            wide = widen(known, column.type)
            if wide is None:
                raise SourceError(
                    f"{file.name}: the column '{column.name}' is {column.type}, "
                    f"but {known} in the files before it"
                )
            fields[column.name] = wide
    return pa.schema(list(fields.items()))


def _difference(first: OpenFile, file: OpenFile) -> str:
    missing = [name for name in first.schema.names if name not in file.schema.names]
    if missing:
        return f"{file.name} has no column '{missing[0]}', which {first.name} has"
    extra = [name for name in file.schema.names if name not in first.schema.names]
    return f"{file.name} has a column '{extra[0]}', which {first.name} has not"


def _fitted(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The batch with the columns, order and types of the schema; absent columns are null."""
    if batch.schema == schema:
        return batch
    arrays = [
        batch.column(wanted.name).cast(wanted.type)
        if wanted.name in batch.schema.names
        else pa.nulls(batch.num_rows, wanted.type)
        for wanted in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
