"""Two stacks, as the matcher drives them: their arrays, and the kernels over them."""

from typing import ClassVar

import numpy as np

from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.aggregate.layout import AggregateEvents, AggregateTables, KeptValues, Stacks
from cepheid.matchers.aggregate.methods import Method, Room
from cepheid.matchers.aggregate.stacks.kernel import pass_time, slide, sum_groups
from cepheid.matchers.aggregate.stacks.matrices import size_of
from cepheid.matchers.aggregate.tables import cell_width, row_tests, word
from cepheid.matchers.arrays import free_rows
from cepheid.plan.aggregate.plan import AggregatePlan

_START = 64
_SINGLE_CELLS = 2


class TwoStacks(Method):
    """The events of the window with their values, and the products of their matrices."""

    cells = ("fronts", "backs", "turning", "own", "sums", "closed")
    crowd = "events"
    rows_of_group = ("groups", "closed", "ended")
    tuples: ClassVar[dict[str, str]] = {"state": "", "values": ""}
    state: Stacks

    def __init__(self, plan: AggregatePlan, max_state: int) -> None:
        self.steps, columns, width = len(plan.steps), len(plan.columns), cell_width(plan, 1)
        self.matrix = int(size_of(self.steps))
        self.rows_of_partition = {"partitions": 1, "backs": self.matrix, "own": 1, "sums": 1}
        cursor = np.zeros(at.STACKS_CURSOR_WIDTH, np.int64)
        cursor[[at.FREE_KEPT, at.ALL_FIRST, at.ALL_FINAL, at.FIRST_CHANGED]] = at.NONE
        state = Stacks(
            rules=_rules(plan),
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
        self.values = KeptValues(np.zeros((columns, 0), np.int64), np.zeros((columns, 0), np.uint8))
        super().__init__(state, cursor, max_state)
        share = np.full(at.SHARE_WIDTH, at.NONE, np.int64)
        share[[at.ORDINAL, at.HOLDS, at.CHANGED]] = 0
        tree = np.zeros(at.TREE_WIDTH, np.int64)
        tree[at.TOP] = at.NONE
        self.fresh = {"partitions": share, "groups": tree}
        self.grow_kept()
        self.grow_fronts()

    def kept(self, ranks: np.ndarray) -> AggregateEvents:
        """The values of kept events, as kernels read those of a batch."""
        head = np.zeros((at.HEAD_WIDTH, 0), np.int64)
        return AggregateEvents(head, *self.values, ranks)

    def grow_kept(self) -> None:
        """Room for twice as many events."""
        first = self.state.events.shape[0]
        size = max(_START, 2 * first)
        self.grow(events=size)
        free_rows(self.state.events[:, at.KEPT_NEXT], first, self.cursor, at.FREE_KEPT, at.FREE_KEPTS)
        for name, old in self.values._asdict().items():  # which have an event a column
            self.allow(old.shape[0] * (size - first) * old.itemsize, name)
            longer = np.zeros((old.shape[0], size), old.dtype)
            longer[:, :first] = old
            self.replace(**{name: longer})

    def grow_fronts(self) -> None:
        """Room for twice as many events that begin a match."""
        first, count = self.state.free_fronts.size, int(self.cursor[at.FREE_FRONTS])
        size = max(_START, 2 * first)
        self.grow(fronts=size * self.steps, free_fronts=size)
        self.state.free_fronts[count : count + size - first] = np.arange(first, size)
        self.cursor[at.FREE_FRONTS] += size - first

    def run(self, tables: AggregateTables, events: AggregateEvents, stop: int, room: Room) -> int:
        self.cursor[[at.ROWS, at.STOP]] = 0, stop
        return int(slide(tables, events, self.state, self.kept(events.ranks), *room, self.cursor))

    def make_room(self, full: int) -> None:
        {at.KEPTS_FULL: self.grow_kept, at.FRONTS_FULL: self.grow_fronts}[full]()

    def expire_until(self, tables: AggregateTables, ranks: np.ndarray, now: int) -> int:
        return int(pass_time(tables, self.state, self.kept(ranks), self.cursor, now))

    def tally_groups(
        self, tables: AggregateTables, ranks: np.ndarray, cells: np.ndarray, ended: np.ndarray
    ) -> int:
        if tables.keeps_closed:
            return at.FINISHED  # matches were added up as they came
        return int(sum_groups(tables, ranks, self.state, self.cursor, cells))


def _rules(plan: AggregatePlan) -> np.ndarray:
    """What an event may begin and end, and how many bits stay free: a sum of so many terms needs no more."""
    rules = np.zeros(at.RULES_WIDTH, np.int64)
    rules[at.BEGIN_TESTS] = word({step.test for step in plan.steps if step.begins})
    rules[at.END_TESTS] = word(row_tests(plan))
    rules[at.SPARE] = 3 + (2 * len(plan.steps) + 4).bit_length()
    rules[at.TERMS] = ((len(plan.steps) + 1) * sum(step.ends for step in plan.steps)).bit_length()
    return rules
