"""Matches that were told as the rows that users see: made for all of a template at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cepheid.matchers.bindings import Bindings
from cepheid.matchers.joining import join_arrays
from cepheid.matchers.json_columns import json_objects
from cepheid.matchers.match_identity import bound_identities, seeded_ids
from cepheid.matchers.profile.one_step.matcher import Told
from cepheid.matchers.profile.one_step.step_set import StepSet
from cepheid.matchers.rows import match_columns
from cepheid.matchers.store import EventStore
from cepheid.pattern.written import WrittenQueries
from cepheid.plan.profile.step_plan import StepPlan


@dataclass(frozen=True, slots=True)
class HeldRows:
    """Events as rows, and who each is, by the columns that it is known by."""

    store: EventStore
    identities: Mapping[tuple[str, ...], np.ndarray]


class ToldRows:
    """Makes columns of what was told: match_id, time and match."""

    def __init__(self, known: Callable[[], StepSet]) -> None:
        self._known = known
        self._written: dict[int, WrittenQueries] = {}  # by the number of the template

    def columns(self, told: Told, events: HeldRows) -> tuple[pa.Array, pa.Array, pa.Array]:
        """The columns, in the order in which it was told."""
        known = self._known()
        templates = known.template.rows[told.profile]
        ids, times, texts, order = [], [], [], []
        for number in np.unique(templates):
            rows = np.flatnonzero(templates == number)
            step = known.steps[number]
            bindings = _bindings(step, told.events[rows], events.identities[step.plan.known_by])
            ids.append(seeded_ids(self._seeds_of(int(number), told.profile[rows]), bindings.hashes))
            times.append(events.store.column(step.plan.schema.time, bindings.last))
            columns = match_columns(step.plan, bindings, events.store)
            names = [column.name for column in step.plan.output or ()]
            texts.append(json_objects(columns, names, rows.size, step.plan.json))
            order.append(rows)
        back = pa.array(np.argsort(np.concatenate(order), kind="stable"))
        made = (join_arrays(ids), join_arrays(times), join_arrays(texts))
        return made if len(order) == 1 else (made[0].take(back), made[1].take(back), made[2].take(back))

    def _seeds_of(self, template: int, profiles: np.ndarray) -> np.ndarray:
        """What the ids of each match begin with: its profile's query."""
        known = self._known()
        fresh = known.seeds.missing(profiles)
        if fresh.size:
            written = self._written.setdefault(template, WrittenQueries(known.templates[template]))
            known.seeds.add(fresh, written.texts([known.constants[number] for number in fresh.tolist()]))
        return known.seeds.of(profiles)


def _bindings(step: StepPlan, events: np.ndarray, identities: np.ndarray) -> Bindings:
    """Which event is bound to which variable."""
    events = events[:, : step.positions]
    present = events >= 0
    count = events.shape[0]
    offsets = np.zeros((step.positions, count + 1), np.int64)
    np.cumsum(present.T, axis=1, out=offsets[:, 1:])
    first = np.where(present, events, np.iinfo(np.int64).max).min(axis=1)
    listed = tuple(events[present[:, v], v] for v in range(step.positions))
    return Bindings(offsets, listed, first, events.max(axis=1), bound_identities(identities, events))
