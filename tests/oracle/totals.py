"""The items of AGG: what they are called, and what they make of the values that they range over."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any

from cepheid import expressions as ex
from cepheid.pattern.query import AggregateItem

from .evaluate import AGGREGATES
from .zones import Moment, outward

Values = Counter[Any]  # how often each value occurs; nulls are left out


def together(bags: Iterable[Values]) -> Values:
    """The values of all."""
    values: Values = Counter()
    for bag in bags:
        values.update(bag)
    return values


def _total(values: Values) -> Any:
    """Exact, unless some value is no number at all."""
    if all(map(math.isfinite, values)):
        return sum(Fraction(one) * times for one, times in values.items())
    return sum(one * times for one, times in values.items())


def _sum(values: Values) -> Any:
    if not values:
        return None
    return int(_total(values)) if all(type(one) is int for one in values) else float(_total(values))


FUNCTIONS: dict[str, Callable[[Values], Any]] = {
    "sum": _sum,
    "avg": lambda values: float(_total(values) / values.total()) if values else None,
    "min": lambda values: outward(AGGREGATES["min"](list(values))),
    "max": lambda values: outward(AGGREGATES["max"](list(values))),
}


def plain(cell: Any) -> Any:
    """One NaN for all of them, so that they are one group, and one value."""
    return math.nan if cell != cell else cell


def is_of_one_event(expression: ex.Expression) -> bool:
    """Whether it is about each event of its variable by itself."""
    indices = {node.index for node in ex.walk(expression) if isinstance(node, ex.Attribute)}
    others = any(isinstance(node, ex.Aggregate | ex.Length) for node in ex.walk(expression))
    return not others and indices <= {ex.Index.ONLY, ex.Index.CURRENT}


def variable_of(item: AggregateItem) -> str:
    """The one variable that an item is about; COUNT is about none."""
    if item.argument is None:
        return ""
    (variable,) = ex.variables(item.argument)
    return variable


def column_name(item: AggregateItem) -> str:
    """What a column is called without AS."""
    named = [item.argument.name, *item.argument.path] if isinstance(item.argument, ex.Attribute) else []
    return "_".join([item.function, *filter(None, [variable_of(item)]), *named])


def as_time(moment: Fraction, like: Any) -> Any:
    """A moment of the clock as the stream writes its times."""
    if not isinstance(like, date):
        return type(like)(moment)
    at = datetime(1970, 1, 1) + timedelta(microseconds=int(moment / 1000))
    if not isinstance(like, datetime):
        return at.date()
    return at if like.tzinfo is None else Moment(at, like.tzinfo).shown
