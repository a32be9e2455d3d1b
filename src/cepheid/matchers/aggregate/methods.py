"""The methods of counting, as the matcher drives them: each has arrays of its own, and kernels over these."""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from cepheid.matchers.aggregate.cell_arrays import CellArrays
from cepheid.matchers.aggregate.layout import AggregateEvents, AggregateTables
from cepheid.matchers.engines import named
from cepheid.plan.aggregate.plan import AggregatePlan


class Room(NamedTuple):
    """Where a run writes the rows that it finds: the event of each, and its cell."""

    events: np.ndarray
    cells: np.ndarray


class Method(CellArrays, ABC):
    """What the matcher asks of a method. Each call ends with why the kernel stopped; where numbers were too
    narrow, it goes on when it is called again. The cursor says how many rows a run has found."""

    @abstractmethod
    def run(self, tables: AggregateTables, events: AggregateEvents, stop: int, room: Room) -> int:
        """Events of a batch from the cursor on, up to `stop`."""

    @abstractmethod
    def make_room(self, full: int) -> None:
        """Grow what a run has found no room in."""

    @abstractmethod
    def expire_until(self, tables: AggregateTables, ranks: np.ndarray, now: int) -> int:
        """Time passes, without an event."""

    @property
    @abstractmethod
    def oldest(self) -> int | None:
        """Since when the first of what may leave is in the window, whose time passes; None if nothing is."""

    @abstractmethod
    def used_partitions(self, tables: AggregateTables, now: np.ndarray) -> np.ndarray | None:
        """Which partitions matter to events from now on, as a mask; None if all are kept."""

    @abstractmethod
    def used_groups(self, tables: AggregateTables) -> np.ndarray:
        """Which groups have, or may come to have, a match that counts, as a mask."""

    @abstractmethod
    def tally_groups(
        self, tables: AggregateTables, ranks: np.ndarray, cells: np.ndarray, ended: np.ndarray
    ) -> int:
        """Add the matches of each group in the window to those whose window is over."""


_METHODS = {
    "aseq": "cepheid.matchers.aggregate.marking.method.Marking",
    "stacks": "cepheid.matchers.aggregate.stacks.method.TwoStacks",
    "ordered": "cepheid.matchers.aggregate.ordered.method.Ordered",
    "construction": "cepheid.matchers.baselines.construction.method.Construction",
}
"""By dotted name: only the kernels of the method that a plan uses are loaded."""


def method_of(plan: AggregatePlan, max_state: int) -> Method:
    """The method that a plan has chosen."""
    method: Method = named(_METHODS[plan.method])(plan, max_state)
    return method
