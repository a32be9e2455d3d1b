"""JSON lines: one object a line; a line that is none, or that does not fit the others, is bad.

The file is read twice, in blocks of whole lines: once to learn the columns, once for the
events. A live stream is read once: its first lines say what the columns are.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import pyarrow as pa
import pyarrow.json as pajson

from cepheid.errors import SourceError
from cepheid.sources.lines import Block, blocks_of, readable
from cepheid.sources.opened import BLOCK_BYTES, BadRow, Location, OpenFile, first_line, reading, stream
from cepheid.sources.text_types import TIMES, convert, fits, misfit, narrowest, widen

LINES_TRIED = 100  # a file whose first lines are all bad is not JSON lines

_EMPTY = pa.schema([])
_ARRAY = re.compile(rb"\s*\[\s*(\{|$)")


@dataclass(frozen=True, slots=True)
class JsonColumns:
    """The columns of JSON lines: as Arrow parses them, and with times in place of their texts."""

    raw: pa.Schema
    schema: pa.Schema

    def rows(self, block: Block, columns: Sequence[str], name: str, bad: list[BadRow]) -> list[pa.Table]:
        """The rows of a block that fit, with these columns; other keys are passed over."""
        raw = pa.schema([self.raw.field(column) for column in columns])
        schema = pa.schema([self.schema.field(column) for column in columns])
        return readable(
            block,
            lambda lines: _typed(_parse(lines, raw, "ignore"), schema),
            lambda line, error: _misfit(line, raw, schema) or _reason(line, error),
            name,
            bad,
        )


def json_columns(block: Block, name: str, told: Mapping[str, pa.DataType]) -> JsonColumns | None:
    """What the first lines of a stream have, with the types that were told; None if no line is an object."""
    raw = _columns_of(block, _EMPTY)
    if not raw.names:
        _refuse_other_formats(name, block, LINES_TRIED)
        return None
    kinds: dict[str, pa.DataType] = {}
    for table in readable(block, partial(_parse, schema=raw, unexpected="ignore"), _reason, name, []):
        _learn_text(table, kinds)
    found = {field.name: kinds.get(field.name, field.type) for field in raw} | dict(told)
    parsed = {field.name: field.type for field in raw} | {
        column: pa.string() if kind in TIMES else kind for column, kind in told.items()
    }
    return JsonColumns(pa.schema(list(parsed.items())), pa.schema(list(found.items())))


def open_json_lines(location: Location) -> OpenFile:
    """A file of JSON lines; its columns are all the keys that occur."""
    raw, kinds, rows = _learn(location)
    schema = pa.schema([(name, kinds.get(name, raw.field(name).type)) for name in raw.names])

    parse = partial(_parse, schema=raw, unexpected="ignore")

    def batches(columns: list[str], bad: list[BadRow]) -> Iterator[pa.RecordBatch]:
        for block in _blocks(location):
            for table in readable(block, parse, _reason, location.name, bad):
                yield from _typed(table, schema).select(columns).to_batches()

    return OpenFile(location.name, schema, rows, batches, sparse=True)


def _learn(location: Location) -> tuple[pa.Schema, dict[str, pa.DataType], int]:
    """The columns with text left as text, the types of the text columns, and how many rows fit."""
    raw = _EMPTY
    kinds: dict[str, pa.DataType] = {}
    rows = 0
    for block in _blocks(location):
        if not raw.names:
            _refuse_other_formats(location.name, block)
        tables = _fitting(block, raw)
        if tables is None:
            raw = _columns_of(block, raw)
            tables = readable(
                block, partial(_parse, schema=raw, unexpected="ignore"), _reason, location.name, []
            )
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


def _misfit(line: bytes, raw: pa.Schema, schema: pa.Schema) -> str | None:
    """Which value of a line is not of its column's type."""
    for field, wanted in zip(raw, schema, strict=True):
        try:
            value = json.loads(line).get(field.name)
            _typed(_parse([line], pa.schema([field]), "ignore"), pa.schema([wanted]))
        except pa.ArrowInvalid:
            return misfit(field.name, value, wanted.type)
        except (ValueError, RecursionError, AttributeError):
            return None
    return None


def _refuse_other_formats(name: str, block: Block, least: int = 1) -> None:
    """Refuse what is no JSON lines, going by so many lines at least."""
    lines = [line for line in block.lines if line.strip()][:LINES_TRIED]
    if lines and _ARRAY.match(lines[0]):
        raise SourceError(f"{name} holds a JSON array; write one object a line: jq -c '.[]'")
    if len(lines) >= least and not any(_is_object(line) for line in lines):
        raise SourceError(f"{name} is not JSON lines: no JSON object in its first lines")


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _blocks(location: Location) -> Iterator[Block]:
    with reading(location, "JSON lines"), stream(location) as source:
        yield from blocks_of(iter(lambda: source.read(BLOCK_BYTES), b""), location.name)
