"""Bottom-up computation over trees, without recursion: a tree may be deeper than Python's stack."""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

from cepheid.expressions import Expression, children
from cepheid.pattern.nodes import Pattern, parts

MAX_DEPTH = 200
"""How deep a pattern or an expression may be nested."""

INT64 = range(-(2**63), 2**63)
"""The whole numbers that engines compute with."""

Node = TypeVar("Node")
Result = TypeVar("Result")


def fold(
    root: Node,
    below: Callable[[Node], Sequence[Node]],
    combine: Callable[[Node, list[Result]], Result],
) -> Result:
    """`combine(node, results of the nodes below it)`, from the leaves up, left to right."""
    pending: list[tuple[Node, bool]] = [(root, False)]
    results: list[Result] = []
    while pending:
        node, visited = pending.pop()
        under = below(node)
        if under and not visited:
            pending.append((node, True))
            pending.extend((item, False) for item in reversed(under))
            continue
        cut = len(results) - len(under)
        arguments = results[cut:]
        del results[cut:]
        results.append(combine(node, arguments))
    return results[0]


def fold_expression(root: Expression, combine: Callable[[Expression, list[Result]], Result]) -> Result:
    """`fold` over an expression."""
    return fold(root, lambda node: tuple(children(node)), combine)


def fold_pattern(root: Pattern, combine: Callable[[Pattern, list[Result]], Result]) -> Result:
    """`fold` over a pattern."""
    return fold(root, parts, combine)


def with_children(node: Expression, below: Sequence[Expression]) -> Expression:
    """The node over other sub-expressions, in the order of `children`; itself if they are the same."""
    if all(new is old for new, old in zip(below, children(node), strict=True)):
        return node
    fresh = iter(below)
    changes: dict[str, Any] = {}
    for slot in fields(node):
        value = getattr(node, slot.name)
        if isinstance(value, Expression):
            changes[slot.name] = next(fresh)
        elif isinstance(value, tuple):
            changes[slot.name] = tuple(next(fresh) if isinstance(x, Expression) else x for x in value)
    return replace(node, **changes)


def with_parts(node: Pattern, below: Sequence[Pattern]) -> Pattern:
    """The node over other sub-patterns, in the order of `parts`; itself if they are the same."""
    if not below or all(new is old for new, old in zip(below, parts(node), strict=True)):
        return node
    changes: dict[str, Any] = {"part": below[0]} if hasattr(node, "part") else {"parts": tuple(below)}
    return replace(node, **changes)


def too_deep(root: Node, below: Callable[[Node], Sequence[Node]], limit: int = MAX_DEPTH) -> Node | None:
    """The first node found deeper than `limit`, the root being at depth 1, or None."""
    pending = [(root, 1)]
    while pending:
        node, level = pending.pop()
        if level > limit:
            return node
        pending.extend((item, level + 1) for item in below(node))
    return None


def too_deep_expression(root: Expression) -> Expression | None:
    """The first sub-expression that is nested too deep, or None."""
    return too_deep(root, lambda node: tuple(children(node)))


def too_deep_pattern(root: Pattern) -> Pattern | None:
    """The first sub-pattern that is nested too deep, or None."""
    return too_deep(root, parts)
