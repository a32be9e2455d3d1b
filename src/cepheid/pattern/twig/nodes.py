"""Regular tree patterns as frozen trees.

    //person->P[/age > 30](/address->A : /profile)     a path of one step, with two conditions

A path is steps that go down. A step may have conditions, which hold or not at one element; all must hold. A
sibling expression is about the child elements of one element. What was written as `[/a : /b]` is the same
condition as `(/a : /b)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from cepheid.errors import Span


class Axis(Enum):
    """Where a step looks for its elements."""

    CHILD = "/"
    BELOW = "//"


@dataclass(frozen=True, slots=True)
class TreeStep:
    """`//tag->v[…](…)`: an element at a place, with what must hold there."""

    axis: Axis
    tag: str | None  # None is any tag
    variable: str | None = None
    conditions: tuple[TreeCondition, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class AttributeTail:
    """`/@name` at the end of a path; with `//`, of an element or of any below it."""

    axis: Axis
    name: str | None  # None is any attribute
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Against:
    """`= 6`, `!= 'x'`: what the path finds is compared with a constant, as XPath 1.0 does."""

    operator: str
    constant: str | float


@dataclass(frozen=True, slots=True)
class TreePath:
    """Steps that go down, each from the one before; perhaps to an attribute, and perhaps compared."""

    steps: tuple[TreeStep, ...]
    attribute: AttributeTail | None = None
    compared: Against | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Exists:
    """`[path]`: something is there."""

    path: TreePath


@dataclass(frozen=True, slots=True)
class NthSibling:
    """`[n]`: the n-th child of its parent that passes the step's test and the conditions before this one."""

    number: int


@dataclass(frozen=True, slots=True)
class LastSibling:
    """`[last()]`: the last such child."""


@dataclass(frozen=True, slots=True)
class Siblings:
    """`(expression)`: some run of child elements reads as the expression."""

    expression: SiblingExpression


@dataclass(frozen=True, slots=True)
class Item:
    """One child that the path takes: with `//`, one that is or contains what the path finds."""

    path: TreePath


@dataclass(frozen=True, slots=True)
class InOrder:
    """`p : q`: children one after the other."""

    parts: tuple[SiblingExpression, ...]


@dataclass(frozen=True, slots=True)
class EitherOf:
    """`p | q`: the earlier one is preferred."""

    parts: tuple[SiblingExpression, ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """`p*`, `p+`, `p?`: as often as possible."""

    part: SiblingExpression
    sign: str


TreeCondition = Exists | NthSibling | LastSibling | Siblings
SiblingExpression = Item | InOrder | EitherOf | Repeated
TwigPattern = TreePath | Siblings

OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
RESULT = "result"
"""The variable of the last step where none is marked."""


def paths_of(expression: SiblingExpression) -> Iterator[TreePath]:
    """The paths of a sibling expression's items, in the order of the text."""
    match expression:
        case Item(path=path):
            yield path
        case Repeated(part=part):
            yield from paths_of(part)
        case InOrder(parts=parts) | EitherOf(parts=parts):
            for part in parts:
                yield from paths_of(part)


def paths_below(step: TreeStep) -> Iterator[TreePath]:
    """The paths of a step's conditions, in the order of the text."""
    for condition in step.conditions:
        match condition:
            case Exists(path=path):
                yield path
            case Siblings(expression=expression):
                yield from paths_of(expression)


def outer_paths(pattern: TwigPattern) -> list[TreePath]:
    """The path that a pattern is, or those of its items where it is about the root."""
    return [pattern] if isinstance(pattern, TreePath) else list(paths_of(pattern.expression))


def steps_of(path: TreePath) -> Iterator[TreeStep]:
    """All steps of a path, those in conditions included, in the order of the text."""
    for step in path.steps:
        yield step
        for below in paths_below(step):
            yield from steps_of(below)


def variables_of(pattern: TwigPattern) -> tuple[str, ...]:
    """The marked variables by their first place in the text."""
    steps = (step for path in outer_paths(pattern) for step in steps_of(path))
    return tuple(dict.fromkeys(step.variable for step in steps if step.variable is not None))
