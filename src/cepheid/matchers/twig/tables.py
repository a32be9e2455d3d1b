"""A plan as tables of integers and bit sets: bit s of a set of steps is step s, bit k of tests the k-th."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from cepheid.pattern.twig.nodes import Against
from cepheid.plan.twig.plan import Reach, StateFunction, StepTest, TestKind, TwigPlan

CHILDREN, BELOW, HERE_OR_BELOW = 0, 1, 2
_REACHES = {Reach.CHILDREN: CHILDREN, Reach.BELOW: BELOW, Reach.HERE_OR_BELOW: HERE_OR_BELOW}

_NUMBER = re.compile(r"[ \t\r\n]*-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[ \t\r\n]*")
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class TwigTables:
    """What the transducer reads at every token."""

    def __init__(self, plan: TwigPlan, local_names: bool = False) -> None:
        steps = plan.steps
        self.plan = plan
        self._local_names = local_names
        self.reach = [_REACHES[step.reach] for step in steps]
        self.above = [step.above for step in steps]
        self.variable = [step.variable for step in steps]
        self.letter = [step.letter for step in steps]
        self.automaton = [step.automaton for step in steps]
        self.asked = [(1 << len(step.tests)) - 1 for step in steps]  # all tests
        self.children = [_looking(steps, step.number, Reach.CHILDREN) for step in steps]
        self.below = [
            _looking(steps, step.number, Reach.BELOW) | _looking(steps, step.number, Reach.HERE_OR_BELOW)
            for step in steps
        ]
        self.here = [_looking(steps, step.number, Reach.HERE_OR_BELOW) for step in steps]
        self.attributes = [_of_kind(step, TestKind.ATTRIBUTE) for step in steps]
        self.values = [_of_kind(step, TestKind.VALUE) for step in steps]
        self.positions = [
            sorted(_of_kind(step, TestKind.NTH) + _of_kind(step, TestKind.LAST)) for step in steps
        ]
        self.position_bits = [sum(1 << place for place in places) for places in self.positions]
        self.siblings = [_of_kind(step, TestKind.SIBLINGS) for step in steps]
        self.wants_text = [step.variable >= 0 or bool(_of_kind(step, TestKind.VALUE)) for step in steps]
        self.child_letters = [  # of each automaton: the items that look at a child's own tag, and their steps
            [(letter, s) for letter, s in enumerate(fa.steps) if self.reach[s] == CHILDREN]
            for fa in plan.automata
        ]
        self._masks: dict[str, int] = {}

    def wanted_by(self, name: str) -> int:
        """The steps whose test a name passes."""
        mask = self._masks.get(name)
        if mask is None:
            mask = sum(1 << step.number for step in self.plan.steps[1:] if self._is_named(step.tag, name))
            self._masks[name] = mask
        return mask

    def has_attribute(self, test: StepTest, attributes: list[tuple[str, str]]) -> bool:
        """Whether some attribute has the name that a test asks for, and compares."""
        return any(
            self._is_named(test.name, name) and (test.against is None or compares(value, test.against))
            for name, value in attributes
        )

    def _is_named(self, asked: str | None, name: str) -> bool:
        if asked is None or asked == name:
            return True
        return self._local_names and asked.rpartition(":")[2] == name.rpartition(":")[2]


def _looking(steps: tuple[StateFunction, ...], above: int, reach: Reach) -> int:
    return sum(1 << step.number for step in steps if step.above == above and step.reach is reach)


def _of_kind(step: StateFunction, kind: TestKind) -> list[int]:
    return [place for place, test in enumerate(step.tests) if test.kind is kind]


def compares(text: str, against: Against) -> bool:
    """XPath 1.0: numbers with a number or an order, else strings."""
    compare, constant = _COMPARE[against.operator], against.constant
    if isinstance(constant, str) and against.operator in ("=", "!="):
        return compare(text, constant)
    return compare(_number(text), _number(constant))


def _number(value: str | float) -> float:
    if not isinstance(value, str):
        return value
    return float(value) if _NUMBER.fullmatch(value) else float("nan")
