"""Arrow columns as text and numbers that JSON and CSV can hold.

Timestamps, dates and times become ISO 8601, durations too (`PT90S`); decimals become text,
so that no digit is lost.
"""

import json
import math
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cepheid.matchers.shown import readable

UNITS_A_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def plain(column: pa.Array) -> pa.Array:
    """The column with every time in it, however deep, as ISO 8601 text."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return plain(column.dictionary_decode())
    if pa.types.is_timestamp(kind):
        return _timestamps(column)
    if pa.types.is_date(kind) or pa.types.is_time(kind):
        return pc.cast(column, pa.string())
    if pa.types.is_duration(kind):
        return _durations(column)
    if pa.types.is_struct(kind):
        inner = [plain(column.field(index)) for index in range(kind.num_fields)]
        names = [field.name for field in kind]
        return pa.StructArray.from_arrays(inner, names, mask=column.is_null())
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _lists(column)
    return column


def json_lines(batch: pa.RecordBatch) -> str:
    """The rows of a batch, one JSON object a line."""
    return "".join(f"{json_text(row)}\n" for row in plain_rows(batch))


def plain_rows(batch: pa.RecordBatch) -> list[dict[str, Any]]:
    """The rows of a batch as Python's values, for JSON and for people."""
    columns = [_values(plain(column)) for column in batch.columns]
    return [dict(zip(batch.schema.names, row, strict=True)) for row in zip(*columns, strict=True)]


def _values(column: pa.Array) -> list[Any]:
    """The values; a map from names becomes an object, as JSON has it."""
    values = readable(column)
    if pa.types.is_map(column.type) and pa.types.is_string(column.type.key_type):
        return [None if pairs is None else dict(pairs) for pairs in values]
    return values


def json_text(value: Any) -> str:
    """One value as JSON; NaN and the infinities, which JSON does not have, become null."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_odd_text)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, default=_odd_text)


def flat(column: pa.Array) -> pa.Array:
    """The column for CSV: nested values as JSON text."""
    column = plain(column)
    if pa.types.is_nested(column.type):
        return pa.array(
            [None if value is None else json_text(value) for value in _values(column)], pa.string()
        )
    return column


def _timestamps(column: pa.Array) -> pa.Array:
    text = pc.cast(column, pa.string())
    text = pc.replace_substring(text, " ", "T", max_replacements=1)
    text = pc.replace_substring_regex(text, r"\.0+(Z|[+-]\d{4})?$", r"\1")
    return pc.replace_substring_regex(text, r"([+-]\d{2})(\d{2})$", r"\1:\2") if column.type.tz else text


def _durations(column: pa.Array) -> pa.Array:
    scale = UNITS_A_SECOND[column.type.unit]
    counts = pc.cast(column, pa.int64()).to_pylist()
    return pa.array(
        [None if count is None else _duration_text(count, scale) for count in counts], pa.string()
    )


def _duration_text(count: int, scale: int) -> str:
    whole, part = divmod(abs(count), scale)
    digits = str(part).rjust(len(str(scale)) - 1, "0").rstrip("0") if part else ""
    return f"{'-' if count < 0 else ''}PT{whole}{'.' if digits else ''}{digits}S"


def _lists(column: pa.Array) -> pa.Array:
    """Lists with their items made plain; `flatten` and the offsets agree also for a slice."""
    whole = pa.concat_arrays([column]) if column.offset else column
    items = plain(whole.values)
    return type(whole).from_arrays(whole.offsets, items, mask=whole.is_null() if whole.null_count else None)


def _odd_text(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex()
    return str(value) if not isinstance(value, Decimal) else format(value, "f")


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return value
