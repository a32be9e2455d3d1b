"""Construction, as the aggregate engine's matcher drives it: its arrays, and the kernels over them."""

import numpy as np

from cepheid.matchers.aggregate import layout as agg
from cepheid.matchers.aggregate.layout import AggregateEvents, AggregateTables
from cepheid.matchers.aggregate.methods import Method, Room
from cepheid.matchers.baselines.construction import layout as at
from cepheid.matchers.baselines.construction.kernel import construct, expire_until, pack
from cepheid.matchers.baselines.construction.layout import ConstructionState
from cepheid.plan.aggregate.plan import AggregatePlan

_START = 64
_MATCHES = 1024
"""How many matches are built before they are aggregated: they then stay in the processor's cache."""


class Construction(Method):
    """Stacks of events, and a buffer in which every match is built before it is aggregated."""

    state: ConstructionState

    def __init__(self, plan: AggregatePlan, max_state: int) -> None:
        self.steps = steps = len(plan.steps)
        absences = len(plan.absences)
        self.rows_of_partition = {"partitions": 1, "stacks": steps}
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
        self.allow(size * width * self.state.events.itemsize, "events")
        packed = np.zeros((size, width), np.int64)
        self.cursor[at.USED] = pack(self.state.stacks, self.state.events, packed)
        self.replace(events=packed)

    def grow_starts(self) -> None:
        """Room for twice as many first events."""
        self.grow_ring("starts", at.OLDEST, 2 * self.state.starts.size)

    def run(self, tables: AggregateTables, events: AggregateEvents, stop: int, room: Room) -> int:
        part = events._replace(head=events.head[:, :stop])
        return int(construct(tables, part, self.state, self.matches, self.path, *room, self.cursor))

    def make_room(self, full: int) -> None:
        {agg.STARTS_FULL: self.grow_starts, at.EVENTS_FULL: self.grow_events}[full]()

    def expire_until(self, tables: AggregateTables, ranks: np.ndarray, now: int) -> int:
        expire_until(tables, self.state, self.cursor, now)
        return agg.FINISHED

    @property
    def oldest(self) -> int | None:
        if not self.cursor[at.IN_RING]:
            return None
        stack = self.state.stacks[self.state.starts[self.cursor[at.OLDEST]] * self.steps]
        slot = stack[at.OFFSET] + (stack[at.BOTTOM] & (stack[at.ROOM] - 1))
        return int(self.state.events[slot, at.MOMENT])

    def used_partitions(self, tables: AggregateTables, now: np.ndarray) -> np.ndarray | None:
        return None  # it is there to be compared with

    def used_groups(self, tables: AggregateTables) -> np.ndarray:
        return np.ones(self.state.closed.shape[0], np.bool_)

    def tally_groups(
        self, tables: AggregateTables, ranks: np.ndarray, cells: np.ndarray, ended: np.ndarray
    ) -> int:
        return agg.FINISHED  # matches were added up as they were built
