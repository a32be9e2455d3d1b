"""The arrays of two stacks."""

from __future__ import annotations

import numpy as np

from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.aggregate.arrays import Arrays
from cepheid.matchers.aggregate.layout import Events, Stacks
from cepheid.matchers.aggregate.stacks.matrices import size_of

_START = 64
_SINGLE_CELLS = 2


class StacksMemory(Arrays):
    """Owns the `Stacks` and the values of kept events; kernels see each as one tuple."""

    cells = ("fronts", "backs", "turning", "own", "sums", "closed")
    crowd = "events"
    state: Stacks

    def __init__(self, steps: int, columns: int, rules: np.ndarray, width: int, max_state: int) -> None:
        self.steps = steps
        self.matrix = int(size_of(steps))
        cursor = np.zeros(at.STACKS_CURSOR_WIDTH, np.int64)
        cursor[[at.FREE_KEPT, at.ALL_FIRST, at.ALL_FINAL, at.FIRST_CHANGED]] = at.NONE
        self.columns = np.zeros((columns, 0), np.int64)
        self.valid = np.zeros((columns, 0), np.uint8)
        state = Stacks(
            rules=rules,
            events=np.zeros((0, at.KEPT_WIDTH), np.int64),
            fronts=np.zeros((0, width), np.uint64),
            free_fronts=np.zeros(0, np.int64),
            backs=np.zeros((0, width), np.uint64),
            turning=np.zeros((self.matrix + _SINGLE_CELLS, width), np.uint64),
            own=np.zeros((0, width), np.uint64),
            sums=np.zeros((0, width), np.uint64),
            partitions=np.zeros((0, at.SHARE_WIDTH), np.int64),
            groups=np.zeros((0, at.TREE_WIDTH), np.int64),
            closed=np.zeros((0, width), np.uint64),
            ended=np.zeros((0, 2), np.int64),
        )
        super().__init__(state, cursor, max_state)
        self.grow_kept()
        self.grow_fronts()

    @property
    def bytes(self) -> int:
        """How much the arrays take."""
        return super().bytes + self.columns.nbytes + self.valid.nbytes

    def kept(self, ranks: np.ndarray) -> Events:
        """The values of kept events, as kernels read those of a batch."""
        return Events(np.zeros((at.HEAD_WIDTH, 0), np.int64), self.columns, self.valid, ranks)

    def grow_kept(self) -> None:
        """Room for twice as many events; the new ones go to the free list."""
        first = self.state.events.shape[0]
        size = max(_START, 2 * first)
        events = self.longer(self.state.events, size)
        self.columns = np.ascontiguousarray(self.longer(self.columns.T, size).T)
        self.valid = np.ascontiguousarray(self.longer(self.valid.T, size).T)
        events[first:, at.KEPT_NEXT] = np.arange(first + 1, size + 1)
        events[-1, at.KEPT_NEXT] = self.cursor[at.FREE_KEPT]
        self.cursor[at.FREE_KEPT] = first
        self.cursor[at.FREE_KEPTS] += size - first
        self.state = self.state._replace(events=events)

    def grow_fronts(self) -> None:
        """Room for twice as many events that begin a match."""
        first = self.state.free_fronts.size
        size = max(_START, 2 * first)
        fronts = self.longer(self.state.fronts, size * self.steps)
        free, count = np.zeros(size, np.int64), int(self.cursor[at.FREE_FRONTS])
        free[:count] = self.state.free_fronts[:count]
        free[count : count + size - first] = np.arange(first, size)
        self.cursor[at.FREE_FRONTS] += size - first
        self.state = self.state._replace(fronts=fronts, free_fronts=free)

    def grow_partitions(self, count: int) -> None:
        """Room for `count` partitions, and more, so that growing stays rare."""
        have = self.state.partitions.shape[0]
        if count <= have:
            return
        size = max(count, 2 * have)
        partitions = self.longer(self.state.partitions, size)
        partitions[have:] = at.NONE
        partitions[have:, [at.ORDINAL, at.HOLDS, at.CHANGED]] = 0
        self.state = self.state._replace(
            partitions=partitions,
            backs=self.longer(self.state.backs, size * self.matrix),
            own=self.longer(self.state.own, size),
            sums=self.longer(self.state.sums, size),
        )

    def grow_groups(self, count: int) -> None:
        """Room for what is known of `count` groups."""
        have = self.state.closed.shape[0]
        if count <= have:
            return
        size = max(count, 2 * have)
        groups = self.longer(self.state.groups, size)
        groups[have:, at.TOP] = at.NONE
        closed, ended = self.longer(self.state.closed, size), self.longer(self.state.ended, size)
        self.state = self.state._replace(groups=groups, closed=closed, ended=ended)

    def saved(self) -> dict[str, np.ndarray]:
        """Everything, as named arrays."""
        return super().saved() | {"columns": self.columns.copy(), "valid": self.valid.copy()}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Go on from saved arrays."""
        self.columns, self.valid = arrays["columns"], arrays["valid"]
        super().restore(arrays)
