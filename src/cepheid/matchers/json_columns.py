"""Rows as JSON text, made column by column: Python looks at each distinct value once, and at no row."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from cepheid.matchers.plain_text import json_text, plain
from cepheid.matchers.shown import readable

_NULL = pa.scalar("null")


def json_objects(
    columns: Sequence[pa.Array], names: Sequence[str], count: int, ready: Collection[str] = ()
) -> pa.Array:
    """One JSON object a row; the columns that are `ready` hold JSON texts, or lists of them."""
    if not columns:
        return pa.repeat("{}", count)
    pieces: list[pa.Array | pa.Scalar] = []
    for number, (column, name) in enumerate(zip(columns, names, strict=True)):
        before = ("{" if number == 0 else ", ") + json.dumps(name, ensure_ascii=False) + ": "
        values = _ready_values(column) if name in ready else json_values(plain(column))
        pieces += [pa.scalar(before), values]
    return pc.binary_join_element_wise(*pieces, pa.scalar("}"), "")


def json_values(column: pa.Array) -> pa.Array:
    """The values of a column that has no times in it, as JSON."""
    kind = column.type
    if pa.types.is_struct(kind):
        fields = [column.field(place) for place in range(kind.num_fields)]
        texts = json_objects(fields, [field.name for field in kind], len(column))
        return pc.if_else(column.is_valid(), texts, _NULL) if column.null_count else texts
    if pa.types.is_null(kind):
        return pa.repeat("null", len(column))
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind):
        return pc.fill_null(column.cast(pa.string()), "null")
    if pa.types.is_nested(kind):
        return pa.array([json_text(value) for value in readable(column)], pa.string())
    known = column.dictionary_encode()
    texts = pa.array([json_text(value) for value in readable(known.dictionary)], pa.string())
    return pc.fill_null(texts.take(known.indices), "null")


def _ready_values(column: pa.Array) -> pa.Array:
    """Texts that are JSON, and lists of such, or of structs of one such."""
    if pa.types.is_null(column.type):
        return pa.repeat("null", len(column))
    if not pa.types.is_list(column.type):
        return pc.fill_null(column, "null")
    lists = column.to_pylist()
    if pa.types.is_struct(column.type.value_type):
        (field,) = column.type.value_type
        lists = [None if row is None else [each[field.name] for each in row] for row in lists]
    joined = [
        None if texts is None else f"[{', '.join('null' if text is None else text for text in texts)}]"
        for texts in lists
    ]
    return pc.fill_null(pa.array(joined, pa.string()), "null")
