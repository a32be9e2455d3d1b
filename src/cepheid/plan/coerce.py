"""Give literals the type that they are compared with: `a.time > '2026-01-01'`."""

from dataclasses import replace

from cepheid import expressions as ex
from cepheid.events import EventSchema
from cepheid.pattern.fold import fold_expression, with_children
from cepheid.pattern.types import MOMENTS, type_of
from cepheid.plan.zones import in_zones


def coerce(node: ex.Expression, schema: EventSchema) -> ex.Expression:
    """The same expression, with string literals beside timestamps and times of day made such, each in the
    zone that it is meant in."""
    typed = fold_expression(node, lambda each, below: _typed(with_children(each, below), schema))
    return in_zones(typed, schema)


def _typed(node: ex.Expression, schema: EventSchema) -> ex.Expression:
    """The same expression, with the literals right below it as datetimes and times."""
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
    read = MOMENTS.get(type_of(other, schema))
    return node if read is None else replace(node, value=read(node.value))
