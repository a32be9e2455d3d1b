"""The arrays of a running aggregate: made, grown within a budget, widened, saved and restored."""

from __future__ import annotations

import numpy as np

from cepheid.errors import LimitError
from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.aggregate.layout import State

_START = 64


class Memory:
    """Owns the `State`; kernels see it as one tuple."""

    def __init__(self, steps: int, absences: int, width: int, max_state: int) -> None:
        self.max_state = max_state
        self.steps = steps
        self.peak = 0
        self.cursor = np.zeros(at.CURSOR_WIDTH, np.int64)
        self.cursor[[at.FREE_START, at.FREE_DONE, at.ALL_FIRST, at.ALL_FINAL]] = at.NONE
        self.state = State(
            starts=np.zeros((0, at.START_WIDTH), np.int64),
            cells=np.zeros((0, width), np.uint64),
            done=np.zeros((0, at.DONE_WIDTH), np.int64),
            totals=np.zeros((0, width), np.uint64),
            partitions=np.zeros((0, at.PARTITION_WIDTH + 2 * absences), np.int64),
            closed=np.zeros((0, width), np.uint64),
            ended=np.zeros((0, 2), np.int64),
        )
        self.grow_starts()
        self.grow_done()

    @property
    def bytes(self) -> int:
        """How much the arrays take."""
        return sum(array.nbytes for array in self.state)

    def grow_starts(self) -> None:
        """Room for twice as many starts; the new ones go to the free list."""
        first = self.state.starts.shape[0]
        size = max(_START, self.steps, 2 * first)
        starts = self._longer(self.state.starts, size)
        cells = self._longer(self.state.cells, size * self.steps)
        self._free(starts[:, at.NEXT], first, at.FREE_START, at.FREE_STARTS)
        self.state = self.state._replace(starts=starts, cells=cells)

    def grow_done(self) -> None:
        """Room for as many whole matches as the open starts may need at an event."""
        first = self.state.done.shape[0]
        wanted = (int(self.cursor[at.OPEN]) + 1) * self.steps
        size = max(_START, 2 * first, first + wanted)
        done, totals = self._longer(self.state.done, size), self._longer(self.state.totals, size)
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
            partitions = self._longer(self.state.partitions, max(count, 2 * have))
            partitions[have:, [at.FIRST, at.FINAL]] = at.NONE
            self.state = self.state._replace(partitions=partitions)

    def grow_groups(self, count: int) -> None:
        """Room for what is known of `count` groups."""
        have = self.state.closed.shape[0]
        if count > have:
            size = max(count, 2 * have)
            closed, ended = self._longer(self.state.closed, size), self._longer(self.state.ended, size)
            self.state = self.state._replace(closed=closed, ended=ended)

    def widen(self, moves: list[tuple[slice, slice, bool]], width: int) -> None:
        """Cells of more words; what has a sign keeps it."""
        for name in ("cells", "totals", "closed"):
            old = getattr(self.state, name)
            self._within_budget(old.shape[0] * (width - old.shape[1]) * old.itemsize)
            wider = np.zeros((old.shape[0], width), np.uint64)
            for source, target, signed in moves:
                words = old[:, source]
                wider[:, target][:, : words.shape[1]] = words
                if signed:
                    sign = words[:, -1].astype(np.int64) >> 63
                    wider[:, target][:, words.shape[1] :] = sign.astype(np.uint64)[:, None]
            self.state = self.state._replace(**{name: wider})

    def _longer(self, array: np.ndarray, size: int) -> np.ndarray:
        self._within_budget((size - array.shape[0]) * array.shape[1] * array.itemsize)
        longer = np.zeros((size, array.shape[1]), array.dtype)
        longer[: array.shape[0]] = array
        return longer

    def _within_budget(self, more: int) -> None:
        if self.bytes + more > self.max_state:
            raise LimitError(
                f"the aggregate's state would pass max_state = {self.max_state:,} bytes: too many first "
                "events are in the window at once. Bound it: a shorter WITHIN, more selective conditions, "
                "or a larger max_state="
            )
        self.peak = max(self.peak, self.bytes + more)

    def saved(self) -> dict[str, np.ndarray]:
        """Everything, as named arrays."""
        return {"cursor": self.cursor.copy(), **{n: a.copy() for n, a in self.state._asdict().items()}}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Go on from saved arrays."""
        self.cursor[:] = arrays["cursor"]
        self.state = State(**{name: arrays[name] for name in State._fields})
        self.peak = max(self.peak, self.bytes)
