"""NFA^b as data: which states follow which, and which conjunct is on which edge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import product

from cepheid import expressions as ex
from cepheid.expressions import Index, Scope
from cepheid.pattern.nodes import Absent, Atom, Choice, Kleene, Optional, Pattern, Seq, Single, Within, atoms
from cepheid.pattern.query import PatternQuery
from cepheid.time import Window

from .evaluate import Event, Match, value


@dataclass(frozen=True)
class Shape:
    """The states that may come first and last, whether the pattern may be empty, and what follows what."""

    first: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    empty: bool = True
    follow: frozenset[tuple[str, str]] = frozenset()


def shape(node: Pattern) -> Shape:
    """The states of a pattern; absence has none."""
    match node:
        case Absent():
            return Shape()
        case Single(variable=v):
            return Shape((v,), (v,), False)
        case Optional(variable=v):
            return Shape((v,), (v,), True)
        case Kleene(variable=v, least=least):
            return Shape((v,), (v,), least == 0)
        case Seq(parts=parts):
            return reduce(_then, map(shape, parts))
        case Choice(parts=parts):
            return reduce(_or, map(shape, parts))
        case Within(part=part):
            return shape(part)
        case _:
            raise NotImplementedError(type(node).__name__)


def _then(p: Shape, q: Shape) -> Shape:
    return Shape(
        p.first + q.first if p.empty else p.first,
        q.last + p.last if q.empty else q.last,
        p.empty and q.empty,
        p.follow | q.follow | set(product(p.last, q.first)),
    )


def _or(p: Shape, q: Shape) -> Shape:
    return Shape(p.first + q.first, p.last + q.last, p.empty or q.empty, p.follow | q.follow)


def absent_at_the_end(node: Pattern) -> set[str]:
    """The negated variables that may have no event of the match after them."""
    match node:
        case Absent(variable=variable):
            return {variable}
        case Within(part=part):
            return absent_at_the_end(part)
        case Choice(parts=parts):
            return set().union(*map(absent_at_the_end, parts))
        case Seq(parts=(*parts, last)):
            before = absent_at_the_end(Seq(tuple(parts))) if parts and shape(last).empty else set()
            return absent_at_the_end(last) | before
        case _:
            return set()


@dataclass(frozen=True)
class Conjunct:
    """One conjunct of WHERE; `steps` says from which i (from 0) it ranges over the events of `a[i]`."""

    expression: ex.Expression
    names: frozenset[str]
    steps: Mapping[str, int]

    def holds(self, bound: Mapping[str, tuple[Event, ...]], taking: str | None = None) -> bool:
        """True for every i, but for the last one of the variable being taken; absent variables hold."""
        if not all(bound.get(name) for name in self.names):
            return True
        ranges = [
            range(max(start, len(bound[name]) - 1) if name == taking else start, len(bound[name]))
            for name, start in self.steps.items()
        ]
        return all(
            value(self.expression, Match(bound, dict(zip(self.steps, choice, strict=True)))) is True
            for choice in product(*ranges)
        )


def conjunct(expression: ex.Expression) -> Conjunct:
    """What the conjunct names, and from which i it holds."""
    used: dict[str, set[object]] = {}
    for node in ex.walk(expression):
        if isinstance(node, ex.Attribute):
            used.setdefault(node.variable, set()).add(node.index)
        elif isinstance(node, ex.Aggregate):
            used.setdefault(node.variable, set()).add(node.scope)
    stepping = {Index.CURRENT, Index.PREVIOUS, Scope.PRIOR}
    later = {Index.FIRST, Index.PREVIOUS, Scope.PRIOR}
    steps = {name: int(bool(refs & later)) for name, refs in used.items() if refs & stepping}
    return Conjunct(expression, ex.variables(expression), steps)


def _is_over_the_whole(expression: ex.Expression, variable: str) -> bool:
    return any(
        (isinstance(node, ex.Length) and node.variable == variable)
        or (isinstance(node, ex.Attribute) and (node.variable, node.index) == (variable, Index.LAST))
        or (isinstance(node, ex.Aggregate) and (node.variable, node.scope) == (variable, Scope.WHOLE))
        for node in ex.walk(expression)
    )


@dataclass(frozen=True)
class Bounds:
    """A window, and the variables whose events it spans."""

    window: Window
    variables: frozenset[str]


class Automaton:
    """The query's states and edges; conjuncts of negated variables and constants stand apart."""

    def __init__(self, query: PatternQuery) -> None:
        whole = shape(query.pattern)
        self.atoms: dict[str, Atom] = {atom.variable: atom for atom in atoms(query.pattern)}
        self.negated = [v for v, atom in self.atoms.items() if isinstance(atom, Absent)]
        self.positive = [v for v in self.atoms if v not in self.negated]
        self.first, self.last = whole.first, frozenset(whole.last)
        self.next = {v: [w for w in self.positive if (v, w) in whole.follow] for v in self.positive}
        self.bounds: dict[str, list[Bounds]] = {v: [] for v in self.atoms}
        self.branches: dict[str, list[frozenset[str]]] = {v: [] for v in self.atoms}
        self.entering: dict[str, list[Conjunct]] = {v: [] for v in self.atoms}  # begin and take
        self.leaving: dict[str, list[Conjunct]] = {v: [] for v in self.atoms}  # proceed and completion
        self.constants: list[Conjunct] = []
        if query.window:
            for v in self.atoms:
                self.bounds[v].append(Bounds(query.window, frozenset(self.positive)))
        self._surround(query.pattern)
        for expression in query.conjuncts:
            self._place(conjunct(expression))

    def _surround(self, node: Pattern) -> None:
        """Note for each variable the windows and the OR branches that it stands in."""
        parts: tuple[Pattern, ...] = getattr(node, "parts", ())
        if isinstance(node, Within):
            parts = (node.part,)
            for v in self._inside(node):
                self.bounds[v].append(Bounds(node.window, frozenset(self._inside(node)) & {*self.positive}))
        for part in parts:
            if isinstance(node, Choice):
                for v in self._inside(part):
                    self.branches[v].append(frozenset(self._inside(part)))
            self._surround(part)

    def _inside(self, node: Pattern) -> list[str]:
        return [atom.variable for atom in atoms(node)]

    def _place(self, item: Conjunct) -> None:
        if not item.names:
            self.constants.append(item)
            return
        owners = [v for v in self.negated if v in item.names] or [v for v in self.positive if v in item.names]
        leaves = _is_over_the_whole(item.expression, owners[-1])
        (self.leaving if leaves else self.entering)[owners[-1]].append(item)
