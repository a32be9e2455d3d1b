"""What every plan says of itself, whichever engine it is for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import pyarrow as pa

from cepheid.events import EventSchema
from cepheid.expressions import Expression
from cepheid.pattern.query import PatternQuery
from cepheid.pattern.render import render
from cepheid.plan.automaton.automaton import Automaton
from cepheid.plan.program import Absence, Column, EventTest, WindowTest


@dataclass(frozen=True, slots=True)
class Plan(ABC):
    """What runners know of a plan, whichever engine it is for, of one query or of many."""

    schema: EventSchema
    unit: str  # of timestamps in expressions
    needed: tuple[str, ...]  # the stream's columns that travel
    output_schema: pa.Schema
    identity: str  # of the query alone: match ids begin with it
    fingerprint: str  # of the query over this stream: snapshots carry it

    @property
    @abstractmethod
    def text(self) -> str:
        """What is run, as a user may read it."""

    @property
    def output_schemas(self) -> tuple[pa.Schema, ...]:
        """The columns of each table that a matcher of this plan returns: a query has one."""
        return (self.output_schema,)


@dataclass(frozen=True, slots=True)
class QueryPlan(Plan):
    """What is known of the plan of one query."""

    query: PatternQuery
    automaton: Automaton
    absences: tuple[Absence, ...]
    window: WindowTest | None
    inner_windows: tuple[WindowTest, ...]
    columns: tuple[Column, ...]
    results: tuple[Expression, ...]  # what a row of the result is computed from

    @property
    def text(self) -> str:
        """The query."""
        return render(self.query)

    @property
    def tests(self) -> list[EventTest | None]:
        """One-event tests in the order of their bits: begin, take, absent."""
        takes = [
            test if position.kleene else None
            for test, position in zip(self.automaton.take, self.automaton.positions, strict=True)
        ]
        return [*self.automaton.begin, *takes, *(absence.test for absence in self.absences)]
