"""What a regular tree pattern finds in a document, by its definition and by no engine.

    rows = twig_rows(pattern, document(data))

A step holds at an element or not, whatever lies above it (`_holds`). From the top down, `_Ways` then follows
every way of satisfying the whole pattern and notes each marked element that a way passes.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from typing import Any

from cepheid.pattern.twig import nodes as tn
from tests.oracle.documents import Element

NUMBER = re.compile(r"[ \t\r\n]*-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[ \t\r\n]*")
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

Row = dict[str, Any]
Taken = tuple[Element, tn.TreePath]  # a child, and the path of the item that takes it


def twig_rows(pattern: tn.TwigPattern, top: Element) -> list[Row]:
    """The rows of a checked pattern, in document order, then by the variables' first place."""
    ways = _Ways()
    if isinstance(pattern, tn.TreePath):
        for element in _found(pattern, 0, top):
            ways.visit(pattern, 0, element, element.start, None, None)
    else:
        for run in _runs(pattern.expression, top.children):
            for child, path in run:
                for element in _taken(path, child):
                    ways.visit(path, 0, element, element.start, None, run[0][0].start)
    order = {name: place for place, name in enumerate(tn.variables_of(pattern))}
    return sorted(ways.rows.values(), key=lambda row: (row["start"], order[row["var"]]))


class _Ways:
    """The ways through the pattern, from the top down."""

    def __init__(self) -> None:
        self.rows: dict[tuple[int, str], Row] = {}
        self._seen: set[tuple[Any, ...]] = set()

    def visit(
        self, path: tn.TreePath, at: int, element: Element, match: int, parent: int | None, run: int | None
    ) -> None:
        """An element stands at a step of a path in some way of satisfying the whole pattern."""
        key = (id(path), at, id(element), match, parent, run)
        if key in self._seen:
            return
        self._seen.add(key)
        step = path.steps[at]
        if step.variable is not None:
            self._note(step.variable, element, match, parent, run)
            parent = element.start
        for condition in step.conditions:
            if isinstance(condition, tn.Exists) and condition.path.steps:
                for found in _found(condition.path, 0, element):
                    self.visit(condition.path, 0, found, match, parent, run)
            elif isinstance(condition, tn.Siblings):
                for taken in _runs(condition.expression, element.children):
                    for child, item in taken:
                        for found in _taken(item, child):
                            self.visit(item, 0, found, match, parent, taken[0][0].start)
        if at + 1 < len(path.steps):
            for found in _found(path, at + 1, element):
                self.visit(path, at + 1, found, match, parent, run)

    def _note(self, var: str, element: Element, match: int, parent: int | None, run: int | None) -> None:
        """A returned node, once: with the outermost match, the nearest parent and the nearest run."""
        row = self.rows.setdefault(
            (element.start, var),
            {
                "match": match,
                "var": var,
                "parent": parent,
                "run": run,
                "tag": element.tag,
                "text": element.text(),
                "attributes": list(element.attributes.items()),
                "start": element.start,
                "end": element.end,
            },
        )
        row["match"] = min(row["match"], match)
        row["parent"] = _nearest(row["parent"], parent)
        row["run"] = _nearest(row["run"], run)


def _nearest(one: int | None, other: int | None) -> int | None:
    return max((place for place in (one, other) if place is not None), default=None)


# ---------------------------------------------------------------- what holds at an element


def _holds(path: tn.TreePath, at: int, element: Element) -> bool:
    """Whether the path from this step on holds, with the step at this element."""
    step = path.steps[at]
    if not _passes(step, element, len(step.conditions)):
        return False
    if at + 1 < len(path.steps):
        return bool(_found(path, at + 1, element))
    if path.attribute is not None:
        return _has_attribute(path, element)
    return path.compared is None or _compare(element.text(), path.compared)


def _found(path: tn.TreePath, at: int, context: Element) -> list[Element]:
    """The elements that stand at a step of a path, seen from the one above."""
    where = context.children if path.steps[at].axis is tn.Axis.CHILD else context.below()
    return [element for element in where if _holds(path, at, element)]


def _taken(path: tn.TreePath, child: Element) -> list[Element]:
    """The elements that stand at the first step of an item which takes this child."""
    where = [child] if path.steps[0].axis is tn.Axis.CHILD else [child, *child.below()]
    return [element for element in where if _holds(path, 0, element)]


def _passes(step: tn.TreeStep, element: Element, number: int) -> bool:
    """Whether the step's test and its first conditions hold."""
    if element.tag is None or step.tag not in (None, element.name):
        return False
    return all(_is_met(step, place, element) for place in range(number))


def _is_met(step: tn.TreeStep, place: int, element: Element) -> bool:
    match step.conditions[place]:
        case tn.Exists(path=path):
            return bool(_found(path, 0, element)) if path.steps else _has_attribute(path, element)
        case tn.Siblings(expression=expression):
            return bool(_runs(expression, element.children))
        case tn.NthSibling(number=number):
            return _like(step, place, element)[number - 1 : number] == [element]
        case tn.LastSibling():
            return _like(step, place, element)[-1:] == [element]


def _like(step: tn.TreeStep, place: int, element: Element) -> list[Element]:
    """The children of one parent that pass what stands before the position."""
    assert element.parent is not None
    return [child for child in element.parent.children if _passes(step, child, place)]


def _has_attribute(path: tn.TreePath, element: Element) -> bool:
    assert path.attribute is not None
    is_here = path.attribute.axis is tn.Axis.CHILD
    values = (
        value
        for owner in ([element] if is_here else [element, *element.below()])
        for name, value in owner.tested.items()
        if path.attribute.name == name or (path.attribute.name is None and not _declares(name))
    )
    return any(path.compared is None or _compare(value, path.compared) for value in values)


def _declares(name: str) -> bool:
    """Whether an attribute declares a namespace: `@*` is none of those."""
    return name == "xmlns" or name.startswith("xmlns:")


def _compare(text: str, against: tn.Against) -> bool:
    """XPath 1.0: numbers with a number or an order, else strings."""
    constant = against.constant
    if isinstance(constant, str) and against.operator in ("=", "!="):
        return COMPARE[against.operator](text, constant)
    return COMPARE[against.operator](_number(text), _number(constant))


def _number(value: str | float) -> float:
    if isinstance(value, float):
        return value
    return float(value) if NUMBER.fullmatch(value) else float("nan")


# ---------------------------------------------------------------- runs of siblings


def _runs(expression: tn.SiblingExpression, children: list[Element]) -> list[list[Taken]]:
    """Of all runs the one that begins first, of those the longest, and then anew after it."""
    runs: list[list[Taken]] = []
    begin = 0
    while begin < len(children):
        longest = max(_ends(expression, children, begin), default=begin)
        if longest == begin:
            begin += 1
            continue
        readings = _readings(expression, children, begin)
        best = next(reading for end, reading in readings if end == longest)
        runs.append(list(zip(children[begin:longest], best, strict=True)))
        begin = longest
    return runs


def _ends(expression: tn.SiblingExpression, children: list[Element], begin: int) -> set[int]:
    """Where a reading that begins here may end."""
    match expression:
        case tn.Item(path=path):
            is_taken = begin < len(children) and bool(_taken(path, children[begin]))
            return {begin + 1} if is_taken else set()
        case tn.EitherOf(parts=parts):
            return set().union(*(_ends(part, children, begin) for part in parts))
        case tn.InOrder(parts=parts):
            ends = {begin}
            for part in parts:
                ends = set().union(*(_ends(part, children, end) for end in ends))
            return ends
        case tn.Repeated(part=part, sign=sign):
            ends = _ends(part, children, begin)
            new = ends if sign != "?" else set()
            while new:
                new = set().union(*(_ends(part, children, end) for end in new)) - ends
                ends = ends | new
            return ends if sign == "+" else ends | {begin}


Reading = tuple[int, tuple[tn.TreePath, ...]]  # where it ends, and the path that takes each child


def _readings(expression: tn.SiblingExpression, children: list[Element], begin: int) -> Iterator[Reading]:
    """All readings from here on: the earlier alternative and the longer repetition first, from the left."""
    match expression:
        case tn.Item(path=path):
            if begin < len(children) and _taken(path, children[begin]):
                yield begin + 1, (path,)
        case tn.EitherOf(parts=parts):
            for part in parts:
                yield from _readings(part, children, begin)
        case tn.InOrder(parts=(first, *rest)):
            for end, taken in _readings(first, children, begin):
                if not rest:
                    yield end, taken
                    continue
                for last, more in _readings(tn.InOrder(tuple(rest)), children, end):
                    yield last, taken + more
        case tn.Repeated(part=part, sign=sign):
            for end, taken in _readings(part, children, begin):
                if end == begin:  # a repetition of nothing is none, so it is the shortest
                    continue
                if sign == "?":
                    yield end, taken
                    continue
                for last, more in _readings(tn.Repeated(part, "*"), children, end):
                    yield last, taken + more
            if sign != "+" or begin in _ends(part, children, begin):
                yield begin, ()
