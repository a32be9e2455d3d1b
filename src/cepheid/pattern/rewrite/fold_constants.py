"""`a.x > 60 * 60` is `a.x > 3600`.

Only what names no variable is folded. A conjunct holds where an optional variable that it names is absent,
so no name may disappear. Nulls stay as they are written, since NULL has another type than `1 / 0`.
"""

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from cepheid import expressions as ex
from cepheid.pattern.fold import INT64, fold_expression, with_children
from cepheid.pattern.query import PatternQuery

Number = int | float

COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
"""What the signs of comparisons ask of two values that are not null."""


def fold_constants(query: PatternQuery) -> PatternQuery:
    """Every sub-expression of WHERE over constants alone is its value."""
    return replace(query, conjuncts=tuple(fold_expression(c, _folded_node) for c in query.conjuncts))


def folded(node: ex.Expression) -> ex.Expression:
    """The value of a node over constants alone, or the node itself."""
    return _folded_node(node, list(ex.children(node)))


def _folded_node(node: ex.Expression, below: list[ex.Expression]) -> ex.Expression:
    node = with_children(node, below)
    if isinstance(node, ex.And | ex.Or):
        return _without_neutral(node)
    values = [child.value for child in below if isinstance(child, ex.Literal)]
    if not below or len(values) < len(below):
        return node
    value = _value(node, values)
    return node if value is None else ex.Literal(value, span=node.span)


def _without_neutral(node: ex.And | ex.Or) -> ex.Expression:
    """Leave out what changes nothing: TRUE in an AND, FALSE in an OR."""
    neutral = isinstance(node, ex.And)
    kept = tuple(x for x in node.operands if not (isinstance(x, ex.Literal) and x.value is neutral))
    if not kept:
        return ex.Literal(neutral, span=node.span)
    constants = [x.value for x in kept if isinstance(x, ex.Literal)]
    if len(constants) == len(kept) and (not neutral) in constants:
        return ex.Literal(not neutral, span=node.span)
    if len(kept) == 1:
        return node if isinstance(kept[0], ex.And) else kept[0]  # an AND by itself would be several conjuncts
    return replace(node, operands=kept)


def _value(node: ex.Expression, values: Sequence[object]) -> bool | Number | None:
    """The value of an operator over constants, or None to leave it as it is."""
    match node:
        case ex.Negative():
            return _arithmetic("-", 0, values[0]) if isinstance(values[0], int) else _negated(values[0])
        case ex.Arithmetic(operator=sign):
            return _arithmetic(sign, *values)
        case ex.Comparison(operator=sign):
            return _compared(sign, *values)
        case ex.Not():
            return not values[0] if isinstance(values[0], bool) else None
        case ex.Between(negated=negated):
            return _both(
                _compared(">=", values[0], values[1]), _compared("<=", values[0], values[2]), negated
            )
        case ex.In(negated=negated):
            found = [_compared("=", values[0], choice) for choice in values[1:]]
            return None if None in found else (True in found) is not negated
        case _:
            return None


def _both(low: bool | None, high: bool | None, negated: bool) -> bool | None:
    return None if low is None or high is None else (low and high) is not negated


def _negated(value: object) -> float | None:
    return -value if isinstance(value, float) else None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _arithmetic(sign: str, left: object, right: object) -> Number | None:
    """As engines compute it, in int64 or float64; None, to leave it alone, where they would say null."""
    if not (_is_number(left) and _is_number(right)):
        return None
    assert isinstance(left, int | float) and isinstance(right, int | float)
    whole = isinstance(left, int) and isinstance(right, int)
    if sign in "/%" and right == 0:
        return None
    if sign == "/":
        return _finite(float(left) / float(right))
    if sign == "%":
        return _remainder(left, right)
    if not whole:
        left, right = float(left), float(right)
    result: Number = {"+": operator.add, "-": operator.sub, "*": operator.mul}[sign](left, right)
    return (result if result in INT64 else None) if whole else _finite(result)


def _remainder(left: Number, right: Number) -> Number:
    """With the sign of the dividend."""
    if isinstance(left, int) and isinstance(right, int):
        size = abs(left) % abs(right)
        return size if left >= 0 else -size
    return math.fmod(left, right)


def _finite(value: Number) -> Number | None:
    return value if math.isfinite(value) else None


def _compared(sign: str, left: object, right: object) -> bool | None:
    if _is_number(left) and _is_number(right):
        if isinstance(left, float) or isinstance(right, float):
            left, right = float(left), float(right)  # type: ignore[arg-type]
        return COMPARE[sign](left, right)
    if isinstance(left, str) and isinstance(right, str):
        return COMPARE[sign](left, right)
    if isinstance(left, bool) and isinstance(right, bool) and sign in ("=", "!="):
        return COMPARE[sign](left, right)
    return None
