"""Start event marking with ordered indexes, as the matcher drives it: its tables, its arrays, its kernels."""

from typing import ClassVar

import numpy as np

from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.aggregate.layout import AggregateEvents, AggregateTables
from cepheid.matchers.aggregate.marking.method import Marking
from cepheid.matchers.aggregate.methods import Room
from cepheid.matchers.aggregate.ordered import layout as to
from cepheid.matchers.aggregate.ordered.kernel import count_ordered, pass_until
from cepheid.matchers.aggregate.ordered.layout import Comparisons, Trees
from cepheid.matchers.aggregate.tables import cell_width, tables_of
from cepheid.matchers.arrays import free_rows
from cepheid.pattern.types import ValueType
from cepheid.plan.aggregate.plan import AggregatePlan
from cepheid.plan.program import Column

_START = 64

_WANTS = {
    "<": to.LESS,
    "<=": to.LESS | to.EQUAL,
    "=": to.EQUAL,
    ">=": to.GREATER | to.EQUAL,
    ">": to.GREATER,
    "!=": to.LESS | to.GREATER,
}


def comparisons_of(plan: AggregatePlan, tables: AggregateTables) -> Comparisons:
    """Which links between steps have a condition, and the indexes that answer them."""
    compared = {(pair.before, pair.after): pair for pair in plan.compared}
    sides: dict[Column, int] = {}
    indexes: dict[tuple[int, int, bool], int] = {}
    links = np.full((tables.links.size, to.LINK_WIDTH), at.NONE, np.int64)
    for row, step in zip(tables.steps, plan.steps, strict=True):
        for link in range(row[at.AFTER], row[at.AFTER_END]):
            before = int(tables.links[link])
            pair = compared.get((plan.steps[before].variable, step.variable))
            if pair is None:
                continue
            earlier, later = (sides.setdefault(value, len(sides)) for value in pair.values)
            # what is no number differs from every value, and is neither less nor greater
            index = indexes.setdefault((before, earlier, pair.operator == "!="), len(indexes))
            links[link] = index, _WANTS[pair.operator], later
    return Comparisons(
        sides=_rows([(plan.columns.index(side), _kind(side)) for side in sides], to.SIDE_WIDTH),
        indexes=_rows(list(indexes), to.INDEX_WIDTH),
        links=links,
    )


def _kind(side: Column) -> int:
    return at.REAL if side.type is ValueType.FLOAT else at.WHOLE


def _rows(rows: list[tuple[int, ...]], width: int) -> np.ndarray:
    return np.array(rows, np.int64).reshape(len(rows), width)


class Ordered(Marking):
    """Counters for each first event, and trees of what later events are compared with."""

    cells = (*Marking.cells, "sums")
    crowd = "first events, and values that later ones are compared with,"
    tuples: ClassVar[dict[str, str]] = {"state": "", "trees": "trees_"}

    def __init__(self, plan: AggregatePlan, max_state: int) -> None:
        self.comparisons = comparisons_of(plan, tables_of(plan, 1))
        self.indexes = len(self.comparisons.indexes)
        self.sides = np.zeros((len(self.comparisons.sides), to.SIDES_WIDTH), np.uint64)
        self.trees = Trees(
            tops=np.zeros((0, to.TREE_WIDTH), np.int64),
            nodes=np.zeros((0, to.NODE_WIDTH), np.int64),
            values=np.zeros(0, np.uint64),
            sums=np.zeros((0, cell_width(plan, 1)), np.uint64),
            free=np.array([at.NONE, 0], np.int64),
        )
        super().__init__(plan, max_state)

    def grow_starts(self) -> None:
        """Room for twice as many starts, each with its trees."""
        super().grow_starts()
        have = self.trees.tops.shape[0]
        self.grow(tops=self.state.starts.shape[0] * self.indexes)
        self.trees.tops[have:] = at.NONE

    def grow_nodes(self) -> None:
        """Room for as many nodes as the open starts may need at an event."""
        first = self.trees.values.size
        wanted = (int(self.cursor[at.OPEN]) + self.steps) * self.indexes
        size = max(_START, 2 * first, first + wanted)
        self.grow(nodes=size, values=size, sums=2 * size)
        links = self.trees.nodes[:, to.TAKEN_BEFORE]
        free_rows(links, first, self.trees.free, to.FREE_NODE, to.FREE_NODES)

    def run(self, tables: AggregateTables, events: AggregateEvents, stop: int, room: Room) -> int:
        scratch = np.zeros((2, self.state.cells.shape[1]), np.uint64)
        self.cursor[at.ROWS] = 0
        plan, state, trees, sides = self.comparisons, self.state, self.trees, self.sides
        return int(
            count_ordered(tables, plan, events, state, trees, stop, *room, scratch, sides, self.cursor)
        )

    def make_room(self, full: int) -> None:
        if full == to.NODES_FULL:
            self.grow_nodes()
        else:
            super().make_room(full)

    def expire_until(self, tables: AggregateTables, ranks: np.ndarray, now: int) -> int:
        pass_until(tables, ranks, self.comparisons, self.state, self.trees, self.cursor, now)
        return at.FINISHED
