"""CSV and TSV: read as text, typed by what the whole file holds.

The file is read twice, in blocks: once to learn the types, once for the events. So a column
never changes its type halfway, and only a row with the wrong number of fields is bad. A live
stream is read once: its first lines say what the types are, and a row is a line.
"""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv

from cepheid.errors import SourceError
from cepheid.sources.lines import Block, readable
from cepheid.sources.opened import (
    BLOCK_BYTES,
    TEXT_KEPT,
    BadRow,
    Location,
    OpenFile,
    first_line,
    reading,
    stream,
)  # fmt: skip
from cepheid.sources.text_types import NUMBERS, TIMES, convert, fits, misfit, narrowest, widen

NULLS = ["", "null", "NULL"]
DELIMITERS = {".csv": ",", ".tsv": "\t"}

OnInvalid = Callable[[pacsv.InvalidRow], str]


def open_delimited(location: Location) -> OpenFile:
    """A CSV or TSV file with a header line."""
    names = _header(location)
    kinds = dict.fromkeys(names, pa.null())
    rows = 0
    for batch in _text_batches(location, names, lambda row: "skip"):
        rows += batch.num_rows
        for name in names:
            kinds[name] = _learn(kinds[name], batch.column(name))
    schema = pa.schema(list(kinds.items()))

    def batches(columns: list[str], bad: list[BadRow]) -> Iterator[pa.RecordBatch]:
        chosen = pa.schema([schema.field(name) for name in columns])
        for batch in _text_batches(location, names, _note(location, bad)):
            arrays = [convert(batch.column(field.name), field.type) for field in chosen]
            yield pa.RecordBatch.from_arrays(arrays, schema=chosen)

    return OpenFile(location.name, schema, rows, batches)


@dataclass(frozen=True, slots=True)
class DelimitedColumns:
    """The columns of a stream of CSV or TSV; the first line of each file names them."""

    names: list[str]
    schema: pa.Schema
    delimiter: str

    def rows(self, block: Block, columns: Sequence[str], name: str, bad: list[BadRow]) -> list[pa.Table]:
        """The rows of a block that fit, with these columns."""
        block = self._below_header(block, name)
        schema = pa.schema([self.schema.field(column) for column in columns])

        def read(lines: list[bytes]) -> pa.Table:
            return _typed(self._texts(lines, columns, lambda row: "error"), schema)

        def why_not(line: bytes, error: pa.ArrowInvalid) -> str:
            return self._why_not(line, schema)

        return readable(block, read, why_not, name, bad)

    def _below_header(self, block: Block, name: str) -> Block:
        """The rows of a block. A file that was cut off may go on without its header."""
        if block.first > 1 or not block.lines[0].strip():
            return block
        header = _header_line(block.lines[0], name, self.delimiter)
        if header == self.names:
            return Block(block.lines[1:], block.first + 1)
        if set(header) & set(self.names):
            raise SourceError(f"{name} has other columns now: {', '.join(header)}; start again to read them")
        return block

    def _texts(self, lines: list[bytes], columns: Sequence[str], on_invalid: OnInvalid) -> pa.Table:
        if not any(line.strip() for line in lines):
            return pa.schema([(column, pa.string()) for column in columns]).empty_table()
        options = _options(self.names, self.delimiter, on_invalid, BLOCK_BYTES * 4)
        options["convert_options"].include_columns = list(columns)
        return pacsv.read_csv(io.BytesIO(b"\n".join(lines)), **options)

    def _why_not(self, line: bytes, schema: pa.Schema) -> str:
        """Why a line is no row."""
        found: list[str] = []

        def note(row: pacsv.InvalidRow) -> str:
            found.append(_wrong_number(row))
            return "skip"

        try:
            texts = self._texts([line], schema.names, note)
        except pa.ArrowInvalid as error:
            return first_line(error)
        for field in schema:
            if texts.num_rows and not fits(column := texts.column(field.name), field.type):
                return misfit(field.name, column[0].as_py(), field.type)
        return found[0] if found else "no row"


def delimited_columns(
    block: Block, name: str, told: Mapping[str, pa.DataType], delimiter: str
) -> DelimitedColumns:
    """What the first lines of a stream have, with the types that were told."""
    names = _header_line(block.lines[0], name, delimiter)
    texts = DelimitedColumns(names, pa.schema([(column, pa.string()) for column in names]), delimiter)
    kinds: dict[str, pa.DataType] = dict.fromkeys(names, pa.null())
    for table in texts.rows(block, names, name, []):
        kinds = {column: _learn(kinds[column], table.column(column)) for column in names}
    if unknown := sorted(told.keys() - kinds.keys()):
        raise SourceError(f"{name} has no column '{unknown[0]}', but {', '.join(names)}")
    return DelimitedColumns(names, pa.schema(list((kinds | dict(told)).items())), delimiter)


def _typed(texts: pa.Table, schema: pa.Schema) -> pa.Table:
    return pa.Table.from_arrays(
        [convert(texts.column(field.name), field.type) for field in schema], schema=schema
    )


def _learn(known: pa.DataType, column: pa.Array) -> pa.DataType:
    """What is known of a column's type, after one more block of it."""
    if pa.types.is_string(known) or fits(column, known):
        return known
    return widen(known, narrowest(column, NUMBERS + TIMES)) or pa.string()


def _header(location: Location) -> list[str]:
    with reading(location, "CSV"), stream(location) as source:
        text = io.TextIOWrapper(source, encoding="utf-8-sig", newline="")
        return header_of(text, location.name, DELIMITERS[location.ending])


def _header_line(line: bytes, name: str, delimiter: str) -> list[str]:
    return header_of(io.StringIO(str(line, "utf-8", "replace")), name, delimiter)


def header_of(text: io.TextIOBase, name: str, delimiter: str) -> list[str]:
    """The column names, without the spaces around them."""
    names = [column.strip() for column in next(csv.reader(text, delimiter=delimiter), [])]
    if not any(names):
        raise SourceError(f"{name} is empty: a CSV file begins with a line of column names")
    if repeated := sorted({column for column in names if names.count(column) > 1}):
        raise SourceError(f"{name} has two columns named '{repeated[0]}': rename one of them")
    return names


def _text_batches(location: Location, names: list[str], on_invalid: OnInvalid) -> Iterator[pa.RecordBatch]:
    options = _options(names, DELIMITERS[location.ending], on_invalid, BLOCK_BYTES)
    options["read_options"].skip_rows = 1
    options["parse_options"].newlines_in_values = True
    with reading(location, "CSV"), stream(location) as source:
        try:
            reader = pacsv.open_csv(source, **options)
        except pa.ArrowInvalid as error:
            if "Empty CSV" in str(error):  # a header and no rows
                return
            raise
        yield from reader


def _options(names: list[str], delimiter: str, on_invalid: OnInvalid, block_size: int) -> dict[str, Any]:
    """How Arrow reads rows of these columns as texts."""
    return {
        "read_options": pacsv.ReadOptions(column_names=names, block_size=block_size, use_threads=False),
        "parse_options": pacsv.ParseOptions(delimiter=delimiter, invalid_row_handler=on_invalid),
        "convert_options": pacsv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            null_values=NULLS,
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    }


def _wrong_number(row: pacsv.InvalidRow) -> str:
    return f"{row.actual_columns} fields where the header has {row.expected_columns}"


def _note(location: Location, bad: list[BadRow]) -> OnInvalid:
    def on_invalid(row: pacsv.InvalidRow) -> str:
        bad.append(BadRow(location.name, row.number or 0, row.text[:TEXT_KEPT], _wrong_number(row)))
        return "skip"

    return on_invalid
