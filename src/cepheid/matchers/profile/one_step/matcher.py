"""Many profiles in a single step: each event meets just the profiles that wait for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cepheid.events import END, EventBatch, EventSchema, time_values
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.codes import TextCodes
from cepheid.matchers.profile.clock import Clock
from cepheid.matchers.profile.one_step import layout as at
from cepheid.matchers.profile.one_step.forgetting import forget, revive
from cepheid.matchers.profile.one_step.kept_events import KeptEvents, ticks_and_clock
from cepheid.matchers.profile.one_step.kernel import advance
from cepheid.matchers.profile.one_step.layout import Events, Members, Pool
from cepheid.matchers.profile.one_step.memory import RecordMemory, StepMemory
from cepheid.matchers.profile.one_step.step_set import StepSet
from cepheid.matchers.profile.one_step.temporal import PoolView, TemporalPool, TimedBatch
from cepheid.matchers.profile.one_step.time_rows import TimeRows
from cepheid.matchers.profile.one_step.waiting import begin, dismiss, end, enroll
from cepheid.matchers.profile.partitions import Partitions
from cepheid.matchers.profile.pool import layout as pooled
from cepheid.matchers.windows import FAR
from cepheid.pattern.constants import Constant
from cepheid.pattern.template import Template
from cepheid.plan.profile.kinds import Ticks
from cepheid.plan.profile.plan import ProfilePlan

METHODS = {"dynamic": at.DYNAMIC, "mark": at.MARK, "reference": at.REFERENCE, "two_step": at.TWO_STEP}
_TOO_MANY = (
    "the profiles tell more than max_matches = {limit} matches at once: use select=, consume= or once=, or a "
    "larger max_matches="
)
_ROOM_A_PART = 64
"""No part of a profile takes more bytes before events come, nor does the profile itself."""
_SPARE = 4096
"""How many records may pile up before it is worth looking which are needed."""


@dataclass(frozen=True, slots=True)
class Told:
    """Matches that are told, in the order of completion; events are by their numbers, -1 if there is none."""

    profile: np.ndarray
    clock: np.ndarray  # of the completion, and 0 at an event, 1 after those of a time, -1 before them
    flag: np.ndarray
    events: np.ndarray  # match, position


class OneStepMatcher:
    """Tells the matches of the profiles of a `StepSet`."""

    def __init__(self, known: StepSet, allowance: Allowance, method: str) -> None:
        self.known, self.allowance, self.method = known, allowance, method
        self._is_own = False  # whether the set is this matcher's alone, so that it may change
        self.codes = TextCodes()
        self.tables = known.tables.built(self.codes)
        self.memory = StepMemory(known, allowance.max_state)
        self.memory.cursor[at.METHOD] = METHODS[method]
        self.pool, self._layout = known.index.state(), known.index.placed.layout
        self.events = KeptEvents(known.schema, known.unit, known.values, self.codes)
        self.partitions: list[Partitions] = []
        self._temporal: TemporalPool | None = None
        self.changed = 0  # how many profiles were touched by changes
        self._live = 0  # how many records there were when it was last looked which are needed
        self._enroll(np.arange(known.count))
        self._fit_temporal()

    @property
    def temporal(self) -> TemporalPool | None:
        """What makes time events, if any profile waits for them."""
        return self._temporal

    def _fit_temporal(self) -> None:
        """Let the temporal pool have the timers of all profiles."""
        if self._temporal is not None:
            self._temporal.widen(self.known)
        elif self.known.has_time_events:
            clock = Clock(self.tables.is_real, self.allowance.max_matches)
            self._temporal = TemporalPool(self.known, clock, self.allowance.max_state)

    # -- change ------------------------------------------------------------------------------------

    def add(self, template: Template, plan: ProfilePlan, constants: tuple[Constant, ...]) -> int:
        """The number of a profile that sees the events from now on. If it has no room, nothing changes."""
        self.memory.allow(_ROOM_A_PART * (1 + len(template.variables)), "members")
        if not self._is_own:
            self.known, self._is_own = self.known.fork(), True
            self.events.values = self.known.values
        if plan.schema is not self.known.schema:
            self.known.widen(plan.schema)
            self.events.schema = self.known.schema
        (number,) = self.known.add(template, plan, [constants])
        self.tables = self.known.tables.built(self.codes)
        self.memory.widen(self.known)
        self._fit_pool()
        self._enroll(np.array([number]))
        self._fit_temporal()
        self.changed += 1
        return int(number)

    def begin(self, start: Ticks, profiles: np.ndarray | None = None) -> None:
        """Time has come to here before any event, or before these profiles were there."""
        if self._temporal is not None:
            self._temporal.begin(start, self._surroundings(self._idle), profiles)

    def _surroundings(self, pool: Pool) -> PoolView:
        return PoolView(self.tables, self.memory.members, self.events, pool.events)

    def _enroll(self, profiles: np.ndarray) -> None:
        columns = self.known.schema.columns
        for keys in self.known.tables.keys[len(self.partitions) :]:
            self.partitions.append(Partitions(pa.schema([columns.field(name) for name in keys])))
        self._idle = self._pool(no_events(self.known.schema))
        enroll(self.tables, self.memory.members, self._idle, self.memory.cursor, profiles)

    def remove(self, profile: int) -> None:
        """Drop a profile, with all that it knows."""
        memory = self.memory
        dismiss(self.tables, memory.state, memory.members, self._idle, memory.cursor, profile)
        self._stop_timers(profile)
        self.changed += 1

    def pause(self, profile: int) -> None:
        """Drop what is half matched, and see nothing; what was told is remembered."""
        memory = self.memory
        end(self.tables, memory.state, memory.members, self._idle, memory.cursor, profile)
        self._stop_timers(profile)
        self.changed += 1

    def _stop_timers(self, profile: int) -> None:
        if self._temporal is not None:
            self._temporal.stop(self.memory.members, profile)

    def resume(self, profile: int) -> None:
        """Let a profile that was paused see the events that come from now on."""
        begin(self.tables, self.memory.members, self._idle, self.memory.cursor, profile)
        self.changed += 1

    def veil(self, profile: int, number: int) -> None:
        """Do not let a profile see the events under a veil, by its number; -1 is none."""
        self.memory.members.profiles[profile, at.VEIL] = number

    # -- matching ----------------------------------------------------------------------------------

    def _fit_pool(self) -> None:
        """Let the pool fit its index, to which primitives were added, or which has placed them anew."""
        index = self.known.index
        same = index.placed.layout is self._layout
        self.pool = index.widened(self.pool) if same else index.moved(self.pool)
        self._layout = index.placed.layout

    def _pool(self, batch: EventBatch) -> Pool:
        return Pool(self.known.index.tables, self.pool, self.known.index.read(batch))

    def staged(self, batch: EventBatch, veils: np.ndarray | None, rows: TimeRows | None) -> TimedBatch:
        """A batch with the time events that are due, if there are `rows` for these, and its partitions."""
        keys = np.zeros((len(self.partitions), batch.count), np.int64)
        for number, partitions in enumerate(self.partitions):
            keys[number] = partitions.of(batch)
        hidden = np.zeros((1, batch.count), np.uint8) if veils is None else veils
        staged = TimedBatch(batch, keys, hidden)
        if self._temporal is None or rows is None:
            return staged
        self._improve()
        here = self._surroundings(self._pool(batch))
        return self._temporal.staged(batch, staged, here, rows)

    def _improve(self) -> None:
        """Choose anew by what primitives are found, if that pays."""
        self.known.index.improve(self.pool.counters)
        if self.known.index.placed.layout is not self._layout:
            self._fit_pool()
            self._idle = self._pool(no_events(self.known.schema))
            self._fit_temporal()

    def process(self, staged: TimedBatch) -> Told:
        """What is told with a batch. Its events have numbers until `settle` is called."""
        batch, cursor = staged.batch, self.memory.cursor
        cursor[at.EVENT], cursor[at.PHASE] = 0, at.CLOSING
        cursor[at.LIMIT_CLOCK], cursor[at.LIMIT_FLAG] = self._limit(batch)
        self._improve()
        events = self.events.take_in(batch, staged.keys, staged.veils, staged.made)
        pool = self._pool(batch)
        while (stopped := self._advance(events, pool)) != at.FINISHED:
            self._make_room(stopped)
        if self._temporal is not None:
            self._temporal.unveil(self.memory.members)
        told = in_order(self.memory.state.told[: cursor[at.TOLD]].copy())
        cursor[at.TOLD] = 0
        self.allowance.take(told.shape[0], _TOO_MANY)
        return Told(
            told[:, at.TOLD_PROFILE],
            told[:, at.TOLD_CLOCK],
            told[:, at.TOLD_FLAG],
            told[:, at.TOLD_EVENTS :],
        )

    def _advance(self, events: Events, pool: Pool) -> int:
        memory = self.memory
        return int(advance(self.tables, events, memory.state, memory.members, pool, memory.cursor))

    def _limit(self, batch: EventBatch) -> tuple[int, int]:
        """How far time has come: at the watermark events may still come, after the end none."""
        if batch.watermark == END:
            return int(FAR), 2
        if batch.watermark == -END:
            return -int(FAR), 0
        kind = np.float64 if self.tables.is_real else np.int64
        return int(ticks_and_clock(np.array([batch.watermark], kind))[1][0]), 0

    def _make_room(self, stopped: int) -> None:
        """Give the kernel what it stopped for."""
        memory, state, cursor = self.memory, self.memory.state, self.memory.cursor
        if stopped == at.NO_MATCHED:
            memory.grow(matched=2 * int(cursor[at.MATCHED]))
        elif stopped == at.NO_TOLD:
            self.allowance.expect(state.told.shape[0], _TOO_MANY)
            memory.grow(told=2 * max(state.told.shape[0], int(cursor[at.DONE])))
        elif stopped == at.NO_DONE:
            memory.grow(done=2 * state.done.shape[0], order=2 * state.done.shape[0])
        elif cursor[at.FRESH] + cursor[at.DONE] >= state.fresh.size:
            memory.grow(fresh=2 * state.fresh.size + int(cursor[at.DONE]))
        else:
            memory.grow_records(int(cursor[at.DONE]) + 1)

    # -- what is needed ----------------------------------------------------------------------------

    def settle(self) -> np.ndarray:
        """Keep of the batch the events that are still needed, and say which: their places in it."""
        kept = self.events.kept
        held = [(memory.state.rows, memory.fresh_records()) for memory in self._memories]
        numbers = np.concatenate([rows[fresh, at.EVENTS :].reshape(-1) for rows, fresh in held])
        used = np.unique(numbers[numbers >= kept])
        for rows, fresh in held:
            own = rows[fresh, at.EVENTS :]
            rows[fresh, at.EVENTS :] = np.where(own >= kept, kept + np.searchsorted(used, own), own)
        self.events.keep(used)
        return used - kept

    @property
    def _memories(self) -> list[RecordMemory]:
        """All that holds events."""
        return [self.memory] if self._temporal is None else [self.memory, self._temporal.timers.memory]

    def clear_out(self, watermark: Ticks) -> np.ndarray | None:
        """Give up what no later match can have to do with, if that pays; which kept events are left."""
        memory, in_use = self.memory, sum(each.in_use for each in self._memories)
        if in_use + self.events.kept <= 2 * self._live + _SPARE or abs(watermark) == END:
            return None
        clock = self._limit(EventBatch(no_events(self.known.schema).events, np.zeros(0), watermark))[0]
        now = clock ^ int(FAR) if self.tables.is_real and clock < 0 else clock
        forget(self.tables, self._times(), memory.state, memory.members, memory.cursor, now)
        held = [(each.state.rows, each.live_records()) for each in self._memories]
        numbers = np.concatenate([rows[live, at.EVENTS :].reshape(-1) for rows, live in held])
        used = np.unique(numbers[numbers >= 0])
        for rows, live in held:
            own = rows[live, at.EVENTS :]
            rows[live, at.EVENTS :] = np.where(own >= 0, np.searchsorted(used, own), own)
        self.events.keep_only(used)
        self._forget_keys(np.concatenate([each.state.rows[:, : at.EVENTS] for each in self._memories]))
        self._live = sum(each.in_use for each in self._memories) + used.size
        return used

    def _times(self) -> Events:
        nothing = np.zeros((0, 0), np.int64)
        return self.events.take_in(no_events(self.known.schema), nothing, np.zeros((1, 0), np.uint8))

    def _forget_keys(self, rows: np.ndarray) -> None:
        live = rows[rows[:, at.PROFILE] != at.NONE]
        groups = self.tables.templates[
            self.memory.members.profiles[live[:, at.PROFILE], at.TEMPLATE], at.KEYS
        ]
        for number, partitions in enumerate(self.partitions):
            if partitions.are_many:
                partitions.keep_only(set(np.unique(live[groups == number, at.KEY]).tolist()))

    def revive(self, records: np.ndarray, timers: np.ndarray | None = None) -> None:
        """Make records anew that were saved, and timers."""
        self._revive(self.memory, self.memory.members, records)
        if self._temporal is not None and timers is not None:
            own = self._temporal.timers
            self._revive(own.memory, own.members(self.memory.members), timers)

    def _revive(self, memory: RecordMemory, members: Members, records: np.ndarray) -> None:
        while memory.cursor[at.FREE_COUNT] < records.shape[0]:
            memory.grow_records(records.shape[0])
        revive(self.tables, memory.state, members, self._idle, memory.cursor, records)
        memory.cursor[at.FRESH] = 0

    @property
    def figures(self) -> dict[str, int]:
        """What there is, and what was done."""
        cursor, counters = self.memory.cursor, self.pool.counters
        if self._temporal is not None:  # what sets timers is looked up too
            counters = counters + self._temporal.timers.state.counters
        return {
            "pool": int(counters[pooled.SIZE]),
            "inserted": int(counters[pooled.INSERTED]),
            "removed": int(counters[pooled.REMOVED]),
            "tested": int(counters[pooled.TESTED]),
            "found": int(counters[pooled.FOUND]),
            "looked_up": int(cursor[at.LOOKED_UP]),
            "marked": int(cursor[at.MARKED]),
            "unmarked": int(cursor[at.UNMARKED]),
            "attached": int(cursor[at.ATTACHED]),
            "detached": int(cursor[at.DETACHED]),
            "instances": int(cursor[at.MADE]),
            "expired": int(cursor[at.EXPIRED]),
            "time_events": 0 if self._temporal is None else self._temporal.count,
            "records": sum(each.in_use for each in self._memories),
            "changed": self.changed,
        }

    @property
    def state_bytes(self) -> int:
        """How much it holds."""
        return sum(each.bytes for each in self._memories) + self.events.bytes


def in_order(told: np.ndarray) -> np.ndarray:
    """Put matches of several partitions that one closing window completes in the order of their events. What
    an event completes is of one partition, and in order already."""
    closed = np.flatnonzero(told[:, at.TOLD_FLAG] != 0)
    if closed.size > 1:
        rows = told[closed]
        events = rows[:, : at.TOLD_EVENTS - 1 : -1].T  # the first position is the last key, which counts most
        order = np.lexsort((*events, rows[:, at.TOLD_PROFILE], rows[:, at.TOLD_FLAG], rows[:, at.TOLD_CLOCK]))
        told[closed] = rows[order]
    return told


def no_events(schema: EventSchema) -> EventBatch:
    """A batch without events."""
    data = pa.RecordBatch.from_pylist([], schema=schema.columns)
    return EventBatch(data, time_values(data.column(schema.time)), -END)
