"""The header of every plan: what it says of itself, whichever engine it is for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from cepheid.events import EventSchema
from cepheid.expressions import Expression
from cepheid.pattern.query import PatternQuery
from cepheid.pattern.render import render
from cepheid.plan.computed import computed_columns
from cepheid.plan.output import OutputColumn
from cepheid.plan.positions import Position
from cepheid.plan.program import WindowTest

if TYPE_CHECKING:
    from cepheid.plan.engine import Engine, QueryEngine

PlanKind = TypeVar("PlanKind", bound="QueryPlan")


@dataclass(frozen=True, slots=True)
class Plan(ABC):
    """What runners know of a plan, of one query or of many. Its engine answers all other questions."""

    engine: Engine = field(compare=False, repr=False)
    schema: EventSchema
    unit: str  # of timestamps in expressions
    needed: tuple[str, ...]  # the stream's columns that travel
    output_schema: pa.Schema
    identity: str  # of the query alone: match ids begin with it
    fingerprint: str  # of the query over this stream: snapshots carry it

    @property
    @abstractmethod
    def queries(self) -> tuple[PatternQuery, ...]:
        """The queries that are run, each as it was rewritten."""

    @property
    @abstractmethod
    def computed(self) -> set[str]:
        """The columns whose values expressions compute with; others are passed on as they are."""

    @property
    @abstractmethod
    def text(self) -> str:
        """What is run, as a user may read it."""

    @property
    @abstractmethod
    def query_plans(self) -> tuple[QueryPlan, ...]:
        """The plan of each query, in the order of the tables that a matcher returns."""

    @property
    def output_schemas(self) -> tuple[pa.Schema, ...]:
        """The columns of each table that a matcher of this plan returns: a query has one."""
        return (self.output_schema,)

    def __str__(self) -> str:
        return str(self.engine.explain(self))


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """Why this engine runs a query, and why the others do not."""

    reason: str
    cost: str
    others: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class QueryPlan(Plan):
    """What is known of the plan of one query."""

    engine: QueryEngine = field(compare=False, repr=False)
    choice: EngineChoice
    original: PatternQuery  # as the user wrote it
    query: PatternQuery  # rewritten, with its keys as columns of the stream
    positions: tuple[Position, ...]  # the positive variables
    window: WindowTest | None
    inner_windows: tuple[WindowTest, ...]
    results: tuple[Expression, ...]  # what a row of the result is computed from
    output: tuple[OutputColumn, ...] | None  # of a match; None if the plan lists no matches
    known_by: tuple[str, ...]  # the columns that tell one event from another: match ids depend on them
    carried: tuple[str, ...]  # what a row of AGG also tells of its event: columns, behind those of GROUP BY
    delay: int | float  # how long after its last event a match may become certain, in ticks
    method: str  # how the engine goes about it, of those that it has

    @property
    def queries(self) -> tuple[PatternQuery, ...]:
        """The query."""
        return (self.query,)

    @property
    def query_plans(self) -> tuple[QueryPlan, ...]:
        """This one."""
        return (self,)

    @property
    def event_columns(self) -> dict[str, str]:
        """The columns of a match that hold whole events, each with the variable whose events they are."""
        given = {field.name: field.type for field in self.output_schema}
        return {
            column.name: column.variable
            for column in self.output or ()
            if column.variable is not None and given.get(column.name) == column.type
        }

    @property
    def computed(self) -> set[str]:
        """What conditions and computed results read."""
        return computed_columns(self.query.conjuncts, self.results, self.schema)

    @property
    def text(self) -> str:
        """The query."""
        return render(self.query)

    def become(self, kind: type[PlanKind], **more: Any) -> PlanKind:
        """A plan of another kind with all that is known here; what is given again replaces it."""
        return kind(**{name: getattr(self, name) for name in _in_common(type(self), kind)} | more)


@cache
def _in_common(one: type[QueryPlan], other: type[QueryPlan]) -> frozenset[str]:
    """The names of the fields that two kinds of plans have in common."""
    return frozenset(each.name for each in fields(one)) & {each.name for each in fields(other)}
