"""The meaning of a query, by brute force: a literal simulation of NFA^b, then absence, then EMIT."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from cepheid import expressions as ex
from cepheid.pattern.nodes import Kleene, atoms
from cepheid.pattern.query import PatternQuery, ReturnItem, Strategy

from .automaton import Automaton, Bounds
from .emit import EMIT
from .evaluate import Event, value
from .evaluate import Match as Bindings
from .stream import END, Completion, Stream, Taken, first_event, last_event


@dataclass(frozen=True)
class Match:
    """Which event (by its index in the given list) is bound to which positive variable."""

    bindings: Mapping[str, tuple[int, ...] | int | None]


class Run(NamedTuple):
    """A partial match, and the state that took its last event."""

    state: str
    taken: Taken


def matches(
    query: PatternQuery,
    events: Sequence[Event],
    *,
    time: str,
    type: str | None = None,
    order: Sequence[str] = (),
    time_unit: str | None = None,
) -> list[Match]:
    """All matches, in the order of output."""
    judge = Judge(query, Stream(events, query.keys, time, type, order, time_unit))
    return [Match(judge.bindings(taken)) for taken in judge.emitted()]


def rows(
    query: PatternQuery,
    events: Sequence[Event],
    *,
    time: str,
    type: str | None = None,
    order: Sequence[str] = (),
    time_unit: str | None = None,
) -> list[dict[str, Any]]:
    """What each match returns, in the order of output, without `match_id`."""
    judge = Judge(query, Stream(events, query.keys, time, type, order, time_unit))
    return rows_of(judge, judge.emitted(), events)


def rows_of(judge: Judge, chosen: Sequence[Taken], events: Sequence[Event]) -> list[dict[str, Any]]:
    """What each of these matches returns."""
    query = judge.query
    if query.returns is None:
        return [_default_row(judge.bindings(taken), events) for taken in chosen]
    columns = list(dict.fromkeys(column for event in events for column in event))
    items = [part for item in query.returns for part in _returned(item, query, columns)]
    return [
        {name: value(expression, Bindings(judge.bound(taken), {})) for name, expression in items}
        for taken in chosen
    ]


def _default_row(bindings: Mapping[str, Any], events: Sequence[Event]) -> dict[str, Any]:
    def shown(bound: tuple[int, ...] | int | None) -> Any:
        if bound is None:
            return None
        return dict(events[bound]) if isinstance(bound, int) else [dict(events[i]) for i in bound]

    return {variable: shown(bound) for variable, bound in bindings.items()}


def _returned(
    item: ReturnItem, query: PatternQuery, columns: list[str]
) -> Iterator[tuple[str, ex.Expression]]:
    """The columns of an item of RETURN; `v.*` is all attributes, as lists for a Kleene variable."""
    if item.expression is not None:
        named = item.expression if isinstance(item.expression, ex.Attribute) else None
        yield item.name or (f"{named.variable}_{named.name}" if named else "value"), item.expression
        return
    assert item.star is not None
    is_kleene = any(isinstance(a, Kleene) for a in atoms(query.pattern) if a.variable == item.star)
    for column in columns:
        one = ex.Attribute(item.star, ex.Index.ONLY, column)
        all_of = ex.Aggregate("collect", item.star, ex.Scope.WHOLE, ex.Element(column))
        yield f"{item.star}_{column}", all_of if is_kleene else one


class Judge:
    """One query over one stream."""

    def __init__(self, query: PatternQuery, stream: Stream) -> None:
        self.query, self.stream, self.automaton = query, stream, Automaton(query)

    # -- runs --------------------------------------------------------------------------------------

    def positive_matches(self) -> Iterator[Taken]:
        """What the runs over the positive variables complete, before absence is considered."""
        if not all(constant.holds({}) for constant in self.automaton.constants):
            return
        runs: list[Run] = []
        for position in range(len(self.stream)):
            moved = self.consumed({}, self.automaton.first, position)
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
            self.is_of_type(v, position)
            and self.is_of_partition(taken, position)
            and all(self.fits(bounds, taken) for bounds in self.automaton.bounds[v])
            and all(item.holds(self.bound(taken), taking=v) for item in self.automaton.entering[v])
        )

    def open_states(self, run: Run) -> list[str]:
        """The states whose take or begin edge a run may follow."""
        atom = self.automaton.atoms[run.state]
        takes_more = isinstance(atom, Kleene) and len(run.taken[run.state]) != atom.most
        return [run.state] * takes_more + (self.automaton.next[run.state] if self.may_leave(run) else [])

    def may_leave(self, run: Run) -> bool:
        """Whether a run may proceed from its state: enough events, and the conjuncts over the whole."""
        atom = self.automaton.atoms[run.state]
        enough = not isinstance(atom, Kleene) or len(run.taken[run.state]) >= atom.least
        return enough and all(c.holds(self.bound(run.taken)) for c in self.automaton.leaving[run.state])

    def completes(self, run: Run) -> bool:
        """Whether the pattern may end here."""
        return run.state in self.automaton.last and self.may_leave(run)

    def ignores(self, run: Run, position: int, moves: set[str]) -> bool:
        """The ignore edge; `moves` are the states that can consume the event."""
        return IGNORE[self.query.strategy](self, run, position, moves)

    # -- what an event is to a match ---------------------------------------------------------------

    def bound(self, taken: Taken) -> dict[str, tuple[Event, ...]]:
        return {v: tuple(self.stream.events[p] for p in positions) for v, positions in taken.items()}

    def is_of_type(self, variable: str, position: int) -> bool:
        atom, kind = self.automaton.atoms[variable], self.stream.types[position]
        is_any = atom.type is None or (atom.bare and not self.stream.has_types)
        return is_any or atom.type == kind

    def is_of_partition(self, taken: Taken, position: int) -> bool:
        key = self.stream.keys[position]
        return key is not None and key == self.stream.keys[first_event(taken)]

    def fits(self, bounds: Bounds, taken: Taken) -> bool:
        inside = {v: taken[v] for v in bounds.variables if v in taken}
        return not inside or self.stream.spans(bounds.window, first_event(inside), last_event(inside))

    # -- absence -----------------------------------------------------------------------------------

    def stands(self, variable: str, taken: Taken) -> bool:
        """Whether every OR branch around the variable was taken: has some event."""
        return all(branch & taken.keys() for branch in self.automaton.branches[variable])

    def neighbours(self, variable: str, taken: Taken) -> tuple[int | None, int | None]:
        """The nearest selected events before and after an absence, in the order of the text."""
        names = list(self.automaton.atoms)
        place = names.index(variable)
        before = [p for v in names[:place] for p in taken.get(v, ())]
        after = [p for v in names[place:] for p in taken.get(v, ())]
        return max(before, default=None), min(after, default=None)

    def anchored(self, variable: str, taken: Taken) -> list[tuple[Bounds, int, int]]:
        """The windows around an absence, each with the first and the last event that it spans."""
        found = []
        for bounds in self.automaton.bounds[variable]:
            inside = {v: taken[v] for v in bounds.variables if v in taken}
            if inside:
                found.append((bounds, first_event(inside), last_event(inside)))
        return found

    def violations(self, variable: str, taken: Taken) -> Iterator[int]:
        """The events that are there and should not be."""
        left, right = self.neighbours(variable, taken)
        between = range(0 if left is None else left + 1, len(self.stream) if right is None else right)
        return (
            p
            for p in between
            if self.is_of_type(variable, p)
            and self.is_of_partition(taken, p)
            and all(
                (left is not None or self.stream.spans(bounds.window, p, last))
                and (right is not None or self.stream.spans(bounds.window, first, p))
                for bounds, first, last in self.anchored(variable, taken)
            )
            and all(
                c.holds({**self.bound(taken), variable: (self.stream.events[p],)})
                for c in self.automaton.entering[variable]
            )
        )

    def offenders(self, taken: Taken) -> Iterator[int]:
        """The same, for every absence that counts in this match."""
        standing = (v for v in self.automaton.negated if self.stands(v, taken))
        return (p for v in standing for p in self.violations(v, taken))

    # -- output ------------------------------------------------------------------------------------

    def completion(self, taken: Taken) -> Completion:
        """When the match is certain: at its last event, or when the last window it waits for closes."""
        waits = [
            min(
                (self.stream.closing(b.window, first) for b, first, _ in self.anchored(v, taken)), default=END
            )
            for v in self.automaton.negated
            if self.stands(v, taken) and self.neighbours(v, taken)[1] is None
        ]
        last = last_event(taken)
        return max(waits, default=(self.stream.clock[last], 0, last))

    def by_events(self, taken: Taken) -> list[tuple[int, ...]]:
        return [taken.get(v, ()) for v in self.automaton.positive]

    def found(self) -> list[Taken]:
        """All matches, in the order of output."""
        found = [taken for taken in self.positive_matches() if next(self.offenders(taken), None) is None]
        return sorted(found, key=self.rank)

    def rank(self, taken: Taken) -> tuple[Completion, list[tuple[int, ...]]]:
        return self.completion(taken), self.by_events(taken)

    def emitted(self) -> list[Taken]:
        """The matches that EMIT lets out, in the order of output."""
        return sorted(EMIT[self.query.emit.mode](self, self.found()), key=self.rank)

    def bindings(self, taken: Taken) -> dict[str, tuple[int, ...] | int | None]:
        return {v: self.binding(v, taken) for v in self.automaton.positive}

    def binding(self, variable: str, taken: Taken) -> tuple[int, ...] | int | None:
        indices = tuple(self.stream.index[p] for p in taken.get(variable, ()))
        if isinstance(self.automaton.atoms[variable], Kleene):
            return indices if self.stands(variable, taken) else None
        return indices[0] if indices else None


def _ignores_other_partitions(judge: Judge, run: Run, position: int, moves: set[str]) -> bool:
    return bool(judge.query.keys) and not judge.is_of_partition(run.taken, position)


def _ignores_what_it_cannot_take(judge: Judge, run: Run, position: int, moves: set[str]) -> bool:
    at_kleene = isinstance(judge.automaton.atoms[run.state], Kleene)
    return run.state not in moves if at_kleene else not moves


IGNORE: dict[Strategy, Callable[[Judge, Run, int, set[str]], bool]] = {
    Strategy.STRICT: lambda *_: False,
    Strategy.PARTITION: _ignores_other_partitions,
    Strategy.NEXT: _ignores_what_it_cannot_take,
    Strategy.ANY: lambda *_: True,
}
