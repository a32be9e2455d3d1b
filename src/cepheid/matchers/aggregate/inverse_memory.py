"""The tables and the arrays of counting by inverses."""

from __future__ import annotations

import numpy as np

from cepheid.errors import LimitError
from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.aggregate.arrays import Arrays, Moves
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


class InverseMemory(Arrays):
    """Matrices of partitions, counts of groups, and the rows of starts."""

    state: InverseState

    def __init__(self, steps: tuple[Step, ...], most_events: int, max_state: int) -> None:
        self.size = size = len(steps)
        state = InverseState(
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
        super().__init__(state, np.zeros(at.CURSOR_WIDTH, np.int64), max_state)
        self.state.epoch[MOST] = 2 * most_events
        self.most_events = most_events
        self.grow_starts()

    def grow_starts(self) -> None:
        """Room for twice as many starts; the ring begins at its beginning again."""
        held, oldest = self.state.since.size, int(self.cursor[OLDEST])
        size, order = max(_START, 2 * held), np.roll(np.arange(held), -oldest)
        rings = {name: getattr(self.state, name)[order] for name in ("since", "partition", "rows")}
        self.cursor[OLDEST] = 0
        self.state = self.state._replace(**{name: self.longer(ring, size) for name, ring in rings.items()})

    def grow_partitions(self, count: int) -> None:
        """Room for `count` partitions, and more, so that growing stays rare."""
        have = self.state.groups.size
        if count <= have:
            return
        size = max(count, 2 * have)
        names = ("products", "inverses", "standing", "groups")
        grown = {name: self.longer(getattr(self.state, name), size) for name in names}
        for name in ("products", "inverses"):
            grown[name][have:] = np.eye(self.size, dtype=np.uint64)
        self.state = self.state._replace(**grown)

    def grow_groups(self, count: int) -> None:
        """Room for what is known of `count` groups."""
        have = self.state.totals.size
        if count <= have:
            return
        size = max(count, 2 * have)
        names = ("totals", "closed", "ended")
        grown = {name: self.longer(getattr(self.state, name), size) for name in names}
        self.state = self.state._replace(**grown)

    def widen(self, moves: Moves, width: int) -> None:
        """A count of one word was chosen for windows of so many events."""
        raise LimitError(
            f"the window holds more than max_events = {self.most_events:,} events, for which counts are wide "
            'enough: say how many it may hold, q.using("aggregate", max_events=…)'
        )
