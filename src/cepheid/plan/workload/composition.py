"""Queries of a workload that name others as types of events: who names whom, and in which order they run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from cepheid.errors import QueryCheckError
from cepheid.events import EventSchema
from cepheid.pattern.check_stream import types_can_be_told
from cepheid.pattern.fold import fold_pattern, with_parts
from cepheid.pattern.nodes import Atom, Pattern, atoms
from cepheid.pattern.query import EmitMode, PatternQuery
from cepheid.plan.summaries import SUMMARIES


@dataclass(frozen=True, slots=True)
class Composition:
    """Which queries feed which: the matches or rows of a feeder are events to the query that names it."""

    feeders: Mapping[str, tuple[str, ...]]  # of each query, in the order of the workload
    order: tuple[str, ...]  # each query after its feeders


def feeders_of(name: str, queries: Mapping[str, PatternQuery]) -> tuple[str, ...]:
    """The other queries that one names as types; its own name means the type of the stream's events."""
    named: dict[str, Atom] = {}
    for atom in atoms(queries[name].pattern):
        if atom.type is not None and atom.type != name and atom.type in queries:
            named.setdefault(atom.type, atom)
    for other, atom in named.items():
        mode = queries[other].emit.mode
        why = _NO_EVENTS.get(mode)
        if why is not None:
            raise QueryCheckError(
                f"the query '{other}' has EMIT {mode.value}, and {why.reason}",
                span=atom.span,
                hint=f"{why.instead}; if the type '{other}' is meant, rename the query",
            )
    return tuple(other for other in queries if other in named)


class _NoEvents(NamedTuple):
    """Why what a query tells is no event, and what to ask instead."""

    reason: str
    instead: str


_NO_EVENTS = {
    mode: _NoEvents("has no matches that could be events", "name a query with matches") for mode in SUMMARIES
} | {
    EmitMode.ON_CLOSE: _NoEvents(
        "tells its rows when the input has ended, after which no event comes",
        "give it EMIT EVERY, or a row at each event",
    )
}


def composition_of(feeders: Mapping[str, tuple[str, ...]]) -> Composition:
    """The order in which queries run that feed each other; refuses those that wait for themselves."""
    order: dict[str, None] = {}
    for first in feeders:
        path = [first]
        while path:
            waiting = [other for other in feeders[path[-1]] if other not in order]
            if not waiting:
                order[path.pop()] = None
            elif waiting[0] in path:
                raise _circular([*path[path.index(waiting[0]) :], waiting[0]])
            else:
                path.append(waiting[0])
    return Composition(feeders, tuple(order))


def _circular(names: list[str]) -> QueryCheckError:
    shown = " names ".join(f"'{name}'" for name in names)
    return QueryCheckError(
        f"the queries of the workload name each other in a circle: {shown}",
        hint="no query can wait for its own matches; rename one if a type of the stream is meant",
    )


def told_apart(query: PatternQuery, feeders: tuple[str, ...], schema: EventSchema) -> PatternQuery:
    """The query over a stream that has no types, where only the matches of feeders have one: a bare name
    of anything else is any event, as it is without them."""

    def untyped(atom: Atom) -> Atom:
        return replace(atom, type=None, bare=False) if atom.type in feeders else atom

    def typed(atom: Atom) -> Atom:
        return atom if atom.type in feeders else replace(atom, type=None, bare=False)

    types_can_be_told(replace(query, pattern=_with_atoms(query.pattern, untyped)), schema)
    return replace(query, pattern=_with_atoms(query.pattern, typed))


def _with_atoms(node: Pattern, change: Callable[[Atom], Atom]) -> Pattern:
    return fold_pattern(
        node, lambda each, below: change(each) if isinstance(each, Atom) else with_parts(each, below)
    )
