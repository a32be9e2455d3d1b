"""CSV and TSV: read as text, typed by what the whole file holds.

The file is read twice, in blocks: once to learn the types, once for the events. So a column
never changes its type halfway, and only a row with the wrong number of fields is bad.
"""

import csv
import io
from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.csv as pacsv

from cepheid.errors import SourceError
from cepheid.sources.opened import BLOCK_BYTES, TEXT_KEPT, BadRow, Location, OpenFile, reading, stream
from cepheid.sources.text_types import NUMBERS, TIMES, convert, fits, narrowest, widen

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


def _learn(known: pa.DataType, column: pa.Array) -> pa.DataType:
    """What is known of a column's type, after one more block of it."""
    if pa.types.is_string(known) or fits(column, known):
        return known
    return widen(known, narrowest(column, NUMBERS + TIMES)) or pa.string()


def _header(location: Location) -> list[str]:
    """The column names, without the spaces around them."""
    with reading(location, "CSV"), stream(location) as source:
        text = io.TextIOWrapper(source, encoding="utf-8-sig", newline="")
        names = next(csv.reader(text, delimiter=DELIMITERS[location.ending]), [])
    names = [name.strip() for name in names]
    if not any(names):
        raise SourceError(f"{location.name} is empty: a CSV file begins with a line of column names")
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise SourceError(f"{location.name} has two columns named '{repeated[0]}': rename one of them")
    return names


def _text_batches(location: Location, names: list[str], on_invalid: OnInvalid) -> Iterator[pa.RecordBatch]:
    with reading(location, "CSV"), stream(location) as source:
        try:
            reader = pacsv.open_csv(
                source,
                read_options=pacsv.ReadOptions(
                    column_names=names, skip_rows=1, block_size=BLOCK_BYTES, use_threads=False
                ),
                parse_options=pacsv.ParseOptions(
                    delimiter=DELIMITERS[location.ending],
                    newlines_in_values=True,
                    invalid_row_handler=on_invalid,
                ),
                convert_options=pacsv.ConvertOptions(
                    column_types=dict.fromkeys(names, pa.string()),
                    null_values=NULLS,
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            )
        except pa.ArrowInvalid as error:
            if "Empty CSV" in str(error):  # a header and no rows
                return
            raise
        yield from reader


def _note(location: Location, bad: list[BadRow]) -> OnInvalid:
    def on_invalid(row: pacsv.InvalidRow) -> str:
        reason = f"{row.actual_columns} fields where the header has {row.expected_columns}"
        bad.append(BadRow(location.name, row.number or 0, row.text[:TEXT_KEPT], reason))
        return "skip"

    return on_invalid
