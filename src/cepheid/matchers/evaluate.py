"""Expressions over whole columns, vectorised, in SQL's three-valued logic.

Values are plain Arrow arrays: bool, int64, float64 and string; timestamps and durations
are int64 ticks of the query's unit, times of day int64 microseconds. A `Rows` object says
what the leaves of an expression stand for.
"""

import math
from collections.abc import Callable
from datetime import UTC, datetime, time
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid import expressions as ex
from cepheid.matchers import text
from cepheid.matchers.clocks import on_clocks
from cepheid.pattern.regexps import REGEXPS, group_of
from cepheid.time import UNIT_NANOSECONDS, Duration

Value = Any  # pa.Array or pa.Scalar

INT64 = range(-(2**63), 2**63)


class Rows(Protocol):
    """What an expression is evaluated over."""

    unit: str  # of timestamps and durations: "us" or "ns"
    length: int

    def leaf(self, node: ex.Expression) -> pa.Array:
        """The values of an Attribute, Element, Length, Aggregate or function of the match."""


def evaluate(node: ex.Expression, rows: Rows) -> pa.Array:
    """The expression's value for each row."""
    result = _value(node, rows)
    return pa.repeat(result, rows.length) if isinstance(result, pa.Scalar) else result


def _value(node: ex.Expression, rows: Rows) -> Value:
    return _EVALUATE[type(node)](node, rows)


def ticks(value: datetime | Duration, unit: str) -> int:
    """A timestamp or a duration as a whole number of units."""
    size = UNIT_NANOSECONDS[unit]
    if isinstance(value, Duration):
        return math.floor(value.nanoseconds() / size)
    aware = value if value.tzinfo else value.replace(tzinfo=UTC)
    delta = aware - datetime(1970, 1, 1, tzinfo=UTC)
    microseconds = (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds
    return microseconds * 1_000 // size


def literal_ticks(value: datetime | Duration, unit: str) -> int:
    """The ticks of a literal; one beyond int64 is as far off as a value can be, and compares so."""
    return min(max(ticks(value, unit), -(2**63)), 2**63 - 1)


def microseconds(value: time) -> int:
    """A time of day as microseconds since midnight."""
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond


def _literal(node: ex.Literal, rows: Rows) -> Value:
    value = node.value
    if isinstance(value, datetime | Duration):
        return pa.scalar(literal_ticks(value, rows.unit), pa.int64())
    if isinstance(value, time):
        return pa.scalar(microseconds(value), pa.int64())
    if value is None:
        return pa.scalar(None, pa.null())
    return pa.scalar(value)


def _negative(node: ex.Negative, rows: Rows) -> Value:
    return _arithmetic("-", pa.scalar(0, pa.int64()), _value(node.operand, rows))


def _is_float(value: Value) -> bool:
    return bool(pa.types.is_floating(value.type))


def _real(value: Value) -> Value:
    return value if value.type == pa.float64() else value.cast(pa.float64(), safe=False)


def _whole(operator: str, left: Value, right: Value) -> Value:
    """Integer arithmetic; what leaves int64 is null."""
    try:
        return _CHECKED[operator](left, right)
    except pa.ArrowInvalid:
        return _whole_slowly(_EXACT[operator], left, right)


def _whole_slowly(operation: Callable[[int, int], int], left: Value, right: Value) -> Value:
    arrays = [v for v in (left, right) if isinstance(v, pa.Array)]
    if not arrays:
        return pa.scalar(None, pa.int64())  # two constants, of which Arrow said that the result does not fit
    length = len(arrays[0])
    columns = [v.to_pylist() if isinstance(v, pa.Array) else [v.as_py()] * length for v in (left, right)]
    values = [None if a is None or b is None else operation(a, b) for a, b in zip(*columns, strict=True)]
    return pa.array([v if v is None or v in INT64 else None for v in values], pa.int64())


def _arithmetic(operator: str, left: Value, right: Value) -> Value:
    if pa.types.is_null(left.type) or pa.types.is_null(right.type):
        return pa.scalar(None, pa.null())
    if operator in "/%":
        right = pc.if_else(pc.equal(right, 0), pa.scalar(None, right.type), right)
    if operator == "/" or _is_float(left) or _is_float(right):
        return _FLOAT[operator](_real(left), _real(right))
    return pc.remainder(left, right) if operator == "%" else _whole(operator, left, right)


def _comparison(node: ex.Comparison, rows: Rows) -> Value:
    return _compare(node.operator, _value(node.left, rows), _value(node.right, rows))


def _compare(operator: str, left: Value, right: Value) -> Value:
    if pa.types.is_null(left.type) or pa.types.is_null(right.type):
        return pa.scalar(None, pa.bool_())
    if _is_float(left) != _is_float(right):
        left, right = _real(left), _real(right)
    return COMPARE[operator](left, right)


def _all_of(node: ex.And, rows: Rows) -> Value:
    result = _truth(node.operands[0], rows)
    for operand in node.operands[1:]:
        result = pc.and_kleene(result, _truth(operand, rows))
    return result


def _any_of(node: ex.Or, rows: Rows) -> Value:
    result = _truth(node.operands[0], rows)
    for operand in node.operands[1:]:
        result = pc.or_kleene(result, _truth(operand, rows))
    return result


def _truth(node: ex.Expression, rows: Rows) -> Value:
    value = _value(node, rows)
    return value.cast(pa.bool_()) if pa.types.is_null(value.type) else value


def _in(node: ex.In, rows: Rows) -> Value:
    operand = _value(node.operand, rows)
    result: Value = pa.scalar(False)
    for choice in node.choices:
        result = pc.or_kleene(result, _compare("=", operand, _value(choice, rows)))
    return pc.invert(result) if node.negated else result


def _between(node: ex.Between, rows: Rows) -> Value:
    operand = _value(node.operand, rows)
    low = _compare(">=", operand, _value(node.low, rows))
    high = _compare("<=", operand, _value(node.high, rows))
    result = pc.and_kleene(low, high)
    return pc.invert(result) if node.negated else result


def _like(node: ex.Like, rows: Rows) -> Value:
    operand = _value(node.operand, rows)
    if pa.types.is_null(operand.type):
        return pa.scalar(None, pa.bool_())
    result = pc.match_like(operand, node.pattern)
    return pc.invert(result) if node.negated else result


def _is_null(node: ex.IsNull, rows: Rows) -> Value:
    operand = _value(node.operand, rows)
    return pc.is_valid(operand) if node.negated else pc.is_null(operand)


def _call(node: ex.Call, rows: Rows) -> Value:
    if not node.arguments:
        return rows.leaf(node)
    if node.function in _CALENDAR:
        return _CALENDAR[node.function](_on_clocks(node.arguments[0], node.zone, rows))
    if node.function in REGEXPS:
        return _regexp(node, rows)
    values = [_value(argument, rows) for argument in node.arguments]
    if node.function == "coalesce":
        return pc.coalesce(*_alike(values))
    unknown = next((value for value in values if pa.types.is_null(value.type)), None)
    return _FUNCTIONS[node.function](*values) if unknown is None else unknown


def _regexp(node: ex.Call, rows: Rows) -> Value:
    texts, pattern = _value(node.arguments[0], rows), node.arguments[1]
    assert isinstance(pattern, ex.Literal) and isinstance(pattern.value, str)
    if pa.types.is_null(texts.type):
        return texts
    if node.function == "regexp_like":
        return text.regexp_like(texts, pattern.value)
    return text.regexp_extract(texts, pattern.value, group_of(node))


def _case(node: ex.Case, rows: Rows) -> Value:
    """From the last condition to the first: each that is true has the say over those after it."""
    *results, found = _alike([_value(item, rows) for item in (*node.results, node.otherwise)])
    for condition, result in reversed(list(zip(node.conditions, results, strict=True))):
        found = pc.if_else(pc.fill_null(_truth(condition, rows), False), result, found)
    return found


def _alike(values: list[Value]) -> list[Value]:
    """The values in one type: nulls in that of the others, whole numbers beside floats as floats."""
    kinds = [value.type for value in values if not pa.types.is_null(value.type)]
    if not kinds:
        return values
    kind = pa.float64() if pa.float64() in kinds else kinds[0]
    if kind == pa.float64():
        return [_real(value) for value in values]
    return [value if value.type == kind else value.cast(kind, safe=False) for value in values]


def _on_clocks(node: ex.Expression, zone: str | None, rows: Rows) -> Value:
    """A timestamp as the clocks of its zone show it, for the parts of a calendar."""
    moments = _value(node, rows)
    if zone is not None:
        every = pa.repeat(moments, rows.length) if isinstance(moments, pa.Scalar) else moments
        moments = on_clocks(every.cast(pa.int64()), rows.unit, zone)
    return moments.cast(pa.timestamp(rows.unit))


def _time_of_day(moment: Value) -> Value:
    midnight = pc.floor_temporal(moment, unit="day")
    elapsed = pc.subtract(moment, midnight).cast(pa.duration("ns"))
    return pc.divide(elapsed.cast(pa.int64()), 1000)


def _absolute(value: Value) -> Value:
    return pc.abs(value) if _is_float(value) else _whole("abs", value, value)


def _rounded(direction: Callable[[Value], Value]) -> Callable[[Value], Value]:
    return lambda value: direction(_real(value)) if _is_float(value) else value


def _square_root(value: Value) -> Value:
    real = _real(value)
    return pc.sqrt(pc.if_else(pc.less(real, 0.0), pa.scalar(None, pa.float64()), real))


def numbers(values: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """An array of numbers as int64 bits and validity, the form that kernels read."""
    if pa.types.is_boolean(values.type) or pa.types.is_null(values.type):
        values = values.cast(pa.int64())
    valid = np.asarray(values.is_valid()) if values.null_count else np.ones(len(values), np.bool_)
    filled = values.fill_null(0) if values.null_count else values
    return filled.to_numpy(zero_copy_only=False).view(np.int64), valid.view(np.uint8)


COMPARE: dict[str, Callable[[Value, Value], Value]] = {
    "=": pc.equal,
    "!=": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}

_CHECKED: dict[str, Callable[[Value, Value], Value]] = {
    "+": pc.add_checked,
    "-": pc.subtract_checked,
    "*": pc.multiply_checked,
    "abs": lambda value, _: pc.abs_checked(value),
}

_EXACT: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "abs": lambda a, _: abs(a),
}

_FLOAT: dict[str, Callable[[Value, Value], Value]] = {
    "+": pc.add,
    "-": pc.subtract,
    "*": pc.multiply,
    "/": pc.divide,
    "%": pc.remainder,
}

_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "abs": _absolute,
    "lower": pc.utf8_lower,
    "upper": pc.utf8_upper,
    "length": text.length,
    "substr": text.substr,
    "concat": text.concat,
    "round": _rounded(lambda value: pc.round(value, round_mode="half_to_even")),
    "floor": _rounded(pc.floor),
    "ceil": _rounded(pc.ceil),
    "sqrt": _square_root,
}

_CALENDAR: dict[str, Callable[[Value], Value]] = {
    "year": pc.year,
    "month": pc.month,
    "day": pc.day,
    "hour": pc.hour,
    "minute": pc.minute,
    "second": pc.second,
    "day_of_week": lambda value: pc.day_of_week(value, count_from_zero=False),
    "time_of_day": _time_of_day,
}

_EVALUATE: dict[type[ex.Expression], Callable[[Any, Rows], Value]] = {
    ex.Literal: _literal,
    ex.Attribute: lambda node, rows: rows.leaf(node),
    ex.Element: lambda node, rows: rows.leaf(node),
    ex.Length: lambda node, rows: rows.leaf(node),
    ex.Aggregate: lambda node, rows: rows.leaf(node),
    ex.Negative: _negative,
    ex.Arithmetic: lambda node, rows: _arithmetic(
        node.operator, _value(node.left, rows), _value(node.right, rows)
    ),
    ex.Comparison: _comparison,
    ex.And: _all_of,
    ex.Or: _any_of,
    ex.Not: lambda node, rows: pc.invert(_truth(node.operand, rows)),
    ex.In: _in,
    ex.Between: _between,
    ex.Like: _like,
    ex.IsNull: _is_null,
    ex.Call: _call,
    ex.Case: _case,
}
