"""The constants of a condition: literals that something of an event is compared with.

In `a.x > 5 AND (a.s LIKE 'b%' OR a.x + 1 IN (2, 3))` they are 5, 'b%', 2 and 3; the 1 is part of what is
compared. Conditions that differ only in their constants are of one kind.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from cepheid import expressions as ex
from cepheid.errors import Span

MOST_NESTED = 48
"""So deep may AND, OR and NOT be nested around a constant."""

Constant = Any  # of a Literal, or the pattern of a LIKE; never None


def constants_of(node: ex.Expression) -> list[Constant]:
    """The constants, from left to right."""
    return [value for value, _, _ in _listed(node)]


def places_of(node: ex.Expression) -> list[tuple[Span | None, bool]]:
    """Where in the text each constant stands, and whether it is the pattern of a LIKE: then it is where the
    LIKE stands."""
    return [(span, is_pattern) for _, span, is_pattern in _listed(node)]


def with_constants(node: ex.Expression, values: Sequence[Constant]) -> ex.Expression:
    """The same condition with other constants."""
    if not values:
        return node
    fresh = iter(values)
    return _filled(node, lambda old: next(fresh))


def blanked(node: ex.Expression) -> ex.Expression:
    """The same for all conditions that differ only in constants of one type."""
    return _filled(node, lambda old: type(old)() if type(old) in _BLANK else old)


_BLANK = (bool, int, float, str)


def beside_text(node: ex.Expression, wanted: Callable[[ex.Expression], bool]) -> bool:
    """Whether a text is compared with something of a certain kind."""
    match node:
        case ex.And(operands=operands) | ex.Or(operands=operands):
            return any(beside_text(operand, wanted) for operand in operands)
        case ex.Not(operand=operand):
            return beside_text(operand, wanted)
        case ex.Like():
            return False
        case _ if compared(node):
            parts = list(ex.children(node))
            texts = any(isinstance(part, ex.Literal) and isinstance(part.value, str) for part in parts)
            return texts and any(wanted(part) for part in parts if not isinstance(part, ex.Literal))
        case _:
            return False


def compared(node: ex.Expression) -> bool:
    """Whether a condition compares something with constants alone."""
    match node:
        case ex.Comparison(left=left, right=right):
            return _is_constant(left) != _is_constant(right) and not _is_null(left) and not _is_null(right)
        case ex.In(operand=operand, choices=others):
            return not _is_literal(operand) and all(map(_is_constant, others))
        case ex.Between(operand=operand, low=low, high=high):
            return not _is_literal(operand) and _is_constant(low) and _is_constant(high)
        case ex.Like(operand=operand):
            return not _is_literal(operand)
        case _:
            return False


def _is_literal(node: ex.Expression) -> bool:
    return isinstance(node, ex.Literal)


def _is_null(node: ex.Expression) -> bool:
    return isinstance(node, ex.Literal) and node.value is None


def _is_constant(node: ex.Expression) -> bool:
    return isinstance(node, ex.Literal) and node.value is not None


Place = tuple[Constant, Span | None, bool]


def _listed(node: ex.Expression) -> list[Place]:
    """What is nested so deep that a kernel could not keep its parts in a word has no constants."""
    return [] if _depth(node) > MOST_NESTED else list(_found(node))


def _depth(node: ex.Expression) -> int:
    deepest, pending = 0, [(node, 1)]
    while pending:
        top, depth = pending.pop()
        deepest = max(deepest, depth)
        if isinstance(top, ex.And | ex.Or | ex.Not):
            pending.extend((below, depth + 1) for below in ex.children(top))
    return deepest


def _found(node: ex.Expression) -> Iterator[Place]:
    match node:
        case ex.And(operands=operands) | ex.Or(operands=operands):
            for operand in operands:
                yield from _found(operand)
        case ex.Not(operand=operand):
            yield from _found(operand)
        case ex.Like(pattern=pattern) if compared(node):
            yield pattern, node.span, True
        case _ if compared(node):
            literals = (each for each in ex.children(node) if isinstance(each, ex.Literal))
            yield from ((each.value, each.span, False) for each in literals)


def _filled(node: ex.Expression, fill: Callable[[Constant], Constant]) -> ex.Expression:
    def literal(each: ex.Expression) -> ex.Expression:
        return replace(each, value=fill(each.value)) if isinstance(each, ex.Literal) else each

    match node:
        case ex.And(operands=operands) | ex.Or(operands=operands):
            return replace(node, operands=tuple([_filled(operand, fill) for operand in operands]))
        case ex.Not(operand=operand):
            return replace(node, operand=_filled(operand, fill))
        case ex.Like(pattern=pattern) if compared(node):
            return replace(node, pattern=fill(pattern))
        case ex.Comparison(left=left, right=right) if compared(node):
            return replace(node, left=literal(left), right=literal(right))
        case ex.In(choices=choices) if compared(node):
            return replace(node, choices=tuple([literal(choice) for choice in choices]))
        case ex.Between(low=low, high=high) if compared(node):
            return replace(node, low=literal(low), high=literal(high))
        case _:
            return node
