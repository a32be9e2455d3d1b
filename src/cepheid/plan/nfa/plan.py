"""The plan of the nfa engine."""

from dataclasses import dataclass
from functools import cached_property

from cepheid.pattern.types import ValueType
from cepheid.plan.nfa.deferring import deferring
from cepheid.plan.nfa.likeness import Likeness, likenesses
from cepheid.plan.plan import QueryPlan
from cepheid.plan.program import Absence, Column, EventTest, Remembered, Slot, TextFunction
from cepheid.plan.states.automaton import Automaton, tests_of


@dataclass(frozen=True)
class NfaPlan(QueryPlan):
    """Everything the nfa engine needs. Its `method` says how runs share: see `build`."""

    automaton: Automaton
    absences: tuple[Absence, ...]
    columns: tuple[Column, ...]
    slots: tuple[Slot, ...]
    constants: tuple[tuple[object, ValueType], ...]
    remembered: tuple[Remembered, ...]
    text_functions: tuple[TextFunction, ...]

    @property
    def tests(self) -> list[EventTest]:
        """One-event tests in the order of their bits."""
        return tests_of(self.automaton, self.absences)

    @cached_property
    def likenesses(self) -> tuple[Likeness | None, ...]:
        """For each state what its runs must agree on to be merged; None where they are never alike."""
        return likenesses(self)

    @cached_property
    def deferring(self) -> frozenset[int]:
        """The states whose runs may read later what they can only take."""
        return deferring(self)
