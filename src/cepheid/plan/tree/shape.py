"""The shape of a tree: which parts of a SEQ or an AND are joined first.

`left` and `right` hold inside every SEQ and AND. A shape that is written out, such as `((a b) c)`, names each
positive variable once; parts of the pattern that belong together stay together in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from cepheid.errors import QueryError
from cepheid.pattern import nodes as pt
from cepheid.pattern.presence import needs_an_event
from cepheid.pattern.render_pattern import render_pattern
from cepheid.plan.mask_bits import check_tests
from cepheid.plan.positions import Position
from cepheid.plan.tree.nodes import Kind, TreeNode

Shape = str | tuple["Shape", ...]
"""A variable, or a group of shapes."""

AUTO, LEFT, RIGHT = "auto", "left", "right"

_HINT = 'write shape="left", "right", or the positive variables in parentheses, such as "((a b) c)"'
_KINDS: dict[type[pt.Pattern], Kind] = {pt.Seq: Kind.SEQ, pt.Conjunction: Kind.AND, pt.Choice: Kind.OR}


@dataclass(slots=True)
class SeqParts:
    """Where the negated variables of one SEQ stand among its positive parts, and the nodes of these."""

    absent: dict[str, int] = field(default_factory=dict)  # how many positive parts stand before each
    positive: list[pt.Pattern] = field(default_factory=list)
    spans: dict[int, tuple[int, int]] = field(default_factory=dict)  # node: the parts that it joins


@dataclass(slots=True)
class Tree:
    """The nodes of a pattern, from the leaves to the root, and how its sequences lie in them."""

    nodes: list[TreeNode]
    sequences: list[SeqParts]
    shape: str


def tree_of(pattern: pt.Pattern, positions: Sequence[Position], shape: str) -> Tree:
    """The tree of a pattern in the shape that is asked for."""
    check_tests(positions, sum(isinstance(atom, pt.Absent) for atom in pt.atoms(pattern)))
    written = None if shape in (LEFT, RIGHT) else _parsed(shape, [p.variable for p in positions])
    building = _Building(positions, shape if written is None else LEFT)
    building.build(pattern, written, ())
    return Tree(building.nodes, building.sequences, _text(building.nodes, positions))


def _parsed(text: object, variables: list[str]) -> Shape:
    if not isinstance(text, str):
        raise QueryError(f"a shape is a text, not {text!r}", hint=_HINT)
    words = re.findall(r"[()]|[^()\s]+", text)
    found, rest = _group(words, text)
    if rest:
        raise QueryError(f"the shape '{text}' goes on after its end", hint=_HINT)
    named = list(_named(found))
    for name in named:
        if name not in variables:
            raise QueryError(
                f"the shape '{text}' names '{name}', which is no positive variable of the pattern",
                hint=f"the positive variables are {', '.join(variables)}",
            )
        if named.count(name) > 1:
            raise QueryError(f"the shape '{text}' names '{name}' twice", hint=_HINT)
    missing = [name for name in variables if name not in named]
    if missing:
        raise QueryError(
            f"the shape '{text}' leaves out '{missing[0]}'",
            hint=f"name all positive variables: {', '.join(variables)}",
        )
    return found


def _group(words: list[str], text: str) -> tuple[Shape, list[str]]:
    """The shape that some words begin with, and the words after it."""
    if not words or words[0] == ")":
        raise QueryError(f"the shape '{text}' has a parenthesis too few or too many", hint=_HINT)
    word, rest = words[0], words[1:]
    if word != "(":
        return word, rest
    parts: list[Shape] = []
    while rest and rest[0] != ")":
        part, rest = _group(rest, text)
        parts.append(part)
    if not rest or not parts:
        raise QueryError(f"the shape '{text}' has a parenthesis too few or too many", hint=_HINT)
    return (parts[0] if len(parts) == 1 else tuple(parts)), rest[1:]


def _named(shape: Shape) -> list[str]:
    return [shape] if isinstance(shape, str) else [name for part in shape for name in _named(part)]


class _Building:
    """Makes the nodes of a pattern, parts first."""

    def __init__(self, positions: Sequence[Position], way: str) -> None:
        self.positions = positions
        self.places = {position.variable: place for place, position in enumerate(positions)}
        self.way = way
        self.nodes: list[TreeNode] = []
        self.sequences: list[SeqParts] = []
        self._windows = 0

    def build(self, node: pt.Pattern, shape: Shape | None, windows: tuple[int, ...]) -> int:
        """The number of the node of a part of the pattern that has a positive variable."""
        if isinstance(node, pt.Within):
            self._windows += 1
            return self.build(node.part, shape, (*windows, self._windows - 1))
        if isinstance(node, pt.Atom):
            return self._leaf(node, windows)
        sequence = SeqParts()
        if isinstance(node, pt.Seq):
            self.sequences.append(sequence)
        built: list[tuple[int, frozenset[str]]] = []
        shapes = self._part_shapes(node, shape)
        for part in pt.parts(node):
            names = frozenset(a.variable for a in pt.atoms(part) if a.variable in self.places)
            if not names:
                self._windows += sum(isinstance(inner, pt.Within) for inner in pt.walk(part))
                sequence.absent |= {a.variable: len(sequence.positive) for a in pt.atoms(part)}
                continue
            built.append((self.build(part, shapes.get(names), windows), names))
            sequence.positive.append(part)
        return self._joined(node, built, shape, windows, sequence)

    def _leaf(self, node: pt.Atom, windows: tuple[int, ...]) -> int:
        place = self.places[node.variable]
        kind = Kind.CHAIN if self.positions[place].kleene else Kind.LEAF
        nullable = not needs_an_event(node)
        return self._add(TreeNode(kind, frozenset({place}), nullable, windows, position=place))

    def _add(self, node: TreeNode) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    # -- which parts meet first --------------------------------------------------------------------

    def _part_shapes(self, node: pt.Pattern, shape: Shape | None) -> dict[frozenset[str], Shape]:
        """What a written shape says of each part that has several variables."""
        found: dict[frozenset[str], Shape] = {}
        if shape is None:
            return found
        wanted = [
            names
            for part in pt.parts(node)
            if (names := frozenset(a.variable for a in pt.atoms(part) if a.variable in self.places))
        ]
        stack = [shape]
        while stack:
            top = stack.pop()
            names = frozenset(_named(top))
            if names in wanted:
                found[names] = top
            elif not isinstance(top, str):
                stack.extend(top)
        torn = [names for names in wanted if names not in found]
        if torn:
            part = ", ".join(sorted(torn[0]))
            raise QueryError(
                f"the shape takes apart what the pattern keeps together: {part} in {render_pattern(node)}",
                hint="a part of a SEQ, AND or OR is one group of the shape",
            )
        return found

    def _joined(
        self,
        node: pt.Pattern,
        built: list[tuple[int, frozenset[str]]],
        shape: Shape | None,
        windows: tuple[int, ...],
        sequence: SeqParts,
    ) -> int:
        kind = _KINDS[type(node)]
        place = {names: number for number, (_, names) in enumerate(built)}

        def span(number: int, first: int, last: int) -> int:
            sequence.spans.setdefault(number, (first, last))
            return number

        def fold(first: int, last: int) -> int:
            """The node that joins some neighbouring parts."""
            if first == last:
                return span(built[first][0], first, last)
            cut = last if self.way == LEFT else first + 1
            return span(self._join(kind, fold(first, cut - 1), fold(cut, last), windows), first, last)

        def follow(group: Shape) -> tuple[int, list[int]]:
            """The node that joins what a written group names, and the parts that these are."""
            names = frozenset(_named(group))
            if names in place:
                number = place[names]
                return span(built[number][0], number, number), [number]
            assert not isinstance(group, str)
            node_number, parts = follow(group[0])
            for other in group[1:]:
                right, more = follow(other)
                if kind is Kind.SEQ and more[0] != parts[-1] + 1:
                    raise QueryError(
                        "the shape joins parts of a SEQ that are not neighbours, or turns their order: "
                        f"{', '.join(_named(group))} in {render_pattern(node)}",
                        hint="inside a SEQ, join each part with the one before or after it",
                    )
                parts = [*parts, *more]
                node_number = self._join(kind, node_number, right, windows)
                span(node_number, parts[0], parts[-1])
            return node_number, parts

        found = fold(0, len(built) - 1) if shape is None else follow(shape)[0]
        if not needs_an_event(node):  # a branch of absences alone is empty too
            self.nodes[found] = replace(self.nodes[found], nullable=True)
        return found

    def _join(self, kind: Kind, left: int, right: int, windows: tuple[int, ...]) -> int:
        one, other = self.nodes[left], self.nodes[right]
        nullable = one.nullable or other.nullable if kind is Kind.OR else one.nullable and other.nullable
        shares = kind is Kind.AND and any(self._may_be_one(p, q) for p in one.members for q in other.members)
        members = one.members | other.members
        return self._add(TreeNode(kind, members, nullable, windows, left=left, right=right, shares=shares))

    def _may_be_one(self, p: int, q: int) -> bool:
        types = (self.positions[p].type, self.positions[q].type)
        return None in types or types[0] == types[1]


def _text(nodes: Sequence[TreeNode], positions: Sequence[Position]) -> str:
    """The shape of a tree as one would write it."""
    told: list[str] = []
    for node in nodes:
        if node.left < 0:
            told.append(positions[node.position].variable)
        else:
            told.append(f"({told[node.left]} {told[node.right]})")
    return told[-1]
