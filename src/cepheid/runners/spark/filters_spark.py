"""Filters in Spark's expressions: with no cast where Parquet should see them, and nothing that raises."""

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import reduce
from operator import or_

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import types as st

from cepheid import expressions as ex
from cepheid.events import EventSchema
from cepheid.matchers.evaluate import ticks
from cepheid.plan.events.grid import decimal_of
from cepheid.runners.spark.ticks import quoted
from cepheid.runners.spark.words import F

_MICROSECONDS_A_DAY = 86_400 * 10**6


class InSpark:
    """The dialect of Spark's columns."""

    def column(self, name: str) -> Column:
        return F.col(quoted(name))

    def literal(self, value: object, kind: pa.DataType) -> Column:
        """A constant that Spark folds before it asks Parquet; moments do not pass through its time zone."""
        if isinstance(value, datetime):
            return _moment(value, kind)
        return F.lit(decimal_of(value, kind.scale) if pa.types.is_decimal(kind) else value)

    def among(self, column: Column, values: Sequence[object], kind: pa.DataType) -> Column:
        return column.isin(*(self.literal(value, kind) for value in values))

    def like(self, column: Column, pattern: str) -> Column:
        return column.like(pattern)

    def is_null(self, column: Column) -> Column:
        return column.isNull()

    def is_endless(self, column: Column) -> Column:
        return F.isnan(column) | (F.abs(column) == F.lit(math.inf))

    def or_nan(self, condition: Column, sides: Sequence[Column]) -> Column:
        """NaN is greater than all else to Spark, and equals itself."""
        return reduce(or_, map(F.isnan, sides), condition)

    def whole(self, value: Column) -> Column:
        return value.cast("long")

    def real(self, value: Column) -> Column:
        return value.cast("double")

    def arithmetic(self, operator: str, left: Column, right: Column) -> Column:
        computed: Column = getattr(F, _TRY[operator])(left, right)
        return computed

    def absolute(self, value: Column) -> Column:
        """The greater of the number and its negative: abs() raises for the least integer."""
        return F.greatest(value, F.try_subtract(F.lit(0), value))

    def length(self, text: Column) -> Column:
        return F.length(text).cast("long")

    def substr(self, text: Column, begin: int, length: int | None = None) -> Column:
        return F.substring(text, begin, 2**31 - 1 if length is None else length)

    def concat(self, texts: Sequence[Column]) -> Column:
        return F.concat(*texts)


_TRY = {"+": "try_add", "-": "try_subtract", "*": "try_multiply", "/": "try_divide", "%": "try_mod"}


def _moment(value: datetime, kind: pa.DataType) -> Column:
    microseconds = ticks(value, "us")
    if pa.types.is_date(kind):
        return F.date_from_unix_date(F.lit(microseconds // _MICROSECONDS_A_DAY))
    if kind.tz is not None:
        return F.timestamp_micros(F.lit(microseconds))
    local = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    return F.lit(local.isoformat(sep=" ")).cast("timestamp_ntz")


def is_known_to_storage(node: ex.Expression, schema: EventSchema) -> bool:
    """Whether Spark can hand a condition to a reader of files, such as Parquet's."""
    match node:
        case ex.And(operands=operands) | ex.Or(operands=operands):
            return all(is_known_to_storage(operand, schema) for operand in operands)
        case ex.Comparison(operator=operator, left=ex.Element(name=name), right=ex.Literal(value=value)):
            kind = schema.type_of(name)
            is_cast = pa.types.is_integer(kind) and isinstance(value, float)
            return not (is_cast or _holds_for_nan(kind, operator == "!="))
        case ex.In(operand=ex.Element(name=name), negated=negated):
            return not _holds_for_nan(schema.type_of(name), negated)
        case ex.Like(operand=ex.Element(), pattern=pattern):
            return _ENDS_OR_MIDDLE.fullmatch(pattern) is not None
        case ex.Not(operand=operand):
            return isinstance(operand, ex.Element)
        case _:
            return isinstance(node, ex.Element | ex.IsNull | ex.Literal)


_ENDS_OR_MIDDLE = re.compile("%?[^%_]*%?", re.DOTALL)


def _holds_for_nan(kind: pa.DataType, is_unequal: bool) -> bool:
    return is_unequal and bool(pa.types.is_floating(kind))


def opaque_columns(columns: st.StructType) -> frozenset[str]:
    """The columns of text that Spark does not compare by code point: those with another collation,
    and those of CHAR(n), beside which it pads literals."""
    return frozenset(field.name for field in columns if _is_opaque(field))


def _is_opaque(field: st.StructField) -> bool:
    if isinstance(field.dataType, st.CharType):
        return True
    if not isinstance(field.dataType, st.StringType):
        return False
    declared = str((field.metadata or {}).get("__CHAR_VARCHAR_TYPE_STRING", ""))
    return declared.startswith("char") or field.dataType.collation != "UTF8_BINARY"
