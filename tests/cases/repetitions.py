"""Sibling expressions of repetitions inside each other, many of which may take nothing, over few children."""

import random

from cepheid.pattern.twig import nodes as tn
from cepheid.pattern.twig.check import check_twig
from tests.cases.twig import TwigCase

TAGS = ("a", "b")


def repetition_case(seed: int) -> TwigCase:
    """The random case of a seed."""
    dice = random.Random(f"repetitions {seed}")
    expression = tn.Siblings(_expression(dice, 4))
    pattern = tn.TreePath((tn.TreeStep(tn.Axis.BELOW, "p", None, (expression,)),))
    return TwigCase(check_twig(pattern), f"<p>{_children(dice, 2)}</p>".encode())


def _expression(dice: random.Random, depth: int) -> tn.SiblingExpression:
    chance = dice.random()
    if depth == 0 or chance < 0.25:
        axis = tn.Axis.CHILD if dice.random() < 0.7 else tn.Axis.BELOW
        variable = dice.choice(("X", "Y")) if dice.random() < 0.6 else None
        return tn.Item(tn.TreePath((tn.TreeStep(axis, dice.choice(TAGS), variable),)))
    if chance < 0.6:
        return tn.Repeated(_expression(dice, depth - 1), dice.choice("*+?"))
    parts = (_expression(dice, depth - 1), _expression(dice, depth - 1))
    return tn.EitherOf(parts) if chance < 0.85 else tn.InOrder(parts)


def _children(dice: random.Random, depth: int) -> str:
    return "".join(_child(dice, depth) for _ in range(dice.randint(1, 4)))


def _child(dice: random.Random, depth: int) -> str:
    tag = dice.choice(TAGS)
    inside = _children(dice, depth - 1) if depth and dice.random() < 0.3 else ""
    return f"<{tag}>{inside}</{tag}>"
