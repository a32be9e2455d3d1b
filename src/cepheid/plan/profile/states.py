"""The states of a pattern: which of its positions may be filled together, and which come next."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from cepheid.pattern import nodes as pt
from cepheid.plan.precedence import Neighbourhood
from cepheid.plan.profile.step_plan import FilledState, Move

MOST_STATES = 256
"""An AND of more than eight parts has more."""

EMPTY = -1


def alternatives(pattern: pt.Pattern, places: Mapping[str, int]) -> list[int]:
    """The positions that a match may have, as bits, for each way through the ORs of a pattern."""
    if isinstance(pattern, pt.Atom):
        place = places.get(pattern.variable)
        return [0 if place is None else 1 << place]
    parts = [alternatives(part, places) for part in pt.parts(pattern)]
    if isinstance(pattern, pt.Choice):
        return [way for part in parts for way in part]
    return [sum(ways) for ways in product(*parts)]


def is_ambiguous(ways: list[int]) -> bool:
    """Whether a match might be complete and still wait for more."""
    return any(one != other and one & other == one for one in ways for other in ways)


def states_of(
    ways: list[int], around: Mapping[int, Neighbourhood], watched: Mapping[int, int]
) -> tuple[tuple[FilledState, ...], tuple[Move, ...]] | None:
    """All states that an instance may come to, and the moves between them; None if they are too many.

    `around` tells what stands around each position, `watched` what stands before each watched part.
    """
    known: dict[int, int] = {}
    moves: list[Move] = []
    following: list[list[int]] = []
    waiting = [(EMPTY, 0)]
    while waiting:
        number, filled = waiting.pop()
        comes = _next(filled, ways, around)
        if number != EMPTY:
            following[number] = comes
        for part in comes:
            target = filled | 1 << part
            if target not in known:
                known[target] = len(known)
                following.append([])
                waiting.append((known[target], target))
            moves.append(Move(part, number, known[target]))
        if len(known) > MOST_STATES:
            return None
    states = [
        FilledState(filled, filled in ways, _waits(filled, following[number], watched))
        for filled, number in known.items()
    ]
    return tuple(states), tuple(moves)


def _next(filled: int, ways: list[int], around: Mapping[int, Neighbourhood]) -> list[int]:
    """The positions that may be filled next: all that stands before them in some way is."""
    found = set()
    for way in ways:
        if way & filled != filled:
            continue
        for place, here in around.items():
            before = sum(1 << p for p in here.before) & way
            if way >> place & 1 and not filled >> place & 1 and before & filled == before:
                found.add(place)
    return sorted(found)


def _waits(filled: int, comes: list[int], watched: Mapping[int, int]) -> tuple[int, ...]:
    """What comes next, and what is watched because something before it is there."""
    return tuple(sorted({*comes, *(part for part, before in watched.items() if before & filled)}))
