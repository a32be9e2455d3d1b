"""Random documents and regular tree patterns.

Half of the patterns have a sibling expression, a third of the cases have rows, and a third of the documents
are many records under one element. Tags are few, so they recur inside each other.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from cepheid.pattern.twig import nodes as tn
from cepheid.pattern.twig.check import check_twig

TAGS = "abc"
TEXTS = ("", "x", "6", " 6 ", "7", "é&#8364;&amp;", "-1.5")
CONSTANTS = (6.0, 7.0, -1.5, "6", "x", "é€&")
OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
VARIABLES = ("X", "Y", "Z")


@dataclass(frozen=True)
class TwigCase:
    """A pattern, checked, and the bytes of a document."""

    pattern: tn.TwigPattern
    data: bytes


def twig_case(seed: int) -> TwigCase:
    """The random case of a seed."""
    dice = random.Random(seed)
    data = _rows(dice) if dice.random() < 1 / 3 else _element(dice, dice.randint(2, 6), [dice.randint(6, 30)])
    before = dice.choice(("", "", "<?xml version='1.0'?>\n<!-- é -->"))
    return TwigCase(check_twig(_pattern(dice)), (before + data).encode())


# ---------------------------------------------------------------- documents


def _rows(dice: random.Random) -> str:
    records = "".join(_element(dice, 2, [dice.randint(1, 6)]) for _ in range(dice.randint(1, 8)))
    tag = dice.choice(TAGS)
    return f"<{tag}>{records}</{tag}>"


def _element(dice: random.Random, depth: int, budget: list[int]) -> str:
    """An element with at most so many others inside."""
    tag = dice.choice(TAGS)
    names = [name for name in "ij" if dice.random() < 0.2]
    attributes = "".join(f' {name}="{dice.choice(TEXTS)}"' for name in names)
    inside = [_filling(dice)]
    while depth and budget[0] > 0 and dice.random() < 0.8:
        budget[0] -= 1
        inside += [_element(dice, depth - 1, budget), _filling(dice)]
    text = "".join(inside)
    return f"<{tag}{attributes}>{text}</{tag}>" if text or dice.random() < 0.5 else f"<{tag}{attributes}/>"


def _filling(dice: random.Random) -> str:
    if dice.random() < 0.6:
        return ""
    return dice.choice((*TEXTS, "<!-- > -->", "<![CDATA[6]]>", "<?a b?>"))


def continuation(dice: random.Random, opened: tuple[str, ...]) -> bytes:
    """What may follow where these elements are open."""
    text = ""
    for tag in reversed(opened):
        text += _filling(dice)
        for _ in range(dice.choice((0, 0, 1, 2, 3))):
            text += _element(dice, dice.randint(0, 3), [dice.randint(1, 6)]) + _filling(dice)
        text += f"</{tag}>"
    return text.encode()


# ---------------------------------------------------------------- patterns


def _pattern(dice: random.Random) -> tn.TwigPattern:
    wants_siblings = dice.random() < 0.5
    while True:
        pattern: tn.TwigPattern
        if dice.random() < 0.05:
            pattern = tn.Siblings(_expression(dice, 2))
        else:
            pattern = _path(dice, dice.choice((1, 1, 2, 2, 3)), 2, outermost=True)
        if _has_siblings(pattern) == wants_siblings:
            return pattern


def _has_siblings(pattern: tn.TwigPattern) -> bool:
    steps = (step for path in tn.outer_paths(pattern) for step in tn.steps_of(path))
    return isinstance(pattern, tn.Siblings) or any(
        isinstance(condition, tn.Siblings) for step in steps for condition in step.conditions
    )


def _path(dice: random.Random, length: int, depth: int, outermost: bool = False) -> tn.TreePath:
    steps = tuple(_step(dice, depth, outermost) for _ in range(length))
    if outermost:
        return tn.TreePath(steps)
    attribute = _attribute(dice) if dice.random() < 0.1 else None
    return tn.TreePath(steps, attribute, _against(dice) if dice.random() < 0.1 else None)


def _attribute(dice: random.Random) -> tn.AttributeTail:
    return tn.AttributeTail(dice.choice(list(tn.Axis)), dice.choice(("i", "j", None)))


def _against(dice: random.Random) -> tn.Against:
    return tn.Against(dice.choice(OPERATORS), dice.choice(CONSTANTS))


def _step(dice: random.Random, depth: int, outermost: bool) -> tn.TreeStep:
    axis = tn.Axis.BELOW if dice.random() < (0.95 if outermost else 0.45) else tn.Axis.CHILD
    tag = None if dice.random() < 0.2 else dice.choice(TAGS)
    variable = dice.choice(VARIABLES) if dice.random() < 0.4 else None
    number = dice.choice((0, 0, 1, 1, 1, 2) if outermost else (0, 0, 0, 0, 1, 2)) if depth else 0
    conditions = tuple(_condition(dice, depth - 1) for _ in range(number))
    if dice.random() < 0.12:
        place: tn.TreeCondition = (
            tn.NthSibling(dice.randint(1, 3)) if dice.random() < 0.6 else tn.LastSibling()
        )
        at = dice.randint(0, len(conditions))
        conditions = (*conditions[:at], place, *conditions[at:])
    return tn.TreeStep(axis, tag, variable, conditions)


def _condition(dice: random.Random, depth: int) -> tn.TreeCondition:
    if dice.random() < 0.45:
        return tn.Siblings(_expression(dice, depth))
    if dice.random() < 0.15:
        return tn.Exists(tn.TreePath((), _attribute(dice), _against(dice) if dice.random() < 0.5 else None))
    return tn.Exists(_path(dice, dice.choice((1, 1, 2)), depth))


def _expression(dice: random.Random, depth: int, size: int = 3) -> tn.SiblingExpression:
    chance = dice.random()
    if size == 0 or chance < 0.3:
        return tn.Item(_path(dice, 1 if dice.random() < 0.8 else 2, max(0, depth - 1)))
    if chance < 0.5:
        return tn.Repeated(_expression(dice, depth, size - 1), dice.choice("*+?"))
    parts = tuple(_expression(dice, depth, size - 1) for _ in range(2))
    return tn.InOrder(parts) if chance < 0.8 else tn.EitherOf(parts)
