"""Many profiles over one stream, and what is told of all of them in one table."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.errors import QueryError
from cepheid.events import EventSchema
from cepheid.pattern.constants import Constant
from cepheid.pattern.nodes import atoms
from cepheid.pattern.query import PatternQuery
from cepheid.pattern.template import Template
from cepheid.plan.engine import Engine
from cepheid.plan.events.division import By, Division
from cepheid.plan.events.pushdown import Pushed
from cepheid.plan.explanation import Explanation, section
from cepheid.plan.header import digest
from cepheid.plan.loose.stream import LooseColumn, LooseStream
from cepheid.plan.plan import Plan, QueryPlan
from cepheid.plan.positions import type_name
from cepheid.plan.profile.plan import ProfilePlan

MOST_EXPLAINED = 100
"""Of so many profiles at most it is said one by one what becomes of them."""


@dataclass(frozen=True, slots=True, eq=False)
class PlannedTemplate:
    """The plan of a template's first profile, and why all of its profiles run beside, if they do."""

    template: Template
    plan: ProfilePlan
    reason: str | None

    @property
    def types(self) -> tuple[str | None, ...]:
        """The types of the events that its variables are; None is any. Where there are time events, these are
        measured from the first event, whatever its type."""
        if self.plan.kinds:
            return (None,)
        has_types = self.plan.schema.type is not None
        return tuple(type_name(atom, has_types) for atom in atoms(self.plan.query.pattern))


@dataclass(frozen=True, slots=True, eq=False)
class PlannedMember:
    """A profile of a set: its template and its constants; one that runs beside has a plan of its own."""

    of: PlannedTemplate
    constants: tuple[Constant, ...]
    beside: ProfilePlan | None


@dataclass(frozen=True, slots=True, eq=False)
class PlannedMembers:
    """The profiles of a set in their order, column by column, as there may be a million."""

    templates: tuple[PlannedTemplate, ...]
    template: np.ndarray  # int32, of each profile: which of the templates
    constants: tuple[tuple[Constant, ...], ...]
    beside: Mapping[int, ProfilePlan]  # by rank

    @staticmethod
    def of(profiles: Iterable[PlannedMember]) -> PlannedMembers:
        """These."""
        templates: dict[PlannedTemplate, int] = {}
        numbers, constants, beside = array("i"), [], {}
        for rank, each in enumerate(profiles):
            numbers.append(templates.setdefault(each.of, len(templates)))
            constants.append(each.constants)
            if each.beside is not None:
                beside[rank] = each.beside
        found = np.array(numbers, np.int32)
        return PlannedMembers(tuple(templates), found, tuple(constants), beside)

    def __len__(self) -> int:
        return len(self.constants)

    def __getitem__(self, rank: int) -> PlannedMember:
        of = self.templates[self.template[rank]]
        return PlannedMember(of, self.constants[rank], self.beside.get(rank))

    def __iter__(self) -> Iterator[PlannedMember]:
        return map(self.__getitem__, range(len(self)))


@dataclass(frozen=True, slots=True)
class ProfileSetPlan(Plan):
    """How named profiles are run together. A session may have others later, over the same stream."""

    names: tuple[str, ...]
    profiles: PlannedMembers
    method: str  # dynamic, mark, reference or two_step
    built: dict[str, Any] = field(compare=False, repr=False)  # what the first matcher made of it
    also_computed: frozenset[str] = frozenset()  # by profiles that were added later
    loose: LooseStream | None = None  # where the events have no schema

    @property
    def loose_columns(self) -> tuple[LooseColumn, ...]:
        """What the profiles read of events without a schema."""
        return tuple(dict.fromkeys(column for each in self.templates for column in each.plan.loose))

    @property
    def step_schema(self) -> EventSchema:
        """The columns that the single step reads."""
        return self.schema if self.loose is None else self.loose.with_columns(self.loose_columns)

    @property
    def templates(self) -> tuple[PlannedTemplate, ...]:
        """Each template once."""
        return self.profiles.templates

    @property
    def queries(self) -> tuple[PatternQuery, ...]:
        """A query of each template."""
        return tuple(each.plan.query for each in self.templates)

    @property
    def query_plans(self) -> tuple[QueryPlan, ...]:
        """None: what is told of all profiles is one table."""
        return ()

    @property
    def computed(self) -> set[str]:
        """The columns that any of the profiles computes with."""
        return {name for each in self.templates for name in each.plan.computed} | self.also_computed

    @property
    def text(self) -> str:
        """The profiles by their names."""
        pairs = zip(self.names, self.profiles, strict=True)
        return "\n".join(f"{name}: {each.of.plan.text}" for name, each in pairs)


def plan_set(
    names: Iterable[str],
    profiles: Iterable[PlannedMember],
    stream: EventSchema | LooseStream,
    method: str,
) -> ProfileSetPlan:
    """The plan of profiles that are planned over one stream."""
    loose = stream if isinstance(stream, LooseStream) else None
    schema = stream.schema if isinstance(stream, LooseStream) else stream
    binding = (schema.time, schema.type, schema.order, schema.time_unit)
    known = digest("profiles", str(schema.columns), repr(binding))
    planned = PlannedMembers.of(profiles)
    units = {each.plan.unit for each in planned.templates}
    return ProfileSetPlan(
        engine=PROFILES,
        schema=schema,
        unit="ns" if "ns" in units else "us",
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
        names=tuple(names),
        profiles=planned,
        method=method,
        built={},
        loose=loose,
    )


# ---------------------------------------------------------------- as an engine


_METHODS = {
    "dynamic": "a single step: a part is in the pool while some instance waits for it",
    "mark": "a single step: all parts are in the pool, and those that are waited for are marked",
    "reference": "a single step: all parts are in the pool, with references to who waits for them",
    "two_step": "two steps: all parts are in the pool, and what matches them is then composed",
}


def _explain(plan: ProfileSetPlan) -> Explanation:
    """What is done in the single step, what runs beside it, and why."""
    step = len(plan.profiles) - len(plan.profiles.beside)
    templates = sum(each.reason is None for each in plan.templates)
    together = [f"{step:,} profiles of {templates:,} kinds by {_METHODS[plan.method]}"] if step else []
    beside = [
        f"{plan.names[rank]}: by the {own.inner.engine.name} engine, since {plan.profiles[rank].of.reason}; "
        f"{own.terms}"
        for rank, own in plan.profiles.beside.items()
    ]
    if len(beside) > MOST_EXPLAINED:
        why = Counter(plan.profiles[rank].of.reason for rank in plan.profiles.beside)
        beside = [f"{count:,} profiles, since {reason}" for reason, count in why.items()]
    parts = [
        section("together", together),
        section("time events", _time_events(plan)),
        section("beside", beside),
    ]
    return Explanation("\n".join(part for part in parts if part), ())


def _time_events(plan: ProfileSetPlan) -> list[str]:
    """What the temporal pool makes for profiles in the single step."""
    kinds = (kind for each in plan.templates if each.reason is None for kind in each.plan.kinds)
    texts = dict.fromkeys(kind.text for kind in kinds)
    shown = [f"{text}, made by the temporal pool" for text in texts]
    return shown if len(shown) <= MOST_EXPLAINED else [f"{len(shown):,} kinds, made by the temporal pool"]


def _stream_refusal(plan: ProfileSetPlan) -> QueryError | None:
    refusals = (each.plan.engine.stream_refusal(each.plan) for each in plan.templates)
    return next((refusal for refusal in refusals if refusal is not None), None)


PROFILES = Engine(
    name="profiles",
    matcher="cepheid.matchers.profile.sets.ProfileSetMatcher",
    explain=_explain,
    filter=lambda plan, opaque: Pushed(None, "a profile is told from all events of its stream"),
    division=lambda plan, by: Division(By.NOTHING, "the events of a profile go to one shard"),
    stream_refusal=_stream_refusal,
)
