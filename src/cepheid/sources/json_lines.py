"""JSON lines: one object a line; a line that is none, or that does not fit the others, is bad.

The file is read twice, in blocks of whole lines: once to learn the columns, once for the
events. Arrow parses a block at once; only where it refuses is the block halved, until the
lines at fault stand alone.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.json as pajson

from cepheid.errors import SourceError
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
from cepheid.sources.text_types import TIMES, convert, fits, narrowest, widen

LONGEST_LINE = 64 << 20
LINES_TRIED = 100  # a file whose first lines are all bad is not JSON lines

_EMPTY = pa.schema([])


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines of the file, and the number of the first."""

    lines: list[bytes]
    first: int

    def halves(self) -> tuple[Block, Block]:
        """The block, cut in two."""
        middle = len(self.lines) // 2
        return Block(self.lines[:middle], self.first), Block(self.lines[middle:], self.first + middle)


def open_json_lines(location: Location) -> OpenFile:
    """A file of JSON lines; its columns are all the keys that occur."""
    raw, kinds, rows = _learn(location)
    schema = pa.schema([(name, kinds.get(name, raw.field(name).type)) for name in raw.names])

    def batches(columns: list[str], bad: list[BadRow]) -> Iterator[pa.RecordBatch]:
        for block in _blocks(location):
            for table in _parsed(block, raw, location.name, bad):
                yield from _typed(table, schema).select(columns).to_batches()

    return OpenFile(location.name, schema, rows, batches, sparse=True)


def _learn(location: Location) -> tuple[pa.Schema, dict[str, pa.DataType], int]:
    """The columns with text left as text, the types of the text columns, and how many rows fit."""
    raw = _EMPTY
    kinds: dict[str, pa.DataType] = {}
    rows = 0
    for block in _blocks(location):
        if not raw.names:
            _refuse_other_formats(location, block)
        tables = _fitting(block, raw)
        if tables is None:
            raw = _columns_of(block, raw)
            tables = _parsed(block, raw, location.name, [])
        for table in tables:
            rows += table.num_rows
            _learn_text(table, kinds)
    if not raw.names:
        raise SourceError(f"{location.name} is empty: expected one JSON object a line")
    return raw, kinds, rows


def _fitting(block: Block, known: pa.Schema) -> list[pa.Table] | None:
    """The block, if it has just the columns that are known: the usual case, and the quick one."""
    try:
        table = _parse(block.lines, known, "infer")
    except pa.ArrowInvalid:
        return None
    return [table] if table.schema == known else None


def _columns_of(block: Block, known: pa.Schema) -> pa.Schema:
    """The columns after one more block; where two lines disagree, the earlier one is right."""
    try:
        return _untimed(_parse(block.lines, known, "infer").schema)
    except pa.ArrowInvalid:
        pass
    try:
        return _merged(known, _untimed(_parse(block.lines, _EMPTY, "infer").schema))
    except pa.ArrowInvalid:
        if len(block.lines) == 1:
            return known
    for half in block.halves():
        known = _columns_of(half, known)
    return known


def _merged(known: pa.Schema, found: pa.Schema) -> pa.Schema:
    fields = {field.name: field.type for field in known}
    for field in found:
        earlier = fields.get(field.name, pa.null())
        fields[field.name] = widen(earlier, field.type) or earlier
    return pa.schema(list(fields.items()))


def _learn_text(table: pa.Table, kinds: dict[str, pa.DataType]) -> None:
    for field in table.schema:
        if not pa.types.is_string(field.type):
            continue
        column = table.column(field.name)
        known = kinds.get(field.name, pa.null())
        if pa.types.is_string(known) or fits(column, known):
            continue
        kinds[field.name] = widen(known, narrowest(column, TIMES)) or pa.string()


def _typed(table: pa.Table, schema: pa.Schema) -> pa.Table:
    columns = [
        convert(column, field.type) if pa.types.is_string(column.type) else column.cast(field.type)
        for column, field in zip(table.itercolumns(), schema, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _parsed(block: Block, schema: pa.Schema, name: str, bad: list[BadRow]) -> list[pa.Table]:
    """The rows of a block that fit the schema; the others go to `bad`."""
    try:
        return [_parse(block.lines, schema, "ignore")]
    except pa.ArrowInvalid as error:
        if len(block.lines) == 1:
            if line := block.lines[0].strip():
                text = line[:TEXT_KEPT].decode("utf-8", "replace")
                bad.append(BadRow(name, block.first, text, _reason(line, error)))
            return []
    left, right = block.halves()
    return _parsed(left, schema, name, bad) + _parsed(right, schema, name, bad)


def _parse(lines: list[bytes], schema: pa.Schema, unexpected: str) -> pa.Table:
    data = b"\n".join(lines)
    return pajson.read_json(
        io.BytesIO(data),
        read_options=pajson.ReadOptions(use_threads=False, block_size=len(data) + 1),
        parse_options=pajson.ParseOptions(explicit_schema=schema, unexpected_field_behavior=unexpected),
    )


def _untimed(schema: pa.Schema) -> pa.Schema:
    """Arrow guesses times in JSON, but drops their zone: keep the text, and look at it later."""
    return pa.schema([(field.name, _text_for_time(field.type)) for field in schema])


def _text_for_time(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_timestamp(kind):
        return pa.string()
    if pa.types.is_list(kind):
        return pa.list_(_text_for_time(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, _text_for_time(field.type)) for field in kind])
    return kind


def _reason(line: bytes, error: pa.ArrowInvalid) -> str:
    try:
        value = json.loads(line)
    except UnicodeDecodeError:
        return "not UTF-8"
    except (ValueError, RecursionError) as problem:
        return f"not JSON: {first_line(problem)}"
    if not isinstance(value, dict):
        return f"a JSON {type(value).__name__}, not an object"
    return first_line(error).removeprefix("JSON parse error: ")


def _refuse_other_formats(location: Location, block: Block) -> None:
    lines = [line for line in block.lines if line.strip()][:LINES_TRIED]
    if lines and lines[0].lstrip().startswith(b"["):
        raise SourceError(f"{location.name} holds a JSON array; write one object a line: jq -c '.[]'")
    if lines and not any(_is_object(line) for line in lines):
        raise SourceError(f"{location.name} is not JSON lines: no JSON object in its first lines")


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _blocks(location: Location) -> Iterator[Block]:
    first = 1
    with reading(location, "JSON lines"), stream(location) as source:
        rest = b""
        while chunk := source.read(BLOCK_BYTES):
            body, newline, rest = (rest + chunk).rpartition(b"\n")
            if len(rest) > LONGEST_LINE:
                raise SourceError(f"{location.name} is not JSON lines: a line is longer than 64 MB")
            if newline:
                lines = _without_mark(body, first).split(b"\n")
                yield Block(lines, first)
                first += len(lines)
        if rest.strip():
            yield Block([_without_mark(rest, first)], first)


def _without_mark(data: bytes, first: int) -> bytes:
    return data.removeprefix(b"\xef\xbb\xbf") if first == 1 else data
