"""What a profile is to the single step: parts, states of being filled, and what is tested on the way."""

from __future__ import annotations

from dataclasses import dataclass

from cepheid.pattern.profile import ALL
from cepheid.plan.profile.plan import ProfilePlan
from cepheid.plan.program import Condition, EventTest, WindowTest


@dataclass(frozen=True, slots=True)
class FilledState:
    """Which positions have their event, as bits, and which parts an instance in it waits for."""

    filled: int
    is_complete: bool
    waits: tuple[int, ...]  # numbers of parts: those that come next, and those that are watched


@dataclass(frozen=True, slots=True)
class Move:
    """From one state to another, by an event for a part. The state where nothing is filled is -1."""

    part: int
    source: int
    target: int


@dataclass(frozen=True, slots=True)
class JointCondition:
    """A conjunct that names several parts: their bits, and the last one in the text."""

    condition: Condition
    parts: int
    last: int


@dataclass(frozen=True, slots=True)
class CloseLength:
    """A window that an absence waits for: the bits of the positions in it, and its length in ticks."""

    members: int
    length: int | float
    half_open: bool


@dataclass(frozen=True, slots=True)
class StepAbsence:
    """A negated part. Positions are bits; windows are those around it, by number."""

    part: int
    before: int
    after: int
    branches: tuple[int, ...]
    windows: tuple[int, ...]
    closings: tuple[CloseLength, ...]


@dataclass(frozen=True, slots=True)
class StepChoice:
    """A position that may not have any event: the n-th in its place, or (0) the last."""

    position: int
    wanted: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class StepPlan:
    """How profiles of one template are followed. `plan` is that of one of them."""

    plan: ProfilePlan
    tests: tuple[EventTest, ...]  # what each part asks of one event, over Elements: positions, then absences
    states: tuple[FilledState, ...]
    moves: tuple[Move, ...]
    always: tuple[int, ...]  # the parts that are waited for whatever has happened
    windows: tuple[tuple[WindowTest, int], ...]  # with the bits of its positions; the query's comes first
    conditions: tuple[JointCondition, ...]
    absences: tuple[StepAbsence, ...]
    choices: tuple[StepChoice, ...]
    period: int | float | None

    @property
    def positions(self) -> int:
        """How many parts of a match are events."""
        return len(self.plan.positions)

    @property
    def watched(self) -> frozenset[int]:
        """The parts whose events are kept, whether or not they fill anything."""
        chosen = {choice.position for choice in self.choices}
        return frozenset(chosen | {absence.part for absence in self.absences})

    @property
    def told_at_once(self) -> int | None:
        """The part that completes every match, if what it completes may be told as it is found: nothing holds
        it back, and the instances of one list are in the order of their events."""
        terms = self.plan.terms
        complete = [move for move in self.moves if self.states[move.target].is_complete]
        held_back = self.watched or terms.once is not None or terms.consume != ALL
        if held_back or self.absences or len(complete) != 1:
            return None
        (last,) = complete
        others = [move for move in self.moves if move.part == last.part and move != last]
        begun = self.states[last.source].filled if last.source >= 0 else 0
        return last.part if begun.bit_count() == 1 and not others else None

    @property
    def is_lone(self) -> bool:
        """Whether every event of its one part is told at once."""
        terms = self.plan.terms
        plain = not self.choices and not self.absences and terms.once is None
        return plain and self.positions == 1
