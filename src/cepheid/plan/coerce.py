"""Give literals the type that they are compared with: `a.time > '2026-01-01'`."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import datetime, time

from cepheid import expressions as ex
from cepheid.errors import QueryCheckError
from cepheid.events import EventSchema
from cepheid.pattern.types import ValueType, type_of


def coerce(node: ex.Expression, schema: EventSchema) -> ex.Expression:
    """The same expression, with string literals beside timestamps and times of day made such."""
    changes = {}
    for slot in fields(node):
        value = getattr(node, slot.name)
        if isinstance(value, ex.Expression):
            changes[slot.name] = coerce(value, schema)
        elif isinstance(value, tuple) and value and isinstance(value[0], ex.Expression):
            changes[slot.name] = tuple(coerce(item, schema) for item in value)
    node = replace(node, **changes) if changes else node
    match node:
        case ex.Comparison(left=left, right=right):
            return replace(node, left=_like(left, right, schema), right=_like(right, left, schema))
        case ex.Between(operand=operand, low=low, high=high):
            return replace(node, low=_like(low, operand, schema), high=_like(high, operand, schema))
        case ex.In(operand=operand, choices=choices):
            return replace(node, choices=tuple(_like(choice, operand, schema) for choice in choices))
        case _:
            return node


def _like(node: ex.Expression, other: ex.Expression, schema: EventSchema) -> ex.Expression:
    if not (isinstance(node, ex.Literal) and isinstance(node.value, str)):
        return node
    kind = type_of(other, schema)
    try:
        if kind is ValueType.TIMESTAMP:
            return replace(node, value=datetime.fromisoformat(node.value))
        if kind is ValueType.TIME:
            return replace(node, value=_microseconds(time.fromisoformat(node.value)))
    except ValueError:
        wanted = "a timestamp" if kind is ValueType.TIMESTAMP else "a time of day"
        raise QueryCheckError(
            f"'{node.value}' is not {wanted}",
            span=node.span,
            hint="write '2026-01-31 17:00:00' or '2026-01-31'"
            if kind is ValueType.TIMESTAMP
            else "write '17:00' or '17:00:30'",
        ) from None
    return node


def _microseconds(value: time) -> int:
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond
