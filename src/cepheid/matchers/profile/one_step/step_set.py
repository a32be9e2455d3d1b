"""What a set of profiles is to the single step, and does not change as events come: built once for a set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from cepheid.events import EventSchema
from cepheid.matchers.profile.one_step.seeds import MatchSeeds
from cepheid.matchers.profile.one_step.tables import TemplateTables
from cepheid.matchers.profile.pool.growing import GrowingArray
from cepheid.matchers.profile.pool.index import PrimitiveIndex
from cepheid.pattern.constants import Constant
from cepheid.pattern.template import Template
from cepheid.pattern.written import WrittenQueries
from cepheid.plan.header import stream_unit
from cepheid.plan.profile.kinds import SilentKind
from cepheid.plan.profile.plan import ProfilePlan
from cepheid.plan.profile.single_step import parts_of, single_step
from cepheid.plan.profile.step_plan import StepPlan
from cepheid.plan.profile.temporal import (
    MomentKind,
    TimePart,
    beats,
    kinds_by_rank,
    silent_templates,
    type_in_pool,
)
from cepheid.plan.states.values import ValueTable

MANY = 10_000
"""Of so many profiles at once the seeds are worked out ahead, so that no event waits for them."""

_ARRAYS = ("template", "first_reference", "profile", "primitive", "timers")

TIMER_PROFILE, TIMER_RANK, TIMER_WATCHED, TIMER_LENGTH, TIMER_HAS_KEYS = 0, 1, 2, 3, 4
"""Of a timer: whose it is, the number of its kind, what ends the silence, how long, and if it needs a key."""


class StepSet:
    """Templates, profiles, their references (a part of a profile each), and the index of their primitives."""

    def __init__(self, schema: EventSchema) -> None:
        self.schema, self.unit = schema, stream_unit(schema)
        self.tables = TemplateTables(schema, self.unit, ValueTable(schema))
        self.index = PrimitiveIndex(schema, self.unit)
        self.steps: list[StepPlan] = []
        self._time_parts: list[dict[int, TimePart]] = []  # by template, then by rank
        self.templates: list[Template] = []
        self.numbers: dict[Template, int] = {}
        self.constants: list[tuple[Constant, ...]] = []  # of each profile
        self.seeds = MatchSeeds()  # of the ids of their matches
        self.template, self.first_reference = GrowingArray(np.int32), GrowingArray(np.int32)
        self.profile, self.primitive = GrowingArray(np.int32), GrowingArray(np.int32)  # of each reference
        self.timers = GrowingArray(np.int64, TIMER_HAS_KEYS + 1)  # one a profile and SILENCE
        self.beats: dict[str, tuple[MomentKind, int]] = {}  # AT and EVERY, with their primitives
        self._silent: dict[int, list[tuple[TimePart, Template]]] = {}  # by template

    @property
    def has_time_events(self) -> bool:
        """Whether any profile waits for time events, or did."""
        return bool(self.beats) or self.timers.count > 0

    @property
    def count(self) -> int:
        """How many profiles there are, or were."""
        return self.template.count

    @property
    def values(self) -> ValueTable:
        """What conditions read."""
        return self.tables.values

    def add(
        self, template: Template, plan: ProfilePlan, constants: Sequence[tuple[Constant, ...]]
    ) -> np.ndarray:
        """The numbers of profiles of one template."""
        number = self._number(template, plan)
        ids = self.index.add(template, constants)
        parts = parts_of(plan)
        order = sorted(range(len(template.variables)), key=lambda k: parts[template.variables[k]])
        count, width = ids.shape
        fresh = np.arange(self.count, self.count + count)
        self.first_reference.append(self.profile.count + width * np.arange(count))
        self.template.append(np.full(count, number))
        self.profile.append(np.repeat(fresh, width))
        self.primitive.append(ids[:, order].reshape(-1).astype(np.int64))
        self.constants += constants
        if plan.kinds:
            self._add_time_events(number, plan, constants, fresh)
        if count >= MANY:
            written = WrittenQueries(template)
            for start in range(0, count, MANY):
                self.seeds.add(fresh[start : start + MANY], written.texts(constants[start : start + MANY]))
        return fresh

    def _add_time_events(
        self, number: int, plan: ProfilePlan, constants: Sequence[tuple[Constant, ...]], fresh: np.ndarray
    ) -> None:
        """The timers of new profiles of one template, and their AT and EVERY."""
        if number not in self._silent:
            self._silent[number] = list(silent_templates(self.templates[number], plan))
        for part, silent in self._silent[number]:
            assert isinstance(part.kind, SilentKind)
            rows = np.zeros((fresh.size, TIMER_HAS_KEYS + 1), np.int64)
            rows[:, TIMER_PROFILE], rows[:, TIMER_RANK] = fresh, part.rank
            rows[:, TIMER_WATCHED] = self.index.add(silent, constants)[:, 0]
            rows[:, TIMER_LENGTH] = self.tables.length(part.kind.length)
            rows[:, TIMER_HAS_KEYS] = bool(plan.query.keys)
            self.timers.append(rows)
        for beat in beats(plan):
            name = type_in_pool(beat.kind, beat.rank)
            known, primitive = self.beats.get(name, (beat, self.made_for(int(fresh[0]), beat.rank)))
            self.beats[name] = (beat.together(known), primitive)

    def part_of(self, profile: int, rank: int) -> TimePart:
        """The part of a profile that a kind of time events fills."""
        return self._time_parts[int(self.template.rows[profile])][rank]

    def made_for(self, profile: int, rank: int) -> int:
        """The primitive that a kind of time events of a profile satisfies."""
        place = self.first_reference.rows[profile] + self.part_of(profile, rank).position
        return int(self.primitive.rows[place])

    def _number(self, template: Template, plan: ProfilePlan) -> int:
        if template not in self.numbers:
            step = single_step(plan, self.values)
            self.steps.append(step)
            self.templates.append(template)
            self._time_parts.append(kinds_by_rank(plan))
            self.numbers[template] = self.tables.add(step)
        return self.numbers[template]

    def widen(self, schema: EventSchema) -> None:
        """Let there be the columns of a plan over the same stream, if it reads others."""
        known = self.schema.columns
        fresh = [field for field in schema.columns if field.name not in known.names]
        if not fresh:
            return
        self.schema = replace(self.schema, columns=pa.schema([*known, *fresh]))
        self.index.schema = self.index.words.schema = self.values.schema = self.schema

    def fork(self) -> StepSet:
        """The same set, to which profiles may be added that other runs do not see."""
        fresh = object.__new__(StepSet)
        fresh.schema, fresh.unit = self.schema, self.unit
        fresh.tables, fresh.index = self.tables.fork(), self.index.fork()
        fresh.steps, fresh.templates, fresh.constants = [*self.steps], [*self.templates], [*self.constants]
        fresh.numbers, fresh.seeds = dict(self.numbers), self.seeds.fork()
        fresh.beats, fresh._silent = dict(self.beats), dict(self._silent)
        fresh._time_parts = [*self._time_parts]
        for name in _ARRAYS:
            setattr(fresh, name, getattr(self, name).fork())
        return fresh
