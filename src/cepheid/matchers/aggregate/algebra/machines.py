"""The two kinds of algebra that are run: numbers that have an inverse, and two halves joined over a gap."""

from typing import Protocol

import numpy as np

from cepheid.matchers.aggregate.algebra import layout as at
from cepheid.matchers.aggregate.algebra.gap import advance_gap, pass_time_gap, report_groups_gap
from cepheid.matchers.aggregate.algebra.kernels import advance, pass_time, report_groups
from cepheid.matchers.aggregate.algebra.layout import ClassedEvents, GapTables
from cepheid.matchers.aggregate.algebra.memory import AlgebraMemory
from cepheid.matchers.aggregate.algebra.one_lane import advance_lane
from cepheid.matchers.aggregate.algebra.tables import ClassTables
from cepheid.pattern.query import EmitMode
from cepheid.plan.aggregate.algebra import Algebra, algebra_of
from cepheid.plan.aggregate.gap import Gap, gap_of
from cepheid.plan.aggregate.plan import AggregatePlan
from cepheid.plan.aggregate.ticks import stands_among_events


class Machine(Protocol):
    """What the driver asks of an algebra: tables that grow with classes, memory, and kernels over both."""

    algebra: Algebra
    tables: ClassTables
    memory: AlgebraMemory
    ticks: bool  # whether the ends of periods are events, of the first class

    def learn(self, passed: frozenset[int]) -> None:
        """A further class of events, which pass these tests."""

    def finish(self) -> None:
        """All classes of a batch are known."""

    def run(self, events: ClassedEvents, found: np.ndarray, cells: np.ndarray) -> int:
        """Events from the cursor on; why the kernel stopped."""

    def pass_time(self, now: int) -> None:
        """Time passes, without an event."""

    def alike(self, moments: np.ndarray) -> int | None:
        """At how many of the moments nothing has left a window; None if time alone lets nothing leave."""

    def report_groups(self, query: int, partitions: int, cells: np.ndarray) -> None:
        """The outputs of a query, for each group."""


def machine_for(plans: tuple[AggregatePlan, ...], limbs: int, summed: bool, max_state: int) -> Machine:
    """The machine that runs some plans."""
    if any(step.undone_by for plan in plans for step in plan.steps):
        (plan,) = plans
        return Gapped(plan, max_state)
    return Invertible(plans, limbs, summed, max_state)


def _reports(plan: AggregatePlan) -> bool:
    """Whether numbers are read at the last events of matches; else they are at the ends of periods."""
    return plan.query.emit.mode is not EmitMode.EVERY


class Invertible:
    """Queries whose matrices all have an inverse."""

    def __init__(self, plans: tuple[AggregatePlan, ...], limbs: int, summed: bool, max_state: int) -> None:
        self.algebra = algebra_of(plans)
        self.tables = ClassTables(self.algebra, plans, limbs, summed=summed, reports=_reports(plans[0]))
        outputs = sum(len(query.outputs) for query in self.algebra.queries)
        self.memory = AlgebraMemory(
            len(self.algebra.numbers),
            self.algebra.most_events,
            max_state,
            limbs=limbs,
            totals=outputs * limbs if summed else 0,
        )
        is_common = len(self.algebra.lanes) == 1 and not summed and all(map(_is_simple, plans))
        self._advance = advance_lane if is_common else advance
        self.ticks = all(map(stands_among_events, plans))
        if self.ticks:
            self.tables.add_tick()

    def learn(self, passed: frozenset[int]) -> None:
        self.tables.add(passed)

    def finish(self) -> None:
        self.tables.finish()
        self.memory.widen_rows(self.tables.width)

    def run(self, events: ClassedEvents, found: np.ndarray, cells: np.ndarray) -> int:
        memory = self.memory
        return int(self._advance(self.tables.tables, events, memory.state, found, cells, memory.cursor))

    def pass_time(self, now: int) -> None:
        pass_time(self.tables.tables, self.memory.state, self.memory.cursor, now)

    def alike(self, moments: np.ndarray) -> int | None:
        return self.memory.alike(self.tables.tables.lanes, moments)

    def report_groups(self, query: int, partitions: int, cells: np.ndarray) -> None:
        report_groups(self.tables.tables, self.memory.state, query, partitions, cells)


def _is_simple(plan: AggregatePlan) -> bool:
    """Whether matches are counted, with nothing to mind besides."""
    looks_back = any(step.begins and step.looks_back for step in plan.steps)
    return not (plan.values or plan.alike or looks_back)


class Gapped:
    """One query with an absence in one place of its sequence."""

    ticks = False

    def __init__(self, plan: AggregatePlan, max_state: int) -> None:
        self.algebra, self.gap = gap_of(plan)
        self.tables = ClassTables(self.algebra, (plan,), 1, summed=False, reports=_reports(plan))
        self._tables, words, width = _gap_tables(self.gap)
        self._does: list[int] = []
        self.memory = AlgebraMemory(
            len(self.algebra.numbers),
            self.algebra.most_events,
            max_state,
            gaps=words,
            scratch=len(self.gap.left),
        )
        self.memory.widen_rows(width)

    def learn(self, passed: frozenset[int]) -> None:
        self.tables.add(passed)
        does = at.BEGINS if self.gap.begins in passed else 0
        does |= at.JOINS if self.gap.joins in passed else 0
        self._does.append(does | (at.FORBIDS_GAP if self.gap.forbids & passed else 0))

    def finish(self) -> None:
        self.tables.finish()
        self._tables = self._tables._replace(does=np.array(self._does, np.int64))

    def run(self, events: ClassedEvents, found: np.ndarray, cells: np.ndarray) -> int:
        memory, tables = self.memory, self.tables.tables
        return int(advance_gap(tables, self._tables, events, memory.state, found, cells, memory.cursor))

    def pass_time(self, now: int) -> None:
        pass_time_gap(self.tables.tables, self._tables, self.memory.state, self.memory.cursor, now)

    def alike(self, moments: np.ndarray) -> int | None:
        return self.memory.alike(self.tables.tables.lanes, moments)

    def report_groups(self, query: int, partitions: int, cells: np.ndarray) -> None:
        report_groups_gap(self._tables, self.memory.state, partitions, cells)


def _gap_tables(gap: Gap) -> tuple[GapTables, int, int]:
    """The tables, and how many words a partition and a start have."""
    before, behind = len(gap.left), len(gap.right)
    sizes = (before, before, before * behind, behind, behind, 1, behind, behind)  # B, V, M, N, K, G, H, F
    places = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64)
    own = np.cumsum([before, behind, 1]).astype(np.uint64)  # behind the row: K, G, H
    tables = GapTables(
        np.zeros(0, np.int64),
        np.array(gap.left, np.int64),
        np.array(gap.first, np.int64),
        np.array(gap.joined, np.int64),
        np.array(gap.right, np.int64),
        *places[:-1],
        *own,
    )
    return tables, int(places[-1]), int(own[-1]) + behind
