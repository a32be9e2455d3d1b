"""The arrays of counting by inverses: made, grown within a budget, saved and restored."""

from __future__ import annotations

import numpy as np

from cepheid.errors import LimitError
from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.aggregate.inverse_layout import (
    EPOCH_WIDTH,
    MOST,
    OLDEST,
    InverseState,
    InverseTables,
)
from cepheid.plan.nodes import AggregatePlan, Step

_START = 64


def inverse_tables(plan: AggregatePlan, window: np.ndarray) -> InverseTables:
    """What an event that passes some of the tests does, for all of their combinations."""
    size = len(plan.steps)
    masks = 1 << (1 + max(step.test for step in plan.steps))
    taken, completes = np.zeros((masks, 4), np.int64), np.zeros(masks, np.uint8)
    moves: list[tuple[int, int]] = []
    for mask in range(masks):
        passed = [(q, step) for q, step in enumerate(plan.steps) if mask >> step.test & 1]
        pairs = [(before, q) for q, step in passed for before in step.after]
        begun = [(at.NONE, q) for q, step in passed if step.begins]
        for place, listed in enumerate((_by_column(pairs), _by_row(pairs), begun)):
            taken[mask, place] = len(moves)
            moves += listed
            taken[mask, place + 1] = len(moves)
        completes[mask] = any(step.ends for _, step in passed)
    ends = [q for q, step in enumerate(plan.steps) if step.ends]
    return InverseTables(
        size, taken, np.array(moves or [(0, 0)], np.int64), completes, np.array(ends, np.int64), window
    )


def _by_column(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """A column is added to while those before it are as they were."""
    return sorted(pairs, key=lambda pair: -pair[1])


def _by_row(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """A row is taken from once those behind it are as they will be."""
    return sorted(pairs, key=lambda pair: -pair[0])


class InverseMemory:
    """Owns the `InverseState`; kernels see it as one tuple."""

    def __init__(self, steps: tuple[Step, ...], most_events: int, max_state: int) -> None:
        self.max_state = max_state
        self.size = size = len(steps)
        self.peak = 0
        self.cursor = np.zeros(at.CURSOR_WIDTH, np.int64)
        self.state = InverseState(
            products=np.zeros((0, size, size), np.uint64),
            inverses=np.zeros((0, size, size), np.uint64),
            standing=np.zeros((0, size), np.uint64),
            groups=np.zeros(0, np.int64),
            totals=np.zeros(0, np.uint64),
            since=np.zeros(0, np.int64),
            partition=np.zeros(0, np.int64),
            rows=np.zeros((0, size), np.uint64),
            ordinal=np.zeros(1, np.int64),
            epoch=np.zeros(EPOCH_WIDTH, np.int64),
            closed=np.zeros((0, 1), np.uint64),
            ended=np.zeros((0, 2), np.int64),
        )
        self.state.epoch[MOST] = 2 * most_events
        self.most_events = most_events
        self.grow_starts()

    @property
    def bytes(self) -> int:
        """How much the arrays take."""
        return sum(array.nbytes for array in self.state)

    def grow_starts(self) -> None:
        """Room for twice as many starts; the ring begins at its beginning again."""
        held, oldest = self.state.since.size, int(self.cursor[OLDEST])
        size = max(_START, 2 * held)
        self._within_budget((size - held) * 8 * (2 + self.size))
        order = np.roll(np.arange(held), -oldest)
        grown = {}
        for name in ("since", "partition", "rows"):
            old = getattr(self.state, name)
            grown[name] = np.zeros((size, *old.shape[1:]), old.dtype)
            grown[name][:held] = old[order]
        self.cursor[OLDEST] = 0
        self.state = self.state._replace(**grown)

    def grow_partitions(self, count: int) -> None:
        """Room for `count` partitions, and more, so that growing stays rare."""
        have = self.state.groups.size
        if count <= have:
            return
        size = max(count, 2 * have)
        self._within_budget((size - have) * 8 * (2 * self.size**2 + self.size + 1))
        grown = {}
        for name in ("products", "inverses", "standing", "groups"):
            old = getattr(self.state, name)
            grown[name] = np.zeros((size, *old.shape[1:]), old.dtype)
            grown[name][:have] = old
        for name in ("products", "inverses"):
            grown[name][have:] = np.eye(self.size, dtype=np.uint64)
        self.state = self.state._replace(**grown)

    def grow_groups(self, count: int) -> None:
        """Room for what is known of `count` groups."""
        have = self.state.totals.size
        if count <= have:
            return
        size = max(count, 2 * have)
        totals = np.zeros(size, np.uint64)
        totals[:have] = self.state.totals
        self.state = self.state._replace(
            totals=totals, closed=np.zeros((size, 1), np.uint64), ended=np.zeros((size, 2), np.int64)
        )

    def widen(self, moves: object, width: int) -> None:
        """A count of one word was chosen for windows of so many events."""
        raise LimitError(
            f"the window holds more than max_events = {self.most_events:,} events, for which counts are wide "
            'enough: say how many it may hold, q.using("aggregate", max_events=…)'
        )

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
        self.state = InverseState(**{name: arrays[name] for name in InverseState._fields})
        self.peak = max(self.peak, self.bytes)
