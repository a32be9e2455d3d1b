"""The arrays of Chop-Connect."""

from __future__ import annotations

import numpy as np

from cepheid.matchers.aggregate.arrays import Arrays
from cepheid.matchers.baselines.chop_connect import layout as at
from cepheid.matchers.baselines.chop_connect.layout import State

_START = 64


class Memory(Arrays):
    """The pool of counters and snapshots, the queues of active starts, and totals."""

    crowd = "first events, or events that segments begin with,"
    state: State

    def __init__(self, roots: int, totals: int, max_state: int) -> None:
        self.roots = roots
        state = State(
            pool=np.zeros(0, np.int64),
            free=np.full(at.CLASSES, at.NONE, np.int64),
            queues=np.zeros((0, at.QUEUE_WIDTH), np.int64),
            groups=np.zeros(0, np.int64),
            totals=np.zeros((0, totals), np.int64),
            ring=np.zeros((0, 2), np.int64),
        )
        super().__init__(state, np.zeros(at.CURSOR_WIDTH, np.int64), max_state)

    def grow_pool(self) -> None:
        """Room for what the next event wants, and as much again."""
        have, used = self.state.pool.size, int(self.cursor[at.USED])
        size = max(_START, 2 * have, used + int(self.cursor[at.WANTED]))
        self.state = self.state._replace(pool=self.longer(self.state.pool, size))

    def grow_ring(self) -> None:
        """Room for twice as many starts, and for all that one event may be; the ring begins at 0 again."""
        ring = np.roll(self.state.ring, -int(self.cursor[at.OLDEST]), axis=0)
        self.cursor[at.OLDEST] = 0
        size = max(_START, 2 * ring.shape[0], ring.shape[0] + self.roots)
        self.state = self.state._replace(ring=self.longer(ring, size))

    def grow_partitions(self, count: int) -> None:
        """Room for `count` partitions, and more, so that growing stays rare."""
        have = self.state.groups.size
        if count > have:
            size = max(count, 2 * have)
            queues = self.longer(self.state.queues, size * self.roots)
            self.state = self.state._replace(queues=queues, groups=self.longer(self.state.groups, size))

    def grow_groups(self, count: int) -> None:
        """Room for the totals of `count` groups."""
        have = self.state.totals.shape[0]
        if count > have:
            totals = self.longer(self.state.totals, max(count, 2 * have))
            self.state = self.state._replace(totals=totals)

    def saved(self) -> dict[str, np.ndarray]:
        """Everything, as named arrays; of the pool, what is in use."""
        arrays = super().saved()
        arrays["pool"] = arrays["pool"][: int(self.cursor[at.USED])]
        return arrays
