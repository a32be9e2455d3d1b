"""Positive matches under skip_till_any_match, by recursion: all combinations of the matches of the parts.

For patterns without AND, tests compare it with the simulation of runs, which is quicker.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise, product

from cepheid.pattern.nodes import (
    Absent,
    Choice,
    Conjunction,
    Kleene,
    Optional,
    Pattern,
    Seq,
    Single,
    Within,
    atoms,
)

from .facts import Bounds, Facts
from .stream import Taken, first_event, last_event


def found_by_combining(facts: Facts) -> Iterator[Taken]:
    """Every combination of events that has the pattern's shape and satisfies the query."""
    if not facts.holds_at_all:
        return
    whole = [Bounds(facts.query.window, frozenset(facts.positive))] if facts.query.window else []
    for taken in _matches(facts, facts.query.pattern):
        events = [position for positions in taken.values() for position in positions]
        if (
            events
            and all(facts.is_of_partition(taken, position) for position in events)
            and all(facts.fits(bounds, taken) for bounds in whole)
            and all(test.holds(facts.bound(taken)) for test in facts.of_positive)
        ):
            yield taken


def _matches(facts: Facts, node: Pattern) -> list[Taken]:
    """The matches of a part by themselves; one without events, where it may be empty."""
    match node:
        case Absent():
            return [{}]
        case Single(variable=v):
            return [{v: (p,)} for p in _of_type(facts, v)]
        case Optional(variable=v):
            return [{}, *({v: (p,)} for p in _of_type(facts, v))]
        case Kleene(variable=v, least=least, most=most):
            fit = _of_type(facts, v)
            sizes = range(least, (len(fit) if most is None else most) + 1)
            return [{v: chosen} if chosen else {} for size in sizes for chosen in combinations(fit, size)]
        case Within(part=part, window=window):
            bounds = Bounds(window, frozenset(atom.variable for atom in atoms(part)))
            return [taken for taken in _matches(facts, part) if facts.fits(bounds, taken)]
        case Choice(parts=parts):
            found = [taken for part in parts for taken in _matches(facts, part)]
            return [taken for place, taken in enumerate(found) if taken or place == found.index({})]
        case Seq(parts=parts):
            return [_joined(way) for way in _ways(facts, parts) if _is_in_order(way)]
        case Conjunction(parts=parts):
            return [_joined(way) for way in _ways(facts, parts) if _is_distinct(way)]
        case _:
            raise NotImplementedError(type(node).__name__)


def _of_type(facts: Facts, variable: str) -> list[int]:
    return [p for p in range(len(facts.stream)) if facts.is_of_type(variable, p)]


def _ways(facts: Facts, parts: tuple[Pattern, ...]) -> Iterator[tuple[Taken, ...]]:
    return product(*(_matches(facts, part) for part in parts))


def _joined(way: tuple[Taken, ...]) -> Taken:
    return {v: positions for taken in way for v, positions in taken.items()}


def _is_in_order(way: tuple[Taken, ...]) -> bool:
    """Whether each part that has events begins after those before it have ended."""
    ends = [(first_event(taken), last_event(taken)) for taken in way if taken]
    return all(before[1] < after[0] for before, after in pairwise(ends))


def _is_distinct(way: tuple[Taken, ...]) -> bool:
    """Whether no event is in two parts."""
    events = [p for taken in way for positions in taken.values() for p in positions]
    return len(set(events)) == len(events)
