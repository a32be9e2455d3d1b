"""The plan of a regular tree pattern: a state function a step, and a SiblingFA for each sibling expression.

Step 0 is the document itself. A step's number is larger than that of the step above it in the pattern, so
what an element's steps need of each other is known when they are visited from the last to the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from cepheid.pattern.twig.nodes import Against, TwigPattern


class Reach(Enum):
    """Which elements a state function looks at, from an element of the step above."""

    CHILDREN = "/"
    BELOW = "//"
    HERE_OR_BELOW = "here or below"  # of `//@name`: the element itself counts


class TestKind(Enum):
    """What a step asks of its element."""

    BRANCH = "branch"  # some element stands at the next step, or at the first step of a predicate
    ATTRIBUTE = "attribute"
    VALUE = "value"  # the string-value compares
    NTH = "nth"
    LAST = "last"
    SIBLINGS = "siblings"


@dataclass(frozen=True, slots=True)
class ElementTest:
    """One thing that must hold at an element; `target` is a step, an automaton or a position."""

    kind: TestKind
    target: int = -1
    name: str | None = None  # of an attribute; None is any
    against: Against | None = None


@dataclass(frozen=True, slots=True)
class StateFunction:
    """One state function q of the transducer.

    Its tests are numbered: conditions in the order of the text, then what the rest of the path asks. A
    position counts among the siblings that pass all tests before it.
    """

    number: int
    above: int  # the step from which it looks
    reach: Reach
    tag: str | None
    variable: int  # -1 where the element is not returned
    tests: tuple[ElementTest, ...]
    automaton: int  # whose item it begins, or -1
    letter: int  # its position there; else the test above that it answers
    rule: str  # of the paper's Table 2
    text: str


@dataclass(frozen=True, slots=True)
class SiblingFA:
    """The automaton of a sibling expression: its states are the items, and `start` leads to the first ones.

    `follow` is in the order of preference: the earlier alternative first, and one more repetition first.
    """

    number: int
    owner: int  # the step whose element has the children
    steps: tuple[int, ...]  # the state function of each item
    start: tuple[int, ...]
    follow: tuple[tuple[int, ...], ...]
    accepting: tuple[bool, ...]
    text: str
    start_set: int  # `start` and `follow` as bit sets
    follow_sets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TwigPlan:
    """Everything that the transducer needs to know."""

    pattern: TwigPattern
    steps: tuple[StateFunction, ...]
    automata: tuple[SiblingFA, ...]
    variables: tuple[str, ...]
    repeats: tuple[bool, ...]  # whether a variable may have several nodes in one match
