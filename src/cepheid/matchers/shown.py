"""Values for people to read. Arrow holds some that Python cannot: times before year 1 or after 9999."""

from typing import Any

import pyarrow as pa

_LONGEST = 200


def shown(value: Any) -> str:
    """A value as text, cut where it is long; it never fails, whatever the value is."""
    try:
        text = _text(value) if isinstance(value, pa.Scalar) else repr(value)
    except Exception:  # which one is up to the type: OverflowError, ValueError, UnicodeDecodeError, …
        text = _by_its_ticks(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _text(value: pa.Scalar) -> str:
    return str(_or_text(value) if isinstance(value, pa.StructScalar) else value)  # Arrow shows pairs


def readable(values: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Values as Python's, and those that Python cannot hold as text."""
    try:
        listed: list[Any] = values.to_pylist()
    except Exception:
        return [_or_text(value) for value in values]
    return listed


def readable_rows(table: pa.Table | pa.RecordBatch) -> list[dict[str, Any]]:
    """The same for rows."""
    columns = [readable(column) for column in table.columns]
    return [dict(zip(table.schema.names, row, strict=True)) for row in zip(*columns, strict=True)]


def _or_text(value: pa.Scalar) -> Any:
    try:
        return value.as_py()
    except Exception:
        if isinstance(value, pa.StructScalar):
            return {name: _or_text(value[name]) for name in value}
        if isinstance(value, pa.ListScalar) and not isinstance(value, pa.MapScalar):
            return readable(value.values)
        return shown(value)


def _by_its_ticks(value: Any) -> str:
    kind = getattr(value, "type", type(value).__name__)
    if not isinstance(value, pa.Scalar) or not pa.types.is_temporal(kind):
        return f"a value of type {kind}"
    unit = "days" if pa.types.is_date32(kind) else getattr(kind, "unit", "ms")
    since = " since 1970" if pa.types.is_timestamp(kind) or pa.types.is_date(kind) else ""
    return f"{value.value} {unit}{since}"
