"""The timers of all SILENCEs of a set: which events set them, and which of them are over."""

# mypy: allow-untyped-calls
from __future__ import annotations

import numpy as np

from cepheid.matchers.profile.one_step import layout as at
from cepheid.matchers.profile.one_step import step_set
from cepheid.matchers.profile.one_step.layout import Events, Members, Tables, WatchPool
from cepheid.matchers.profile.one_step.memory import RecordMemory
from cepheid.matchers.profile.one_step.step_set import StepSet
from cepheid.matchers.profile.one_step.timers import fall_silent, set_from, stop_timers, watch_events
from cepheid.matchers.profile.pool.index import longer
from cepheid.matchers.profile.pool.kernel import insert_many
from cepheid.matchers.profile.pool.layout import PoolEvents

_FIRST = 64


class SilentTimers:
    """Timers are records in a memory of their own; what sets them is found by a state of the set's index."""

    def __init__(self, known: StepSet, max_state: int) -> None:
        self.memory = RecordMemory(1, at.SILENT_WIDTH, max_state)
        self.memory.grow_records(_FIRST)
        self.state, self._layout = known.index.state(), known.index.placed.layout
        self._records, self._first, self._next = (np.zeros(0, np.int64) for _ in range(3))
        self.widen(known)

    def widen(self, known: StepSet) -> None:
        """Let there be the timers of profiles that were added, and fit an index that has changed."""
        index, rows, old = known.index, known.timers.rows, self._next.size
        same = index.placed.layout is self._layout
        self.state = index.widened(self.state) if same else index.moved(self.state)
        self._layout, self._index = index.placed.layout, index
        self._records = longer(self._records, known.count, at.NONE)
        self._first = longer(self._first, index.count, at.NONE)
        self._next = longer(self._next, rows.shape[0], at.NONE)
        for number, primitive in enumerate(rows[old:, step_set.TIMER_WATCHED].tolist(), old):
            self._next[number], self._first[primitive] = self._first[primitive], number
        insert_many(index.tables, self.state, rows[old:, step_set.TIMER_WATCHED].astype(np.int32))
        self._profile, self._rank, self._length = (
            np.ascontiguousarray(rows[:, column])
            for column in (step_set.TIMER_PROFILE, step_set.TIMER_RANK, step_set.TIMER_LENGTH)
        )
        self._since_start = rows[:, step_set.TIMER_HAS_KEYS] == 0
        self._hits = np.zeros(max(index.count, 1), np.int32)

    def members(self, members: Members) -> Members:
        """The profiles, with their timers as records."""
        return members._replace(records=self._records)

    def begin(
        self, tables: Tables, members: Members, events: PoolEvents, start: int, own: np.ndarray
    ) -> None:
        """Without keys, silence may begin with the profile: set the timers of these profiles from now on."""
        numbers = np.flatnonzero(self._since_start & np.isin(self._profile, own))
        memory = self.memory
        while memory.cursor[at.FREE_COUNT] < numbers.size:
            memory.grow_records(numbers.size)
        if memory.cursor[at.FRESH] + numbers.size > memory.state.fresh.size:
            memory.grow(fresh=2 * memory.state.fresh.size + numbers.size)
        memory.cursor[at.GROUP_CLOCK] = start
        set_from(tables, memory.state, self.members(members), self._pool(events), memory.cursor, numbers)

    def stop(self, members: Members, profile: int) -> None:
        """Take off the timers of a profile."""
        stop_timers(self.memory.state, self.members(members), self.memory.cursor, profile)

    def silences(
        self, tables: Tables, events: Events, members: Members, read: PoolEvents, limit: int
    ) -> np.ndarray:
        """The silences that are over before a clock, and before events that qualify: rows of `SILENT_…`."""
        memory, own, pool = self.memory, self.members(members), self._pool(read)
        cursor = memory.cursor
        cursor[at.EVENT], cursor[at.TOLD], cursor[at.LIMIT_CLOCK] = 0, 0, limit
        while (stopped := watch_events(tables, events, memory.state, own, pool, cursor)) != at.FINISHED:
            self._make_room(stopped)
        while fall_silent(memory.state, own, cursor) != at.FINISHED:
            self._make_room(at.NO_TOLD)
        found: np.ndarray = memory.state.told[: cursor[at.TOLD]].copy()
        return found

    def _pool(self, read: PoolEvents) -> WatchPool:
        return WatchPool(
            self._index.tables,
            self.state,
            read,
            self._first,
            self._next,
            self._profile,
            self._rank,
            self._length,
            self._hits,
        )

    def _make_room(self, stopped: int) -> None:
        memory, state, cursor = self.memory, self.memory.state, self.memory.cursor
        most = self._next.size
        if stopped == at.NO_TOLD:
            memory.grow(told=2 * state.told.shape[0] + most)
        elif cursor[at.FRESH] + most > state.fresh.size:
            memory.grow(fresh=2 * state.fresh.size + most)
        else:
            memory.grow_records(most)

    def moved(self, numbers: np.ndarray, kept: int) -> None:
        """Events of the batch have come to other places: let the timers that were just set know them."""
        memory = self.memory
        fresh = np.unique(memory.state.fresh[: memory.cursor[at.FRESH]])
        rows = memory.state.rows
        fresh = fresh[(rows[fresh, at.PROFILE] != at.NONE) & (rows[fresh, at.EVENTS] >= kept)]
        rows[fresh, at.EVENTS] = kept + numbers[rows[fresh, at.EVENTS] - kept]
