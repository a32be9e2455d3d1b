"""What is not decided yet: elements that may stand at a step, children that a run may take, rows that wait.

A standing is one element at one step. It is decided when all tests of the step are met, or one cannot be met
any more. Rows wait for whatever is undecided on their ways up through the pattern.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cepheid.matchers.twig.prospects import Prospect
    from cepheid.matchers.twig.siblings import SiblingReader

UNDECIDED, HOLDS, FAILS = 0, 1, 2
NOT_CHOSEN, NOBODY = -1, -2  # what a run takes a child as: not known yet, or in no run


class TwigRow:
    """A returned node, complete but for what its ways up through the pattern say."""

    __slots__ = ("attributes", "end", "is_done", "places", "start", "tag", "text", "variable", "watched")

    def __init__(self, variable: int, places: list[Standing], element: OpenElement, end: int, text: str):
        self.variable = variable
        self.places = places
        self.start, self.end = element.start, end
        self.tag, self.text, self.attributes = element.tag, text, element.attributes
        self.is_done = False
        self.watched: set[Standing | Child] = set()


class Standing:
    """An element at a step."""

    __slots__ = (
        "counted",
        "depth",
        "holds_in",
        "outer",
        "outermost",
        "parent",
        "prospect",
        "prospect_outward",
        "readers",
        "start",
        "state",
        "step",
        "unmet",
        "up",
        "waiting",
    )

    def __init__(self, step: int, element: OpenElement, unmet: int) -> None:
        self.step = step
        self.start = element.start
        self.depth = element.depth
        self.parent: OpenElement | None = element.parent
        self.unmet = unmet
        self.counted = 0  # how many of its positions were looked at
        self.state = UNDECIDED
        self.up: Standing | None = None  # the nearest standing of the step above, where this is no item
        self.holds_in: list[
            tuple[Standing, SiblingReader, Child]
        ] = []  # of an item: whose child it is or is in
        self.outer: Standing | None = None  # the next one of the same step, further out
        self.outermost: Standing | None = None  # of these, if it may hold
        self.readers: dict[int, SiblingReader] = {}
        self.waiting: dict[TwigRow, None] = {}
        self.prospect: Prospect | None = None  # once nothing on its ways up is undecided
        self.prospect_outward: Prospect | None = None  # the same for it and all further out


class Child:
    """A child element in the eyes of one sibling expression."""

    __slots__ = ("chosen", "hits", "is_closed", "possible", "run", "start", "unknown", "waiting")

    def __init__(self, start: int, unknown: int) -> None:
        self.start = start
        self.unknown = unknown  # items that may take it or not
        self.hits = 0  # items that may take it
        self.possible = unknown  # items that may take it in a run
        self.is_closed = False
        self.chosen = NOT_CHOSEN
        self.run = -1  # where its run begins
        self.waiting: dict[TwigRow, None] = {}


@dataclass(eq=False, slots=True)
class OpenElement:
    """A layer of the execute stack: an element whose end tag has not come."""

    tag: str
    start: int
    depth: int
    attributes: list[tuple[str, str]]
    parent: OpenElement | None
    wanted_children: int = 0  # CS1 in the paper
    wanted_below: int = 0  # CS2
    standings: list[Standing] = field(default_factory=list)  # RS
    as_child: list[tuple[SiblingReader, Child]] = field(default_factory=list)
    counts: dict[tuple[int, int], int] = field(default_factory=dict)  # children by step and position test
    lasts: dict[tuple[int, int], Standing] = field(default_factory=dict)
    text_from: int = -1  # where its text begins, if somebody wants it
