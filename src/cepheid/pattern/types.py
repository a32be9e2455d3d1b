"""The type of every expression over a stream, known before any data moves."""

from collections.abc import Callable
from datetime import datetime, time
from typing import Any

import pyarrow as pa

from cepheid import expressions as ex
from cepheid.errors import QueryCheckError, UnknownAttributeError
from cepheid.events import EventSchema
from cepheid.pattern.fold import fold_expression
from cepheid.pattern.functions import FUNCTIONS, MATCH_FUNCTIONS, NUMERIC, ValueType
from cepheid.pattern.literals import nearest, parse_time_of_day, parse_timestamp
from cepheid.time import Duration

__all__ = ["ValueType", "column_for", "column_type", "type_of", "value_type"]

BOOL, INT, FLOAT, STRING = ValueType.BOOL, ValueType.INT, ValueType.FLOAT, ValueType.STRING
TIMESTAMP, DURATION, TIME, NULL = ValueType.TIMESTAMP, ValueType.DURATION, ValueType.TIME, ValueType.NULL

_ARROW_TYPES: tuple[tuple[Callable[[pa.DataType], bool], ValueType], ...] = (
    (pa.types.is_boolean, BOOL),
    (pa.types.is_integer, INT),
    (pa.types.is_floating, FLOAT),
    (pa.types.is_decimal, FLOAT),
    (pa.types.is_string, STRING),
    (pa.types.is_large_string, STRING),
    (pa.types.is_string_view, STRING),
    (pa.types.is_timestamp, TIMESTAMP),
    (pa.types.is_date, TIMESTAMP),
    (pa.types.is_duration, DURATION),
    (pa.types.is_time, TIME),
    (pa.types.is_null, NULL),
)

_TIME_ARITHMETIC: dict[tuple[str, ValueType, ValueType], ValueType] = {
    ("-", TIMESTAMP, TIMESTAMP): DURATION,
    ("-", TIMESTAMP, DURATION): TIMESTAMP,
    ("+", TIMESTAMP, DURATION): TIMESTAMP,
    ("+", DURATION, TIMESTAMP): TIMESTAMP,
    ("+", DURATION, DURATION): DURATION,
    ("-", DURATION, DURATION): DURATION,
}

_ORDERED = (INT, FLOAT, STRING, TIMESTAMP, DURATION, TIME)

_AGGREGATE_ACCEPTS: dict[str, tuple[ValueType, ...]] = {
    "sum": NUMERIC,
    "avg": NUMERIC,
    "min": _ORDERED,
    "max": _ORDERED,
}


def value_type(kind: pa.DataType) -> ValueType | None:
    """What a column of this Arrow type is in expressions; None if it cannot be used in them."""
    if pa.types.is_dictionary(kind):
        return value_type(kind.value_type)
    return next((found for fits, found in _ARROW_TYPES if fits(kind)), None)


def type_of(expression: ex.Expression, schema: EventSchema) -> ValueType:
    """The type of an expression; raises `QueryCheckError` where it has none.

    The type of `collect(x)`, which is a list, is that of its items.
    """
    return fold_expression(expression, lambda node, below: _RULES[type(node)](node, below, schema))


def column_type(node: ex.Attribute | ex.Element, schema: EventSchema) -> pa.DataType:
    """The Arrow type of what an attribute names: a column, or a field of structs; dictionaries looked
    through."""
    kind, known = schema.type_of(column_for(node.name, schema, node)), node.name
    for name in node.path:
        if not pa.types.is_struct(kind):
            raise QueryCheckError(f"'{known}' is {kind}, and has no field '{name}'", span=node.span)
        place = kind.get_field_index(name)
        if place < 0:
            names = [field.name for field in kind]
            raise QueryCheckError(
                f"'{known}' has no field '{name}'",
                span=node.span,
                hint=nearest(name, names) or f"it has {', '.join(names[:12])}",
            )
        kind, known = kind.field(place).type, f"{known}.{name}"
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return kind


def column_for(name: str, schema: EventSchema, node: Any) -> str:
    """The column of the attribute that the node names."""
    column = schema.column_of(name)
    if column is None:
        known = [*schema.columns.names, "time", *(["type"] if schema.type else [])]
        raise UnknownAttributeError(
            name,
            span=node.span,
            hint=nearest(name, known) or f"it has {', '.join(schema.columns.names[:12])}",
        )
    return column


def _known_type(kind: pa.DataType, name: str, node: ex.Expression) -> ValueType:
    found = value_type(kind)
    if found is None:
        fields = [field.name for field in kind] if pa.types.is_struct(kind) else []
        raise QueryCheckError(
            f"'{name}' is {kind}, which cannot be used in expressions",
            span=node.span,
            hint=f"name one of its fields, as in {name}.{fields[0]}" if fields else None,
        )
    return found


def _refuse(node: ex.Expression, message: str, hint: str | None = None) -> QueryCheckError:
    return QueryCheckError(message, span=node.span, hint=hint)


# ---------------------------------------------------------------- leaves


def _attribute(node: ex.Attribute | ex.Element, below: list[ValueType], schema: EventSchema) -> ValueType:
    return _known_type(column_type(node, schema), ".".join((node.name, *node.path)), node)


def _aggregate(node: ex.Aggregate, below: list[ValueType], schema: EventSchema) -> ValueType:
    if node.function == "count":
        return INT
    accepted = _AGGREGATE_ACCEPTS.get(node.function)
    if accepted and below[0] not in (*accepted, NULL):
        raise _refuse(node, f"{node.function}() of {below[0].value} has no meaning", _numbers_hint(below[0]))
    return FLOAT if node.function == "avg" else below[0]


def _numbers_hint(found: ValueType) -> str | None:
    return "the column is text: cast it to a number in the stream" if found is STRING else None


# ---------------------------------------------------------------- arithmetic


def _negative(node: ex.Negative, below: list[ValueType], schema: EventSchema) -> ValueType:
    if below[0] not in (*NUMERIC, NULL):
        raise _refuse(node, f"the negative of {below[0].value} has no meaning")
    return below[0]


def _arithmetic(node: ex.Arithmetic, below: list[ValueType], schema: EventSchema) -> ValueType:
    left, right = below
    if {left, right} <= {INT, FLOAT, NULL}:
        if node.operator == "/":
            return FLOAT
        return FLOAT if FLOAT in below else INT if INT in below else NULL
    if NULL in below and node.operator in "+-" and set(below) & {TIMESTAMP, DURATION}:
        return NULL
    found = _TIME_ARITHMETIC.get((node.operator, left, right))
    if found is None:
        raise _refuse(
            node, f"{left.value} {node.operator} {right.value} has no meaning", _arithmetic_hint(node, below)
        )
    return found


def _arithmetic_hint(node: ex.Arithmetic, below: list[ValueType]) -> str | None:
    if TIMESTAMP in below and STRING in below:
        return "write a moment as TIMESTAMP '2024-05-01 12:30'"
    if TIMESTAMP in below and set(below) & set(NUMERIC):
        return "add a duration with a unit, such as 5 min"
    if DURATION in below and set(below) & set(NUMERIC):
        return "durations add and compare with durations; write the product out, as in 10 min"
    return _numbers_hint(STRING) if STRING in below else None


# ---------------------------------------------------------------- truth


def _comparison(node: ex.Comparison, below: list[ValueType], schema: EventSchema) -> ValueType:
    _expect_comparable(node, node.operator, (node.left, below[0]), (node.right, below[1]))
    return BOOL


def _in_or_between(node: ex.In | ex.Between, below: list[ValueType], schema: EventSchema) -> ValueType:
    operator = "=" if isinstance(node, ex.In) else "<"
    for other, kind in zip(list(ex.children(node))[1:], below[1:], strict=True):
        _expect_comparable(other, operator, (node.operand, below[0]), (other, kind))
    return BOOL


def _expect_comparable(
    node: ex.Expression,
    operator: str,
    left: tuple[ex.Expression, ValueType],
    right: tuple[ex.Expression, ValueType],
) -> None:
    kinds = {left[1], right[1]}
    if NULL in kinds or kinds <= set(NUMERIC) or _is_moment_text(left, right) or _is_moment_text(right, left):
        return
    if len(kinds) > 1:
        raise _refuse(
            node,
            f"{left[1].value} cannot be compared with {right[1].value}",
            _comparison_hint(left[1], right[1]),
        )
    if kinds == {BOOL} and operator not in ("=", "!="):
        raise _refuse(node, f"truth values compare only by = and !=, not by {operator}")


def _is_moment_text(text: tuple[ex.Expression, ValueType], moment: tuple[ex.Expression, ValueType]) -> bool:
    """Whether a string literal stands beside a timestamp or a time of day; it must then be one."""
    node, kind = text[0], moment[1]
    if not (isinstance(node, ex.Literal) and isinstance(node.value, str)) or kind not in MOMENTS:
        return False
    if MOMENTS[kind](node.value) is None:
        what, hint = _WRITTEN[kind]
        raise _refuse(node, f"'{node.value}' is compared with {what} and is not one", hint)
    return True


MOMENTS: dict[ValueType, Callable[[str], datetime | time | None]] = {
    TIMESTAMP: parse_timestamp,
    TIME: parse_time_of_day,
}
"""How a text is read beside what it is compared with."""

_WRITTEN = {
    TIMESTAMP: ("a timestamp", "write ISO 8601, as in '2024-05-01 12:30:00'"),
    TIME: ("a time of day", "write '17:00' or '17:00:30'"),
}


def _comparison_hint(left: ValueType, right: ValueType) -> str | None:
    kinds = {left, right}
    if DURATION in kinds and kinds & set(NUMERIC):
        return "on a numeric time column, compare with a plain number; on timestamps, with a duration"
    if TIMESTAMP in kinds and STRING in kinds:
        return "only a string written in the query is read as a timestamp"
    if TIMESTAMP in kinds and kinds & set(NUMERIC):
        return "a moment stands in quotes: '2024-05-01 12:30:00'"
    if STRING in kinds and kinds & set(NUMERIC):
        return "a number is written without quotes; text is never converted"
    return None


def _logic(node: ex.Expression, below: list[ValueType], schema: EventSchema) -> ValueType:
    operands = node.operands if isinstance(node, ex.And | ex.Or) else (node.operand,)  # type: ignore[attr-defined]
    for operand, kind in zip(operands, below, strict=True):
        if kind not in (BOOL, NULL):
            raise _refuse(operand, f"a condition is expected here, and this is {kind.value}")
    return BOOL


def _like(node: ex.Like, below: list[ValueType], schema: EventSchema) -> ValueType:
    if below[0] not in (STRING, NULL):
        raise _refuse(node.operand, f"LIKE is for strings, and this is {below[0].value}")
    return BOOL


# ---------------------------------------------------------------- functions


def _call(node: ex.Call, below: list[ValueType], schema: EventSchema) -> ValueType:
    if node.function in MATCH_FUNCTIONS:
        return _known_type(schema.type_of(schema.time), schema.time, node)
    signature = FUNCTIONS[node.function]
    for place, (argument, kind) in enumerate(zip(node.arguments, below, strict=True)):
        accepted = signature.accepts(place)
        if kind not in (*accepted, NULL):
            wanted = " or ".join(one.value for one in accepted)
            raise _refuse(
                argument,
                f"{node.function}() takes {wanted}, and this is {kind.value}",
                _HINTS.get(node.function),
            )
    if signature.alike:
        return _common(node.function, node.arguments, below)
    return signature.result or below[0]


_HINTS = {"concat": "|| and concat() join texts; between conditions write OR"}


def _case(node: ex.Case, below: list[ValueType], schema: EventSchema) -> ValueType:
    count = len(node.conditions)
    for condition, kind in zip(node.conditions, below[:count], strict=True):
        if kind not in (BOOL, NULL):
            raise _refuse(condition, f"a condition is expected after WHEN, and this is {kind.value}")
    return _common("CASE", (*node.results, node.otherwise), below[count:])


def _common(what: str, nodes: tuple[ex.Expression, ...], kinds: list[ValueType]) -> ValueType:
    """The one type of several values; whole numbers beside floats are floats."""
    known = [(node, kind) for node, kind in zip(nodes, kinds, strict=True) if kind is not NULL]
    if not known:
        return NULL
    found = known[0][1]
    for node, kind in known[1:]:
        if {found, kind} == set(NUMERIC):
            found = FLOAT
        elif kind is not found:
            raise _refuse(
                node,
                f"the values of {what} should be of one type: {found.value} and {kind.value} are not",
                "write a moment as TIMESTAMP '2024-05-01 12:30'"
                if {found, kind} == {TIMESTAMP, STRING}
                else None,
            )
    return found


_LITERALS: dict[type, ValueType] = {
    type(None): NULL,
    bool: BOOL,
    int: INT,
    float: FLOAT,
    str: STRING,
    datetime: TIMESTAMP,
    time: TIME,
    Duration: DURATION,
}

Rule = Callable[[Any, list[ValueType], EventSchema], ValueType]

_RULES: dict[type[ex.Expression], Rule] = {
    ex.Literal: lambda node, below, schema: _LITERALS[type(node.value)],
    ex.Attribute: _attribute,
    ex.Element: _attribute,
    ex.Length: lambda node, below, schema: INT,
    ex.Aggregate: _aggregate,
    ex.Negative: _negative,
    ex.Arithmetic: _arithmetic,
    ex.Comparison: _comparison,
    ex.And: _logic,
    ex.Or: _logic,
    ex.Not: _logic,
    ex.In: _in_or_between,
    ex.Between: _in_or_between,
    ex.Like: _like,
    ex.IsNull: lambda node, below, schema: BOOL,
    ex.Call: _call,
    ex.Case: _case,
}
