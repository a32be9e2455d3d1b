"""Conjuncts that must hold for every event of a Kleene variable, told by its least and greatest value.

`a[i].x < b.y` holds for every i if and only if the greatest `a.x` is less than `b.y` and no `a.x` is null. So
a run remembers two values instead of going back through its events, and runs that agree on them are alike.
"""

from collections.abc import Container

from cepheid import expressions as ex
from cepheid.events import EventSchema
from cepheid.expressions import Index, Scope
from cepheid.pattern.types import ValueType, type_of
from cepheid.plan.states.predicates import BEGIN, RANGING, TAKE, element_of, references, single_source

_EXTREMES = {"<": ("max",), "<=": ("max",), ">": ("min",), ">=": ("min",), "=": ("min", "max")}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}
_ORDERED = frozenset(ValueType) - {ValueType.BOOL, ValueType.NULL}


def by_extremes(
    conjunct: ex.Expression, current: str, edge: str, positive: Container[str], schema: EventSchema
) -> tuple[ex.Expression, ...]:
    """Conjuncts that mean the same on an edge of the variable `current`, over extremes where they can be."""
    if not isinstance(conjunct, ex.Comparison) or conjunct.operator not in _EXTREMES:
        return (conjunct,)
    taking = current if edge in (BEGIN, TAKE) else None
    sides = (
        (conjunct.left, conjunct.operator, conjunct.right),
        (conjunct.right, _MIRRORED[conjunct.operator], conjunct.left),
    )
    for side, operator, other in sides:
        source = single_source(side)
        if source is None or source[1] is not Index.CURRENT or source[0] == taking:
            continue
        named = references(other)
        ranges = any(kinds & RANGING for name, kinds in named.items() if name != taking and name in positive)
        if source[0] in positive and source[0] not in named and not ranges:
            if type_of(side, schema) in _ORDERED:
                return tuple(_pieces(source[0], element_of(side), operator, other))
    return (conjunct,)


def _pieces(
    variable: str, element: ex.Expression, operator: str, other: ex.Expression
) -> list[ex.Expression]:
    extremes = [
        ex.Comparison(operator, ex.Aggregate(function, variable, Scope.WHOLE, element), other)
        for function in _EXTREMES[operator]
    ]
    unknown = ex.Aggregate("max", variable, Scope.WHOLE, ex.IsNull(element, negated=False))
    return [*extremes, ex.Comparison("=", unknown, ex.Literal(False))]
