"""Profiles as users hold them: a query, and what is told of its matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from cepheid.errors import CepheidError
from cepheid.events import EventSchema
from cepheid.matches import Matches
from cepheid.pattern.build import Builder
from cepheid.pattern.profile import ProfileTerms, profile_terms
from cepheid.pattern.query import PatternQuery
from cepheid.plan.assumed import assumed_stream
from cepheid.plan.events.bounded import refuse_unbounded
from cepheid.plan.explanation import Explanation, section
from cepheid.plan.profile.build import plan_profile
from cepheid.plan.profile.plan import ProfilePlan
from cepheid.query import Query, Runnable, pointing_into, query

if TYPE_CHECKING:
    from cepheid.runners.embedded.run import Fit

Select = str | int | Mapping[str, str | int]


@dataclass(frozen=True)
class Profile(Runnable[Matches, pa.Table]):
    """A checked query with what is told of its matches."""

    query: Query
    terms: ProfileTerms = field(default_factory=ProfileTerms)

    @property
    def text(self) -> str:
        """The text of the query."""
        return self.query.text

    def using(self, engine: str, **options: Any) -> Profile:
        """The same profile, with its matches found by a named engine."""
        return replace(self, query=replace(self.query, engine=engine, options=tuple(sorted(options.items()))))

    def explain(
        self,
        schema: Any = None,
        *,
        time: str | None = None,
        type: str | None = None,
        order: Sequence[str] = (),
        time_unit: str | None = None,
    ) -> Explanation:
        """How the profile is run; over a stream's columns if they are given."""
        if schema is not None:
            from cepheid.runners.stream.binding import bound_schema

            if time is None:
                raise CepheidError("explain() over a schema needs time=, the name of its time column")
            plan = self.plan(bound_schema(schema, time, type, order, time_unit))
            return plan.engine.explain(plan)
        stream = assumed_stream({"": self.query.tree}, {"": ()}, self.plan)
        plan = self.plan(stream)
        columns = section(
            "assumed, since no stream was given", (f"{c.name}: {c.type}" for c in stream.columns)
        )
        told = plan.engine.explain(plan)
        return replace(told, text=f"{told.text}\n{columns}")

    def plan(self, stream: EventSchema) -> ProfilePlan:
        """How the profile is run over a stream."""
        of = self.query
        with pointing_into(of.text):
            return plan_profile(of.tree, self.terms, stream, of.engine, dict(of.options), of.engines)

    def _fitting(self, stream: EventSchema) -> tuple[ProfilePlan, Fit]:
        plan = self.plan(stream)
        return plan, lambda ordered: plan

    def _refuse_unbounded(self, plan: ProfilePlan) -> None:
        with pointing_into(self.query.text):
            refuse_unbounded(plan)

    def _shown(self, found: list[Matches]) -> Matches:
        return found[0]

    def __str__(self) -> str:
        return f"{self.query}\n{self.terms}"

    def __repr__(self) -> str:
        return f"cepheid.profile({str(self.query)!r})  # {self.terms}"


def profile(
    source: str | Builder | PatternQuery | Query,
    /,
    *,
    select: Select = "all",
    consume: str = "all",
    once: Any = None,
    timezone: str = "UTC",
    **parameters: Any,
) -> Profile:
    """A profile from text, a pattern made with the builder, or a query.

    `select` is `all`, `first`, `last` or a number, for all variables or for each; `consume` is `all`,
    `unique` or `reapply`; `once` is `ever` or a period; AT is read on the clocks of `timezone`.
    """
    found = source if isinstance(source, Query) else query(source, **parameters)
    with pointing_into(found.text):
        return Profile(found, profile_terms(found.tree, select, consume, once, timezone))
