"""Filters in Arrow's expressions, for its scanner of data sets and for tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cepheid.events import EventSchema
from cepheid.matchers import text as texts
from cepheid.matchers.evaluate import ticks
from cepheid.plan.events.grid import decimal_of

Value = Any  # pc.Expression


@dataclass(frozen=True, slots=True)
class InArrow:
    """The dialect of Arrow's expressions."""

    schema: EventSchema
    pruning: bool  # whether statistics may be asked as well

    def column(self, name: str) -> Value:
        is_coded = pa.types.is_dictionary(self.schema.columns.field(name).type)
        return pc.field(name).cast(self.schema.type_of(name)) if is_coded else pc.field(name)

    def literal(self, value: object, kind: pa.DataType) -> Value:
        return pc.scalar(_array([value], kind)[0])

    def among(self, column: Value, values: Sequence[object], kind: pa.DataType) -> Value:
        return column.isin(_array(values, kind))

    def like(self, column: Value, pattern: str) -> Value:
        return pc.match_like(column, pattern)

    def is_null(self, column: Value) -> Value:
        return column.is_null()

    def is_endless(self, column: Value) -> Value:
        return ~pc.is_finite(column)

    def or_nan(self, condition: Value, sides: Sequence[Value]) -> Value:
        """Statistics do not tell of NaN; where all other values are one, Arrow takes it for all there is."""
        return pc.scalar(True) if self.pruning else reduce(or_, map(pc.is_nan, sides), condition)

    def whole(self, value: Value) -> Value:
        return value.cast(pa.int64())

    def real(self, value: Value) -> Value:
        """Added to, since Arrow sees through a bare cast and fails where a statistic does not fit float64."""
        return pc.add(value.cast(pa.float64(), safe=False), pc.scalar(0.0))

    def arithmetic(self, operator: str, left: Value, right: Value) -> Value:
        return _WRAPPING[operator](left, right)

    def absolute(self, value: Value) -> Value:
        return pc.abs(value)

    def length(self, text: Value) -> Value:
        return texts.length(text)

    def substr(self, text: Value, begin: int, length: int | None = None) -> Value:
        numbers = (pa.scalar(number) for number in (begin, length) if number is not None)
        return texts.substr(text, *numbers)

    def concat(self, parts: Sequence[Value]) -> Value:
        return texts.concat(*parts)


def _remainder(left: Value, right: Value) -> Value:
    """Arrow raises where an integer is divided by zero."""
    return pc.remainder(left, pc.if_else(right == 0, pa.scalar(None), right))


_WRAPPING: dict[str, Callable[[Value, Value], Value]] = {
    "+": pc.add,
    "-": pc.subtract,
    "*": pc.multiply,
    "/": pc.divide,
    "%": _remainder,
}


def _array(values: Sequence[object], kind: pa.DataType) -> pa.Array:
    """Constants of the type of the column that they stand beside; numbers as wide as they need to be."""
    if pa.types.is_decimal(kind):
        return pa.array([decimal_of(value, kind.scale) for value in values])
    if pa.types.is_date32(kind):
        return pa.array([ticks(value, "d") for value in _moments(values)], pa.int32()).cast(kind)
    if pa.types.is_date64(kind) or pa.types.is_timestamp(kind):
        unit = kind.unit if pa.types.is_timestamp(kind) else "ms"
        return pa.array([ticks(value, unit) for value in _moments(values)], pa.int64()).cast(kind)
    return pa.array(values, kind if pa.types.is_uint64(kind) else None)


def _moments(values: Sequence[object]) -> list[datetime]:
    return [value for value in values if isinstance(value, datetime)]
