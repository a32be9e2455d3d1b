"""The arrays of start event marking."""

from __future__ import annotations

import numpy as np

from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.aggregate.arrays import Arrays
from cepheid.matchers.aggregate.layout import State

_START = 64


class Memory(Arrays):
    """Starts and their counters, whole matches, partitions and groups."""

    cells = ("cells", "totals", "closed")
    state: State

    def __init__(self, steps: int, absences: int, width: int, max_state: int) -> None:
        self.steps = steps
        cursor = np.zeros(at.CURSOR_WIDTH, np.int64)
        cursor[[at.FREE_START, at.FREE_DONE, at.ALL_FIRST, at.ALL_FINAL]] = at.NONE
        state = State(
            starts=np.zeros((0, at.START_WIDTH), np.int64),
            cells=np.zeros((0, width), np.uint64),
            done=np.zeros((0, at.DONE_WIDTH), np.int64),
            totals=np.zeros((0, width), np.uint64),
            partitions=np.zeros((0, at.PARTITION_WIDTH + 2 * absences), np.int64),
            closed=np.zeros((0, width), np.uint64),
            ended=np.zeros((0, 2), np.int64),
        )
        super().__init__(state, cursor, max_state)
        self.grow_starts()
        self.grow_done()

    def grow_starts(self) -> None:
        """Room for twice as many starts; the new ones go to the free list."""
        first = self.state.starts.shape[0]
        size = max(_START, self.steps, 2 * first)
        starts = self.longer(self.state.starts, size)
        cells = self.longer(self.state.cells, size * self.steps)
        self._free(starts[:, at.NEXT], first, at.FREE_START, at.FREE_STARTS)
        self.state = self.state._replace(starts=starts, cells=cells)

    def grow_done(self) -> None:
        """Room for as many whole matches as the open starts may need at an event."""
        first = self.state.done.shape[0]
        wanted = (int(self.cursor[at.OPEN]) + 1) * self.steps
        size = max(_START, 2 * first, first + wanted)
        done, totals = self.longer(self.state.done, size), self.longer(self.state.totals, size)
        self._free(done[:, at.DONE_NEXT], first, at.FREE_DONE, at.FREE_DONES)
        self.state = self.state._replace(done=done, totals=totals)

    def _free(self, links: np.ndarray, first: int, head: int, count: int) -> None:
        links[first:] = np.arange(first + 1, links.size + 1)
        links[-1] = self.cursor[head]
        self.cursor[head] = first
        self.cursor[count] += links.size - first

    def grow_partitions(self, count: int) -> None:
        """Room for `count` partitions, and more, so that growing stays rare."""
        have = self.state.partitions.shape[0]
        if count > have:
            partitions = self.longer(self.state.partitions, max(count, 2 * have))
            partitions[have:, [at.FIRST, at.FINAL]] = at.NONE
            self.state = self.state._replace(partitions=partitions)

    def grow_groups(self, count: int) -> None:
        """Room for what is known of `count` groups."""
        have = self.state.closed.shape[0]
        if count > have:
            size = max(count, 2 * have)
            closed, ended = self.longer(self.state.closed, size), self.longer(self.state.ended, size)
            self.state = self.state._replace(closed=closed, ended=ended)
