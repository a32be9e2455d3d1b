"""The methods of counting, as the matcher drives them: arrays of their own, and kernels over these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.aggregate.layout import Events, Tables
from cepheid.matchers.aggregate.marking.kernel import expire_until, mark, tally_groups
from cepheid.matchers.aggregate.marking.memory import Memory
from cepheid.matchers.aggregate.ordered import layout as ordered
from cepheid.matchers.aggregate.ordered.kernel import count_ordered, pass_until
from cepheid.matchers.aggregate.ordered.memory import OrderedMemory, comparisons_of
from cepheid.matchers.aggregate.stacks.kernel import pass_time, slide, sum_groups
from cepheid.matchers.aggregate.stacks.memory import StacksMemory
from cepheid.matchers.aggregate.tables import cell_width, row_tests, tables_of, word
from cepheid.matchers.baselines.construction import kernel as construction
from cepheid.matchers.baselines.construction import layout as stacked
from cepheid.matchers.baselines.construction.memory import ConstructionMemory
from cepheid.plan.aggregate.plan import AggregatePlan


class Method(Protocol):
    """What the matcher asks of a method. Each call ends with why the kernel stopped; where numbers were too
    narrow, it goes on when it is called again."""

    @property
    def memory(self) -> Memory | StacksMemory | ConstructionMemory:
        """The arrays, and the cursor, which says how many rows a run has found."""

    def run(self, tables: Tables, events: Events, stop: int, found: np.ndarray, cells: np.ndarray) -> int:
        """Events of a batch from the cursor on, up to `stop`; the events that have rows, and the rows."""

    def make_room(self, full: int) -> None:
        """Grow what a run has found no room in."""

    def expire_until(self, tables: Tables, ranks: np.ndarray, now: int) -> int:
        """Time passes, without an event."""

    def tally_groups(self, tables: Tables, ranks: np.ndarray, cells: np.ndarray, ended: np.ndarray) -> int:
        """The matches of each group in the window, to those whose window is over."""


class Marking:
    """Counters for each first event in the window."""

    def __init__(self, plan: AggregatePlan, max_state: int) -> None:
        self.memory = Memory(len(plan.steps), len(plan.absences), cell_width(plan, 1), max_state)

    def run(self, tables: Tables, events: Events, stop: int, found: np.ndarray, cells: np.ndarray) -> int:
        """See `Method`."""
        memory = self.memory
        scratch = np.zeros((1, memory.state.cells.shape[1]), np.uint64)
        memory.cursor[at.ROWS] = 0
        return int(mark(tables, events, memory.state, stop, found, cells, scratch, memory.cursor))

    def make_room(self, full: int) -> None:
        """See `Method`."""
        {at.STARTS_FULL: self.memory.grow_starts, at.DONES_FULL: self.memory.grow_done}[full]()

    def expire_until(self, tables: Tables, ranks: np.ndarray, now: int) -> int:
        """See `Method`."""
        expire_until(tables, ranks, self.memory.state, self.memory.cursor, now)
        return at.FINISHED

    def tally_groups(self, tables: Tables, ranks: np.ndarray, cells: np.ndarray, ended: np.ndarray) -> int:
        """See `Method`."""
        tally_groups(tables, ranks, self.memory.state, self.memory.cursor, cells, ended)
        return at.FINISHED


class Ordered:
    """A counter for each start, and for what it is compared with, an index."""

    def __init__(self, plan: AggregatePlan, max_state: int) -> None:
        self._comparisons = comparisons_of(plan, tables_of(plan, 1))
        indexes, width = len(self._comparisons.indexes), cell_width(plan, 1)
        self.memory = OrderedMemory(len(plan.steps), len(plan.absences), indexes, width, max_state)
        self._sides = np.zeros((len(self._comparisons.sides), ordered.SIDES_WIDTH), np.uint64)

    def run(self, tables: Tables, events: Events, stop: int, found: np.ndarray, cells: np.ndarray) -> int:
        """See `Method`."""
        memory, trees = self.memory, self.memory.trees
        scratch = np.zeros((2, memory.state.cells.shape[1]), np.uint64)
        memory.cursor[at.ROWS] = 0
        plan, state, sides, cursor = self._comparisons, memory.state, self._sides, memory.cursor
        return int(
            count_ordered(tables, plan, events, state, trees, stop, found, cells, scratch, sides, cursor)
        )

    def make_room(self, full: int) -> None:
        """See `Method`."""
        memory = self.memory
        grow = {
            at.STARTS_FULL: memory.grow_starts,
            at.DONES_FULL: memory.grow_done,
            ordered.NODES_FULL: memory.grow_nodes,
        }
        grow[full]()

    def expire_until(self, tables: Tables, ranks: np.ndarray, now: int) -> int:
        """See `Method`."""
        memory = self.memory
        pass_until(tables, ranks, self._comparisons, memory.state, memory.trees, memory.cursor, now)
        return at.FINISHED

    def tally_groups(self, tables: Tables, ranks: np.ndarray, cells: np.ndarray, ended: np.ndarray) -> int:
        """See `Method`."""
        tally_groups(tables, ranks, self.memory.state, self.memory.cursor, cells, ended)
        return at.FINISHED


class TwoStacks:
    """Products of the matrices of events."""

    def __init__(self, plan: AggregatePlan, max_state: int) -> None:
        steps, columns = len(plan.steps), len(plan.columns)
        self.memory = StacksMemory(steps, columns, _rules(plan), cell_width(plan, 1), max_state)

    def run(self, tables: Tables, events: Events, stop: int, found: np.ndarray, cells: np.ndarray) -> int:
        """See `Method`."""
        memory, cursor = self.memory, self.memory.cursor
        cursor[[at.ROWS, at.STOP]] = 0, stop
        return int(slide(tables, events, memory.state, memory.kept(events.ranks), found, cells, cursor))

    def make_room(self, full: int) -> None:
        """See `Method`."""
        {at.KEPTS_FULL: self.memory.grow_kept, at.FRONTS_FULL: self.memory.grow_fronts}[full]()

    def expire_until(self, tables: Tables, ranks: np.ndarray, now: int) -> int:
        """See `Method`."""
        memory = self.memory
        return int(pass_time(tables, memory.state, memory.kept(ranks), memory.cursor, now))

    def tally_groups(self, tables: Tables, ranks: np.ndarray, cells: np.ndarray, ended: np.ndarray) -> int:
        """See `Method`."""
        if tables.keeps_closed:
            return at.FINISHED  # matches were added up as they came
        return int(sum_groups(tables, ranks, self.memory.state, self.memory.cursor, cells))


class Construction:
    """Every match is built, and then aggregated."""

    def __init__(self, plan: AggregatePlan, max_state: int) -> None:
        self.memory = ConstructionMemory(len(plan.steps), len(plan.absences), max_state)

    def run(self, tables: Tables, events: Events, stop: int, found: np.ndarray, cells: np.ndarray) -> int:
        """See `Method`."""
        memory, part = self.memory, events._replace(head=events.head[:, :stop])
        built = memory.matches, memory.path
        return int(construction.construct(tables, part, memory.state, *built, found, cells, memory.cursor))

    def make_room(self, full: int) -> None:
        """See `Method`."""
        {at.STARTS_FULL: self.memory.grow_starts, stacked.EVENTS_FULL: self.memory.grow_events}[full]()

    def expire_until(self, tables: Tables, ranks: np.ndarray, now: int) -> int:
        """See `Method`."""
        construction.expire_until(tables, self.memory.state, self.memory.cursor, now)
        return at.FINISHED

    def tally_groups(self, tables: Tables, ranks: np.ndarray, cells: np.ndarray, ended: np.ndarray) -> int:
        """See `Method`."""
        return at.FINISHED  # matches were added up as they were built


def _rules(plan: AggregatePlan) -> np.ndarray:
    """What an event may begin and end, and how many bits stay free: a sum of so many terms needs no more."""
    rules = np.zeros(at.RULES_WIDTH, np.int64)
    rules[at.BEGIN_TESTS] = word({step.test for step in plan.steps if step.begins})
    rules[at.END_TESTS] = word(row_tests(plan))
    rules[at.SPARE] = 3 + (2 * len(plan.steps) + 4).bit_length()
    rules[at.TERMS] = ((len(plan.steps) + 1) * sum(step.ends for step in plan.steps)).bit_length()
    return rules


METHODS: dict[str, Callable[[AggregatePlan, int], Method]] = {
    "aseq": Marking,
    "stacks": TwoStacks,
    "ordered": Ordered,
    "construction": Construction,
}
