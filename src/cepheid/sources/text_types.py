"""The type of a column that arrives as text: the narrowest that fits every value in it.

The order is null, int64, float64, bool, date, timestamp (in µs, else in ns; in UTC where the
text has an offset), string.
"""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

NUMBERS: tuple[pa.DataType, ...] = (pa.int64(), pa.float64(), pa.bool_())
TIMES: tuple[pa.DataType, ...] = (
    pa.date32(),
    pa.timestamp("us"),
    pa.timestamp("us", "UTC"),
    pa.timestamp("ns"),
    pa.timestamp("ns", "UTC"),
)
INT64_DIGITS = 19


def narrowest(column: pa.Array, candidates: Sequence[pa.DataType]) -> pa.DataType:
    """The first candidate that every value converts to, else string; null where there is no value."""
    if column.null_count == len(column):
        return pa.null()
    return next((kind for kind in candidates if fits(column, kind)), pa.string())


def fits(column: pa.Array, kind: pa.DataType) -> bool:
    """Whether every value of a text column converts to this type without loss."""
    if pa.types.is_null(kind):
        return bool(column.null_count == len(column))
    if pa.types.is_floating(kind) and _has_wide_integer(column):
        return False
    try:
        convert(column, kind)
    except pa.ArrowInvalid:
        return False
    return True


def convert(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """A text column as this type; raises `ArrowInvalid` if a value does not convert."""
    if pa.types.is_null(kind):
        return pa.nulls(len(column))
    if pa.types.is_string(kind):
        return column
    return pc.cast(pc.utf8_trim_whitespace(column), kind)


def misfit(column: str, value: object, kind: pa.DataType) -> str:
    """Why a value is not of the type that its column has."""
    return f"{column}: {value!r} does not fit {kind}, which the first events had"


def widen(left: pa.DataType, right: pa.DataType) -> pa.DataType | None:
    """The narrowest type that holds the values of both, or None if there is none."""
    if left == right or pa.types.is_null(right):
        return left
    if pa.types.is_null(left):
        return right
    if pa.types.is_date(left) or pa.types.is_date(right):
        return _widen_date(left, right)
    if pa.types.is_timestamp(left) and pa.types.is_timestamp(right):
        return _widen_timestamp(left, right)
    try:
        sides = [pa.schema([("value", left)]), pa.schema([("value", right)])]
        return pa.unify_schemas(sides, promote_options="permissive").field(0).type
    except pa.ArrowException:
        return None


def _widen_date(left: pa.DataType, right: pa.DataType) -> pa.DataType | None:
    other = right if pa.types.is_date(left) else left
    if pa.types.is_date(other):
        return pa.date32()
    return other if pa.types.is_timestamp(other) and other.tz is None else None


def _widen_timestamp(left: pa.TimestampType, right: pa.TimestampType) -> pa.DataType | None:
    if (left.tz is None) != (right.tz is None):
        return None
    units = ("s", "ms", "us", "ns")
    finest = units[max(units.index(left.unit), units.index(right.unit))]
    return pa.timestamp(finest, left.tz if left.tz == right.tz else "UTC")


def _has_wide_integer(column: pa.Array) -> bool:
    """Whether a whole number is too long for int64: as a float, two identifiers could become one."""
    longest = pc.max(pc.utf8_length(column)).as_py()
    if longest is None or longest < INT64_DIGITS:
        return False
    return bool(pc.any(pc.match_substring_regex(column, rf"^\s*-?\d{{{INT64_DIGITS},}}\s*$")).as_py())
