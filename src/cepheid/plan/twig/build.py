"""From a checked pattern to its plan, by the paper's rules: T1 tree patterns, T2 predicates, T3 siblings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from cepheid.pattern.twig import nodes as tn
from cepheid.pattern.twig.render import render_path, render_step, render_twig
from cepheid.plan.twig.plan import ElementTest, Reach, SiblingFA, StateFunction, TestKind, TwigPlan
from cepheid.plan.twig.sibling_fa import preferences

_REACHES = {tn.Axis.CHILD: Reach.CHILDREN, tn.Axis.BELOW: Reach.BELOW}


def twig_plan(pattern: tn.TwigPattern) -> TwigPlan:
    """The plan of a checked pattern."""
    made = _Functions(tn.variables_of(pattern))
    number = made.reserve()
    if isinstance(pattern, tn.TreePath):
        test = made.branch(pattern, 0, number, 0)
    else:
        test = made.siblings(pattern.expression, number)
    text = render_twig(pattern)
    made.steps[number] = StateFunction(number, -1, Reach.CHILDREN, None, -1, (test,), -1, -1, "q0", text)
    steps = tuple(made.steps[place] for place in range(len(made.steps)))
    automata = tuple(made.automata[place] for place in range(len(made.automata)))
    repeats = tuple(_may_repeat(steps, variable) for variable in range(len(made.variables)))
    return TwigPlan(pattern, steps, automata, made.variables, repeats)


@dataclass
class _Functions:
    """State functions and automata as they are made: a number is given before what lies below is made."""

    variables: tuple[str, ...]
    steps: dict[int, StateFunction] = field(default_factory=dict)
    automata: dict[int, SiblingFA] = field(default_factory=dict)
    _numbers: int = 0
    _machines: int = 0

    def reserve(self) -> int:
        self._numbers += 1
        return self._numbers - 1

    def branch(
        self,
        path: tn.TreePath,
        at: int,
        above: int,
        letter: int,
        automaton: int = -1,
        any_will_do: bool = True,
    ) -> ElementTest:
        """The test that some element stands at a step of a path, whose state function is made here (T1)."""
        step = path.steps[at]
        number = self.reserve()
        tests: list[ElementTest] = []
        for condition in step.conditions:
            tests.append(self._condition(condition, number, len(tests)))
        if at + 1 < len(path.steps):
            tests.append(self.branch(path, at + 1, number, len(tests)))
        elif path.attribute is not None:
            tests.append(self._attribute(path, number, len(tests)))
        elif path.compared is not None:
            tests.append(ElementTest(TestKind.VALUE, against=path.compared))
        if any_will_do and not _returns([tn.TreePath((step,))]):
            tests = without_last_positions(tests)
        variable = -1 if step.variable is None else self.variables.index(step.variable)
        rule = _rule(step, at + 1 == len(path.steps) and path.compared is not None)
        self.steps[number] = StateFunction(
            number,
            above,
            _REACHES[step.axis],
            step.tag,
            variable,
            tuple(tests),
            automaton,
            letter,
            rule,
            render_step(step),
        )
        return ElementTest(TestKind.BRANCH, number)

    def _condition(self, condition: tn.TreeCondition, number: int, place: int) -> ElementTest:
        match condition:
            case tn.Exists(path=path):
                if path.steps:
                    return self.branch(path, 0, number, place)
                return self._attribute(path, number, place)
            case tn.Siblings(expression=expression):
                return self.siblings(expression, number)
            case tn.NthSibling(number=nth):
                return ElementTest(TestKind.NTH, nth)
            case tn.LastSibling():
                return ElementTest(TestKind.LAST)

    def _attribute(self, path: tn.TreePath, number: int, place: int) -> ElementTest:
        """An attribute of the element itself, or a step of its own for those below (T2)."""
        assert path.attribute is not None
        test = ElementTest(TestKind.ATTRIBUTE, name=path.attribute.name, against=path.compared)
        if path.attribute.axis is tn.Axis.CHILD:
            return test
        below = self.reserve()
        text = render_path(tn.TreePath((), path.attribute, path.compared))
        rule = "T2-1" if path.compared is not None else "T1-3"
        self.steps[below] = StateFunction(
            below, number, Reach.HERE_OR_BELOW, None, -1, (test,), -1, place, rule, text
        )
        return ElementTest(TestKind.BRANCH, below)

    def siblings(self, expression: tn.SiblingExpression, owner: int) -> ElementTest:
        """The test that a sibling expression holds, whose automaton is made here (T3)."""
        number = self._machines
        self._machines += 1
        tables = preferences(expression)
        is_test = not _returns(tables.paths)
        steps = tuple(
            # where nothing is returned, a child that is a run by itself is as good as any longer run
            self.branch(
                path,
                0,
                owner,
                letter,
                number,
                is_test and letter in tables.start and tables.accepting[letter],
            ).target
            for letter, path in enumerate(tables.paths)
        )
        text = render_twig(tn.Siblings(expression))
        self.automata[number] = SiblingFA(
            number,
            owner,
            steps,
            tables.start,
            tables.follow,
            tables.accepting,
            text,
            _bits(tables.start),
            tuple(map(_bits, tables.follow)),
        )
        return ElementTest(TestKind.SIBLINGS, number)


def without_last_positions(tests: list[ElementTest]) -> list[ElementTest]:
    """The tests of a step that only has to be met by some element, without `[last()]` and `[1]` at their end.

    If any sibling passes what stands before, then the last and the first one do. So it is certain that the
    step is met as soon as one has passed, and need not wait for those that follow.
    """
    while tests and (tests[-1].kind is TestKind.LAST or tests[-1] == ElementTest(TestKind.NTH, 1)):
        tests = tests[:-1]
    return tests


def _returns(paths: Iterable[tn.TreePath]) -> bool:
    """Whether any step of some paths is returned."""
    return any(step.variable is not None for path in paths for step in tn.steps_of(path))


def _bits(items: tuple[int, ...]) -> int:
    return sum(1 << item for item in items)


def _rule(step: tn.TreeStep, is_compared: bool) -> str:
    """The rule of the paper's Table 2 that a step falls under."""
    is_marked, is_below = step.variable is not None, step.axis is tn.Axis.BELOW
    if is_compared:
        return "T2-2" if is_marked else "T2-1"
    if any(isinstance(condition, tn.Siblings) for condition in step.conditions):
        return "T1-8" if is_below else "T1-7"
    if step.conditions:
        return "T1-6" if is_below else "T1-5"
    return {(False, False): "T1-1", (True, False): "T1-2", (False, True): "T1-3", (True, True): "T1-4"}[
        is_marked, is_below
    ]


def _may_repeat(steps: tuple[StateFunction, ...], variable: int) -> bool:
    """Whether a variable may have several nodes in a match: unless each step down to it finds one at most."""
    places = [step for step in steps if step.variable == variable]
    if len(places) > 1:
        return True
    step = places[0]
    while step.above != 0:
        is_single = step.reach is Reach.CHILDREN and step.automaton < 0
        if not is_single or not any(test.kind in (TestKind.NTH, TestKind.LAST) for test in step.tests):
            return True
        step = steps[step.above]
    return False
