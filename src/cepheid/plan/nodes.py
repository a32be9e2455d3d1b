"""How to find it: plans, frozen, with no data in them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum, IntEnum
from fractions import Fraction

import pyarrow as pa

from cepheid.events import EventSchema
from cepheid.expressions import Expression
from cepheid.pattern.query import PatternQuery
from cepheid.pattern.render import render
from cepheid.pattern.types import ValueType
from cepheid.plan.output import OutputColumn

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
class EventTest:
    """What one event must satisfy by itself: its type, and conditions over `Element`s."""

    type: str | None
    conditions: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """An expression over one event, computed for all events before the kernel runs."""

    expression: Expression  # over Elements
    type: ValueType


class Capture(Enum):
    """What a run remembers of the events of one variable (a column of V in the SASE+ paper)."""

    FIRST = "first"
    LAST = "last"
    LENGTH = "len"
    COUNT = "count"
    SUM = "sum"
    MIN = "min"
    MAX = "max"
    MEAN = "avg"  # kept up to date from a SUM and a COUNT slot


@dataclass(frozen=True, slots=True)
class Slot:
    """One value that a run carries; `inputs` of a MEAN are its sum and its count."""

    position: int
    capture: Capture
    column: int | None
    type: ValueType
    inputs: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class TextFunction:
    """`lower`, `upper`, `length` or `like` a pattern, of text that is known only as events come."""

    name: str
    pattern: str | None = None


class Source(IntEnum):
    """Where a kernel finds a value."""

    COLUMN = 0  # of the event at hand
    SLOT = 1  # of the run
    CONSTANT = 2
    NODE = 3  # of an event in the buffer, for conjuncts that range over all events of a variable
    CANDIDATE = 4  # of an event that may be the absent one


@dataclass(frozen=True, slots=True)
class Load:
    """A value, by its source and its index there."""

    source: Source
    index: int
    type: ValueType


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation of the kernel's interpreter."""

    operation: str
    arguments: tuple[Load | Apply, ...]
    type: ValueType


@dataclass(frozen=True, slots=True)
class Condition:
    """A conjunct over several events, ready for the kernel."""

    value: Load | Apply
    requires: tuple[int, ...]  # optional positions: where one is absent, the conjunct holds
    ranges_over: tuple[int, ...]  # Kleene positions of whose every event it must hold
    from_second: tuple[bool, ...]  # per position ranged over: only for i > 1
    source: Expression


@dataclass(frozen=True, slots=True)
class Remembered:
    """A value that the buffer keeps with each event of a position, taken as the event is selected."""

    position: int
    value: Load  # a COLUMN of the event, or a SLOT of the run before the event


@dataclass(frozen=True, slots=True)
class WindowTest:
    """`last - first <= limit` (or `<`), in ticks of the time column or in events."""

    counts_events: bool
    limit: int | float
    strict: bool = False  # only for float time: `<`
    members: tuple[int, ...] = ()  # positions inside; empty: the whole match


@dataclass(frozen=True, slots=True)
class Absence:
    """A negated variable, and where it stands among the positions."""

    variable: str
    test: EventTest
    place: int  # how many positions stand before it in the text
    branches: tuple[tuple[int, ...], ...]  # the positions of each OR branch around it
    inner_windows: tuple[int, ...]  # those of the sub-patterns around it
    conditions: tuple[Condition, ...]


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


@dataclass(frozen=True, slots=True)
class NfaPlan(QueryPlan):
    """Everything the nfa engine needs."""

    slots: tuple[Slot, ...]
    constants: tuple[tuple[object, ValueType], ...]
    remembered: tuple[Remembered, ...]
    text_functions: tuple[TextFunction, ...]
    output: tuple[OutputColumn, ...]  # of a match
    sharing: str = "auto"  # between runs: see `nfa`


@dataclass(frozen=True, slots=True)
class Step:
    """A variable, or one turn of a Kleene variable, on a way through the pattern; see `steps`."""

    variable: str
    test: int  # the one-event test that an event must pass, as a bit of its mask
    after: tuple[int, ...]  # the steps that it may follow, in text order; itself, where it repeats
    begins: bool  # a match may begin with it
    looks_back: tuple[int, ...]  # the absences before a match that begins with it
    undone_by: tuple[int, ...]  # the absences between it and what follows
    ends: bool  # what stands here are whole matches


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
