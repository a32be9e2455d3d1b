"""What completed, by the engines themselves: the matches of a query, and those that were let out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid import expressions as ex
from cepheid.errors import LimitError
from cepheid.events import END
from cepheid.expressions import Index, Scope
from cepheid.pattern.nodes import Kleene, walk
from cepheid.pattern.profile import ALL, ProfileTerms, without_selection
from cepheid.pattern.query import Emit, EmitMode, PatternQuery, ReturnItem
from cepheid.plan.choose import plan_for
from cepheid.plan.engine import QueryEngine
from cepheid.plan.engines import ENGINES
from cepheid.plan.plan import QueryPlan
from cepheid.plan.profile.build import plan_profile
from cepheid.plan.profile.parts import TIME_EVENTS
from cepheid.runners.embedded.why.asked import AskedQuery
from cepheid.runners.embedded.why.stretch import EventStretch
from cepheid.runners.stream.feed import Feed, collected
from cepheid.runners.stream.terms import Terms

LISTED = 10_000
"""So many matches are looked at one by one."""

MOST_TOLD = 100_000
"""So many are counted where they have to be made one by one."""

FIRST = 3  # of each completing event, where they are too many to be listed

RowsByVariable = tuple[tuple[int, ...], ...]
"""The events of a match, variable by variable."""


@dataclass(frozen=True, slots=True)
class CompletedMatches:
    """The matches that an engine found."""

    count: int
    listed: frozenset[RowsByVariable]
    is_all: bool  # whether all of them are listed

    @property
    def firsts(self) -> frozenset[int]:
        """The first events of those that are listed."""
        return frozenset(min(row for some in match for row in some) for match in self.listed if any(match))


@dataclass(frozen=True, slots=True)
class EngineMatches:
    """How the matches of a question are found: by which engine, and as a query or as a profile."""

    query: PatternQuery  # over the columns of the stretch
    terms: ProfileTerms | None = None
    engine: str = "auto"
    options: tuple[tuple[str, Any], ...] = ()
    engines: tuple[QueryEngine, ...] = ENGINES
    until: float = END  # how far time has come: windows that are still open complete nothing

    def matches(self, asked: AskedQuery, stretch: EventStretch) -> CompletedMatches:
        """All matches of the pattern, whatever is let out of them."""
        plain = replace(self.query, aggregation=None, emit=Emit())
        terms = None if self.terms is None else replace(self.terms, select=(), consume=ALL, once=None)
        try:
            found = self._rows(plain, terms, asked, stretch, LISTED)
        except LimitError:
            return self._too_many(plain, asked, stretch)
        return CompletedMatches(len(found), frozenset(found), True)

    def let_out(
        self, asked: AskedQuery, stretch: EventStretch, are_listed: bool = True
    ) -> CompletedMatches | None:
        """Those that EMIT, select, consume and once let out, or (not `are_listed`) how many they are; None if
        that is all of them, or no matches are told at all."""
        if self.terms is not None:
            if (self.terms.select, self.terms.consume, self.terms.once) == ((), ALL, None):
                return None
        elif self.query.aggregation is not None or self.query.emit.mode is not EmitMode.NON_OVERLAPPING:
            return None
        if not are_listed and self.terms is not None:
            raise LimitError("a profile would choose among too many matches")
        if not are_listed:
            told = self._row_table(self.query, self.terms, asked, stretch, MOST_TOLD)
            return CompletedMatches(told.num_rows, frozenset(), False)
        found = self._rows(self.query, self.terms, asked, stretch, LISTED)
        return CompletedMatches(len(found), frozenset(found), True)

    def with_terms(self, **changes: Any) -> EngineMatches:
        """The same profile on other terms."""
        assert self.terms is not None
        return replace(self, terms=replace(self.terms, **changes))

    def some_rows(self, asked: AskedQuery, stretch: EventStretch) -> list[RowsByVariable]:
        """The events of a few matches for each completing event, of a query that asks for a few."""
        return self._rows(self.query, None, asked, stretch, len(stretch) * FIRST + 1)

    def _too_many(self, plain: PatternQuery, asked: AskedQuery, stretch: EventStretch) -> CompletedMatches:
        """Counted by the engine, and some of them by each completing event."""
        plain = replace(plain, pattern=without_selection(plain.pattern))
        if any(isinstance(node, TIME_EVENTS) for node in walk(plain.pattern)):
            raise LimitError(f"more than {LISTED:,} matches with time events: ask about fewer events")
        counting = replace(plain, returns=None, emit=Emit(EmitMode.COUNT))
        counts = self._table(counting, None, stretch, Terms()).column("count").to_pylist()
        few = replace(self, query=replace(plain, emit=Emit(EmitMode.FIRST, FIRST)))
        found = few.some_rows(asked, stretch)
        return CompletedMatches(sum(map(int, counts)), frozenset(found[:LISTED]), False)

    def _rows(
        self,
        query: PatternQuery,
        terms: ProfileTerms | None,
        asked: AskedQuery,
        stretch: EventStretch,
        most: int,
    ) -> list[RowsByVariable]:
        """The events of matches, by their rows."""
        table = self._row_table(query, terms, asked, stretch, most)
        if not asked.positive:
            return [()] * table.num_rows
        columns = [_listed(table.column(variable).to_pylist()) for variable in asked.positive]
        return list(zip(*columns, strict=True))

    def _row_table(
        self,
        query: PatternQuery,
        terms: ProfileTerms | None,
        asked: AskedQuery,
        stretch: EventStretch,
        most: int,
    ) -> pa.Table:
        """The same as a table, a column a variable."""
        name = row_column(stretch)
        wanted = replace(query, returns=tuple(_returned(asked, name)) or query.returns)
        return self._table(wanted, terms, stretch, Terms(max_matches=most), name)

    def _table(
        self,
        query: PatternQuery,
        terms: ProfileTerms | None,
        stretch: EventStretch,
        limits: Terms,
        name: str | None = None,
    ) -> pa.Table:
        schema, table = stretch.schema, stretch.table
        if name is not None:
            numbers = pa.array(np.arange(len(stretch)), pa.int64())
            table = table.append_column(name, numbers)
            schema = replace(schema, columns=schema.columns.append(pa.field(name, pa.int64())))
        options = dict(self.options)
        plan: QueryPlan
        if terms is None:
            plan = plan_for(query, schema, self.engine, options, self.engines)
        else:
            plan = plan_profile(query, terms, schema, self.engine, options, self.engines)
        feed = Feed(plan, limits)
        (found,) = collected(plan, feed.run(table.select(list(plan.needed)), until=self.until))
        return found


def row_column(stretch: EventStretch) -> str:
    """A name for a column that the stream does not have."""
    name = "row"
    while name in stretch.schema.columns.names:
        name += "_"
    return name


def _returned(asked: AskedQuery, name: str) -> Sequence[ReturnItem]:
    items = []
    for variable in asked.positive:
        one: ex.Expression = ex.Attribute(variable, Index.ONLY, name)
        if isinstance(asked.atoms[variable], Kleene):
            one = ex.Aggregate("collect", variable, Scope.WHOLE, ex.Element(name))
        items.append(ReturnItem(one, variable))
    return items


def _listed(cells: Sequence[Any]) -> list[tuple[int, ...]]:
    return [() if cell is None else tuple(cell) if isinstance(cell, list) else (cell,) for cell in cells]


def rows_of(asked: AskedQuery, bound: Mapping[str, tuple[int, ...]]) -> RowsByVariable:
    """The events of a candidate, as those of a match are listed."""
    return tuple(bound.get(variable, ()) for variable in asked.positive)
