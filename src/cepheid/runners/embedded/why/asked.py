"""What a query asks of the events of a match, each thing by itself, so that one can say which failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from cepheid import expressions as ex
from cepheid.events import EventSchema
from cepheid.expressions import Index, Scope
from cepheid.pattern import nodes as pt
from cepheid.pattern.query import PatternQuery, Strategy
from cepheid.pattern.remaining import Remainders
from cepheid.plan.coerce import coerce
from cepheid.plan.positions import inner_windows, positions_of, type_name
from cepheid.plan.precedence import Neighbourhood, neighbourhoods
from cepheid.plan.program import WindowTest
from cepheid.plan.windows import window_test
from cepheid.runners.embedded.why.values import Bound, Instance
from cepheid.time import Window

_STEPPING = {Index.CURRENT, Index.PREVIOUS, Scope.PRIOR}
_LATER = {Index.FIRST, Index.PREVIOUS, Scope.PRIOR}


@dataclass(frozen=True, slots=True, eq=False)
class AskedCondition:
    """A conjunct of WHERE."""

    written: ex.Expression  # as the user wrote it
    expression: ex.Expression  # as it is computed over the columns of the stream
    names: frozenset[str]
    steps: Mapping[str, int]  # the variables of a[i], and from which i (from 0) it holds
    wholes: frozenset[str]  # the variables of which it needs all events, as a.len does
    is_of_first: bool  # of one variable, and only of its first event: a[1].x > 5
    is_of_each: bool  # of one variable, and of each of its events by itself: b.x > 5, a[i].x > 5

    def instances(self, bound: Bound, taking: str | None = None) -> Iterator[Instance]:
        """Where it has to hold, of what the newest event of `taking` brings; nowhere, if a variable that
        it names has no event."""
        if not all(bound.get(name) for name in self.names):
            return
        ranges = [
            range(max(start, len(bound[name]) - 1) if name == taking else start, len(bound[name]))
            for name, start in self.steps.items()
        ]
        for choice in product(*ranges):
            yield Instance(bound, dict(zip(self.steps, choice, strict=True)))


@dataclass(frozen=True, slots=True)
class AskedWindow:
    """WITHIN of the query or of a part of it."""

    window: Window
    test: WindowTest
    members: frozenset[str]  # the positive variables inside


@dataclass(frozen=True)
class AskedQuery:
    """A query without what it returns: its variables, conditions and windows."""

    query: PatternQuery
    schema: EventSchema
    conditions: tuple[AskedCondition, ...]  # of positive variables
    of_absent: Mapping[str, tuple[AskedCondition, ...]]  # by the negated variable that they name
    constants: tuple[AskedCondition, ...]  # that name no variable
    windows: tuple[AskedWindow, ...]  # the query's own first
    key_names: Mapping[str, str]  # the column of each key, and how the user calls it
    remainders: Remainders  # what the pattern still asks for, after each of its events

    @cached_property
    def atoms(self) -> dict[str, pt.Atom]:
        """All declared variables, in the order of the text."""
        return {atom.variable: atom for atom in pt.atoms(self.query.pattern)}

    @cached_property
    def positive(self) -> tuple[str, ...]:
        """The variables that take events."""
        return tuple(p.variable for p in positions_of(self.query.pattern, self.schema.type is not None))

    @cached_property
    def around(self) -> dict[str, Neighbourhood]:
        """What the pattern puts before and after each variable, by the numbers of positive ones."""
        return neighbourhoods(self.query.pattern)

    @property
    def strategy(self) -> Strategy:
        """Which events may lie between two selected ones."""
        found = self.query.strategy
        is_strict = found is Strategy.PARTITION and not self.query.keys
        return Strategy.STRICT if is_strict else found

    def type_of(self, variable: str) -> str | None:
        """The type that the events of a variable have; None: any."""
        return type_name(self.atoms[variable], self.schema.type is not None)

    def has_several(self, variable: str) -> bool:
        """Whether a variable may hold several events."""
        return isinstance(self.atoms[variable], pt.Kleene)

    def label(self, variable: str) -> str:
        """A variable with its type, as in the text."""
        kind = self.type_of(variable)
        return f"{kind or 'ANY'} {variable}" if kind != variable else variable


def asked_query(
    query: PatternQuery,
    schema: EventSchema,
    written: Sequence[ex.Expression],
    key_names: Mapping[str, str],
) -> AskedQuery:
    """What a checked query over a stream asks; `written` are its conjuncts as the user wrote them."""
    negated = {atom.variable for atom in pt.atoms(query.pattern) if isinstance(atom, pt.Absent)}
    found = [
        _condition(own, coerce(each, schema)) for own, each in zip(written, query.conjuncts, strict=True)
    ]
    return AskedQuery(
        query,
        schema,
        tuple(each for each in found if each.names and not each.names & negated),
        {v: tuple(each for each in found if v in each.names) for v in negated},
        tuple(each for each in found if not each.names),
        tuple(_windows(query, schema)),
        key_names,
        Remainders(query.pattern),
    )


def _condition(written: ex.Expression, expression: ex.Expression) -> AskedCondition:
    used: dict[str, set[object]] = {}
    wholes = set()
    for node in ex.walk(expression):
        if isinstance(node, ex.Attribute):
            used.setdefault(node.variable, set()).add(node.index)
            if node.index is Index.LAST or isinstance(node.index, int):
                wholes.add(node.variable)
        elif isinstance(node, ex.Aggregate):
            used.setdefault(node.variable, set()).add(node.scope)
            if node.scope is Scope.WHOLE:
                wholes.add(node.variable)
        elif isinstance(node, ex.Length):
            used.setdefault(node.variable, set()).add(node)
            wholes.add(node.variable)
    steps = {name: int(bool(refs & _LATER)) for name, refs in used.items() if refs & _STEPPING}
    kinds = next(iter(used.values())) if len(used) == 1 else set()
    return AskedCondition(
        written,
        expression,
        ex.variables(expression),
        steps,
        frozenset(wholes),
        is_of_first=kinds == {Index.FIRST},
        is_of_each=len(kinds) == 1 and bool(kinds & {Index.ONLY, Index.CURRENT}),
    )


def _windows(query: PatternQuery, schema: EventSchema) -> Iterator[AskedWindow]:
    names = [p.variable for p in positions_of(query.pattern, schema.type is not None)]
    if query.window is not None:
        yield AskedWindow(query.window, window_test(query.window, schema), frozenset(names))
    inner = [node.window for node in pt.walk(query.pattern) if isinstance(node, pt.Within)]
    for window, test in zip(inner, inner_windows(query.pattern, schema), strict=True):
        yield AskedWindow(window, test, frozenset(names[number] for number in test.members))
