"""Patterns that XPath can say find what lxml's XPath finds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cepheid.pattern.twig import nodes as tn
from cepheid.plan.twig.build import twig_plan
from cepheid.xml import XmlPattern
from tests.cases.twig import TwigCase, twig_case
from tests.oracle.documents import document

etree = pytest.importorskip("lxml.etree")

PATTERNS = 2000


def _xpath(path: tn.TreePath) -> str:
    text = ""
    for step in path.steps:
        text += step.axis.value + (step.tag or "*") + "".join(map(_predicate, step.conditions))
    if path.attribute is not None:
        text += f"{path.attribute.axis.value}@{path.attribute.name or '*'}"
    if path.compared is not None:
        constant = path.compared.constant
        text += path.compared.operator + (f"'{constant}'" if isinstance(constant, str) else f"{constant:g}")
    return text


def _predicate(condition: tn.TreeCondition) -> str:
    match condition:
        case tn.Exists(path=path):
            return f"[.{_xpath(path)}]"
        case tn.NthSibling(number=number):
            return f"[{number}]"
        case _:
            return "[last()]"


def _last_alone(path: tn.TreePath) -> tn.TreePath:
    """The path that returns its last step and nothing else."""
    plain = _unmarked(path)
    return replace(plain, steps=(*plain.steps[:-1], replace(plain.steps[-1], variable=tn.RESULT)))


def _unmarked(path: tn.TreePath) -> tn.TreePath:
    steps = tuple(
        replace(step, variable=None, conditions=tuple(map(_unmarked_condition, step.conditions)))
        for step in path.steps
    )
    return replace(path, steps=steps)


def _unmarked_condition(condition: tn.TreeCondition) -> tn.TreeCondition:
    return tn.Exists(_unmarked(condition.path)) if isinstance(condition, tn.Exists) else condition


def has_xpath(pattern: tn.TwigPattern) -> bool:
    """Whether XPath can say the same: it has no sibling expressions."""
    return isinstance(pattern, tn.TreePath) and not any(
        isinstance(condition, tn.Siblings) for step in tn.steps_of(pattern) for condition in step.conditions
    )


def xpath_finding(case: TwigCase) -> str | None:
    """What XPath finds otherwise than the pattern."""
    assert isinstance(case.pattern, tn.TreePath)
    root = etree.fromstring(case.data)
    places = {element: place for place, element in enumerate(root.iter("*"))}
    expected = sorted(places[found] for found in root.getroottree().xpath(_xpath(case.pattern)))
    starts = [element.start for element in document(case.data).below()]
    rows = XmlPattern(twig_plan(_last_alone(case.pattern))).run(case.data)
    found = [starts.index(row["start"]) for row in rows]
    return None if found == expected else f"{_xpath(case.pattern)} over {case.data.decode()}"


@pytest.mark.slow
@pytest.mark.compiled
def test_what_xpath_can_say_it_finds_too() -> None:
    tried = seed = 0
    while tried < PATTERNS:
        case = twig_case(seed)
        seed += 1
        if has_xpath(case.pattern):
            tried += 1
            assert xpath_finding(case) is None, f"seed {seed - 1}: {xpath_finding(case)}"
