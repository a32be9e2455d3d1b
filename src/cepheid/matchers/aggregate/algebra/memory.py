"""The arrays of counting by algebra: numbers of partitions, rings of starts, totals of groups."""

import numpy as np

from cepheid.errors import LimitError
from cepheid.matchers.aggregate import layout as agg
from cepheid.matchers.aggregate.algebra import layout as at
from cepheid.matchers.aggregate.algebra.layout import AlgebraState
from cepheid.matchers.aggregate.cell_arrays import CellArrays, Moves
from cepheid.matchers.aggregate.periods import TIMELESS
from cepheid.matchers.arrays import row_bytes
from cepheid.matchers.windows import leading_within
from cepheid.plan.aggregate.algebra import ONE

_START = 64


class AlgebraMemory(CellArrays):
    """Grows by partitions, groups and starts."""

    rows_of_group = ("totals",)
    rows_of_partition = dict.fromkeys(("numbers", "starts", "sights", "own", "groups", "gaps"), 1)
    state: AlgebraState

    def __init__(
        self,
        numbers: int,
        most_events: list[int],
        max_state: int,
        *,
        limbs: int = 1,
        totals: int = 0,
        gaps: int = 0,
        scratch: int = 1,
    ) -> None:
        lanes, deep = len(most_events), (limbs,) if limbs > 1 else ()
        state = AlgebraState(
            numbers=np.zeros((0, numbers, *deep), np.uint64),
            starts=np.zeros(0, np.int64),
            sights=np.zeros((0, lanes, at.SIGHT_WIDTH), np.int64),
            rings=np.zeros((lanes, at.RING_WIDTH), np.int64),
            entries=np.zeros((lanes, 0, at.ENTRY_WIDTH), np.int64),
            rows=np.zeros((0, 1, *deep), np.uint64),
            own=np.zeros((0, totals), np.uint64),
            groups=np.zeros(0, np.int64),
            totals=np.zeros((0, totals), np.uint64),
            scratch=np.zeros((1, max(limbs, scratch)), np.uint64),
            gaps=np.zeros((0, gaps), np.uint64),
        )
        super().__init__(state, np.zeros(at.CURSOR_WIDTH, np.int64), max_state)
        one = np.zeros(state.numbers.shape[1:], np.uint64)
        one.reshape(numbers, -1)[ONE, 0] = 1
        unseen = np.zeros((lanes, at.SIGHT_WIDTH), np.int64)
        unseen[:, : at.SEEN] = agg.NONE  # no start is blocked
        self.fresh = {"numbers": one, "sights": unseen, "groups": agg.NONE}
        self.state.rings[:, at.MOST] = [2 * most for most in most_events]
        self.grow_starts()

    @property
    def room(self) -> int:
        """How many starts a lane has room for."""
        return int(self.state.entries.shape[1])

    def grow_starts(self) -> None:
        """Room for twice as many starts; each ring begins at its beginning again."""
        old, room = self.state, max(_START, 2 * self.room)
        lanes, held = old.entries.shape[:2]
        self.allow(lanes * (room - held) * (at.ENTRY_WIDTH * 8 + row_bytes(old.rows)), "entries")
        entries = np.zeros((lanes, room, at.ENTRY_WIDTH), np.int64)
        rows = np.zeros((lanes * room, *old.rows.shape[1:]), np.uint64)
        for lane in range(lanes):
            oldest = int(old.rings[lane, at.OLDEST])
            order = np.roll(np.arange(held), -oldest)
            entries[lane, :held] = old.entries[lane, order]
            rows[lane * room : lane * room + held] = old.rows[lane * held + order]
            for links in (
                entries[lane, :held, at.NEXT_BLOCKED],
                old.sights[:, lane, at.FIRST_BLOCKED],
                old.sights[:, lane, at.LAST_BLOCKED],
            ):
                linked = links != agg.NONE
                links[linked] = (links[linked] - oldest) % max(1, held)
        old.rings[:, at.OLDEST] = 0
        self.replace(entries=entries, rows=rows)

    def widen_rows(self, width: int) -> None:
        """Room for so many numbers in the row of a start."""
        old = self.state.rows
        if width <= old.shape[1]:
            return
        self.allow((width - old.shape[1]) * row_bytes(old) // old.shape[1] * old.shape[0], "rows")
        rows = np.zeros((old.shape[0], width, *old.shape[2:]), np.uint64)
        rows[:, : old.shape[1]] = old
        self.replace(rows=rows)

    def alike(self, lanes: np.ndarray, moments: np.ndarray) -> int | None:
        """At how many of the moments no start has left the window of its lane; None if time alone lets none
        leave."""
        alike = []
        for lane, ring in enumerate(self.state.rings):
            window = int(lanes[lane, at.KIND]), int(lanes[lane, at.LIMIT])
            if ring[at.OPEN] and window[0] not in TIMELESS:
                since = int(self.state.entries[lane, ring[at.OLDEST], at.ENTERED])
                alike.append(leading_within(window, since, moments))
        return min(alike, default=None)

    def keep_partitions(self, kept: np.ndarray) -> np.ndarray:
        """Only these partitions, numbered anew, in their order; the others have no open start."""
        places = super().keep_partitions(kept)
        owners = self.state.entries[:, :, at.OF_PARTITION]
        owners[:] = places[owners]
        return places

    def widen(self, moves: Moves, width: int) -> None:
        """The words of numbers were chosen for windows of so many events."""
        most = int(self.state.rings[:, at.MOST].max()) // 2
        raise LimitError(
            f"the window holds more than max_events = {most:,} events, for which counts are wide "
            'enough: say how many it may hold, q.using("aggregate", max_events=…)'
        )
