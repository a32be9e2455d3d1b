"""The arrays of Chop-Connect."""

import numpy as np

from cepheid.matchers.aggregate.cell_arrays import CellArrays
from cepheid.matchers.baselines.chop_connect import layout as at
from cepheid.matchers.baselines.chop_connect.layout import ChopState

_START = 64


class ChopMemory(CellArrays):
    """The pool of counters and snapshots, the queues of active starts, and totals."""

    crowd = "first events, or events that segments begin with,"
    rows_of_group = ("totals",)
    state: ChopState

    def __init__(self, roots: int, totals: int, max_state: int) -> None:
        self.roots = roots
        self.rows_of_partition = {"queues": roots, "groups": 1}
        state = ChopState(
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
        self.grow(pool=max(_START, 2 * have, used + int(self.cursor[at.WANTED])))

    def grow_ring_of_starts(self) -> None:
        """Room for twice as many starts, and for all that one event may be."""
        have = self.state.ring.shape[0]
        self.grow_ring("ring", at.OLDEST, max(_START, 2 * have, have + self.roots))

    def used(self) -> dict[str, int]:
        """Of the pool, what is in use."""
        return {"pool": int(self.cursor[at.USED])}
