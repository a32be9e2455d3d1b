"""The tables and the arrays of counting with ordered indexes."""

from __future__ import annotations

import numpy as np

from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.aggregate.arrays import Moves, wider
from cepheid.matchers.aggregate.layout import Tables
from cepheid.matchers.aggregate.marking.memory import Memory
from cepheid.matchers.aggregate.ordered import layout as to
from cepheid.matchers.aggregate.ordered.layout import Comparisons, Trees
from cepheid.pattern.types import ValueType
from cepheid.plan.aggregate.plan import AggregatePlan
from cepheid.plan.program import Column

_START = 64
_PREFIX = "trees_"

_WANTS = {
    "<": to.LESS,
    "<=": to.LESS | to.EQUAL,
    "=": to.EQUAL,
    ">=": to.GREATER | to.EQUAL,
    ">": to.GREATER,
    "!=": to.LESS | to.GREATER,
}


def comparisons_of(plan: AggregatePlan, tables: Tables) -> Comparisons:
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


class OrderedMemory(Memory):
    """The arrays of start event marking, and the trees of each start."""

    crowd = "first events, and values that later ones are compared with,"

    def __init__(self, steps: int, absences: int, indexes: int, width: int, max_state: int) -> None:
        self.indexes = indexes
        self.trees = Trees(
            tops=np.zeros((0, to.TREE_WIDTH), np.int64),
            nodes=np.zeros((0, to.NODE_WIDTH), np.int64),
            values=np.zeros(0, np.uint64),
            sums=np.zeros((0, width), np.uint64),
            free=np.array([at.NONE, 0], np.int64),
        )
        super().__init__(steps, absences, width, max_state)

    @property
    def bytes(self) -> int:
        """How much the arrays take."""
        return super().bytes + sum(array.nbytes for array in self.trees)

    def grow_starts(self) -> None:
        """Room for twice as many starts, each with its trees."""
        super().grow_starts()
        have = self.trees.tops.shape[0]
        tops = self.longer(self.trees.tops, self.state.starts.shape[0] * self.indexes)
        tops[have:] = at.NONE
        self.trees = self.trees._replace(tops=tops)

    def grow_nodes(self) -> None:
        """Room for as many nodes as the open starts may need at an event; the new ones are free."""
        first = self.trees.values.size
        wanted = (int(self.cursor[at.OPEN]) + self.steps) * self.indexes
        size = max(_START, 2 * first, first + wanted)
        for name, rows in (("nodes", size), ("values", size), ("sums", 2 * size)):
            self.trees = self.trees._replace(**{name: self.longer(getattr(self.trees, name), rows)})
        links, free = self.trees.nodes[:, to.TAKEN_BEFORE], self.trees.free
        links[first:] = np.arange(first + 1, size + 1)
        links[-1] = free[to.FREE_NODE]
        free[to.FREE_NODE] = first
        free[to.FREE_NODES] += size - first

    def widen(self, moves: Moves, width: int) -> None:
        """Cells of more words."""
        super().widen(moves, width)
        sums = self.trees.sums
        self.within_budget(sums.shape[0] * (width - sums.shape[1]) * sums.itemsize)
        self.trees = self.trees._replace(sums=wider(sums, moves, width))

    def saved(self) -> dict[str, np.ndarray]:
        """Everything, as named arrays."""
        trees = {f"{_PREFIX}{name}": array.copy() for name, array in self.trees._asdict().items()}
        return super().saved() | trees

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Go on from saved arrays."""
        self.trees = Trees(**{name: arrays[f"{_PREFIX}{name}"] for name in self.trees._fields})
        super().restore(arrays)
