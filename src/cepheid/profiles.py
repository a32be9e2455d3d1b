"""Sets of profiles as users hold them, filtered together."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from cepheid.errors import CepheidError, QueryCheckError, QueryError, SnapshotError, warn
from cepheid.events import EventSchema
from cepheid.matches import Matches
from cepheid.pattern.profile import ProfileTerms
from cepheid.pattern.render import render
from cepheid.plan.assumed import assumed_stream
from cepheid.plan.events.bounded import refuse_unbounded
from cepheid.plan.explanation import Explanation, section
from cepheid.plan.loose.stream import LooseStream
from cepheid.plan.profile.sets import PlannedMember, ProfileSetPlan, plan_set
from cepheid.plan.profile.single_step import beside_reason
from cepheid.planned_profiles import PlannedProfiles, naming
from cepheid.query import Runnable, pointing_into, query
from cepheid.single_profile import Profile, Select, Stream, profile

if TYPE_CHECKING:
    from cepheid.matchers.snapshot import Snapshot
    from cepheid.runners.embedded.loose_session import LooseOpening, LooseProfileSession, LooseSession
    from cepheid.runners.embedded.profile_session import ProfileSession
    from cepheid.runners.embedded.run import Fit
    from cepheid.runners.stream.intake import Intake
    from cepheid.runners.stream.terms import Terms

__all__ = ["Profile", "ProfileSet", "planned_rows", "profile", "profiles"]

METHODS = ("one_step", "two_step")
VARIANTS = ("dynamic", "mark", "reference")


@dataclass(frozen=True)
class ProfileSet(Runnable[Matches, pa.Table]):
    """Profiles by their names. Events are read and put in order once, and what is told is one table."""

    profiles: Mapping[str, Profile]
    method: str = "one_step"
    variant: str = "dynamic"
    _plans: dict[Stream, ProfileSetPlan] = field(default_factory=dict, compare=False, repr=False)

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
            with naming(name):
                lines.append(f"{name}: {_assumed_fate(each)}")
        return Explanation(section("profiles", lines), ())

    def plan(self, stream: Stream) -> ProfileSetPlan:
        """How the profiles are run over a stream; made once for each."""
        if stream not in self._plans:
            self._plans[stream] = plan_set(self.profiles, self._planned(stream), stream, self._way)
        return self._plans[stream]

    def _planned(self, stream: Stream) -> Iterator[PlannedMember]:
        planned = PlannedProfiles(stream)
        for name, each in self.profiles.items():
            with naming(name):
                found = planned.profile(each)
            yield found

    @property
    def _way(self) -> str:
        return self.method if self.method == "two_step" else self.variant

    def _resumed(self, saved: Snapshot) -> ProfileSession | LooseSession:  # type: ignore[override]
        """A session with the profiles that were there, whichever this set has."""
        from cepheid.runners.embedded.loose_session import UNDECIDED
        from cepheid.runners.embedded.profile_session import resumed_profiles
        from cepheid.runners.embedded.session import saved_stream

        if UNDECIDED in saved.values:
            return self._resumed_undecided(saved)
        stream, members = saved_stream(saved), saved.values.get("matcher.members")
        if members is None:
            raise SnapshotError("the snapshot is not of a session of profiles")
        there = ProfileSet({each["name"]: _restored(each) for each in members}, self.method, self.variant)
        if "loose" in saved.values:
            return there._resumed_loose(saved, LooseStream(stream, *saved.values["loose"]))
        return resumed_profiles(there.plan(stream), saved, PlannedProfiles(stream).profile)

    def _resumed_loose(self, saved: Snapshot, stream: LooseStream) -> LooseSession:
        from cepheid.runners.embedded.loose_session import LooseProfileSession, LooseSession
        from cepheid.runners.embedded.profile_session import resumed_profiles

        planned = PlannedProfiles(stream).profile
        session = resumed_profiles(self.plan(stream), saved, planned, LooseProfileSession)
        assert isinstance(session, LooseProfileSession)
        return LooseSession.around(session, self._opening())

    def _resumed_undecided(self, saved: Snapshot) -> LooseSession:
        from cepheid.runners.embedded.loose_session import UNDECIDED, LooseSession
        from cepheid.runners.stream.loose import LooseBinding

        held = saved.values[UNDECIDED]
        members = {each["name"]: _restored(each) for each in held["members"]}
        there = ProfileSet(members, self.method, self.variant)
        binding = LooseBinding.of(*held["binding"])
        session = LooseSession(binding, members, there._opening(**held["terms"]), checked=True)
        session.restore(saved)
        return session

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
        """All that is told of a table, a reader, a data frame, dicts, or files. Dicts are taken as by a
        session without a schema if an attribute holds values of several kinds, or if a profile names what
        none of them has, or has as another kind."""
        from cepheid.runners.stream.loose import are_mixed, as_dicts

        roles: dict[str, Any] = {"type": type, "order": order, "time_unit": time_unit}
        terms: dict[str, Any] = {"on_late": on_late, "on_bad": on_bad, "max_matches": max_matches}
        options = roles | terms | {"max_state": max_state, "progress": progress}
        events, are_dicts = as_dicts(events)
        if not are_dicts:
            return super().run(events, time=time, **options)
        events = list(events)
        if are_mixed(events):
            return self._run_loose(events, time, options)
        try:
            return super().run(events, time=time, **options)
        except QueryCheckError as error:
            refused = error
        try:
            found = self._run_loose(events, time, options)
        except CepheidError:
            raise refused from None
        warn(f"this is null here, as events without a schema need not be alike: {refused}")
        return found

    def _run_loose(self, events: list[Any], time: str, options: Mapping[str, Any]) -> Matches:
        from cepheid.runners.embedded.run_profiles import run_loose

        return run_loose(self.plan, events, time, **options)

    def session(  # type: ignore[override]
        self,
        schema: Any = None,
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
    ) -> ProfileSession | LooseSession:
        """An incremental run, as a query has it, to which profiles may be added, and from which they may be
        taken. Without a schema, events may bring any attributes, and the first says what times are."""
        roles: dict[str, Any] = {"type": type, "order": order, "time_unit": time_unit}
        terms: dict[str, Any] = {"lateness": lateness, "on_late": on_late, "on_bad": on_bad}
        terms |= {"max_matches": max_matches, "max_state": max_state}
        if schema is not None:
            return cast("ProfileSession", super().session(schema, time=time, **roles, **terms))
        from cepheid.runners.embedded.loose_session import LooseSession
        from cepheid.runners.stream.loose import LooseBinding

        return LooseSession(LooseBinding.of(time, **roles), self.profiles, self._opening(**terms))

    def session_over(
        self, times: pa.DataType, *, time: str, type: str | None = None, **options: Any
    ) -> LooseSession:
        """A session without a schema whose times are known before the first event: so a profile that such
        times do not suit is refused when it is added."""
        from cepheid.runners.embedded.loose_session import LooseSession
        from cepheid.runners.stream.loose import LooseBinding

        opening = self._opening(**options)
        return LooseSession.around(
            opening.open(LooseBinding.of(time, type).stream(times, ()), self.profiles), opening
        )

    def _opening(
        self,
        *,
        lateness: Any = 0,
        on_late: str = "side",
        on_bad: str = "side",
        max_matches: int | None = None,
        max_state: int | None = None,
    ) -> LooseOpening:
        """How sessions without a schema are opened."""
        from cepheid.runners.embedded.loose_session import LooseOpening, LooseProfileSession
        from cepheid.runners.stream.terms import terms_for

        terms = (lateness, on_late, on_bad, max_matches, max_state)

        def check(stream: LooseStream, members: Mapping[str, Profile]) -> None:
            terms_for(stream.schema, *terms)
            planned, seen = PlannedProfiles(stream), set()
            for name, each in members.items():
                if each.template not in seen:
                    seen.add(each.template)
                    with naming(name), pointing_into(each.text):
                        refuse_unbounded(planned.profile(each).of.plan)

        def opened(stream: LooseStream, members: Mapping[str, Profile]) -> LooseProfileSession:
            there = self if members == self.profiles else ProfileSet(members, self.method, self.variant)
            plan = there.plan(stream)
            there._refuse_unbounded(plan)
            planned = PlannedProfiles(stream).profile
            return LooseProfileSession(plan, terms_for(stream.schema, *terms), planned)

        names = ("lateness", "on_late", "on_bad", "max_matches", "max_state")
        return LooseOpening(_as_profile, check, opened, _saved, dict(zip(names, terms, strict=True)))

    def _opened(self, plan: ProfileSetPlan, terms: Terms) -> ProfileSession:
        from cepheid.runners.embedded.profile_session import ProfileSession

        return ProfileSession(plan, terms, PlannedProfiles(plan.schema).profile)

    def _refuse_unbounded(self, plan: ProfileSetPlan) -> None:
        firsts = np.unique(plan.profiles.template, return_index=True)[1]
        for rank in sorted(firsts.tolist()):
            name = plan.names[rank]
            with naming(name), pointing_into(self.profiles[name].text):
                refuse_unbounded(plan.profiles[rank].of.plan)

    def _shown(self, found: list[Matches]) -> Matches:
        return found[0]


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
    for name, each in _pairs(source):
        if not isinstance(name, str):
            raise CepheidError(f"a profile has a text for a name, not {name!r}")
        if name in found:
            raise CepheidError(f"two profiles are named '{name}': give each its own name")
        found[name] = _as_profile(name, each)
    return ProfileSet(found, method, variant)


def _pairs(source: Any) -> Iterable[tuple[Any, Any]]:
    """Names and profiles, as they are given."""
    if isinstance(source, Mapping):
        return source.items()
    pairs = list(source) if isinstance(source, Iterable) else [source]
    if all(isinstance(each, tuple | list) and len(each) == 2 for each in pairs):
        return pairs
    raise CepheidError("profiles are a dict of each by its name, or pairs of a name and a profile")


def _as_profile(name: str, each: Any) -> Profile:
    if isinstance(each, Profile):
        return each
    with naming(name):
        return profile(each)


def _saved(name: str, each: Profile) -> dict[str, Any]:
    """A profile as JSON can hold it."""
    of = each.query
    options = [list(option) for option in of.options]
    own = {"name": name, "query": render(of.tree), "terms": each.terms.saved()}
    return own | {"engine": of.engine, "options": options}


def _restored(saved: Mapping[str, Any]) -> Profile:
    options = tuple((name, value) for name, value in saved["options"])
    found = replace(query(saved["query"]), engine=saved["engine"], options=options)
    return Profile(found, ProfileTerms.restored(saved["terms"]))


def planned_rows(rows: Iterable[Mapping[str, Any]], stream: EventSchema) -> ProfileSetPlan:
    """The plan of profiles that are rows of a table: `profile` and `query`, and if wanted `select` (JSON),
    `consume`, `once` and `timezone`."""
    return _set_of(rows).plan(stream)


def planned_stream_rows(rows: Iterable[Mapping[str, Any]], stream: EventSchema) -> ProfileSetPlan:
    """The same over a stream that does not end, which profiles of unbounded state are refused for."""
    found = _set_of(rows)
    plan = found.plan(stream)
    found._refuse_unbounded(plan)
    return plan


def _set_of(rows: Iterable[Mapping[str, Any]]) -> ProfileSet:
    return profiles([(row["profile"], _from_row(row)) for row in rows])


def _from_row(row: Mapping[str, Any]) -> Profile:
    with naming(str(row["profile"])):
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
