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
from cepheid.matchers.used_texts import Held
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

    @property
    def oldest(self) -> int | None:
        first = self.cursor[at.ALL_FIRST]
        return None if first == at.NONE else int(self.state.events[first, at.KEPT_SINCE])

    def used_partitions(self, tables: AggregateTables, now: np.ndarray) -> np.ndarray | None:
        """Those that hold an event which may begin a match."""
        used: np.ndarray = self.state.partitions[:, at.HOLDS] > 0
        return used

    def keep_partitions(self, kept: np.ndarray) -> np.ndarray:
        """The trees of groups grow anew, of the partitions that are left; their sums are worked out again."""
        places = super().keep_partitions(kept)
        rows, groups = self.state.partitions, self.state.groups
        owners = self.state.events[:, at.KEPT_PARTITION]
        owners[:] = places[owners]
        rows[:, [at.ABOVE, at.LEFT, at.RIGHT, at.CHANGED_NEXT]] = at.NONE
        rows[:, at.CHANGED] = 0
        self.cursor[at.FIRST_CHANGED] = at.NONE
        groups[:] = self.fresh["groups"]
        self.state.sums[:] = 0
        joined = np.flatnonzero(rows[:, at.OF_GROUP] != at.NONE)
        joined = joined[np.argsort(rows[joined, at.OF_GROUP], kind="stable")]
        of, first, sizes = np.unique(rows[joined, at.OF_GROUP], return_index=True, return_counts=True)
        groups[of, at.TOP], groups[of, at.SIZE] = joined[first], sizes
        number = 1 + np.arange(joined.size) - np.repeat(first, sizes)  # in its tree, row by row from the top
        below = number > 1
        above = joined[(np.repeat(first, sizes) + number // 2 - 1)[below]]
        rows[joined[below], at.ABOVE] = above
        rows[above, np.where(number[below] % 2, at.RIGHT, at.LEFT)] = joined[below]
        rows[joined, at.CHANGED] = 1
        rows[joined[:-1], at.CHANGED_NEXT] = joined[1:]
        if joined.size:
            self.cursor[at.FIRST_CHANGED] = joined[0]
        return places

    def used_groups(self, tables: AggregateTables) -> np.ndarray:
        used: np.ndarray = (self.state.groups[:, at.SIZE] > 0) | (self.state.ended[:, 0] != 0)
        return used

    def keep_groups(self, kept: np.ndarray) -> np.ndarray:
        places = super().keep_groups(kept)
        own = self.state.partitions[:, at.OF_GROUP]
        own[own != at.NONE] = places[own[own != at.NONE]]
        return places

    def texts(self, tables: AggregateTables) -> list[Held]:
        """Those of cells, and those of the events in the window."""
        is_text = tables.values[:, at.KIND] == at.TEXT
        columns = np.unique(tables.values[is_text, at.COLUMN])  # two values may be of one column
        kept = [(self.values.columns[column], self.values.valid[column] != 0) for column in columns]
        return super().texts(tables) + kept

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
