"""Conditions between neighbours in a match: what an ordered index of the earlier one's values answers.

`a.x < b.y` is between neighbours if no way through the pattern leads from a to b by another variable: then
the event of a is the one before that of b wherever both are there, and where one is not, the condition
holds. So it belongs to one way of going on, from a to b; `b[i].x > b[i-1].x` to that from b to itself.
"""

from collections.abc import Iterator

from cepheid import expressions as ex
from cepheid.errors import UnsupportedError
from cepheid.expressions import Index
from cepheid.pattern.render import render_expression
from cepheid.pattern.types import ValueType, type_of
from cepheid.plan.aggregate.plan import Compared
from cepheid.plan.program import Column, Condition
from cepheid.plan.states.placement import Placement
from cepheid.plan.states.predicates import BEGIN, TAKE, element_of, single_source

ORDERED = "ordered"

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
_UNORDERED = (ValueType.STRING, ValueType.BOOL)
"""What is compared by numbers that say nothing of its order."""


def neighbours(placement: Placement) -> tuple[tuple[Compared, ...], UnsupportedError | None]:
    """The comparisons of neighbours, and why a query's matches cannot be counted with these alone."""
    if placement.structure.windows:
        return (), _refused("over a pattern with (…) WITHIN inside")
    found: list[Compared] = []
    for edge, place, condition in _conditions(placement):
        compared = _compared(placement, edge, place, condition.source)
        text = f"with the condition '{render_expression(condition.source)}'"
        if compared is None:
            return (), _refused(text, condition.source, "it compares an event of a match with the next one")
        if any((known.before, known.after) == (compared.before, compared.after) for known in found):
            hint = f"it compares '{compared.before}' and '{compared.after}' once"
            return (), _refused(text, condition.source, hint)
        found.append(compared)
    return tuple(found), None


def _refused(what: str, source: ex.Expression | None = None, hint: str | None = None) -> UnsupportedError:
    return UnsupportedError(
        f"the method '{ORDERED}' does not count matches {what}",
        span=source.span if source is not None else None,
        hint=f"{hint}; the method 'two_step' does" if hint else "the method 'two_step' does",
    )


def _conditions(placement: Placement) -> Iterator[tuple[str, int, Condition]]:
    for edge, places in placement.conditions.items():
        for place, conditions in enumerate(places):
            for condition in conditions:
                yield edge, place, condition


def _compared(placement: Placement, edge: str, place: int, source: ex.Expression) -> Compared | None:
    """A conjunct on an edge of a position as a comparison with the event before; None if it is no such."""
    if not isinstance(source, ex.Comparison) or edge not in (BEGIN, TAKE):
        return None
    left, right = single_source(source.left), single_source(source.right)
    if left is None or right is None:
        return None
    after = placement.positions[place].variable
    is_mirrored = left[0] == after and left[1] is not Index.PREVIOUS
    (before, index), (own, taken) = (right, left) if is_mirrored else (left, right)
    if own != after or (edge == TAKE and taken is not Index.CURRENT):
        return None
    values = _values(placement, source)
    if values is None or not _is_the_last(placement, edge, place, before, index):
        return None
    if is_mirrored:
        return Compared(before, after, _MIRRORED[source.operator], (values[1], values[0]))
    return Compared(before, after, source.operator, values)


def _is_the_last(placement: Placement, edge: str, place: int, variable: str, index: Index | int) -> bool:
    """Whether an event of a variable is always the one before that of an edge."""
    before = placement.places[variable]
    if edge == TAKE:
        return before == place and index is Index.PREVIOUS
    last = Index.LAST if placement.positions[before].kleene else Index.ONLY
    return index is last and _leads_only_directly(placement.structure.follow, before, place)


def _leads_only_directly(follow: list[set[int]], before: int, after: int) -> bool:
    return after in follow[before] and not any(
        _leads(follow, between, after) for between in follow[before] - {after}
    )


def _leads(follow: list[set[int]], before: int, after: int) -> bool:
    reached, waiting = {before}, [before]
    while waiting:
        more = follow[waiting.pop()] - reached
        reached |= more
        waiting += more
    return after in reached


def _values(placement: Placement, source: ex.Comparison) -> tuple[Column, Column] | None:
    """Both sides over their events, of one type; None if that has no order that its numbers show."""
    left, right = element_of(source.left), element_of(source.right)
    kinds = {type_of(left, placement.schema), type_of(right, placement.schema)}
    kind = ValueType.FLOAT if kinds == {ValueType.INT, ValueType.FLOAT} else kinds.pop()
    if ValueType.NULL in {kind, *kinds} or (kind in _UNORDERED and source.operator not in ("=", "!=")):
        return None
    return Column(left, kind), Column(right, kind)
