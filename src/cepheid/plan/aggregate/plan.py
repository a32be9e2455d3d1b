"""The plans of the aggregate engine: counting without matches, and in two steps."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pyarrow as pa

from cepheid.plan.automaton.steps import Step
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.plan.plan import QueryPlan
from cepheid.plan.program import Column, EventTest


@dataclass(frozen=True, slots=True)
class AggregatedValue:
    """A column that is aggregated, and of which steps' events."""

    column: int
    of_steps: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class AggregateColumn:
    """A column of AGG: a function, of a value unless it counts."""

    name: str
    function: str
    value: int | None
    type: pa.DataType


@dataclass(frozen=True, slots=True)
class Compared:
    """A condition between neighbours in a match, such as `a.x < b.y`; see `neighbours`."""

    before: str  # the variable of the earlier event
    after: str  # that of the later one: the same, where it repeats
    operator: str  # which stands between the value of the earlier event and that of the later one
    values: tuple[Column, Column]


@dataclass(frozen=True, slots=True)
class AggregatePlan(QueryPlan):
    """Everything the aggregate engine needs."""

    steps: tuple[Step, ...]
    values: tuple[AggregatedValue, ...]
    items: tuple[AggregateColumn, ...]
    alike: tuple[str, ...]  # columns on which equalities let all events of a match agree, besides the keys
    group: tuple[str, ...]  # the columns of GROUP BY
    period: Fraction | None  # of EMIT EVERY, in ticks of the time column
    asked: str  # for a method, or "auto"
    method: str
    most_events: int  # in a window, as far as the types of counts go
    bits: int  # of the largest number in a window of so many events, besides its sign
    compared: tuple[Compared, ...] = ()


@dataclass(frozen=True, slots=True)
class TwoStepPlan(QueryPlan):
    """Matches first, aggregates after: what the two-step method needs."""

    inner: NfaPlan  # finds for each variable of a match the stream positions of its events
    position: str  # the column of these, which the stream itself does not have
    values: tuple[AggregatedValue, ...]  # their steps are the automaton's positions
    items: tuple[AggregateColumn, ...]
    group: tuple[str, ...]  # the columns of GROUP BY
    period: Fraction | None  # of EMIT EVERY, in ticks of the time column
    rows: tuple[EventTest, ...]  # an event that passes one of them has a row
    judged: tuple[int, ...]  # the absences that may stand at the end of a match: not judged by `inner`
    compared: tuple[str, ...]  # the stream's columns that their conditions read
    method: str
