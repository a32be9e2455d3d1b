"""The arrays that the single step works on, grown within max_state."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from cepheid.matchers.arrays import Arrays
from cepheid.matchers.profile.one_step import layout as at
from cepheid.matchers.profile.one_step.layout import Members, Memory
from cepheid.matchers.profile.one_step.records import relink
from cepheid.matchers.profile.one_step.step_set import StepSet

_FIRST = 1024
_CALLED = {"rows": "what is half matched", "told": "matches", "done": "matches"}


class RecordMemory(Arrays):
    """Records, lists and heap."""

    refusal: ClassVar[str] = (
        "the profiles would hold more than max_state = {max_state:,} bytes with {growing}: use fewer "
        "profiles, shorter windows, consume= or once=, or a larger max_state="
    )

    def __init__(self, positions: int, told: int, max_state: int) -> None:
        state = Memory(
            rows=np.zeros((0, at.EVENTS + positions), np.int64),
            buckets=np.full(_FIRST, at.NONE, np.int64),
            heap=np.zeros(0, np.int64),
            fresh=np.zeros(0, np.int64),
            bound=np.full(1, at.NONE, np.int64),
            registers=np.zeros((1, 2), np.int64),
            done=np.zeros((_FIRST, at.DONE_EVENTS + positions), np.int64),
            order=np.zeros(_FIRST, np.int64),
            told=np.zeros((_FIRST, told), np.int64),
            matched=np.zeros(_FIRST, np.int64),
            hits=np.zeros(0, np.int32),
        )
        cursor = np.zeros(at.CURSOR_SIZE, np.int64)
        cursor[at.FREE] = at.NONE
        super().__init__(state, cursor, max_state)

    @property
    def in_use(self) -> int:
        """How many records there are."""
        return int(self.state.rows.shape[0] - self.cursor[at.FREE_COUNT])

    def grow_records(self, least: int) -> None:
        """Let there be more records, and lists for them."""
        old = self.state.rows.shape[0]
        size = max(2 * old, old + least)
        self.grow(rows=size, heap=size, fresh=max(2 * size, self.state.fresh.size))
        rows = self.state.rows
        rows[old:, at.NEXT] = np.arange(old + 1, size + 1)
        rows[-1, at.NEXT] = self.cursor[at.FREE]
        rows[old:, at.PROFILE] = at.NONE
        self.cursor[at.FREE] = old
        self.cursor[at.FREE_COUNT] += size - old
        if self.state.buckets.size < size:
            buckets = np.full(1 << int(size - 1).bit_length(), at.NONE, np.int64)
            self.allow(buckets.nbytes, "buckets")
            relink(rows, self.state.buckets, buckets)
            self.replace(buckets=buckets)

    def fresh_records(self) -> np.ndarray:
        """The records of the batch at hand that hold events; from now on they are not fresh."""
        rows, cursor = self.state.rows, self.cursor
        fresh = np.unique(self.state.fresh[: cursor[at.FRESH]])
        cursor[at.FRESH] = 0
        found: np.ndarray = fresh[(rows[fresh, at.PROFILE] != at.NONE) & (rows[fresh, at.STATE] != at.MEMORY)]
        return found

    def live_records(self) -> np.ndarray:
        """All records that hold events."""
        rows = self.state.rows
        return np.flatnonzero((rows[:, at.PROFILE] != at.NONE) & (rows[:, at.STATE] != at.MEMORY))

    def called(self, name: str) -> str:
        """What users would call the rows of an array."""
        return _CALLED.get(name, "what they wait for")


class StepMemory(RecordMemory):
    """Records, lists and heap, and what is known of each profile and primitive."""

    tuples: ClassVar[dict[str, str]] = {"state": "", "members": ""}

    def __init__(self, known: StepSet, max_state: int) -> None:
        width = known.tables.most_positions
        super().__init__(width, at.TOLD_EVENTS + width, max_state)
        self.members = Members(
            profiles=np.zeros((0, at.VEIL + 1), np.int32),
            references=np.zeros((0, at.WAITING + 1), np.int32),
            primitives=np.zeros((0, at.USES + 1), np.int32),
            records=np.zeros(0, np.int64),
        )
        self.fresh = {"records": at.NONE}
        self.widen(known)
        self.grow_records(_FIRST)

    def widen(self, known: StepSet) -> None:
        """Make room for profiles that were added."""
        profiles, references, primitives = known.count, known.profile.count, known.index.count
        had = [array.shape[0] for array in self.members[:3]]
        self.extend(profiles=profiles, references=references, primitives=primitives, records=profiles)
        self.extend(hits=max(primitives, 1))
        of_profiles, of_references, of_primitives = (
            array[count:] for array, count in zip(self.members[:3], had, strict=True)
        )
        of_profiles[:, at.TEMPLATE] = known.template.rows[had[0] :]
        of_profiles[:, at.FIRST_REFERENCE] = known.first_reference.rows[had[0] :]
        of_profiles[:, at.VEIL] = at.NONE
        of_references[:, at.OWNER] = known.profile.rows[had[1] :]
        of_references[:, at.PRIMITIVE] = known.primitive.rows[had[1] :]
        of_references[:, at.FOLLOWING : at.PRECEDING + 1] = at.NONE
        of_primitives[:, at.FIRST] = at.NONE
        tables, state = known.tables, self.state
        if state.rows.shape[1] < at.EVENTS + tables.most_positions:
            self._widen_rows(tables.most_positions)
        self.replace(
            bound=np.full(tables.most_parts + tables.most_positions + 1, at.NONE, np.int64),
            registers=np.zeros((tables.registers + 1, 2), np.int64),
        )

    def _widen_rows(self, positions: int) -> None:
        """Longer matches need longer rows; what they did not have is NONE."""
        state = self.state
        rows = np.full((state.rows.shape[0], at.EVENTS + positions), at.NONE, np.int64)
        rows[:, : state.rows.shape[1]] = state.rows
        self.replace(
            rows=rows,
            done=np.zeros((state.done.shape[0], at.DONE_EVENTS + positions), np.int64),
            told=np.zeros((state.told.shape[0], at.TOLD_EVENTS + positions), np.int64),
        )
