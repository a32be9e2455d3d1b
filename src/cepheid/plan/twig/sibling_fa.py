"""A sibling expression as an automaton: its states are the items, and of what may follow one is preferred."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from cepheid.pattern.twig import nodes as tn

ACCEPT = -1


@dataclass(frozen=True, slots=True)
class Preferences:
    """An automaton's tables: the items that may begin, those that may follow each, and where it may end."""

    paths: tuple[tn.TreePath, ...]
    start: tuple[int, ...]
    follow: tuple[tuple[int, ...], ...]
    accepting: tuple[bool, ...]


def preferences(expression: tn.SiblingExpression) -> Preferences:
    """The tables of an expression; its items are numbered in the order of the text."""
    knots = _Knots()
    entry = knots.tie(expression, knots.accept)
    reached = [knots.reached(after) for after in knots.after]
    return Preferences(
        tuple(tn.paths_of(expression)),
        tuple(item for item in knots.reached(entry) if item != ACCEPT),
        tuple(tuple(item for item in items if item != ACCEPT) for items in reached),
        tuple(ACCEPT in items for items in reached),
    )


@dataclass
class _Knots:
    """The expression as knots: each takes an item, or goes on at one of several, the preferred first. A
    repetition ends at a knot of its own, which one of nothing does not get beyond: it is none."""

    items: list[int] = field(default_factory=lambda: [ACCEPT])  # the item that a knot takes
    choices: list[list[int]] = field(default_factory=lambda: [[]])  # or where it goes on
    after: list[int] = field(default_factory=list)  # the knot after each item
    repeated: dict[int, int] = field(default_factory=dict)  # the end of a repetition, by its knot before it
    accept: int = 0

    def tie(self, expression: tn.SiblingExpression, beyond: int) -> int:
        """The knot where an expression begins, if the given one comes after it."""
        match expression:
            case tn.Item():
                self.after.append(beyond)
                return self._knot(len(self.after) - 1, [])
            case tn.InOrder(parts=parts):
                return self._tie_in_order(parts, beyond)
            case tn.EitherOf(parts=parts):
                return self._knot(ACCEPT, [self.tie(part, beyond) for part in parts])
            case tn.Repeated(part=part, sign=sign):
                end = self._knot(ACCEPT, [])
                once = self._knot(ACCEPT, [self.tie(part, end)])
                self.repeated[once] = end
                self.choices[end] += [beyond] if sign == "?" else [once, beyond]
                may_be_none = sign != "+" or end in self._ways(once)
                return self._knot(ACCEPT, [once, beyond] if may_be_none else [once])

    def _tie_in_order(self, parts: tuple[tn.SiblingExpression, ...], beyond: int) -> int:
        """From the left, so that items are numbered as in the text: each part ends where the next begins."""
        joints = [self._knot(ACCEPT, []) for _ in parts[1:]]
        entries = [self.tie(part, joint) for part, joint in zip(parts, [*joints, beyond], strict=True)]
        for joint, entry in zip(joints, entries[1:], strict=True):
            self.choices[joint].append(entry)
        return entries[0]

    def _knot(self, item: int, choices: list[int]) -> int:
        self.items.append(item)
        self.choices.append(choices)
        return len(self.items) - 1

    def reached(self, begin: int) -> list[int]:
        """The items that may come next from a knot, the preferred first."""
        found: dict[int, None] = {}
        for knot in self._ways(begin):
            if self.items[knot] != ACCEPT or knot == self.accept:
                found.setdefault(self.items[knot])
        return list(found)

    def _ways(self, begin: int) -> Iterator[int]:
        """The knots that come without an item, the preferred first. Where a way leads depends on the
        repetitions that have begun on it, and have taken nothing yet."""
        seen: set[tuple[int, frozenset[int]]] = set()
        pending = [(begin, frozenset[int]())]
        while pending:
            knot, begun = way = pending.pop()
            if way in seen:
                continue
            seen.add(way)
            yield knot
            if knot in begun:
                continue
            if knot in self.repeated:
                begun |= {self.repeated[knot]}
            pending.extend((choice, begun) for choice in reversed(self.choices[knot]))
