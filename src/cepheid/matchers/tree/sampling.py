"""The statistics of a stretch of events: rates are counted, conditions tried on combinations drawn by chance.

Combinations are drawn in the order of the pattern and inside its window: where values change slowly, two
events of one window are alike more often than any two.
"""

from __future__ import annotations

import math

import numpy as np

from cepheid.events import EventBatch
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.holding import try_conditions
from cepheid.matchers.tree.layout import TreeEvents, TreeState
from cepheid.matchers.tree.stretch import Draws, Stretch
from cepheid.matchers.tree.tables import TreeTableBuilder
from cepheid.pattern.types import ValueType
from cepheid.plan.mask_bits import absence_bit, take_bits
from cepheid.plan.program import Capture, Source, WindowTest
from cepheid.plan.tree.nodes import TreeAbsence
from cepheid.plan.tree.plan import TreePlan
from cepheid.plan.tree.statistics import Statistics, join_conditions

DRAWS = 2048
_LONGEST_CHAIN = 60
"""Up to so many events of a Kleene variable, chains are counted; there are so many that more mean nothing."""
_MOST = 1e200
_NUMBERS = (Capture.LENGTH, Capture.COUNT, Capture.DISTINCT)


def sampled(plan: TreePlan, batch: EventBatch, events: int) -> Statistics:
    """The statistics of a stretch of a stream that has so many events."""
    return _Sampling(plan, Stretch(plan, batch)).statistics(events)


class _Sampling:
    def __init__(self, plan: TreePlan, stretch: Stretch) -> None:
        self.plan = plan
        self.stretch = stretch
        self.builder = TreeTableBuilder(plan, stretch.texts)
        self.tables = self.builder.build()
        self.takes = take_bits(plan.positions)

    def statistics(self, events: int) -> Statistics:
        """All numbers."""
        plan, share = self.plan, self.stretch.size / max(events, 1)
        windows = self._windows(plan.window, share)
        spread = self._spread(windows)
        chains = [self._leaf(p, windows, spread) for p in range(len(plan.positions))]
        return Statistics(
            events=self.stretch.size,
            windows=windows / share if share else 1.0,
            counts=tuple(count for count, _ in chains),
            sizes=tuple(size for _, size in chains),
            spread=spread,
            holds=tuple(self._conditions()),
            survives=tuple(map(self._survival, plan.absences)),
            spans=tuple(min(1.0, windows / self._windows(w, share)) for w in plan.inner_windows),
        )

    def _windows(self, window: WindowTest | None, share: float) -> float:
        """How many windows the stretch fills, one after the other."""
        stretch = self.stretch
        if window is None:
            return share
        if window.counts_events:
            sizes = np.bincount(stretch.partition[stretch.partition >= 0])
            met = float((sizes.astype(np.float64) ** 2).sum())
            partitions = stretch.size**2 / met if met else 1.0
            return max(stretch.size / partitions / (float(window.limit) + 1), 1e-6)
        span = float(stretch.time[-1]) - float(stretch.time[0])
        return max(span, 1e-9) / max(float(window.limit), 1e-9)

    # -- rates -------------------------------------------------------------------------------------

    def _spread(self, windows: float) -> float:
        """By how much fewer pairs meet than would in one partition, if events came by chance."""
        expected = met = 0.0
        plan, stretch = self.plan, self.stretch
        for one in range(len(plan.positions) - 1):
            draws = stretch.draw([one, one + 1], [one, one + 1], DRAWS // 4)
            both = stretch.leaf(one).size * stretch.leaf(one + 1).size / windows
            ordered = stretch.precedes(one, one + 1)
            inner = stretch.window(one, one + 1) != plan.window
            if both and not inner:
                expected += 1.0
                met += draws.total / (both * (1 if ordered else 2))
        # at the ends of the stretch the window is cut off
        cut = 0.5 * windows if windows < 1 else 1 - 0.5 / windows
        return max(expected * cut / met, 1e-3) if met else 1.0

    def _leaf(self, position: int, windows: float, spread: float) -> tuple[float, float]:
        """How many composites a leaf makes in a window, and how many events they have."""
        rate = self.stretch.leaf(position).size / windows
        here = self.plan.positions[position]
        if not here.kleene:
            return rate, 1.0
        bit = self.takes[position]
        assert bit is not None
        draws = self.stretch.draw_following(position, bit, DRAWS // 4)
        row = self.tables.book[self.tables.nodes + self._node(position)]
        goes_on = 1.0
        if row[at.ON_TAKE] < row[at.ON_TAKE_END]:
            holds = self._holding(draws, int(row[at.ON_TAKE]), int(row[at.ON_TAKE_END]))
            goes_on = _share(draws, holds, np.ones(draws.size, np.bool_))
        most = min(here.most or _LONGEST_CHAIN, _LONGEST_CHAIN)
        total = weight = 0.0
        count = rate
        for size in range(1, most + 1):
            if size > 1:
                count = min(count * rate * goes_on / (spread * (size - 1)), _MOST)
            if size >= here.least:
                total, weight = total + count, weight + size * count
        return total, weight / total if total else 1.0

    def _node(self, position: int) -> int:
        return next(n for n, node in enumerate(self.plan.nodes) if node.position == position)

    # -- conditions --------------------------------------------------------------------------------

    def _conditions(self) -> list[float]:
        """How often each condition of a join holds; of several on the same variables, where those before it
        hold."""
        place: dict[int, int] = {}
        for number, node in enumerate(self.plan.nodes):
            begin = int(self.tables.book[self.tables.nodes + number, at.TESTS])
            place |= {id(condition): begin + k for k, condition in enumerate(node.conditions)}
        conditions = join_conditions(self.plan)
        found = [1.0] * len(conditions)
        drawn: dict[int, tuple[Draws, np.ndarray]] = {}
        looked_up_first = sorted(
            range(len(conditions)),
            key=lambda k: (conditions[k].operator != "=", not conditions[k].is_ordered),
        )
        for number in looked_up_first:
            positions, row = conditions[number].positions, place[id(conditions[number].condition)]
            if positions not in drawn:
                draws = self.stretch.draw(_places(positions), _places(positions), DRAWS)
                drawn[positions] = draws, np.ones(draws.size, np.bool_)
            draws, before = drawn[positions]
            both = before & self._holding(draws, row, row + 1)
            found[number] = _share(draws, both, before)
            drawn[positions] = draws, both
        return found

    def _holding(self, draws: Draws, begin: int, end: int) -> np.ndarray:
        """For which combinations some conditions hold."""
        holds = np.zeros(draws.size, np.bool_)
        taken = np.zeros(draws.size, np.int64) if draws.following is None else draws.following
        try_conditions(self.tables, self._events, self._rows(draws), begin, end, taken, holds)
        return holds

    @property
    def _events(self) -> TreeEvents:
        read, head = self.stretch.read, np.zeros((at.HEAD_WIDTH, self.stretch.size), np.int64)
        return TreeEvents(head, read.columns, read.valid, self.stretch.texts.tables())

    def _rows(self, draws: Draws) -> TreeState:
        """Combinations as composites that have all their events."""
        plan, tables = self.plan, self.tables
        rows = np.zeros((draws.size, tables.kept + len(plan.remembered)), np.int64)
        rows[:, [at.PART_LEFT, at.PART_RIGHT]] = at.NONE
        rows[:, at.BOUND] = sum(1 << position for position in draws.events)
        rows[:, at.TAKEN] = 1
        for k, slot in enumerate(plan.slots):
            if slot.position in draws.events:
                self._fill(rows, at.WIDTH + k, at.VALID, k, self._slot(k, draws.events[slot.position]))
        for k, item in enumerate(plan.remembered):
            if item.position in draws.events and item.value.source is Source.COLUMN:
                value = self._column(item.value.index, draws.events[item.position])
                self._fill(rows, tables.kept + k, at.KEPT_VALID, k, value)
        scratch = max(self.builder.conditions.registers, tables.position_count, 2 * tables.node_count + 2)
        empty = np.zeros((0, 0), np.int64)
        return TreeState(
            rows=rows,
            parts=np.zeros((0, tables.candidate_heads + tables.absence_count), np.int64),
            candidates=empty,
            pending=np.zeros((0, 2), np.int64),
            spans=np.zeros((tables.node_count, 2), np.int64),
            scratch=np.zeros((scratch, at.SCRATCH_WIDTH), np.int64),
            buckets=empty,
            groups=empty,
            members=empty,
            homes=np.zeros(0, np.int64),
            counts=empty,
            tally=empty,
        )

    def _fill(
        self, rows: np.ndarray, place: int, known: int, bit: int, value: tuple[np.ndarray, np.ndarray]
    ) -> None:
        rows[:, place] = value[0]
        rows[:, known] |= value[1].astype(np.int64) << bit

    def _column(self, column: int, events: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.stretch.read.columns[column, events], self.stretch.read.valid[column, events] != 0

    def _slot(self, number: int, events: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What a slot would be if its variable had just one event."""
        slot = self.plan.slots[number]
        if slot.capture in _NUMBERS:
            return np.ones(events.size, np.int64), np.ones(events.size, np.bool_)
        if slot.inputs is not None:
            total = self.plan.slots[slot.inputs[0]]
            bits, known = self._slot(slot.inputs[0], events)
            if total.type is not ValueType.FLOAT:
                bits = bits.astype(np.float64).view(np.int64)
            return bits, known
        if slot.column is None or slot.ordinal > 1:
            return np.zeros(events.size, np.int64), np.zeros(events.size, np.bool_)
        return self._column(slot.column, events)

    # -- absences ----------------------------------------------------------------------------------

    def _survival(self, absence: TreeAbsence) -> float:
        """How often no event lies between its neighbours that may be the absent one. Conditions that say more
        of it are taken to hold for every second."""
        if not absence.before or not absence.after:
            return 1.0
        stretch = self.stretch
        bit = absence_bit(self.plan.positions, self.plan.absences.index(absence))
        before, after = max(absence.before), min(absence.after)
        draws = stretch.draw([before, after], [before, after], DRAWS // 2)
        if draws.size == 0:
            return 1.0
        candidates = stretch.leaf(bit)
        low, high = (stretch.number[draws.events[p]] for p in (before, after))
        between = np.searchsorted(candidates, high) - np.searchsorted(candidates, low, "right")
        passes = (0.5 if absence.conditions else 0.0) ** between
        return max(float((draws.weights * passes).sum() / draws.weights.sum()), 0.5 / draws.size)


def _share(draws: Draws, chosen: np.ndarray, among: np.ndarray) -> float:
    """How many of some combinations are chosen; what never was may still happen."""
    weight = float(draws.weights[among].sum())
    if weight == 0:
        return 0.5
    return max(float(draws.weights[chosen].sum()) / weight, 0.5 / draws.size)


def _places(positions: int) -> list[int]:
    return [place for place in range(positions.bit_length()) if positions >> place & 1]


def is_finite(statistics: Statistics) -> bool:
    """Whether the numbers say anything: a stretch may have no time in it."""
    return all(map(math.isfinite, (statistics.windows, statistics.spread, *statistics.counts)))
