"""Start event marking, as the matcher drives it: its arrays, and the kernels over them."""

from typing import ClassVar

import numpy as np

from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.aggregate.layout import AggregateEvents, AggregateTables, MarkingState
from cepheid.matchers.aggregate.marking.kernel import expire_until, mark, tally_groups
from cepheid.matchers.aggregate.methods import Method, Room
from cepheid.matchers.aggregate.periods import still_within
from cepheid.matchers.aggregate.tables import cell_width
from cepheid.matchers.arrays import chained, free_rows
from cepheid.plan.aggregate.plan import AggregatePlan

_START = 64


class Marking(Method):
    """Counters for each first event in the window, whole matches, partitions and groups."""

    cells: ClassVar[tuple[str, ...]] = ("cells", "totals", "closed")
    state: MarkingState

    def __init__(self, plan: AggregatePlan, max_state: int) -> None:
        self.steps, absences, width = len(plan.steps), len(plan.absences), cell_width(plan, 1)
        self.rows_of_partition = {"partitions": 1}
        cursor = np.zeros(at.CURSOR_WIDTH, np.int64)
        cursor[[at.FREE_START, at.FREE_DONE, at.ALL_FIRST, at.ALL_FINAL]] = at.NONE
        state = MarkingState(
            starts=np.zeros((0, at.START_WIDTH), np.int64),
            cells=np.zeros((0, width), np.uint64),
            done=np.zeros((0, at.DONE_WIDTH), np.int64),
            totals=np.zeros((0, width), np.uint64),
            partitions=np.zeros((0, at.PARTITION_WIDTH + 2 * absences), np.int64),
            closed=np.zeros((0, width), np.uint64),
            ended=np.zeros((0, 2), np.int64),
        )
        super().__init__(state, cursor, max_state)
        self.fresh["partitions"] = np.zeros(state.partitions.shape[1], np.int64)
        self.fresh["partitions"][[at.FIRST, at.FINAL]] = at.NONE
        self.grow_starts()
        self.grow_done()

    def grow_starts(self) -> None:
        """Room for twice as many starts."""
        first = self.state.starts.shape[0]
        size = max(_START, self.steps, 2 * first)
        self.grow(starts=size, cells=size * self.steps)
        free_rows(self.state.starts[:, at.NEXT], first, self.cursor, at.FREE_START, at.FREE_STARTS)

    def grow_done(self) -> None:
        """Room for as many whole matches as the open starts may need at an event."""
        first = self.state.done.shape[0]
        wanted = (int(self.cursor[at.OPEN]) + 1) * self.steps
        size = max(_START, 2 * first, first + wanted)
        self.grow(done=size, totals=size)
        free_rows(self.state.done[:, at.DONE_NEXT], first, self.cursor, at.FREE_DONE, at.FREE_DONES)

    def run(self, tables: AggregateTables, events: AggregateEvents, stop: int, room: Room) -> int:
        scratch = np.zeros((1, self.state.cells.shape[1]), np.uint64)
        self.cursor[at.ROWS] = 0
        return int(mark(tables, events, self.state, stop, *room, scratch, self.cursor))

    def make_room(self, full: int) -> None:
        {at.STARTS_FULL: self.grow_starts, at.DONES_FULL: self.grow_done}[full]()

    def expire_until(self, tables: AggregateTables, ranks: np.ndarray, now: int) -> int:
        expire_until(tables, ranks, self.state, self.cursor, now)
        return at.FINISHED

    @property
    def oldest(self) -> int | None:
        first = self.cursor[at.ALL_FIRST]
        return None if first == at.NONE else int(self.state.starts[first, at.SINCE])

    def used_partitions(self, tables: AggregateTables, now: np.ndarray) -> np.ndarray | None:
        """Those with an open start, or with something absent in a window that has not closed."""
        rows = self.state.partitions
        used: np.ndarray = rows[:, at.FIRST] != at.NONE
        for place in range(at.PARTITION_WIDTH, rows.shape[1], 2):
            used |= (rows[:, place] != 0) & still_within(tables.window, rows[:, place + 1], now)
        return used

    def keep_partitions(self, kept: np.ndarray) -> np.ndarray:
        places = super().keep_partitions(kept)
        owners = self.state.starts[:, at.OF_PARTITION]
        owners[:] = places[owners]
        return places

    def used_groups(self, tables: AggregateTables) -> np.ndarray:
        used: np.ndarray = self.state.ended[:, 0] != 0
        used |= self.state.closed.any(axis=1)
        used[self.state.done[self._in_use(), at.DONE_GROUP]] = True
        return used

    def keep_groups(self, kept: np.ndarray) -> np.ndarray:
        places = super().keep_groups(kept)
        own = self._in_use()
        self.state.done[own, at.DONE_GROUP] = places[self.state.done[own, at.DONE_GROUP]]
        return places

    def _in_use(self) -> np.ndarray:
        """The rows of whole matches that belong to an open start."""
        return ~chained(int(self.cursor[at.FREE_DONE]), self.state.done[:, at.DONE_NEXT])

    def tally_groups(
        self, tables: AggregateTables, ranks: np.ndarray, cells: np.ndarray, ended: np.ndarray
    ) -> int:
        tally_groups(tables, ranks, self.state, self.cursor, cells, ended)
        return at.FINISHED
