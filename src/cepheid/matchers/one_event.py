"""Expressions over one event, as Python functions of its values: the same answers as `evaluate` gives for
columns, for batches of so few events that calling Arrow would be most of the work.

A row holds bools, ints, floats, strs and None, as `FewEvents` has them. An expression that has no function
here is left to Arrow.
"""

import math
import operator
from collections.abc import Callable
from datetime import datetime, time
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid import expressions as ex
from cepheid.events import EventSchema, Row, is_text
from cepheid.matchers import program as op
from cepheid.matchers.evaluate import INT64, literal_ticks, microseconds
from cepheid.matchers.text import of_one_text
from cepheid.pattern.functions import CALENDAR
from cepheid.pattern.regexps import group_of
from cepheid.pattern.rewrite.fold_constants import COMPARE
from cepheid.pattern.types import ValueType, type_of
from cepheid.time import UNIT_NANOSECONDS, Duration

OfRow = Callable[[Row], Any]

_REMEMBERED = 4096
"""How many texts a function of text keeps its value of."""


class NoFunction(Exception):
    """There is no function here for an expression."""


class RowFunctions:
    """Makes functions of expressions, for rows of these columns."""

    def __init__(self, names: tuple[str, ...], schema: EventSchema, unit: str) -> None:
        self.names = names
        self.schema = schema
        self.unit = unit

    def function_of(self, node: ex.Expression, kind: ValueType | None = None) -> OfRow | None:
        """The expression as a function of a row, its values as floats if that is the kind; None if Arrow
        has to compute it."""
        try:
            return self.real(node) if kind is ValueType.FLOAT else self.value(node)
        except NoFunction:
            return None

    def value(self, node: ex.Expression) -> OfRow:
        """The function of an expression, or of a part of one."""
        make = _MAKE.get(type(node))
        if make is None:
            raise NoFunction
        return make(self, node)

    def kind(self, node: ex.Expression) -> ValueType:
        """The type of an expression."""
        return type_of(node, self.schema)

    def real(self, node: ex.Expression) -> OfRow:
        """The function of an expression, its whole numbers as floats."""
        value = self.value(node)
        if self.kind(node) is ValueType.FLOAT:
            return value
        return _of_one(value, float)


def _of_one(argument: OfRow, change: Callable[[Any], Any]) -> OfRow:
    """A function of one value that is not null."""

    def changed(row: Row) -> Any:
        value = argument(row)
        return None if value is None else change(value)

    return changed


def _of_two(left: OfRow, right: OfRow, change: Callable[[Any, Any], Any]) -> OfRow:
    """A function of two values that are not null."""

    def changed(row: Row) -> Any:
        one = left(row)
        if one is None:
            return None
        other = right(row)
        return None if other is None else change(one, other)

    return changed


# -- leaves ----------------------------------------------------------------------------------------


def _literal(rows: RowFunctions, node: ex.Literal) -> OfRow:
    value: Any = node.value
    if isinstance(value, datetime | Duration):
        value = literal_ticks(value, rows.unit)
    elif isinstance(value, time):
        value = microseconds(value)
    elif type(value) is int and value not in INT64:
        raise NoFunction
    return lambda row: value


def _element(rows: RowFunctions, node: ex.Element) -> OfRow:
    column = rows.schema.column_of(node.name) or node.name
    if column not in rows.names:
        raise NoFunction
    value: OfRow = operator.itemgetter(rows.names.index(column))
    kind = rows.schema.columns.field(column).type
    for name in node.path:
        value, kind = _of_one(value, operator.itemgetter(name)), kind.field(name).type
    if pa.types.is_timestamp(kind):
        finer, left = divmod(UNIT_NANOSECONDS[kind.unit], UNIT_NANOSECONDS[rows.unit])
        if left:
            raise NoFunction
        return value if finer == 1 else _of_one(value, finer.__mul__)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind) or is_text(kind):
        return value
    raise NoFunction


# -- numbers ---------------------------------------------------------------------------------------


def _fitting(number: int) -> int | None:
    """What leaves int64 is null."""
    return number if -(2**63) <= number < 2**63 else None


def _remainder(left: int, right: int) -> int | None:
    """With the sign of the dividend."""
    if right == 0:
        return None
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


def _quotient(left: float, right: float) -> float | None:
    return None if right == 0.0 else left / right


def _real_remainder(left: float, right: float) -> float | None:
    if right == 0.0:
        return None
    return math.nan if math.isinf(left) else math.fmod(left, right)


_WHOLE: dict[str, Callable[[int, int], int | None]] = {
    "+": lambda a, b: _fitting(a + b),
    "-": lambda a, b: _fitting(a - b),
    "*": lambda a, b: _fitting(a * b),
    "%": _remainder,
}
_REAL: dict[str, Callable[[float, float], float | None]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _quotient,
    "%": _real_remainder,
}


def _arithmetic(rows: RowFunctions, node: ex.Arithmetic) -> OfRow:
    kinds = {rows.kind(node.left), rows.kind(node.right)}
    if ValueType.NULL in kinds:
        return lambda row: None
    if node.operator == "/" or ValueType.FLOAT in kinds:
        return _of_two(rows.real(node.left), rows.real(node.right), _REAL[node.operator])
    return _of_two(rows.value(node.left), rows.value(node.right), _WHOLE[node.operator])


def _negative(rows: RowFunctions, node: ex.Negative) -> OfRow:
    if rows.kind(node.operand) is ValueType.FLOAT:
        return _of_one(rows.value(node.operand), lambda value: 0.0 - value)
    return _of_one(rows.value(node.operand), lambda value: _fitting(-value))


# -- truth -----------------------------------------------------------------------------------------


def _compared(rows: RowFunctions, sign: str, left: ex.Expression, right: ex.Expression) -> OfRow:
    kinds = {rows.kind(left), rows.kind(right)}
    if ValueType.NULL in kinds:
        return lambda row: None
    if kinds == {ValueType.INT, ValueType.FLOAT}:
        return _of_two(rows.real(left), rows.real(right), COMPARE[sign])
    if len(kinds) > 1:
        raise NoFunction
    return _of_two(rows.value(left), rows.value(right), COMPARE[sign])


def _decided(operands: list[OfRow], deciding: bool) -> OfRow:
    """Three-valued AND and OR: one operand may decide whatever the others are."""

    def decided(row: Row) -> bool | None:
        result: bool | None = not deciding
        for operand in operands:
            value: bool | None = operand(row)
            if value is deciding:
                return value
            if value is None:
                result = None
        return result

    return decided


def _negated(value: OfRow, is_negated: bool) -> OfRow:
    return _of_one(value, operator.not_) if is_negated else value


def _in(rows: RowFunctions, node: ex.In) -> OfRow:
    each = [_compared(rows, "=", node.operand, choice) for choice in node.choices]
    return _negated(_decided(each, True), node.negated)


def _between(rows: RowFunctions, node: ex.Between) -> OfRow:
    low = _compared(rows, ">=", node.operand, node.low)
    high = _compared(rows, "<=", node.operand, node.high)
    return _negated(_decided([low, high], False), node.negated)


def _like(rows: RowFunctions, node: ex.Like) -> OfRow:
    return _negated(_of_text(rows, node.operand, "like", (node.pattern,)), node.negated)


def _is_null(rows: RowFunctions, node: ex.IsNull) -> OfRow:
    value = rows.value(node.operand)
    if node.negated:
        return lambda row: value(row) is not None
    return lambda row: value(row) is None


def _case(rows: RowFunctions, node: ex.Case) -> OfRow:
    as_kind = rows.real if rows.kind(node) is ValueType.FLOAT else rows.value
    branches = [
        (rows.value(condition), as_kind(result))
        for condition, result in zip(node.conditions, node.results, strict=True)
    ]
    otherwise = as_kind(node.otherwise)

    def chosen(row: Row) -> Any:
        for condition, result in branches:
            if condition(row) is True:
                return result(row)
        return otherwise(row)

    return chosen


# -- functions -------------------------------------------------------------------------------------


def _of_text(rows: RowFunctions, texts: ex.Expression, name: str, constants: tuple[Any, ...]) -> OfRow:
    """A function of one text and constants: Arrow computes it, once for each text that comes often."""
    return _of_one(rows.value(texts), lru_cache(_REMEMBERED)(of_one_text(name, constants)))


def _text_call(rows: RowFunctions, node: ex.Call) -> OfRow:
    texts, *others = node.arguments
    if not all(isinstance(other, ex.Literal) and type(other.value) is int for other in others):
        raise NoFunction
    return _of_text(rows, texts, node.function, tuple(other.value for other in others))  # type: ignore[attr-defined]


def _regexp_call(rows: RowFunctions, node: ex.Call) -> OfRow:
    pattern = node.arguments[1]
    assert isinstance(pattern, ex.Literal)
    group = () if node.function == "regexp_like" else (group_of(node),)
    return _of_text(rows, node.arguments[0], node.function, (pattern.value, *group))


def _concat_call(rows: RowFunctions, node: ex.Call) -> OfRow:
    texts = [rows.value(argument) for argument in node.arguments]

    def joined(row: Row) -> str | None:
        parts = [text(row) for text in texts]
        return None if None in parts else "".join(parts)

    return joined


def _coalesce_call(rows: RowFunctions, node: ex.Call) -> OfRow:
    as_kind = rows.real if rows.kind(node) is ValueType.FLOAT else rows.value
    values = [as_kind(argument) for argument in node.arguments]

    def first(row: Row) -> Any:
        return next((found for value in values if (found := value(row)) is not None), None)

    return first


def _calendar_call(rows: RowFunctions, node: ex.Call) -> OfRow:
    if node.zone is not None:
        raise NoFunction
    part, second = getattr(op, node.function.upper()), 10**9 // UNIT_NANOSECONDS[rows.unit]
    taken = getattr(op.calendar, "py_func", op.calendar)
    return _of_one(rows.value(node.arguments[0]), lambda moment: taken(part, moment, second))


def _number_call(rows: RowFunctions, node: ex.Call) -> OfRow:
    (argument,) = node.arguments
    if node.function == "sqrt":
        return _of_one(rows.real(argument), lambda value: None if value < 0.0 else math.sqrt(value))
    if rows.kind(argument) is ValueType.FLOAT:
        return _of_one(rows.value(argument), _ROUNDED[node.function])
    if node.function == "abs":
        return _of_one(rows.value(argument), lambda value: _fitting(abs(value)))
    return rows.value(argument)


_ROUNDED: dict[str, Callable[[float], float]] = {
    "abs": abs,
    "round": lambda value: float(np.rint(value)),
    "floor": lambda value: float(np.floor(value)),
    "ceil": lambda value: float(np.ceil(value)),
}

_CALLS: dict[str, Callable[[RowFunctions, ex.Call], OfRow]] = {
    "coalesce": _coalesce_call,
    "concat": _concat_call,
    **dict.fromkeys(("regexp_like", "regexp_extract"), _regexp_call),
    **dict.fromkeys(("lower", "upper", "length", "substr"), _text_call),
    **dict.fromkeys(("abs", "round", "floor", "ceil", "sqrt"), _number_call),
    **dict.fromkeys(CALENDAR, _calendar_call),
}


def _call(rows: RowFunctions, node: ex.Call) -> OfRow:
    make = _CALLS.get(node.function)
    if make is None:
        raise NoFunction
    return make(rows, node)


_MAKE: dict[type[ex.Expression], Callable[[RowFunctions, Any], OfRow]] = {
    ex.Literal: _literal,
    ex.Element: _element,
    ex.Negative: _negative,
    ex.Arithmetic: _arithmetic,
    ex.Comparison: lambda rows, node: _compared(rows, node.operator, node.left, node.right),
    ex.And: lambda rows, node: _decided([rows.value(each) for each in node.operands], False),
    ex.Or: lambda rows, node: _decided([rows.value(each) for each in node.operands], True),
    ex.Not: lambda rows, node: _negated(rows.value(node.operand), True),
    ex.In: _in,
    ex.Between: _between,
    ex.Like: _like,
    ex.IsNull: _is_null,
    ex.Case: _case,
    ex.Call: _call,
}
