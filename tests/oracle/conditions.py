"""A conjunct of WHERE: which variables it names, and for which i it must hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from cepheid import expressions as ex
from cepheid.expressions import Index, Scope

from .evaluate import Event, Match, value


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


def _is_of_the_whole(index: Index | int) -> bool:
    return index is Index.LAST or isinstance(index, int)


def is_over_the_whole(expression: ex.Expression, variable: str) -> bool:
    return any(
        (isinstance(node, ex.Length) and node.variable == variable)
        or (isinstance(node, ex.Attribute) and node.variable == variable and _is_of_the_whole(node.index))
        or (isinstance(node, ex.Aggregate) and (node.variable, node.scope) == (variable, Scope.WHOLE))
        for node in ex.walk(expression)
    )
