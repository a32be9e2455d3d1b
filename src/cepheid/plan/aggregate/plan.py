"""The plans of the aggregate engine: counting without matches, and in two steps."""

from dataclasses import dataclass
from fractions import Fraction

import pyarrow as pa

from cepheid.events import EventSchema
from cepheid.expressions import Expression
from cepheid.pattern.render import render_expression
from cepheid.plan.plan import QueryPlan
from cepheid.plan.program import Absence, Column, EventTest
from cepheid.plan.states.automaton import Automaton, tests_of
from cepheid.plan.states.steps import Step


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
class RowTest:
    """`HAVING`: only rows where the condition is true are given; if it `rises`, only where the row of the
    group before was not."""

    condition: Expression  # over the columns of a row
    schema: EventSchema  # of a row, as the condition sees it
    rises: bool
    matcher: str = ""  # makes the rows that are tested: its name

    def __str__(self) -> str:
        return f"HAVING {render_expression(self.condition)}"


@dataclass(frozen=True, slots=True)
class Aggregated(QueryPlan):
    """What both ways of aggregating need: what AGG asks for, and of which variables' events."""

    automaton: Automaton
    absences: tuple[Absence, ...]
    columns: tuple[Column, ...]
    values: tuple[AggregatedValue, ...]
    items: tuple[AggregateColumn, ...]
    group: tuple[str, ...]  # the columns of GROUP BY
    period: Fraction | None  # of EMIT EVERY, in ticks of the time column
    having: RowTest | None


@dataclass(frozen=True, slots=True)
class Countable(Aggregated):
    """What is counted, before it is known how large the numbers may become."""

    steps: tuple[Step, ...]
    alike: tuple[str, ...]  # columns on which equalities let all events of a match agree, besides the keys
    compared: tuple[Compared, ...]
    asked: str  # for a method, or "auto"

    @property
    def tests(self) -> list[EventTest]:
        """One-event tests in the order of their bits."""
        return tests_of(self.automaton, self.absences)


@dataclass(frozen=True, slots=True)
class AggregatePlan(Countable):
    """Everything that is needed to count matches without building them."""

    most_events: int  # in a window, as far as the types of counts go
    bits: int  # of the largest number in a window of so many events, besides its sign


@dataclass(frozen=True, slots=True)
class TwoStepPlan(Aggregated):
    """Matches first, aggregates after: what the two-step method needs. Values are of positions, not steps."""

    inner: QueryPlan  # finds for each variable of a match the stream positions of its events
    position: str  # the column of these, which the stream itself does not have
    rows: tuple[EventTest, ...]  # an event that passes one of them has a row
    judged: tuple[int, ...]  # the absences that may stand at the end of a match: not judged by `inner`
    compared: tuple[str, ...]  # the stream's columns that their conditions read
    is_counted: bool  # `inner` gives the graph of all matches in place of each of them
    most_events: int  # in a window, as far as the types of counts go
    bits: int  # of the largest number in a window of so many events, besides its sign
