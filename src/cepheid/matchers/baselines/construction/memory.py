"""The arrays of building every match."""

from __future__ import annotations

import numpy as np

from cepheid.matchers.aggregate.arrays import Arrays
from cepheid.matchers.baselines.construction import layout as at
from cepheid.matchers.baselines.construction.kernel import pack
from cepheid.matchers.baselines.construction.layout import ConstructionState

_START = 64
_MATCHES = 1024
"""How many matches are built before they are aggregated: they then stay in the processor's cache."""


class ConstructionMemory(Arrays):
    """Stacks of events, and a buffer of matches."""

    state: ConstructionState

    def __init__(self, steps: int, absences: int, max_state: int) -> None:
        self.steps = steps
        self.matches = np.zeros((steps, _MATCHES), np.int64)
        self.path = np.zeros((2, steps), np.int64)
        state = ConstructionState(
            stacks=np.zeros((0, at.STACK_WIDTH), np.int64),
            events=np.zeros((0, at.EVENT_WIDTH + absences), np.int64),
            partitions=np.zeros((0, at.SHARE_WIDTH + absences), np.int64),
            starts=np.zeros(_START, np.int64),
            closed=np.zeros((0, 1), np.uint64),
            ended=np.zeros((0, 2), np.int64),
        )
        super().__init__(state, np.zeros(at.CONSTRUCTION_CURSOR_WIDTH, np.int64), max_state)

    @property
    def bytes(self) -> int:
        """How much the arrays take."""
        return super().bytes + self.matches.nbytes

    @property
    def figures(self) -> dict[str, int]:
        """How many matches were built, and the most objects at once, as the thesis counts them."""
        return {"built": int(self.cursor[at.BUILT]), "peak_objects": int(self.cursor[at.OBJECTS])}

    def grow_events(self) -> None:
        """The stacks one after the other, and room for each of them to grow."""
        held = int(self.state.stacks[:, at.ROOM].sum())
        size = max(_START, 3 * held + at.SMALLEST * self.steps)
        width = self.state.events.shape[1]
        self.within_budget(size * width * self.state.events.itemsize)
        packed = np.zeros((size, width), np.int64)
        self.cursor[at.USED] = pack(self.state.stacks, self.state.events, packed)
        self.state = self.state._replace(events=packed)

    def grow_starts(self) -> None:
        """Room for twice as many first events; the ring begins at its beginning again."""
        held, oldest = self.state.starts.size, int(self.cursor[at.OLDEST])
        ring = np.roll(self.state.starts, -oldest)
        self.cursor[at.OLDEST] = 0
        self.state = self.state._replace(starts=self.longer(ring, 2 * held))

    def grow_partitions(self, count: int) -> None:
        """Room for `count` partitions, and more, so that growing stays rare."""
        have = self.state.partitions.shape[0]
        if count <= have:
            return
        size = max(count, 2 * have)
        self.state = self.state._replace(
            partitions=self.longer(self.state.partitions, size),
            stacks=self.longer(self.state.stacks, size * self.steps),
        )

    def grow_groups(self, count: int) -> None:
        """Room for what is known of `count` groups."""
        have = self.state.closed.shape[0]
        if count <= have:
            return
        size = max(count, 2 * have)
        closed, ended = self.longer(self.state.closed, size), self.longer(self.state.ended, size)
        self.state = self.state._replace(closed=closed, ended=ended)
