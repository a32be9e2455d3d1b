"""A profile as users hold it: a query, and what is told of its matches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from cepheid.errors import CepheidError
from cepheid.events import EventSchema
from cepheid.language.sase.alike import AlikeTexts
from cepheid.matches import Matches
from cepheid.pattern.build import Builder
from cepheid.pattern.constants import Constant
from cepheid.pattern.profile import ProfileTerms, profile_terms
from cepheid.pattern.query import PatternQuery
from cepheid.pattern.template import Template, template_of
from cepheid.plan.assumed import assumed_stream
from cepheid.plan.events.bounded import refuse_unbounded
from cepheid.plan.explanation import Explanation, section
from cepheid.plan.loose.stream import LooseStream
from cepheid.plan.profile.build import plan_profile
from cepheid.plan.profile.loose import plan_loose_profile
from cepheid.plan.profile.plan import ProfilePlan
from cepheid.query import Query, Runnable, pointing_into, query

if TYPE_CHECKING:
    from cepheid.runners.embedded.run import Fit
    from cepheid.why import Why

Select = str | int | Mapping[str, str | int]
Stream = EventSchema | LooseStream

_MOST_PLANS = 256
_PLANS: dict[Any, ProfilePlan] = {}
"""The plans that were made last: a profile that is run again, or joins a set, is planned once."""


class Profile(Runnable[Matches, pa.Table]):
    """A checked query with what is told of its matches: a template and its constants.

    A set may hold a million of them, so one that was not parsed has its query only when that is asked for.
    """

    __slots__ = ("_query", "constants", "template", "text")

    def __init__(self, query: Query, terms: ProfileTerms) -> None:
        self._query: Query | None = query
        self.text = query.text
        self.template, self.constants = template_of(query.tree, terms, (query.engine, query.options))

    @staticmethod
    def alike(text: str, template: Template, constants: tuple[Constant, ...]) -> Profile:
        """A profile whose text differs only in constants from one that was parsed and checked."""
        fresh = object.__new__(Profile)
        fresh._query, fresh.text, fresh.template, fresh.constants = None, text, template, constants
        return fresh

    @property
    def query(self) -> Query:
        """The checked query."""
        if self._query is None:
            self._query = query(self.text)
        return self._query

    @property
    def terms(self) -> ProfileTerms:
        """On what terms its matches are told."""
        return self.template.terms

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Profile):
            return NotImplemented
        return self.text == other.text and self.terms == other.terms and self.query == other.query

    def __hash__(self) -> int:
        return hash((self.text, self.terms))

    def using(self, engine: str, **options: Any) -> Profile:
        """The same profile, with its matches found by a named engine."""
        found = replace(self.query, engine=engine, options=tuple(sorted(options.items())))
        return Profile(found, self.terms)

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

    def why(
        self,
        events: Any,
        *,
        time: str,
        type: str | None = None,
        order: Sequence[str] = (),
        time_unit: str | None = None,
        around: Any = None,
        max_events: int | None = None,
    ) -> Why:
        """Why nothing was told, or nothing else: as `q.why`, and of matches that were not told, what held
        them back."""
        from cepheid.runners.embedded.why.found import EngineMatches
        from cepheid.runners.embedded.why.tables import WhyScope, why_in_table
        from cepheid.runners.stream.binding import bound_events

        of, tree = self.query, replace(self.query.tree, returns=None)
        stream, intake = bound_events(events, time, type, order, time_unit)
        self.plan(stream)  # refuses what the query itself asks and the stream does not have
        plan = plan_profile(tree, self.terms, stream, of.engine, dict(of.options), of.engines)
        matching = EngineMatches(tree, self.terms, of.engine, of.options, of.engines)
        return why_in_table(of.text, matching, tree.conjuncts, plan, intake, WhyScope(around, max_events))

    def plan(self, stream: EventSchema) -> ProfilePlan:
        """How the profile is run over a stream."""
        return self._kept(stream, plan_profile)

    def loose_plan(self, stream: LooseStream) -> ProfilePlan:
        """How the profile is run over a stream without a schema."""
        return self._kept(stream, plan_loose_profile)

    def _kept(self, stream: Stream, planned: Callable[..., ProfilePlan]) -> ProfilePlan:
        """A plan that was made not long ago, or a new one."""
        key = (self.template, self.text, self.constants, stream)
        plan = _PLANS.get(key)
        if plan is None:
            of = self.query
            with pointing_into(of.text):
                plan = planned(of.tree, self.terms, stream, of.engine, dict(of.options), of.engines)
            if len(_PLANS) >= _MOST_PLANS:
                _PLANS.pop(next(iter(_PLANS)), None)
            _PLANS[key] = plan
        return plan

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
    key = None if parameters or type(source) is not str else _key(select, consume, once, timezone)
    if key is not None:
        known = _ALIKE.find(source, key)  # type: ignore[arg-type]
        if known is not None:
            return Profile.alike(source, *known)  # type: ignore[arg-type]
    found = source if isinstance(source, Query) else query(source, **parameters)
    with pointing_into(found.text):
        made = Profile(found, profile_terms(found.tree, select, consume, once, timezone))
    if key is not None:
        _ALIKE.learn(found.text, key, found.tree, (made.template, made.constants))
    return made


_ALIKE = AlikeTexts()
"""The texts of this process."""

_PLAIN = (str, int, type(None))


def _key(*terms: Any) -> tuple[Any, ...] | None:
    """What tells terms of profiles apart: `1` is a choice, and `True` none; None if they are not plain."""
    if type(terms[0]) is dict:
        terms = (*(each for pair in terms[0].items() for each in pair), *terms[1:])
    return (terms, tuple(map(type, terms))) if all(type(each) in _PLAIN for each in terms) else None
