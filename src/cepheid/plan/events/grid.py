"""Comparisons of a column with a literal that lies between two of its values, or too near to tell."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.plan.events.logic import FALSE, all_of

EXACT = 2**53
"""Whole numbers up to here are floats without rounding."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CALENDAR = (datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC))
_EXTENT = {"ns": (datetime(1678, 1, 1, tzinfo=UTC), datetime(2262, 1, 1, tzinfo=UTC))}
_STEPS = {"d": 86_400 * 10**6, "s": 10**6, "ms": 10**3, "us": 1, "ns": 1}  # in microseconds, as literals are
_TOLERANCE = Fraction(1, 10**12)  # more than a decimal may lose as it becomes a float


def on_grid(
    operator: str, column: ex.Element, value: Fraction, literal: Callable[[int], ex.Literal]
) -> ex.Expression:
    """A comparison of whole numbers with what may lie between two of them."""
    if value.denominator != 1 and operator in ("=", "!="):
        return FALSE if operator == "=" else ex.IsNull(column, negated=True)
    near = floor(value) if operator in (">", "<=") else ceil(value)
    return ex.Comparison(operator, column, literal(near))


def beside_moments(
    operator: str, column: ex.Element, literal: ex.Literal, kind: pa.DataType
) -> ex.Expression | None:
    """A date or a timestamp, of whatever unit, beside a moment to the microsecond."""
    assert isinstance(literal.value, datetime)
    moment = literal.value if literal.value.tzinfo else literal.value.replace(tzinfo=UTC)
    unit = kind.unit if pa.types.is_timestamp(kind) else "d" if pa.types.is_date32(kind) else "ms"
    first, last = _EXTENT.get(unit, _CALENDAR)
    if not first <= moment <= last:
        return None
    step = _STEPS[unit]
    ticks = Fraction((moment - _EPOCH) // timedelta(microseconds=1), step)
    if ticks.denominator == 1:
        return ex.Comparison(operator, column, literal)
    zone = moment.tzinfo if pa.types.is_timestamp(kind) and kind.tz else None
    return on_grid(operator, column, ticks, lambda tick: _moment(tick * step, zone))


def _moment(microseconds: int, zone: tzinfo | None) -> ex.Literal:
    moment = _EPOCH + timedelta(microseconds=microseconds)
    return ex.Literal(moment.replace(tzinfo=None) if zone is None else moment.astimezone(zone))


def beside_decimals(operator: str, column: ex.Element, value: Fraction, scale: int) -> ex.Expression | None:
    """A decimal, which is compared as a float that is not always the nearest: those too near pass as well."""
    if operator == "!=" or scale < 0 or abs(value) * 10**scale >= EXACT // 2:
        return None
    margin, size = abs(value) * _TOLERANCE, 10**scale
    least, most = ceil((value - margin) * size), floor((value + margin) * size)
    if operator == "=" and least >= most:
        return FALSE if least > most else ex.Comparison("=", column, ex.Literal(least / size))
    at_least = ex.Comparison(">=", column, ex.Literal(least / size))
    at_most = ex.Comparison("<=", column, ex.Literal(most / size))
    if operator == "=":
        return all_of([at_least, at_most])
    return at_least if operator in (">", ">=") else at_most


def decimal_of(value: object, scale: int) -> Decimal:
    """The decimal of so many digits that a float beside it stands for."""
    assert isinstance(value, float)
    return Decimal(round(Fraction(value) * 10**scale)).scaleb(-scale)
