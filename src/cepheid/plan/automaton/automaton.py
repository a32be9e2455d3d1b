"""The NFA^b of a pattern: its positions, which of them may follow which, and what each edge asks."""

from __future__ import annotations

from dataclasses import dataclass

from cepheid.plan.program import Condition, EventTest

MAX_EVENTS = 2**62
"""No stream has more events than this, so a larger number in a query means no more than it."""


@dataclass(frozen=True, slots=True)
class Position:
    """A positive variable: one state of the NFA^b, or for a Kleene variable the pair v[1], v[i]."""

    variable: str
    type: str | None
    kleene: bool
    least: int  # how many events it needs once it has begun
    most: int | None
    optional: bool  # a match may lack it


@dataclass(frozen=True, slots=True)
class Automaton:
    """The NFA^b of the positive variables: which position may begin after which."""

    positions: tuple[Position, ...]
    first: tuple[int, ...]
    follow: tuple[tuple[int, ...], ...]
    last: tuple[int, ...]
    begin: tuple[EventTest, ...]
    take: tuple[EventTest, ...]
    on_begin: tuple[tuple[Condition, ...], ...]
    on_take: tuple[tuple[Condition, ...], ...]
    on_leave: tuple[tuple[Condition, ...], ...]
    branches: tuple[tuple[tuple[int, ...], ...], ...]  # per position, the OR branches around it
