"""A comparison with one of several values, taken apart: `coalesce(x, y) > 3` and `CASE … END = 'a'`."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cepheid import expressions as ex
from cepheid.events import EventSchema
from cepheid.pattern.rewrite.fold_constants import folded
from cepheid.pattern.types import ValueType, type_of


@dataclass(frozen=True, slots=True)
class Branch:
    """The comparison with one of the values, and a condition that is true where that value is chosen."""

    guards: tuple[ex.Expression, ...]
    comparison: ex.Expression
    is_exact: bool = True  # whether the guards say all that there is to say


def branches_of(node: ex.Comparison, schema: EventSchema) -> list[Branch] | None:
    """The comparison by branches, on whichever side they stand first; None if it has none."""
    for side in ("left", "right"):
        chosen = getattr(node, side)
        if _is_choice(chosen):
            kind = type_of(chosen, schema)
            found = []
            for branch in _choices(chosen):
                value = _as(kind, branch.comparison, schema)
                if value is None:
                    return None
                whole = replace(node, left=value) if side == "left" else replace(node, right=value)
                found.append(replace(branch, comparison=folded(whole)))
            return found
    return None


def _is_choice(node: ex.Expression) -> bool:
    return isinstance(node, ex.Case) or (isinstance(node, ex.Call) and node.function == "coalesce")


def _choices(node: ex.Call | ex.Case) -> Iterator[Branch]:
    """Each value in place of the comparison, in turn."""
    if isinstance(node, ex.Case):
        for place, (condition, result) in enumerate(zip(node.conditions, node.results, strict=True)):
            yield Branch((condition,), result, is_exact=place == 0)
        yield Branch((), node.otherwise, is_exact=False)
        return
    before: tuple[ex.Expression, ...] = ()
    for argument in node.arguments:
        yield Branch(before, argument)
        before = (*before, ex.IsNull(argument))


def _as(kind: ValueType, value: ex.Expression, schema: EventSchema) -> ex.Expression | None:
    """The value in the type that the choice has: a whole number beside floats is one, if it is written."""
    if kind is not ValueType.FLOAT or type_of(value, schema) is not ValueType.INT:
        return value
    number = value.value if isinstance(value, ex.Literal) else None
    return ex.Literal(float(number)) if isinstance(number, int) else None
