"""Results to files: Parquet, CSV, JSON lines and Arrow, by their ending; and generated documents.

A file appears under its name only when it is whole; until then it is written beside it.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from cepheid.errors import SourceError
from cepheid.matchers.plain_text import flat, json_lines
from cepheid.sources.opened import first_line
from cepheid.sources.paths import CODECS, STANDARD, ending_of

Batches = Iterable[pa.RecordBatch]
Writer = Callable[[pa.Schema, Batches, Any], None]
TextOf = Callable[[pa.RecordBatch, bool], str]
ROWS_A_GROUP = 1 << 20
ROWS_A_TEXT = 8_192


def write_table(
    rows: pa.Table | pa.RecordBatchReader | Batches, path: str | Path, form: str | None = None
) -> int:
    """Write a table, or batches as they come; returns the number of rows.

    `-` is standard output, as JSON lines or as the text format `form`."""
    path = os.fspath(path)
    schema, batches = _schema_and_batches(rows)
    counted = _Counted(batches)
    if path == STANDARD:
        _write_standard(schema, counted, form or ".jsonl")
        return counted.rows
    ending, packed = ending_of(path)
    if packed and ending not in PACKABLE:
        raise SourceError(f"{path}: {ending} is compressed inside already; leave {' '.join(CODECS)} away")
    with _writing(path) as partial, _sink(partial, path, packed) as sink:
        WRITERS[ending](schema, counted, sink)
    return counted.rows


def write_document(blocks: Iterable[bytes], path: str | Path) -> int:
    """Write the bytes of an XML document, packed if the ending says so; returns how many they are.

    `-` is standard output."""
    path = os.fspath(path)
    if path == STANDARD:
        sys.stdout.flush()
        written = sum(map(sys.stdout.buffer.write, blocks))
        sys.stdout.buffer.flush()
        return written
    stem, last = os.path.splitext(path.lower())
    packed = last in CODECS
    if not (stem if packed else path.lower()).endswith(".xml") and not _is_special(path):
        raise SourceError(f"{path}: the ending of a document is .xml, and after it {' '.join(CODECS)}")
    with _writing(path) as partial, _sink(partial, path, packed) as sink:
        return sum(map(sink.write, blocks))


def write_text(text: str, path: str | Path) -> None:
    """Write a page, a picture or another text, whole or not at all."""
    path = os.fspath(path)
    with _writing(path) as partial, _sink(partial, path, packed=False) as sink:
        sink.write(text.encode())


class _Counted:
    """Batches, counted as they pass."""

    def __init__(self, batches: Batches) -> None:
        self.batches = batches
        self.rows = 0

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        for batch in self.batches:
            self.rows += batch.num_rows
            yield batch


def _schema_and_batches(rows: pa.Table | pa.RecordBatchReader | Batches) -> tuple[pa.Schema, Batches]:
    if isinstance(rows, pa.Table):
        return rows.schema, rows.unify_dictionaries().to_batches(max_chunksize=ROWS_A_GROUP)
    if isinstance(rows, pa.RecordBatchReader):
        return rows.schema, rows
    remaining = iter(rows)
    first = next(remaining, None)
    if first is None:
        raise ValueError("no batch to write: an empty table says its schema, an empty iterable does not")
    return first.schema, chain([first], remaining)


def _write_parquet(schema: pa.Schema, batches: Batches, sink: Any) -> None:
    import pyarrow.parquet as pq

    with pq.ParquetWriter(sink, schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)


def _write_arrow(open_writer: Callable[[Any, pa.Schema], Any]) -> Writer:
    def write(schema: pa.Schema, batches: Batches, sink: Any) -> None:
        with open_writer(sink, schema) as writer:
            for batch in batches:
                writer.write_batch(batch)

    return write


def _write_text(form: str) -> Writer:
    def write(schema: pa.Schema, batches: Batches, sink: Any) -> None:
        for text in _texts(schema, batches, form):
            sink.write(text.encode())

    return write


def _write_standard(schema: pa.Schema, batches: Batches, form: str) -> None:
    for text in _texts(schema, batches, form):
        sys.stdout.write(text)
    sys.stdout.flush()


def _texts(schema: pa.Schema, batches: Batches, form: str) -> Iterator[str]:
    header = True
    for batch in batches:
        for start in range(0, batch.num_rows, ROWS_A_TEXT):
            yield TEXTS[form](batch.slice(start, ROWS_A_TEXT), header)
            header = False
    if header:
        yield TEXTS[form](pa.RecordBatch.from_pylist([], schema=schema), header)


def _delimited_text(delimiter: str) -> TextOf:
    def text(batch: pa.RecordBatch, header: bool) -> str:
        import pyarrow.csv as pacsv

        sink = pa.BufferOutputStream()
        columns = [flat(column) for column in batch.columns]
        options = pacsv.WriteOptions(include_header=header, delimiter=delimiter, quoting_style="needed")
        pacsv.write_csv(pa.RecordBatch.from_arrays(columns, batch.schema.names), sink, options)
        return str(sink.getvalue().to_pybytes(), "utf-8")

    return text


TEXTS: dict[str, TextOf] = {
    ".jsonl": lambda batch, header: json_lines(batch),
    ".csv": _delimited_text(","),
    ".tsv": _delimited_text("\t"),
}
"""The formats of a pipe: rows as text, for CSV with the line of column names or without it."""

WRITERS: dict[str, Writer] = {
    ".parquet": _write_parquet,
    ".csv": _write_text(".csv"),
    ".tsv": _write_text(".tsv"),
    ".jsonl": _write_text(".jsonl"),
    ".arrow": _write_arrow(pa.ipc.new_file),
    ".arrows": _write_arrow(pa.ipc.new_stream),
}
PACKABLE = (".csv", ".tsv", ".jsonl", ".arrows")


@contextmanager
def _writing(path: str) -> Iterator[str]:
    """The name to write under; it is renamed once all is well, and removed otherwise."""
    if os.path.isdir(path):
        raise SourceError(f"{path} is a folder: name a file in it")
    special = _is_special(path)
    partial = path if special else f"{path}.part"
    try:
        yield partial
        if not special:
            os.replace(partial, path)
    except BaseException as error:
        if not special:
            with suppress(OSError):
                os.remove(partial)
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise SourceError(f"{path} cannot be written: {_why(error, path)}") from error
        if isinstance(error, pa.ArrowException):
            raise SourceError(f"{path} cannot be written: {first_line(error)}") from error
        raise


def _is_special(path: str) -> bool:
    """A pipe, or /dev/null."""
    return os.path.exists(path) and not os.path.isfile(path)


def _sink(partial: str, path: str, packed: bool) -> Any:
    codec = os.path.splitext(path)[1][1:] if packed else None
    return pa.output_stream(partial, compression={"gz": "gzip", "zst": "zstd"}.get(codec or "", codec))


def _why(error: OSError, path: str) -> str:
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        return f"there is no folder {folder}"
    return error.strerror or first_line(error)
