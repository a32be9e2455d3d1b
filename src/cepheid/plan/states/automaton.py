"""The NFA^b of a pattern: its positions, which of them may follow which, and what each edge asks."""

from dataclasses import dataclass
from typing import Protocol

from cepheid.plan.mask_bits import in_order_of_bits
from cepheid.plan.positions import Position
from cepheid.plan.program import Absence, Condition, EventTest


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


def tests_of(automaton: Automaton, absences: tuple[Absence, ...]) -> list[EventTest]:
    """One-event tests in the order of their bits."""
    absent = [absence.test for absence in absences]
    return in_order_of_bits(automaton.positions, automaton.begin, automaton.take, absent)


class HasAutomaton(Protocol):
    """A plan that is built on an automaton."""

    @property
    def automaton(self) -> Automaton:
        """The positive variables."""

    @property
    def absences(self) -> tuple[Absence, ...]:
        """The negated ones."""


def event_tests(plan: HasAutomaton) -> list[tuple[str, EventTest]]:
    """Each variable with what it asks of one event, at each of its edges."""
    found: list[tuple[str, EventTest]] = []
    automaton = plan.automaton
    for position, begin, take in zip(automaton.positions, automaton.begin, automaton.take, strict=True):
        found.append((position.variable, begin))
        if position.kleene:
            found.append((position.variable, take))
    return [*found, *((absence.variable, absence.test) for absence in plan.absences)]


def may_trail(absence: Absence, automaton: Automaton) -> bool:
    """Whether some match has no event after an absence that counts in it."""
    return any(
        last < absence.place and all(last in branch for branch in absence.branches) for last in automaton.last
    )


def may_lead(absence: Absence, automaton: Automaton) -> bool:
    """Whether some match has no event before an absence, which then looks back from the match's start."""
    return all(position.optional for position in automaton.positions[: absence.place])
