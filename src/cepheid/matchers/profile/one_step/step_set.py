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
from cepheid.plan.profile.plan import ProfilePlan
from cepheid.plan.profile.single_step import parts_of, single_step
from cepheid.plan.profile.step_plan import StepPlan
from cepheid.plan.states.values import ValueTable

MANY = 10_000
"""Of so many profiles at once the seeds are worked out ahead, so that no event waits for them."""

_ARRAYS = ("template", "first_reference", "profile", "primitive")


class StepSet:
    """Templates, profiles, their references (a part of a profile each), and the index of their primitives."""

    def __init__(self, schema: EventSchema) -> None:
        self.schema, self.unit = schema, stream_unit(schema)
        self.tables = TemplateTables(schema, self.unit, ValueTable(schema))
        self.index = PrimitiveIndex(schema, self.unit)
        self.steps: list[StepPlan] = []
        self.templates: list[Template] = []
        self.numbers: dict[Template, int] = {}
        self.constants: list[tuple[Constant, ...]] = []  # of each profile
        self.seeds = MatchSeeds()  # of the ids of their matches
        self.template, self.first_reference = GrowingArray(np.int64), GrowingArray(np.int64)
        self.profile, self.primitive = GrowingArray(np.int64), GrowingArray(np.int64)  # of each reference

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
        if count >= MANY:
            written = WrittenQueries(template)
            for start in range(0, count, MANY):
                self.seeds.add(fresh[start : start + MANY], written.texts(constants[start : start + MANY]))
        return fresh

    def _number(self, template: Template, plan: ProfilePlan) -> int:
        if template not in self.numbers:
            step = single_step(plan, self.values)
            self.steps.append(step)
            self.templates.append(template)
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
        for name in _ARRAYS:
            setattr(fresh, name, getattr(self, name).fork())
        return fresh
