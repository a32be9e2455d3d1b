"""Give literals the type that they are compared with: `a.time > '2026-01-01'`."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from cepheid import expressions as ex
from cepheid.events import EventSchema
from cepheid.pattern.literals import parse_time_of_day, parse_timestamp
from cepheid.pattern.types import ValueType, type_of
from cepheid.plan.zones import in_zones


def coerce(node: ex.Expression, schema: EventSchema) -> ex.Expression:
    """The same expression, with string literals beside timestamps and times of day made such, each in the
    zone that it is meant in."""
    return in_zones(_typed(node, schema), schema)


def _typed(node: ex.Expression, schema: EventSchema) -> ex.Expression:
    """The same expression, with such literals as datetimes and times."""
    changes: dict[str, Any] = {}
    for slot in fields(node):
        value = getattr(node, slot.name)
        if isinstance(value, ex.Expression):
            changes[slot.name] = _typed(value, schema)
        elif isinstance(value, tuple) and value and isinstance(value[0], ex.Expression):
            changes[slot.name] = tuple(_typed(item, schema) for item in value)
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
    """A string literal as what it is compared with; the check has made sure that it can be read."""
    if not (isinstance(node, ex.Literal) and isinstance(node.value, str)):
        return node
    read = _READ.get(type_of(other, schema))
    return node if read is None else replace(node, value=read(node.value))


_READ: dict[ValueType, Callable[[str], Any]] = {
    ValueType.TIMESTAMP: parse_timestamp,
    ValueType.TIME: parse_time_of_day,
}
