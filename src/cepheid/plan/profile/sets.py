"""Many profiles over one stream, and what is told of all of them in one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from cepheid.errors import QueryError
from cepheid.events import EventSchema
from cepheid.pattern.query import PatternQuery
from cepheid.plan.engine import Engine
from cepheid.plan.events.division import By, Division
from cepheid.plan.events.pushdown import Pushed
from cepheid.plan.explanation import Explanation, section
from cepheid.plan.header import digest
from cepheid.plan.plan import Plan, QueryPlan
from cepheid.plan.profile.plan import ProfilePlan


@dataclass(frozen=True, slots=True)
class ProfileSetPlan(Plan):
    """The plans of named profiles. A session may have others later, over the same stream."""

    names: tuple[str, ...]
    plans: tuple[ProfilePlan, ...]

    @property
    def queries(self) -> tuple[PatternQuery, ...]:
        """The queries of all profiles."""
        return tuple(plan.query for plan in self.plans)

    @property
    def query_plans(self) -> tuple[QueryPlan, ...]:
        """None: what is told of all profiles is one table."""
        return ()

    @property
    def computed(self) -> set[str]:
        """The columns that any of the profiles computes with."""
        return {name for plan in self.plans for name in plan.computed}

    @property
    def text(self) -> str:
        """The profiles by their names."""
        return "\n".join(f"{name}: {plan.text}" for name, plan in zip(self.names, self.plans, strict=True))


def plan_set(plans: Mapping[str, ProfilePlan], schema: EventSchema) -> ProfileSetPlan:
    """The plan of profiles that are planned over one stream."""
    binding = (schema.time, schema.type, schema.order, schema.time_unit)
    known = digest("profiles", str(schema.columns), repr(binding))
    return ProfileSetPlan(
        engine=PROFILES,
        schema=schema,
        unit="ns" if any(plan.unit == "ns" for plan in plans.values()) else "us",
        needed=tuple(schema.columns.names),
        output_schema=pa.schema(
            [
                ("profile", pa.string()),
                ("match_id", pa.string()),
                ("time", schema.type_of(schema.time)),
                ("match", pa.string()),
            ]
        ),
        identity=known,
        fingerprint=known,
        names=tuple(plans),
        plans=tuple(plans.values()),
    )


def _explain(plan: ProfileSetPlan) -> Explanation:
    """Which engine runs which profile, and why."""
    lines = [
        f"{name}: beside the others, by the {each.inner.engine.name} engine; {each.terms}"
        for name, each in zip(plan.names, plan.plans, strict=True)
    ]
    why = "each profile runs by itself: events are read and put in order once for all of them"
    return Explanation("\n".join([section("profiles", lines), section("together", [why])]), ())


def _stream_refusal(plan: ProfileSetPlan) -> QueryError | None:
    refusals = (each.engine.stream_refusal(each) for each in plan.plans)
    return next((refusal for refusal in refusals if refusal is not None), None)


PROFILES = Engine(
    name="profiles",
    matcher="cepheid.matchers.profile.sets.ProfileSetMatcher",
    explain=_explain,
    filter=lambda plan, opaque: Pushed(None, "a profile is told from all events of its stream"),
    division=lambda plan, by: Division(By.NOTHING, "the events of a profile go to one shard"),
    stream_refusal=_stream_refusal,
)
