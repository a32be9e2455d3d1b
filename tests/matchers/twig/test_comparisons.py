"""Decimals compare as their nearest float64 would, however long they are."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cepheid.matchers.twig.constants import NUMBER, OPERATORS
from cepheid.pattern.twig import nodes as tn
from cepheid.pattern.twig.check import check_twig
from cepheid.plan.twig.build import twig_plan
from cepheid.xml import XmlPattern

COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
LARGEST = 1.7976931348623157e308
NUMBERS = (0.0, 1.0, -1.5, 0.1, 2.0**53, 5e-324, LARGEST, float("inf"), -float("inf"), 6.02e23)
HALVES = ("9007199254740993", "9007199254740992.5", "0.10000000000000000555111512312578270211815834045410156")
TEXTS = (
    "",
    ".",
    "-",
    "5.",
    ".5",
    "-.5",
    " 6 ",
    "6 6",
    "+6",
    "1e5",
    "00",
    "-0",
    "0.00",
    "é",
    "\t7\n",
    *HALVES,
)


def _pattern(sign: str, number: float) -> XmlPattern:
    """`//a[/b sign number]`"""
    path = tn.TreePath((tn.TreeStep(tn.Axis.CHILD, "b"),), None, tn.Against(sign, number))
    step = tn.TreeStep(tn.Axis.BELOW, "a", None, (tn.Exists(path),))
    return XmlPattern(twig_plan(check_twig(tn.TreePath((step,)))))


def _texts(chance: random.Random, number: float) -> list[str]:
    exact = f"{number:.1100f}" if np.isfinite(number) else "9" * 400
    near = [f"{np.nextafter(number, far):.60f}" for far in (-np.inf, np.inf)] if np.isfinite(number) else []
    digits = "".join(chance.choices("0123456789", k=chance.randrange(1, 400)))
    return [*TEXTS, exact, exact + "1", exact.rstrip("0"), *near, digits, f"-{digits}", f"0.{digits}"]


@pytest.mark.parametrize("number", NUMBERS)
def test_decimals_compare_as_floats(number: float) -> None:
    texts = _texts(random.Random(f"{number}"), number)
    values = [float(text) if NUMBER.fullmatch(text) else float("nan") for text in texts]
    document = "".join(f"<a><b>{text}</b></a>" for text in texts)
    for sign in OPERATORS:
        found = [row["text"] for row in _pattern(sign, number).run(f"<r>{document}</r>".encode())]
        assert found == [
            text for text, value in zip(texts, values, strict=True) if COMPARE[sign](value, number)
        ]
