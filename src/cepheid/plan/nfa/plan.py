"""The plan of the nfa engine."""

from __future__ import annotations

from dataclasses import dataclass

from cepheid.pattern.types import ValueType
from cepheid.plan.output import OutputColumn
from cepheid.plan.plan import QueryPlan
from cepheid.plan.program import Remembered, Slot, TextFunction


@dataclass(frozen=True, slots=True)
class NfaPlan(QueryPlan):
    """Everything the nfa engine needs."""

    slots: tuple[Slot, ...]
    constants: tuple[tuple[object, ValueType], ...]
    remembered: tuple[Remembered, ...]
    text_functions: tuple[TextFunction, ...]
    output: tuple[OutputColumn, ...]  # of a match
    sharing: str = "auto"  # between runs: see `nfa`
