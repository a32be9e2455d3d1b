"""Of which kinds the value of an expression over a loose stream may be: an attribute may be of several."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time
from enum import Enum
from typing import Any

from cepheid import expressions as ex
from cepheid.pattern.functions import FUNCTIONS, MATCH_FUNCTIONS, ValueType
from cepheid.pattern.types import type_of
from cepheid.plan.loose.stream import Form, LooseStream
from cepheid.time import Duration


class ValueKind(Enum):
    """Values of two kinds are never compared: that is null."""

    NUMBER = Form.NUMBER
    TEXT = Form.TEXT
    TRUTH = Form.TRUTH
    MOMENT = Form.MOMENT
    LENGTH = None  # of time; events do not hold it, but expressions compute it
    CLOCK = "a time of day"  # the same


Kinds = frozenset[ValueKind]

ANY: Kinds = frozenset({ValueKind.NUMBER, ValueKind.TEXT, ValueKind.TRUTH, ValueKind.MOMENT})
"""What an attribute may hold, besides objects and lists, which compare with nothing."""

_NUMBER, _TRUTH = frozenset({ValueKind.NUMBER}), frozenset({ValueKind.TRUTH})

OF_TYPE: dict[ValueType, ValueKind] = {
    ValueType.BOOL: ValueKind.TRUTH,
    ValueType.INT: ValueKind.NUMBER,
    ValueType.FLOAT: ValueKind.NUMBER,
    ValueType.STRING: ValueKind.TEXT,
    ValueType.TIMESTAMP: ValueKind.MOMENT,
    ValueType.DURATION: ValueKind.LENGTH,
    ValueType.TIME: ValueKind.CLOCK,
}

_OF_LITERAL: dict[type, Kinds] = {
    type(None): ANY,
    bool: _TRUTH,
    int: _NUMBER,
    float: _NUMBER,
    str: frozenset({ValueKind.TEXT}),
    datetime: frozenset({ValueKind.MOMENT}),
    time: frozenset({ValueKind.CLOCK}),
    Duration: frozenset({ValueKind.LENGTH}),
}

SUMS: dict[tuple[str, ValueKind], tuple[tuple[ValueKind, ValueKind], ...]] = {
    ("+", ValueKind.NUMBER): ((ValueKind.NUMBER, ValueKind.NUMBER),),
    ("-", ValueKind.NUMBER): ((ValueKind.NUMBER, ValueKind.NUMBER),),
    ("-", ValueKind.LENGTH): ((ValueKind.MOMENT, ValueKind.MOMENT), (ValueKind.LENGTH, ValueKind.LENGTH)),
    ("+", ValueKind.LENGTH): ((ValueKind.LENGTH, ValueKind.LENGTH),),
    ("-", ValueKind.MOMENT): ((ValueKind.MOMENT, ValueKind.LENGTH),),
    ("+", ValueKind.MOMENT): ((ValueKind.MOMENT, ValueKind.LENGTH), (ValueKind.LENGTH, ValueKind.MOMENT)),
}
"""Which kinds are added and subtracted to what."""


def is_loose(node: ex.Expression, stream: LooseStream) -> bool:
    """Whether an expression names an attribute that has no type: not time, type or a tie-breaker."""
    return isinstance(node, ex.Attribute | ex.Element) and not (
        node.name in stream.bound or (not node.path and stream.schema.column_of(node.name) in stream.bound)
    )


def kinds_of(node: ex.Expression, stream: LooseStream) -> Kinds:
    """The kinds that the value of an expression may be of."""
    return _RULES[type(node)](node, stream)


def _attribute(node: ex.Attribute | ex.Element, stream: LooseStream) -> Kinds:
    return ANY if is_loose(node, stream) else frozenset({OF_TYPE[type_of(node, stream.schema)]})


def _aggregate(node: ex.Aggregate, stream: LooseStream) -> Kinds:
    if node.function in ("count", "sum", "avg") or node.argument is None:
        return _NUMBER
    below = kinds_of(node.argument, stream)
    return _NUMBER if node.function in ("min", "max") and len(below) > 1 else below


def _arithmetic(node: ex.Arithmetic, stream: LooseStream) -> Kinds:
    if node.operator in "*/%":
        return _NUMBER
    left, right = kinds_of(node.left, stream), kinds_of(node.right, stream)
    return frozenset(
        result
        for (sign, result), pairs in SUMS.items()
        if sign == node.operator and any(x in left and y in right for x, y in pairs)
    )


def _call(node: ex.Call, stream: LooseStream) -> Kinds:
    if node.function in MATCH_FUNCTIONS:
        return frozenset({OF_TYPE[type_of(node, stream.schema)]})
    if FUNCTIONS[node.function].alike:
        return frozenset().union(*(kinds_of(each, stream) for each in node.arguments))
    result = FUNCTIONS[node.function].result
    return _NUMBER if result is None else frozenset({OF_TYPE[result]})


def _case(node: ex.Case, stream: LooseStream) -> Kinds:
    results = [*node.results, node.otherwise]
    known = [each for each in results if not (isinstance(each, ex.Literal) and each.value is None)]
    return frozenset().union(*(kinds_of(each, stream) for each in known or results))


def _always(kinds: Kinds) -> Callable[[Any, LooseStream], Kinds]:
    return lambda node, stream: kinds


_RULES: dict[type[ex.Expression], Callable[[Any, LooseStream], Kinds]] = {
    ex.Literal: lambda node, stream: _OF_LITERAL[type(node.value)],
    ex.Attribute: _attribute,
    ex.Element: _attribute,
    ex.Length: _always(_NUMBER),
    ex.Aggregate: _aggregate,
    ex.Negative: _always(_NUMBER),
    ex.Arithmetic: _arithmetic,
    ex.Call: _call,
    ex.Case: _case,
    **dict.fromkeys(
        (ex.Comparison, ex.And, ex.Or, ex.Not, ex.In, ex.Between, ex.Like, ex.IsNull), _always(_TRUTH)
    ),
}
