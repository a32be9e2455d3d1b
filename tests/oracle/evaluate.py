"""What an expression is worth on a match: plain Python values, None for null, SQL's three-valued logic."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from functools import reduce
from typing import Any

from cepheid import expressions as ex
from cepheid.expressions import Index, Scope
from cepheid.time import Duration

from .kinds import STAMPS, WrittenText, compares, computes, kind_of, of_kind
from .zones import Moment, Written, instant, inward

Event = Mapping[str, Any]
CLOCK = "time()"  # where an event keeps the time of the stream, whatever its columns are called


@dataclass(frozen=True, slots=True)
class Match:
    """The events of each variable, and for `a[i]` which i is meant (from 0); an absent variable has none."""

    bound: Mapping[str, tuple[Event, ...]]
    current: Mapping[str, int]
    element: Event | None = None  # the event that an enclosing aggregate is at


def value(node: ex.Expression, match: Match) -> Any:
    """What the expression is worth on this match."""
    return RULES[type(node)](node, match)


def in_int64(number: Any) -> Any:
    """Integers that leave int64 are null."""
    return None if type(number) is int and not -(2**63) <= number < 2**63 else number


# -- references ------------------------------------------------------------------------------------

PICK: dict[Index | int, Callable[[tuple[Event, ...], int], Event]] = {
    Index.ONLY: lambda events, i: events[0],
    Index.FIRST: lambda events, i: events[0],
    Index.CURRENT: lambda events, i: events[i],
    Index.PREVIOUS: lambda events, i: events[i - 1],
    Index.LAST: lambda events, i: events[-1],
}


def _literal(node: ex.Literal, match: Match) -> Any:
    if isinstance(node.value, Duration):
        return timedelta(microseconds=int(node.value.nanoseconds() / 1000))
    return _written(node.value) if isinstance(node.value, datetime) else in_int64(node.value)


def _attribute(node: ex.Attribute, match: Match) -> Any:
    events = match.bound.get(node.variable)
    if not events:
        return None
    if isinstance(node.index, int):
        return _field(events[node.index - 1], node) if node.index <= len(events) else None
    return _field(PICK[node.index](events, match.current.get(node.variable, 0)), node)


def _element(node: ex.Element, match: Match) -> Any:
    assert match.element is not None
    return _field(match.element, node)


def _field(event: Event, node: ex.Attribute | ex.Element) -> Any:
    """An attribute, or a field in the structs that it holds."""
    found: Any = event
    for name in (node.name, *node.path):
        found = found.get(name) if isinstance(found, Mapping) else None
    return inward(found)


def _length(node: ex.Length, match: Match) -> int:
    return len(match.bound.get(node.variable, ()))


def _aggregate(node: ex.Aggregate, match: Match) -> Any:
    events = match.bound.get(node.variable, ())
    if node.scope is Scope.PRIOR:
        events = events[: match.current[node.variable]]
    if node.argument is None:
        return len(events)
    values = [value(node.argument, replace(match, element=event)) for event in events]
    if node.function in POSITIONAL:
        return POSITIONAL[node.function](values)
    if node.function in ("sum", "avg"):
        values = [of_kind(item, "number") for item in values]
    known = [item for item in values if item is not None]
    if node.distinct:
        return len({(kind_of(item), "NaN" if _is_nan(item) else item) for item in known})
    return AGGREGATES[node.function](known)


POSITIONAL: dict[str, Callable[[list[Any]], Any]] = {
    "first": lambda values: values[0] if values else None,
    "last": lambda values: values[-1] if values else None,
    "collect": lambda values: values,
}


def _sum(values: list[Any]) -> Any:
    return reduce(lambda x, y: None if x is None else in_int64(x + y), values) if values else None


def _avg(values: list[Any]) -> Any:
    total = _sum(values)
    return None if total is None else total / len(values)


def _extreme(choose: Callable[[list[Any]], Any]) -> Callable[[list[Any]], Any]:
    def extreme(values: list[Any]) -> Any:
        return next((x for x in values if _is_nan(x)), choose(values) if values else None)

    return extreme


AGGREGATES: dict[str, Callable[[list[Any]], Any]] = {
    "count": len,
    "sum": _sum,
    "avg": _avg,
    "min": _extreme(min),
    "max": _extreme(max),
}

# -- arithmetic ------------------------------------------------------------------------------------


def _is_nan(x: Any) -> bool:
    return isinstance(x, float) and math.isnan(x)


def _divide(x: Any, y: Any) -> float | None:
    return None if y == 0 else float(x) / float(y)


def _modulo(x: Any, y: Any) -> Any:
    if y == 0:
        return None
    if isinstance(x, int) and isinstance(y, int):
        return int(math.copysign(1, x)) * (abs(x) % abs(y))
    return math.nan if _is_nan(x) or math.isinf(x) or _is_nan(y) else math.fmod(x, y)


ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
    "%": _modulo,
}


def _arithmetic(node: ex.Arithmetic, match: Match) -> Any:
    left, right = value(node.left, match), value(node.right, match)
    if not computes(node.operator, left, right):
        return None
    return in_int64(ARITHMETIC[node.operator](*_alike(left, right)))


def _negative(node: ex.Negative, match: Match) -> Any:
    operand = of_kind(value(node.operand, match), "number")
    return None if operand is None else in_int64(-operand)


# -- comparison and logic --------------------------------------------------------------------------

COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _alike(x: Any, y: Any) -> tuple[Any, Any]:
    """Two values made comparable: mixed numbers as floats, literals as the times they spell, zones as UTC."""
    if {type(x), type(y)} == {int, float}:
        return float(x), float(y)
    if isinstance(x, TIMES) and isinstance(y, str):
        y = _spelled(x, y)
    elif isinstance(y, TIMES) and isinstance(x, str):
        x = _spelled(y, x)
    if isinstance(x, STAMPS) and isinstance(y, STAMPS):
        return instant(x, y), instant(y, x)
    return x, y


TIMES = (*STAMPS, time)


def _spelled(beside: Any, text: str) -> Any:
    text = ("0" if text[1:2] == ":" else "") + text.strip()
    if isinstance(beside, time):
        return time.fromisoformat(text)
    return _written(datetime.fromisoformat(text))


def _written(literal: datetime) -> Any:
    return Written(literal) if literal.tzinfo is None else inward(literal)


def compare(sign: str, x: Any, y: Any) -> bool | None:
    """`x sign y`, null where either is null, or is of another kind than the other."""
    if not compares(sign, x, y):
        return None
    try:
        alike = _alike(x, y)
    except ValueError:  # a text that spells no time
        return None
    return COMPARE[sign](*alike)


def _side(node: ex.Expression, match: Match) -> Any:
    """What one side of a comparison is worth; a text that stands there itself may spell a time."""
    found = value(node, match)
    return WrittenText(found) if isinstance(node, ex.Literal) and isinstance(found, str) else found


def _comparison(node: ex.Comparison, match: Match) -> bool | None:
    return compare(node.operator, _side(node.left, match), _side(node.right, match))


def _all(truths: list[bool | None]) -> bool | None:
    return False if False in truths else None if None in truths else True


def _any(truths: list[bool | None]) -> bool | None:
    return True if True in truths else None if None in truths else False


def _opposite(truth: bool | None, negated: bool = True) -> bool | None:
    return truth if truth is None or not negated else not truth


def _and(node: ex.And, match: Match) -> bool | None:
    return _all([_truth(item, match) for item in node.operands])


def _or(node: ex.Or, match: Match) -> bool | None:
    return _any([_truth(item, match) for item in node.operands])


def _not(node: ex.Not, match: Match) -> bool | None:
    return _opposite(_truth(node.operand, match))


def _truth(node: ex.Expression, match: Match) -> bool | None:
    found: bool | None = of_kind(value(node, match), "truth")
    return found


def _in(node: ex.In, match: Match) -> bool | None:
    operand = _side(node.operand, match)
    found = _any([compare("=", operand, _side(choice, match)) for choice in node.choices])
    return _opposite(found, node.negated)


def _between(node: ex.Between, match: Match) -> bool | None:
    operand, low, high = (_side(item, match) for item in (node.operand, node.low, node.high))
    return _opposite(_all([compare(">=", operand, low), compare("<=", operand, high)]), node.negated)


def _like(node: ex.Like, match: Match) -> bool | None:
    operand = of_kind(value(node.operand, match), "text")
    if operand is None:
        return None
    wild = {"%": ".*", "_": "."}
    pieces = re.findall(r"\\.|.", node.pattern, re.DOTALL)
    regex = "".join(wild.get(piece) or re.escape(piece[-1]) for piece in pieces)
    return _opposite(re.fullmatch(regex, operand, re.DOTALL) is not None, node.negated)


def _is_null(node: ex.IsNull, match: Match) -> bool:
    return (value(node.operand, match) is None) != node.negated


# -- functions -------------------------------------------------------------------------------------


def _whole(rounding: Callable[[float], float]) -> Callable[[Any], Any]:
    return lambda x: x if isinstance(x, int) or not math.isfinite(x) else float(rounding(x))


def _substr(text: str, begin: int, length: int = 2**63) -> str:
    """From 1; 0 is 1, and a negative number counts from the end, also where that is before the beginning."""
    start = begin - 1 if begin > 0 else begin + len(text) if begin < 0 else 0
    return "".join(letter for place, letter in enumerate(text) if start <= place < start + length)


def _regexp_extract(text: str, pattern: str, group: int = 1) -> str:
    found = re.search(pattern, text)
    return found.group(group) or "" if found else ""


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": lambda x: in_int64(abs(x)),
    "lower": str.lower,
    "upper": str.upper,
    "length": len,
    "substr": _substr,
    "concat": lambda *texts: "".join(texts),
    "regexp_like": lambda text, pattern: re.search(pattern, text) is not None,
    "regexp_extract": _regexp_extract,
    "round": _whole(round),
    "floor": _whole(math.floor),
    "ceil": _whole(math.ceil),
    "sqrt": lambda x: None if x < 0 else math.sqrt(x),
    "time_of_day": lambda t: t.time(),
    "day_of_week": lambda t: t.isoweekday(),
    **{part: operator.attrgetter(part) for part in ("year", "month", "day", "hour", "minute", "second")},
}


def _call(node: ex.Call, match: Match) -> Any:
    if node.function in ("first_time", "last_time"):
        times = [inward(event[CLOCK]) for events in match.bound.values() for event in events]
        return (min if node.function == "first_time" else max)(times)
    arguments = [value(item, match) for item in node.arguments]
    if node.function == "coalesce":
        return next((item for item in arguments if item is not None), None)
    arguments = [of_kind(item, TAKEN.get(node.function, "moment")) for item in arguments[:1]] + arguments[1:]
    arguments = [item.on_clocks if isinstance(item, Moment | Written) else item for item in arguments]
    return None if None in arguments else FUNCTIONS[node.function](*arguments)


TAKEN = {
    **dict.fromkeys(("abs", "round", "floor", "ceil", "sqrt"), "number"),
    **dict.fromkeys(("lower", "upper", "length", "substr", "concat"), "text"),
    **dict.fromkeys(("regexp_like", "regexp_extract"), "text"),
}  # what the first argument of a function must be; of those that take a time apart, a moment


def _case(node: ex.Case, match: Match) -> Any:
    for condition, result in zip(node.conditions, node.results, strict=True):
        if value(condition, match) is True:
            return value(result, match)
    return value(node.otherwise, match)


RULES: dict[type[ex.Expression], Callable[[Any, Match], Any]] = {
    ex.Literal: _literal,
    ex.Attribute: _attribute,
    ex.Element: _element,
    ex.Length: _length,
    ex.Aggregate: _aggregate,
    ex.Negative: _negative,
    ex.Arithmetic: _arithmetic,
    ex.Comparison: _comparison,
    ex.And: _and,
    ex.Or: _or,
    ex.Not: _not,
    ex.In: _in,
    ex.Between: _between,
    ex.Like: _like,
    ex.IsNull: _is_null,
    ex.Call: _call,
    ex.Case: _case,
}
