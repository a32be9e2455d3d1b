"""Positive matches by a literal simulation of NFA^b: runs that begin, take, proceed and ignore.

It defines all four strategies for patterns without AND.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import NamedTuple

from cepheid.pattern.nodes import Absent, Choice, Kleene, Optional, Pattern, Seq, Single, Within
from cepheid.pattern.query import Strategy

from .conditions import Conjunct, is_over_the_whole
from .facts import Facts
from .stream import Taken


def found_by_runs(facts: Facts) -> Iterator[Taken]:
    """What runs over the positive variables complete, in the order in which they do."""
    return Runs(facts).complete() if facts.holds_at_all else iter(())


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


class Run(NamedTuple):
    """A partial match, and the state that took its last event."""

    state: str
    taken: Taken


class Runs:
    """The states and edges of one query, each conjunct on the edge of the last variable that it needs."""

    def __init__(self, facts: Facts) -> None:
        self.facts, whole = facts, shape(facts.query.pattern)
        self.first, self.last = whole.first, frozenset(whole.last)
        self.next = {v: [w for w in facts.positive if (v, w) in whole.follow] for v in facts.positive}
        self.entering: dict[str, list[Conjunct]] = {v: [] for v in facts.positive}  # begin and take
        self.leaving: dict[str, list[Conjunct]] = {v: [] for v in facts.positive}  # proceed and completion
        for test in facts.of_positive:
            owner = [v for v in facts.positive if v in test.names][-1]
            leaves = is_over_the_whole(test.expression, owner)
            (self.leaving if leaves else self.entering)[owner].append(test)

    def complete(self) -> Iterator[Taken]:
        """What the runs complete, event by event."""
        runs: list[Run] = []
        for position in range(len(self.facts.stream)):
            moved = self.consumed({}, self.first, position)
            kept = []
            for run in runs:
                moves = self.consumed(run.taken, self.open_states(run), position)
                if self.ignores(run, position, {move.state for move in moves}):
                    kept.append(run)
                moved += moves
            yield from (run.taken for run in moved if self.completes(run))
            runs = kept + moved

    def consumed(self, taken: Taken, states: Sequence[str], position: int) -> list[Run]:
        """The runs that begin, or take, this event at one of these states."""
        runs = (Run(v, {**taken, v: (*taken.get(v, ()), position)}) for v in states)
        return [run for run in runs if self.admits(run, position)]

    def admits(self, run: Run, position: int) -> bool:
        """Whether the last event fits where it was put: type, partition, windows and conjuncts."""
        v, taken = run
        return (
            self.facts.is_of_type(v, position)
            and self.facts.is_of_partition(taken, position)
            and all(self.facts.fits(bounds, taken) for bounds in self.facts.bounds[v])
            and all(item.holds(self.facts.bound(taken), taking=v) for item in self.entering[v])
        )

    def open_states(self, run: Run) -> list[str]:
        """The states whose take or begin edge a run may follow."""
        atom = self.facts.atoms[run.state]
        takes_more = isinstance(atom, Kleene) and len(run.taken[run.state]) != atom.most
        return [run.state] * takes_more + (self.next[run.state] if self.may_leave(run) else [])

    def may_leave(self, run: Run) -> bool:
        """Whether a run may proceed from its state: enough events, and the conjuncts over the whole."""
        atom = self.facts.atoms[run.state]
        enough = not isinstance(atom, Kleene) or len(run.taken[run.state]) >= atom.least
        return enough and all(c.holds(self.facts.bound(run.taken)) for c in self.leaving[run.state])

    def completes(self, run: Run) -> bool:
        """Whether the pattern may end here."""
        return run.state in self.last and self.may_leave(run)

    def ignores(self, run: Run, position: int, moves: set[str]) -> bool:
        """The ignore edge; `moves` are the states that can consume the event."""
        return IGNORE[self.facts.query.strategy](self, run, position, moves)


def _ignores_other_partitions(runs: Runs, run: Run, position: int, moves: set[str]) -> bool:
    return bool(runs.facts.query.keys) and not runs.facts.is_of_partition(run.taken, position)


def _ignores_what_it_cannot_take(runs: Runs, run: Run, position: int, moves: set[str]) -> bool:
    at_kleene = isinstance(runs.facts.atoms[run.state], Kleene)
    return run.state not in moves if at_kleene else not moves


IGNORE: dict[Strategy, Callable[[Runs, Run, int, set[str]], bool]] = {
    Strategy.STRICT: lambda *_: False,
    Strategy.PARTITION: _ignores_other_partitions,
    Strategy.NEXT: _ignores_what_it_cannot_take,
    Strategy.ANY: lambda *_: True,
}
