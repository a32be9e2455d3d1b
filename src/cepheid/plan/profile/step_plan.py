"""What a profile is to the single step: parts, states of being filled, and what is tested on the way."""

from __future__ import annotations

from dataclasses import dataclass

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
    def is_lone(self) -> bool:
        """Whether every event of its one part is told at once."""
        terms = self.plan.terms
        plain = not self.choices and not self.absences and terms.once is None
        return plain and self.positions == 1
