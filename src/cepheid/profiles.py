"""Profiles as users hold them: a query, and what is told of its matches."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa

from cepheid.errors import CepheidError, QueryError, SnapshotError
from cepheid.events import EventSchema
from cepheid.language.sase.alike import AlikeTexts
from cepheid.matches import Matches
from cepheid.pattern.build import Builder
from cepheid.pattern.check import check_against
from cepheid.pattern.constants import Constant
from cepheid.pattern.profile import ProfileTerms, profile_terms
from cepheid.pattern.query import PatternQuery
from cepheid.pattern.template import Template, template_of
from cepheid.plan.assumed import assumed_stream
from cepheid.plan.events.bounded import refuse_unbounded
from cepheid.plan.explanation import Explanation, section
from cepheid.plan.profile.build import plan_profile
from cepheid.plan.profile.plan import ProfilePlan
from cepheid.plan.profile.primitives import reads_moments
from cepheid.plan.profile.sets import PlannedMember, PlannedTemplate, ProfileSetPlan, plan_set
from cepheid.plan.profile.single_step import beside_reason
from cepheid.query import Query, Runnable, pointing_into, query

if TYPE_CHECKING:
    from cepheid.matchers.snapshot import Snapshot
    from cepheid.runners.embedded.profile_session import ProfileSession
    from cepheid.runners.embedded.run import Fit
    from cepheid.runners.stream.intake import Intake
    from cepheid.runners.stream.terms import Terms

Select = str | int | Mapping[str, str | int]


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


METHODS = ("one_step", "two_step")
VARIANTS = ("dynamic", "mark", "reference")


@dataclass(frozen=True)
class ProfileSet(Runnable[Matches, pa.Table]):
    """Profiles by their names. Events are read and put in order once, and what is told is one table."""

    profiles: Mapping[str, Profile]
    method: str = "one_step"
    variant: str = "dynamic"
    _plans: dict[EventSchema, ProfileSetPlan] = field(default_factory=dict, compare=False, repr=False)

    def explain(
        self,
        schema: Any = None,
        *,
        time: str | None = None,
        type: str | None = None,
        order: Sequence[str] = (),
        time_unit: str | None = None,
    ) -> Explanation:
        """What is done in a single step, what runs beside it, and why; over a stream's columns if they are
        given, else each profile over a stream that has what it names."""
        if schema is not None:
            from cepheid.runners.stream.binding import bound_schema

            if time is None:
                raise CepheidError("explain() over a schema needs time=, the name of its time column")
            plan = self.plan(bound_schema(schema, time, type, order, time_unit))
            return plan.engine.explain(plan)
        lines = []
        for name, each in self.profiles.items():
            with _naming(name):
                lines.append(f"{name}: {_assumed_fate(each)}")
        return Explanation(section("profiles", lines), ())

    def plan(self, stream: EventSchema) -> ProfileSetPlan:
        """How the profiles are run over a stream; made once for each."""
        if stream not in self._plans:
            planned = PlannedProfiles(stream)
            found = []
            for name, each in self.profiles.items():
                with _naming(name):
                    found.append(planned.profile(each))
            self._plans[stream] = plan_set(self.profiles, found, stream, self._way)
        return self._plans[stream]

    @property
    def _way(self) -> str:
        return self.method if self.method == "two_step" else self.variant

    def _resumed(self, saved: Snapshot) -> ProfileSession:
        """A session with the profiles that were there, whichever this set has."""
        from cepheid.runners.embedded.profile_session import resumed_profiles
        from cepheid.runners.embedded.session import saved_stream

        stream, members = saved_stream(saved), saved.values.get("matcher.members")
        if members is None:
            raise SnapshotError("the snapshot is not of a session of profiles")
        there = ProfileSet({each["name"]: _restored(each) for each in members}, self.method, self.variant)
        return resumed_profiles(there.plan(stream), saved, PlannedProfiles(stream).profile)

    def _fitting(self, stream: EventSchema) -> tuple[ProfileSetPlan, Fit]:
        plan = self.plan(stream)
        return plan, lambda ordered: plan

    def _ran(
        self,
        plan: ProfileSetPlan,
        intake: Intake,
        terms: Terms,
        progress: Callable[[int], None] | None,
        fit: Fit,
    ) -> Matches:
        from cepheid.runners.embedded.run_profiles import run_profiles

        return run_profiles(plan, intake, terms, progress)

    def session(self, schema: Any, *, time: str, **options: Any) -> ProfileSession:
        """An incremental run, as a query has it, to which profiles may be added, and from which they may be
        taken."""
        found = super().session(schema, time=time, **options)
        return cast("ProfileSession", found)

    def _opened(self, plan: ProfileSetPlan, terms: Terms) -> ProfileSession:
        from cepheid.runners.embedded.profile_session import ProfileSession

        return ProfileSession(plan, terms, PlannedProfiles(plan.schema).profile)

    def _refuse_unbounded(self, plan: ProfileSetPlan) -> None:
        seen = set()
        for name, each in zip(plan.names, plan.profiles, strict=True):
            if each.of not in seen:
                seen.add(each.of)
                with _naming(name), pointing_into(self.profiles[name].text):
                    refuse_unbounded(each.of.plan)

    def _shown(self, found: list[Matches]) -> Matches:
        return found[0]


class PlannedProfiles:
    """Plans profiles over one stream, those of one template once."""

    def __init__(self, stream: EventSchema) -> None:
        self.stream = stream
        self._templates: dict[Template, PlannedTemplate] = {}
        self._checked_each: set[Template] = set()  # whose constants may not fit the stream

    def profile(self, each: Profile | str) -> PlannedMember:
        """The plan of a profile, or of its text."""
        each = each if isinstance(each, Profile) else profile(each)
        template, constants = each.template, each.constants
        if template not in self._templates:
            plan = each.plan(self.stream)
            self._templates[template] = PlannedTemplate(template, plan, beside_reason(plan))
            if reads_moments(template, self.stream):
                self._checked_each.add(template)
        elif template in self._checked_each:
            with pointing_into(each.text):
                check_against(each.query.tree, self.stream)
        planned = self._templates[template]
        if planned.reason is None:
            return PlannedMember(planned, constants, None)
        own = planned.plan if not constants else each.plan(self.stream)
        return PlannedMember(planned, constants, own)


def _assumed_fate(each: Profile) -> str:
    """How a profile is run over a stream that has what it names."""
    plan = each.plan(assumed_stream({"": each.query.tree}, {"": ()}, each.plan))
    reason = beside_reason(plan)
    return (
        "in the single step" if reason is None else f"by the {plan.inner.engine.name} engine, since {reason}"
    )


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


def planned_rows(rows: Iterable[Mapping[str, Any]], stream: EventSchema) -> ProfileSetPlan:
    """The plan of profiles that are rows of a table: `profile` and `query`, and if wanted `select` (JSON),
    `consume`, `once` and `timezone`."""
    return profiles([(row["profile"], _from_row(row)) for row in rows]).plan(stream)


def _from_row(row: Mapping[str, Any]) -> Profile:
    with _naming(str(row["profile"])):
        if not isinstance(row["query"], str):
            raise QueryError("its query is null")
        given = {name: row[name] for name in ("consume", "once", "timezone") if row.get(name) is not None}
        return profile(row["query"], select=_select(row.get("select")), **given)


def _select(text: str | None) -> Select:
    """`first`, `2`, or a JSON object of them by variable."""
    if text is None:
        return "all"
    try:
        found: Select = json.loads(text)
    except ValueError:
        return text
    return found
