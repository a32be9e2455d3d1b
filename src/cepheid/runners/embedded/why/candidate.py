"""Partial matches, and how much of them a search looks at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, eq=False)
class PartialMatch:
    """A partial match: the events that it has, and what its pattern still asks for."""

    bound: Mapping[str, tuple[int, ...]]  # rows
    rest: int  # the number of the remainder
    state: str | None  # the variable that took the last event
    first: int  # row of its first event; -1 if it has none
    last: int

    def taking(self, variable: str, rest: int, row: int) -> PartialMatch:
        """With one more event."""
        bound = {**self.bound, variable: (*self.bound.get(variable, ()), row)}
        return PartialMatch(bound, rest, variable, row if self.first < 0 else self.first, row)


NONE_YET = PartialMatch({}, 0, None, -1, -1)
"""Before the first event."""


@dataclass(frozen=True, slots=True)
class NextEvent:
    """An event that a candidate may take next."""

    candidate: PartialMatch
    variable: str
    rest: int
    row: int

    def made(self) -> PartialMatch:
        """The candidate that has taken it."""
        return self.candidate.taking(self.variable, self.rest, self.row)


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is looked at; what is left out is told."""

    events: int = 200_000  # of the table
    candidates: int = 3_000  # that are followed at a time
    moves: int = 100  # events that one candidate is tried with, for one variable
    length: int = 100  # events of a candidate
    explained: int = 300  # candidates of which it is said what stopped them


def spread(items: Sequence[Item], count: int) -> Sequence[Item]:
    """So many of them, evenly from the first to the last."""
    if len(items) <= count:
        return items
    if count < 1:
        return items[:0]
    if count == 1:
        return items[-1:]
    return [items[round(place * (len(items) - 1) / (count - 1))] for place in range(count)]


def first_of(bound: Mapping[str, tuple[int, ...]], members: Iterable[str]) -> int | None:
    """The row of the first event that these variables have."""
    return min((bound[v][0] for v in members if v in bound), default=None)
