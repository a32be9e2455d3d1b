"""A pushed filter in the words of Spark, and in those of Arrow's scanner.

Both say what the filter says, or less: every event that an engine would use passes. Their values
differ from ours in three ways, each guarded where it is written. NaN compares as in IEEE 754 here,
equals itself and exceeds all else in Spark, and is missing from the statistics of Parquet files. What
leaves int64 is null here, an error in Spark's ANSI mode, and wraps in Arrow. A timestamp in a query
is a moment by now, in the zone of the column beside it, and passes through no other.
"""

import operator as python
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column

from cepheid import expressions as ex
from cepheid.events import EventSchema
from cepheid.pattern.types import ValueType, type_of
from cepheid.plan.events.weaken import INVERSE
from cepheid.runners.spark.filters_arrow import InArrow
from cepheid.runners.spark.filters_spark import InSpark, is_known_to_storage, opaque_columns
from cepheid.runners.spark.words import F, in_sql

__all__ = ["arrow_filter", "opaque_columns", "spark_filter", "sql_filter"]

Value = Any  # a Column of Spark, or an Expression of Arrow


def spark_filter(expression: ex.Expression, schema: EventSchema) -> Column:
    """The filter as a condition on a DataFrame that has the stream's columns.

    Spark hands an OR to storage only if storage knows all of it. So what it knows and the rest of the
    filter each have an "or there is no time" of their own, put differently, since Spark would join
    what is put alike.
    """
    spark = InSpark()
    to = _Translation(schema, spark)
    operands = expression.operands if isinstance(expression, ex.And) else (expression,)
    known = [to.truth(operand) for operand in operands if is_known_to_storage(operand, schema)]
    others = [to.truth(operand) for operand in operands if not is_known_to_storage(operand, schema)]
    time = spark.column(schema.time)
    parts = [
        _joined(python.and_, conditions) | to.is_no_time(moment)
        for conditions, moment in ((known, time), (others, F.greatest(time, time)))
        if conditions
    ]
    condition: Column = _joined(python.and_, parts)
    return condition


def sql_filter(expression: ex.Expression, schema: EventSchema) -> str:
    """The same condition as a text of SQL."""
    with in_sql():
        return str(spark_filter(expression, schema))


def arrow_filter(expression: ex.Expression, schema: EventSchema, *, pruning: bool = True) -> pc.Expression:
    """The filter as a condition on a data set that has the stream's columns.

    With pruning, row groups may be skipped by their statistics, which do not tell of NaN: what holds
    for NaN is left out, and so is all of it if time is a float. Without, it is for tables in memory.
    """
    if pruning and pa.types.is_floating(schema.type_of(schema.time)):
        return pc.scalar(True)
    to = _Translation(schema, InArrow(schema, pruning))
    return to.truth(expression) | to.is_no_time(to.to.column(schema.time))


class Dialect(Protocol):
    """What the two say differently; they share comparisons and `& | ~`."""

    def column(self, name: str) -> Value:
        """The values of a column."""

    def literal(self, value: object, kind: pa.DataType) -> Value:
        """A constant beside a column of this type."""

    def among(self, column: Value, values: Sequence[object], kind: pa.DataType) -> Value:
        """Whether a column that is not of floats has one of these values."""

    def like(self, column: Value, pattern: str) -> Value:
        """SQL's LIKE, of a pattern without escapes."""

    def is_null(self, column: Value) -> Value:
        """Whether there is no value."""

    def is_endless(self, column: Value) -> Value:
        """Whether a float is infinite or NaN."""

    def or_nan(self, condition: Value, sides: Sequence[Value]) -> Value:
        """The condition, or one of the floats that it compares is NaN."""

    def whole(self, value: Value) -> Value:
        """An integer as int64."""

    def real(self, value: Value) -> Value:
        """A number as float64."""

    def arithmetic(self, operator: str, left: Value, right: Value) -> Value:
        """Two of int64, or two of float64; where there is no result, null or anything, but no error."""

    def absolute(self, value: Value) -> Value:
        """A number without its sign."""

    def length(self, text: Value) -> Value:
        """How many characters a text has, as int64."""

    def substr(self, text: Value, begin: int, length: Any = None) -> Value:
        """A part of a text, as in SQL."""

    def concat(self, texts: Sequence[Value]) -> Value:
        """Texts, one after the other; null if one is."""


@dataclass(frozen=True, slots=True)
class _Translation:
    """Turns the forms that `weaken` leaves into those of a dialect."""

    schema: EventSchema
    to: Dialect

    def truth(self, node: ex.Expression) -> Value:
        return _FORMS[type(node)](self, node)

    def is_no_time(self, time: Value) -> Value:
        """Whether an event has no time, and is to be reported for that."""
        kind = self.schema.type_of(self.schema.time)
        missing = self.to.is_null(time)
        if pa.types.is_floating(kind):
            missing = missing | self.to.is_endless(time)
        if pa.types.is_uint64(kind):
            missing = missing | (time > self.to.literal(2**63 - 1, kind))
        return missing

    def _literal(self, node: ex.Literal) -> Value:
        return self.to.literal(node.value, pa.bool_())

    def _not(self, node: ex.Not) -> Value:
        if isinstance(node.operand, ex.Comparison):
            return self._comparison(node.operand, negated=True)
        return ~self.truth(node.operand)

    def _comparison(self, node: ex.Comparison, negated: bool = False) -> Value:
        operator = INVERSE[node.operator] if negated else node.operator
        left, right = self._sides(node.left, node.right)
        condition = _COMPARE[operator](left, right)
        is_real = ValueType.FLOAT in (self._type(node.left), self._type(node.right))
        return (
            self.to.or_nan(condition, [left, right])
            if is_real and (negated or operator == "!=")
            else condition
        )

    def _sides(self, left: ex.Expression, right: ex.Expression) -> tuple[Value, Value]:
        """What is compared; a column is left as it is if it can be, since storage knows only those."""
        kinds = {self._type(left), self._type(right)}
        if isinstance(left, ex.Element):
            kind = self.schema.type_of(left.name)
            if isinstance(right, ex.Literal) and not (pa.types.is_integer(kind) and ValueType.FLOAT in kinds):
                return self.to.column(left.name), self.to.literal(right.value, kind)
            if isinstance(right, ex.Element) and self.schema.type_of(right.name) == kind:
                return self.to.column(left.name), self.to.column(right.name)
        if ValueType.STRING in kinds:
            return self._text(left), self._text(right)
        is_real = ValueType.FLOAT in kinds
        return self._number(left, is_real), self._number(right, is_real)

    def _text(self, node: ex.Expression) -> Value:
        match node:
            case ex.Element(name=name):
                return self.to.column(name)
            case ex.Literal(value=value):
                return self.to.literal(value, pa.string())
            case ex.Call(function="concat", arguments=arguments):
                return self.to.concat([self._text(argument) for argument in arguments])
            case ex.Call(function="substr", arguments=(text, *numbers)):
                begin, *length = (n.value for n in numbers if isinstance(n, ex.Literal))
                assert isinstance(begin, int) and all(isinstance(each, int) for each in length)
                return self.to.substr(self._text(text), begin, *length)
            case _:
                raise AssertionError(node)

    def _number(self, node: ex.Expression, is_real: bool) -> Value:
        own = self._type(node) is ValueType.FLOAT
        match node:
            case ex.Element(name=name):
                return (self.to.real if is_real else self.to.whole)(self.to.column(name))
            case ex.Literal(value=value):
                assert isinstance(value, int | float)
                return (
                    self.to.literal(float(value), pa.float64())
                    if is_real
                    else self.to.literal(value, pa.int64())
                )
            case ex.Negative(operand=operand):
                found = self._arithmetic("-", ex.Literal(0), operand, own)
            case ex.Arithmetic(operator=operator, left=left, right=right):
                found = self._arithmetic(operator, left, right, own)
            case ex.Call(function="length", arguments=(argument,)):
                found = self.to.length(self._text(argument))
            case ex.Call(arguments=(argument,)):
                found = self.to.absolute(self._number(argument, own))
            case _:
                raise AssertionError(node)
        return self.to.real(found) if is_real and not own else found

    def _arithmetic(self, operator: str, left: ex.Expression, right: ex.Expression, is_real: bool) -> Value:
        return self.to.arithmetic(operator, self._number(left, is_real), self._number(right, is_real))

    def _in(self, node: ex.In) -> Value:
        assert isinstance(node.operand, ex.Element)
        kind = self.schema.type_of(node.operand.name)
        if pa.types.is_floating(kind):  # a set holds 0.0 or -0.0, and either equals both
            sign, join = ("!=", python.and_) if node.negated else ("=", python.or_)
            tests = [self._comparison(ex.Comparison(sign, node.operand, choice)) for choice in node.choices]
            return _joined(join, tests)
        values = [choice.value for choice in node.choices if isinstance(choice, ex.Literal)]
        column = self.to.column(node.operand.name)
        found = self.to.among(column, values, kind)
        return ~(found | self.to.is_null(column)) if node.negated else found

    def _like(self, node: ex.Like) -> Value:
        found = self.to.like(self._text(node.operand), node.pattern)
        return ~found if node.negated else found

    def _is_null(self, node: ex.IsNull) -> Value:
        found = self.to.is_null(self.truth(node.operand))
        return ~found if node.negated else found

    def _type(self, node: ex.Expression) -> ValueType:
        return type_of(node, self.schema)


def _joined(join: Callable[[Value, Value], Value], parts: list[Value]) -> Value:
    """All parts in one, as a tree that is not deep."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return join(_joined(join, parts[:half]), _joined(join, parts[half:]))


def _all_or_any(join: Callable[[Value, Value], Value], to: _Translation, node: ex.And | ex.Or) -> Value:
    return _joined(join, [to.truth(operand) for operand in node.operands])


_COMPARE: dict[str, Callable[[Value, Value], Value]] = {
    "=": python.eq,
    "!=": python.ne,
    "<": python.lt,
    "<=": python.le,
    ">": python.gt,
    ">=": python.ge,
}

_FORMS: dict[type[ex.Expression], Callable[[_Translation, Any], Value]] = {
    ex.Literal: _Translation._literal,
    ex.Element: lambda to, node: to.to.column(node.name),
    ex.And: partial(_all_or_any, python.and_),
    ex.Or: partial(_all_or_any, python.or_),
    ex.Not: _Translation._not,
    ex.Comparison: _Translation._comparison,
    ex.In: _Translation._in,
    ex.Like: _Translation._like,
    ex.IsNull: _Translation._is_null,
}
