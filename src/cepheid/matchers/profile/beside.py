"""Profiles that the single step does not follow: each runs beside it, on the engine of its query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from cepheid.events import EventBatch, FewEvents
from cepheid.matchers.joining import join_arrays
from cepheid.matchers.json_columns import json_objects
from cepheid.matchers.profile.matcher import ProfileMatcher
from cepheid.matchers.profile.moments import Moment
from cepheid.plan.profile.kinds import Ticks
from cepheid.plan.profile.plan import ProfilePlan

BesideRow = tuple[Moment, str, Ticks, str]
"""When a match was complete, its id, the time of its last event, and the match."""


@dataclass(slots=True)
class BesideProfile:
    """A profile with all that it knows."""

    plan: ProfilePlan
    matcher: ProfileMatcher
    is_paused: bool = False
    unseen: Counter[str] = field(default_factory=Counter)  # accepted before it was there, and still waiting

    def told(self, batch: EventBatch, as_accepted: EventBatch) -> Iterator[BesideRow]:
        """What it tells with a batch, whose events may have more columns now than when they were accepted."""
        if self.is_paused:
            return
        table, found = self.matcher.told(_seen(batch, as_accepted, self))
        ids = table.column(table.num_columns - 1).to_pylist()
        own = table.select(range(table.num_columns - 1))
        columns = [join_arrays(column.chunks) for column in own.columns] if len(own) else []
        texts = json_objects(columns, own.column_names, table.num_rows, self.plan.json).to_pylist()
        for each, known, text in zip(found, ids, texts, strict=True):
            yield each.completion, known, each.last.time, text


def _seen(batch: EventBatch, as_accepted: EventBatch, member: BesideProfile) -> EventBatch:
    """The events of a batch that a profile sees, with the columns that it needs."""
    names = member.plan.needed
    if not member.unseen:
        events = batch.events
        few = events.select(names) if isinstance(events, FewEvents) else events.select(list(names))
        return EventBatch(few, batch.time, batch.watermark)
    kept = np.flatnonzero(~hidden_rows(as_accepted, member.unseen))
    data = batch.data.take(pa.array(kept, pa.int64())).select(list(names))
    return EventBatch(data, batch.time[kept], batch.watermark)


def hidden_rows(batch: EventBatch, unseen: Counter[str]) -> np.ndarray:
    """Which events of a batch a profile does not see, as they were accepted before; they wait no more."""
    hidden = np.zeros(batch.count, np.bool_)
    for place, row in enumerate(batch.data.to_pylist()):
        known = repr(row)
        if unseen[known] > 0:
            unseen[known] -= 1
            hidden[place] = True
    for known in [known for known, count in unseen.items() if count <= 0]:
        del unseen[known]
    return hidden
