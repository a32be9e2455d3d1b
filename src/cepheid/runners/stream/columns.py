"""Values as one Arrow column of a type, and which of them do not fit it."""

from typing import Any

import pyarrow as pa

from cepheid.matchers.joining import join_arrays
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
        kind = kind if kind is not None else _usual_type(values)
    fitted: list[Any] = []
    misfits: Misfits = {}
    for index, value in enumerate(values):
        try:
            fitted.append(_as_array([value], kind)[0].as_py())
        except _REFUSED:
            fitted.append(None)
            misfits[index] = _reason(name, value, kind)
    return pa.array(fitted, kind), misfits


def column_as(column: pa.ChunkedArray, name: str, kind: pa.DataType) -> tuple[pa.Array, Misfits]:
    """A column of another table as one of this type."""
    try:
        return _joined(_converted(column, kind)), {}
    except _REFUSED:
        pass
    values: list[Any] = []
    misfits: Misfits = {}
    for index, value in enumerate(column):
        try:
            alone = pa.array([value.as_py()], column.type) if value.is_valid else pa.nulls(1)
            values.append(_converted(alone, kind)[0].as_py())
        except _REFUSED:
            values.append(None)
            misfits[index] = _reason(name, value.as_py(), kind)
    return pa.array(values, kind), misfits


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
    shown = repr(value)
    text = f"{name}: {shown if len(shown) <= 200 else shown[:200] + '…'} does not fit {kind}"
    is_time_as_text = isinstance(value, str) and pa.types.is_temporal(kind)
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
