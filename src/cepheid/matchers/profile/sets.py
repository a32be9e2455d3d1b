"""Many profiles side by side over one stream: what they tell is one table, by the time of completion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.events import END, EventBatch, FewEvents
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.joining import join_arrays
from cepheid.matchers.plain_text import json_lines
from cepheid.matchers.profile.matcher import ProfileMatcher
from cepheid.matchers.profile.moments import Moment
from cepheid.matchers.protocol import Outputs
from cepheid.matchers.snapshot import Snapshot
from cepheid.pattern.render import render
from cepheid.plan.profile.kinds import Ticks
from cepheid.plan.profile.plan import ProfilePlan
from cepheid.plan.profile.sets import ProfileSetPlan


@dataclass(slots=True)
class Member:
    """A profile of a set, with all that it knows."""

    plan: ProfilePlan
    matcher: ProfileMatcher
    is_paused: bool = False
    unseen: Counter[str] = field(default_factory=Counter)  # accepted before it was there, and still waiting


class ProfileSetMatcher:
    """Tells the matches of the profiles that are there; they may change between any two batches."""

    engine = "profiles"

    def __init__(self, plan: ProfileSetPlan, allowance: Allowance) -> None:
        self.plan, self._allowance = plan, allowance
        self.members = {
            name: Member(each, self._matcher(each)) for name, each in zip(plan.names, plan.plans, strict=True)
        }
        self._time = pa.schema([plan.schema.columns.field(plan.schema.time)])
        self._is_real = bool(pa.types.is_floating(plan.schema.type_of(plan.schema.time)))

    def _matcher(self, plan: ProfilePlan) -> ProfileMatcher:
        return ProfileMatcher(plan, self._allowance.part())

    @property
    def state_bytes(self) -> int:
        """How much all profiles hold."""
        return sum(member.matcher.state_bytes for member in self.members.values())

    @property
    def peak_state_bytes(self) -> int:
        """The most that each of them has held, together."""
        return sum(member.matcher.peak_state_bytes for member in self.members.values())

    @property
    def figures(self) -> dict[str, int | str]:
        """How many profiles there are, and how many of them are paused."""
        paused = sum(member.is_paused for member in self.members.values())
        return {"profiles": len(self.members), "paused": paused}

    def begin(self, start: Ticks) -> None:
        """Time has come to here before any event."""
        for member in self.members.values():
            member.matcher.begin(start)

    # -- change ------------------------------------------------------------------------------------

    def add(self, name: str, plan: ProfilePlan, watermark: Ticks, waiting: pa.Table) -> None:
        """A profile that sees the events accepted from now on, and not those that wait for the watermark."""
        member = Member(plan, self._matcher(plan), unseen=Counter(map(repr, waiting.to_pylist())))
        if abs(watermark) != END:
            member.matcher.begin(watermark)
        self.members[name] = member

    def pause(self, name: str) -> None:
        """Drop what is half matched, and see nothing."""
        self.members[name].is_paused = True
        self.members[name].matcher = self.members[name].matcher.anew(self._allowance.part())

    def resume(self, name: str, watermark: Ticks, waiting: pa.Table) -> None:
        """See the events accepted from now on; what was told is not forgotten."""
        member = self.members[name]
        member.is_paused, member.unseen = False, Counter(map(repr, waiting.to_pylist()))
        if abs(watermark) != END:
            member.matcher.begin(watermark)

    # -- matching ----------------------------------------------------------------------------------

    def process(self, batch: EventBatch) -> Outputs:
        """What is told with this batch: by the time of completion, then in the order of the profiles."""
        told = [row for number, name in enumerate(self.members) for row in self._told(number, name, batch)]
        told.sort(key=lambda row: (row[0][:2], row[1], row[2]))
        columns = [pa.array([row[k] for row in told], pa.string()) for k in (3, 4, 6)]
        columns.insert(2, self._times([row[5] for row in told]))
        return (pa.Table.from_arrays(columns, schema=self.plan.output_schema),)

    def _told(
        self, number: int, name: str, batch: EventBatch
    ) -> Iterator[tuple[Moment, int, int, str, str, Ticks, str]]:
        """Rows with what orders them before them."""
        member = self.members[name]
        if member.is_paused:
            return
        table, found = member.matcher.told(_seen(batch, member))
        ids = table.column(table.num_columns - 1).to_pylist()
        texts = _texts(table.select(range(table.num_columns - 1)))
        for place, (each, known, text) in enumerate(zip(found, ids, texts, strict=True)):
            yield each.completion, number, place, name, known, each.last.time, text

    def _times(self, ticks: list[Ticks]) -> pa.Array:
        kind = self.plan.output_schema.field("time").type
        numbers = pa.array(ticks, pa.float64() if self._is_real else pa.int64())
        return (numbers.cast(pa.int32()) if pa.types.is_date32(kind) else numbers).cast(kind)

    # -- snapshots ---------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """The profiles that are there, and all that they know."""
        snapshot = Snapshot(self.plan.fingerprint)
        snapshot.values["members"] = [_saved(name, member) for name, member in self.members.items()]
        for number, member in enumerate(self.members.values()):
            snapshot.merge(f"member {number}", member.matcher.snapshot())
        return snapshot

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of a set with the same profiles."""
        for number, saved in enumerate(snapshot.values["members"]):
            member = self.members[saved["name"]]
            member.is_paused, member.unseen = saved["paused"], Counter(saved["unseen"])
            member.matcher.restore(snapshot.part(f"member {number}"))


def _saved(name: str, member: Member) -> dict[str, Any]:
    """A profile as JSON can hold it."""
    engine, options = member.plan.asked
    return {
        "name": name,
        "query": render(member.plan.original),
        "terms": member.plan.terms.saved(),
        "engine": engine,
        "options": [list(option) for option in options],
        "paused": member.is_paused,
        "unseen": dict(member.unseen),
    }


def _seen(batch: EventBatch, member: Member) -> EventBatch:
    """The events of a batch that a profile sees, with the columns that it needs."""
    names = member.plan.needed
    if not member.unseen:
        events = batch.events
        few = events.select(names) if isinstance(events, FewEvents) else events.select(list(names))
        return EventBatch(few, batch.time, batch.watermark)
    kept = []
    for place, row in enumerate(batch.data.to_pylist()):
        known = repr(row)
        if member.unseen[known] > 0:
            member.unseen[known] -= 1
        else:
            kept.append(place)
    member.unseen = +member.unseen
    data = batch.data.take(pa.array(kept, pa.int64())).select(list(names))
    return EventBatch(data, batch.time[np.array(kept, np.int64)], batch.watermark)


def _texts(table: pa.Table) -> list[str]:
    """Rows as JSON text."""
    if table.num_columns == 0:
        return ["{}"] * table.num_rows
    if table.num_rows == 0:
        return []
    columns = [join_arrays(column.chunks) for column in table.columns]
    return json_lines(pa.RecordBatch.from_arrays(columns, schema=table.schema)).splitlines()
