"""Values as one Arrow column of a type, and which of them do not fit it."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from cepheid.matchers.joining import join_arrays
from cepheid.matchers.shown import shown
from cepheid.pattern.functions import ValueType
from cepheid.pattern.types import value_type

Misfits = dict[int, str]
"""Why the value at an index does not fit."""

_REFUSED = (pa.ArrowException, OverflowError, TypeError, ValueError)
_NUMBERS = {ValueType.INT, ValueType.FLOAT}


def column_of(values: list[Any], name: str, kind: pa.DataType | None = None) -> tuple[pa.Array, Misfits]:
    """Python values as a column; of the type that most of them have, if none is given."""
    try:
        return _as_array(values, kind), {}
    except _REFUSED:
        wanted = kind if kind is not None else _usual_type(values)
    return _one_by_one(values, name, wanted, lambda value: _as_array([value], wanted))


def column_as(column: pa.ChunkedArray, name: str, kind: pa.DataType) -> tuple[pa.Array, Misfits]:
    """A column of another table as one of this type."""
    try:
        return _joined(_converted(column, kind)), {}
    except _REFUSED:
        pass
    values = [chunk.slice(index, 1) for chunk in column.chunks for index in range(len(chunk))]
    return _one_by_one(values, name, kind, lambda alone: _converted(alone, kind))


def _one_by_one(
    values: list[Any], name: str, kind: pa.DataType, convert: Callable[[Any], pa.Array]
) -> tuple[pa.Array, Misfits]:
    """A column of those values that fit, each as an array of one, with null for the others."""
    fitted, misfits, nothing = [], {}, pa.nulls(1, kind)
    for index, value in enumerate(values):
        try:
            fitted.append(nothing if isinstance(value, pa.Array) and value.null_count else convert(value))
        except _REFUSED:
            fitted.append(nothing)
            misfits[index] = _reason(name, value[0] if isinstance(value, pa.Array) else value, kind)
    return join_arrays(fitted or [pa.nulls(0, kind)]), misfits


def _as_array(values: list[Any], kind: pa.DataType | None) -> pa.Array:
    if kind is None or value_type(kind) is None:
        return pa.array(values, kind)
    return _converted(pa.array(values), kind)


def _converted(values: Any, kind: pa.DataType) -> Any:
    """The same values in another width or unit; text, numbers and times do not become each other."""
    if values.type == kind:
        return values
    have, wanted = value_type(values.type), value_type(kind)
    if have is wanted or {have, wanted} <= _NUMBERS or have is ValueType.NULL:
        return values.cast(kind)
    raise TypeError(f"{values.type} is not {kind}")


def _joined(column: pa.ChunkedArray) -> pa.Array:
    return join_arrays(column.chunks) if column.num_chunks else column.combine_chunks()


def _reason(name: str, value: Any, kind: pa.DataType) -> str:
    is_scalar = isinstance(value, pa.Scalar)
    is_text = value_type(value.type) is ValueType.STRING if is_scalar else isinstance(value, str)
    text = f"{name}: {repr(shown(value)) if is_scalar and is_text else shown(value)} does not fit {kind}"
    is_time_as_text = is_text and pa.types.is_temporal(kind)
    return (
        f"{text}: text is not a time until datetime.fromisoformat() made it one" if is_time_as_text else text
    )


def _usual_type(values: list[Any]) -> pa.DataType:
    """The type that most values have; integers among floats are floats."""
    kinds: dict[pa.DataType, int] = {}
    for value in values:
        if value is None:
            continue
        try:
            kind = pa.infer_type([value])
        except _REFUSED:
            continue
        kinds[kind] = kinds.get(kind, 0) + 1
    if pa.int64() in kinds and pa.float64() in kinds:
        kinds[pa.float64()] += kinds.pop(pa.int64())
    return max(kinds, key=lambda kind: kinds[kind]) if kinds else pa.null()
