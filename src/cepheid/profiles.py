"""Profiles as users hold them: a query, and what is told of its matches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from cepheid.errors import CepheidError, QueryError, SnapshotError
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
from cepheid.plan.profile.sets import ProfileSetPlan, plan_set
from cepheid.query import Query, Runnable, pointing_into, query

if TYPE_CHECKING:
    from cepheid.matchers.snapshot import Snapshot
    from cepheid.runners.embedded.profile_session import ProfileSession
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


METHODS = ("one_step", "two_step")
VARIANTS = ("dynamic", "mark", "reference")


@dataclass(frozen=True)
class ProfileSet(Runnable[Matches, pa.Table]):
    """Profiles by their names. Events are read and put in order once, and what is told is one table."""

    profiles: Mapping[str, Profile]
    method: str = "one_step"
    variant: str = "dynamic"

    def run(
        self,
        events: Any,
        *,
        time: str,
        type: str | None = None,
        order: Sequence[str] = (),
        time_unit: str | None = None,
        on_late: str = "side",
        on_bad: str = "side",
        max_matches: int | None = None,
        max_state: int | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Matches:
        """All that is told in a table: profile, match_id, time of the last event, and the match as JSON."""
        from cepheid.runners.embedded.run import run_together
        from cepheid.runners.stream.binding import bound_events
        from cepheid.runners.stream.terms import terms_for

        stream, intake = bound_events(events, time, type, order, time_unit)
        terms = terms_for(stream, 0, on_late, on_bad, max_matches, max_state)
        return run_together(self.plan(stream), intake, terms, progress)

    def session(
        self,
        schema: Any,
        *,
        time: str,
        type: str | None = None,
        order: Sequence[str] = (),
        time_unit: str | None = None,
        lateness: Any = 0,
        on_late: str = "side",
        on_bad: str = "side",
        max_matches: int | None = None,
        max_state: int | None = None,
    ) -> ProfileSession:
        """An incremental run, to which profiles may be added, and from which they may be taken."""
        from cepheid.runners.embedded.profile_session import ProfileSession
        from cepheid.runners.stream.binding import bound_schema
        from cepheid.runners.stream.terms import terms_for

        stream = bound_schema(schema, time, type, order, time_unit)
        plan = self.plan(stream)
        self._refuse_unbounded(plan)
        terms = terms_for(stream, lateness, on_late, on_bad, max_matches, max_state)
        return ProfileSession(plan, terms, _planned)

    def explain(self) -> Explanation:
        """How each profile is run, over a stream that has what it names."""
        text = "\n".join(f"{name}\n{each.explain()}" for name, each in self.profiles.items())
        beside = f"{len(self.profiles)} profiles, each beside the others on the engine of its query"
        return Explanation(f"{beside}\n{text}", ())

    def plan(self, stream: EventSchema) -> ProfileSetPlan:
        """How the profiles are run over a stream."""
        plans: dict[str, ProfilePlan] = {}
        for name, each in self.profiles.items():
            with _naming(name):
                plans[name] = each.plan(stream)
        return plan_set(plans, stream)

    def _resumed(self, saved: Snapshot) -> ProfileSession:
        """A session with the profiles that were there, whichever this set has."""
        from cepheid.runners.embedded.profile_session import resumed_profiles
        from cepheid.runners.embedded.session import saved_stream

        stream, members = saved_stream(saved), saved.values.get("matcher.members")
        if members is None:
            raise SnapshotError("the snapshot is not of a session of profiles")
        there = {each["name"]: _restored(each) for each in members}
        return resumed_profiles(ProfileSet(there).plan(stream), saved, _planned)

    def _fitting(self, stream: EventSchema) -> tuple[ProfileSetPlan, Fit]:
        plan = self.plan(stream)
        return plan, lambda ordered: plan

    def _refuse_unbounded(self, plan: ProfileSetPlan) -> None:
        for name, each in zip(plan.names, plan.plans, strict=True):
            with _naming(name), pointing_into(self.profiles[name].text):
                refuse_unbounded(each)

    def _shown(self, found: list[Matches]) -> Matches:
        return found[0]


def profiles(
    source: Mapping[str, Profile | str] | Iterable[tuple[str, Profile | str]],
    *,
    method: str = "one_step",
    variant: str = "dynamic",
) -> ProfileSet:
    """A set of profiles, or of their texts, by their names."""
    if method not in METHODS:
        raise CepheidError(f"method= is one of {', '.join(METHODS)}, not {method!r}")
    if variant not in VARIANTS:
        raise CepheidError(f"variant= is one of {', '.join(VARIANTS)}, not {variant!r}")
    found: dict[str, Profile] = {}
    for name, each in source.items() if isinstance(source, Mapping) else source:
        if not isinstance(name, str):
            raise CepheidError(f"a profile has a text for a name, not {name!r}")
        if name in found:
            raise CepheidError(f"two profiles are named '{name}': give each its own name")
        found[name] = _as_profile(name, each)
    return ProfileSet(found, method, variant)


def _as_profile(name: str, each: Any) -> Profile:
    if isinstance(each, Profile):
        return each
    with _naming(name):
        return profile(each)


def _planned(each: Any, stream: EventSchema) -> ProfilePlan:
    return (each if isinstance(each, Profile) else profile(each)).plan(stream)


def _restored(saved: Mapping[str, Any]) -> Profile:
    options = tuple((name, value) for name, value in saved["options"])
    found = replace(query(saved["query"]), engine=saved["engine"], options=options)
    return Profile(found, ProfileTerms.restored(saved["terms"]))


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Errors say which profile they are about."""
    try:
        yield
    except QueryError as error:
        error.message = f"profile '{name}': {error.message}"
        raise
