"""A plan's automaton as arrays that kernels read."""

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from cepheid.errors import LimitError
from cepheid.matchers import captures as slot
from cepheid.matchers import program as op
from cepheid.matchers.codes import TextCodes
from cepheid.matchers.condition_rows import ConditionRows, constant_rows
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.layout import NfaTables
from cepheid.matchers.nfa.trailing import enclosing_windows, trailing_absences, waits_for_events
from cepheid.matchers.windows import window_row
from cepheid.pattern.query import EmitMode, Strategy
from cepheid.plan.mask_bits import absence_bit, take_bits
from cepheid.plan.nfa.likeness import Likeness, absence_looks_ahead, last_named
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.plan.program import Absence

MAX_VALUES = 63
"""A run's, a buffered event's and a candidate's nulls are bits of one word."""

STRATEGIES = {
    Strategy.STRICT: at.STRICT,
    Strategy.PARTITION: at.PARTITION,
    Strategy.NEXT: at.NEXT,
    Strategy.ANY: at.ANY,
}
_UNBOUNDED = 2**62


class TableBuilder:
    """Lays the parts of a plan out one after the other."""

    def __init__(self, plan: NfaPlan, codes: TextCodes) -> None:
        self.plan = plan
        self.codes = codes
        self.conditions = ConditionRows()

    def build(self) -> NfaTables:
        """The tables."""
        plan, automaton = self.plan, self.plan.automaton
        positions, follow, captures, remembered = self._positions()
        likeness = self._likenesses(positions)
        absences, branches, enclosures = self._absences()
        gaps, gap_absences = self._gaps()
        windows = self._windows()
        constants = constant_rows(plan.constants, plan.unit, self.codes)
        written = self.conditions
        self._check_sizes()
        fan = 1 + max([len(automaton.first), *(len(items) for items in automaton.follow)])
        chapters = {
            "positions": positions,
            "follow": follow,
            "first": _ints(automaton.first),
            "conditions": _rows(written.conditions, op.CONDITION_WIDTH),
            "loads": _rows(written.loads, 2),
            "program": _rows(written.program, op.PROGRAM_WIDTH),
            "constants": constants,
            "captures": captures,
            "remembered": remembered,
            "node_positions": _ints(item.position for item in plan.remembered),
            "windows": windows,
            "absences": absences,
            "branches": branches,
            "enclosures": enclosures,
            "gaps": gaps,
            "gap_absences": gap_absences,
            "candidate_columns": _ints(written.candidate_columns),
            "likenesses": likeness,
        }
        book, starts = _bound(chapters)
        measured = (plan.window, *plan.inner_windows)
        return NfaTables(
            book=book,
            **starts,
            states=len(automaton.positions),
            first_count=len(automaton.first),
            window_count=len(measured),
            absence_count=len(plan.absences),
            candidate_count=len(written.candidate_columns),
            strategy=self._strategy(),
            fan=2 * fan if plan.absences else fan,
            slots=at.RUN_WIDTH + 2 * len(plan.inner_windows),
            candidate_heads=at.HEADS + 2 * len(automaton.positions),
            trailing=bool(trailing_absences(plan)),
            waits_for_events=waits_for_events(plan),
            counts_events=any(window is not None and window.counts_events for window in measured),
            real_time=pa.types.is_floating(plan.schema.type_of(plan.schema.time)),
            prunes=plan.query.emit.mode is EmitMode.NON_OVERLAPPING and not trailing_absences(plan),
            merges=False,
        )

    def _strategy(self) -> int:
        if self.plan.query.strategy is Strategy.PARTITION and not self.plan.query.keys:
            return at.STRICT
        return STRATEGIES[self.plan.query.strategy]

    def _positions(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        automaton = self.plan.automaton
        count = len(automaton.positions)
        rows = np.zeros((count, at.POSITION_WIDTH), np.int64)
        follow: list[int] = []
        captures: list[list[int]] = []
        remembered: list[list[int]] = []
        defers = self.plan.deferring
        for p, (position, take) in enumerate(
            zip(automaton.positions, take_bits(automaton.positions), strict=True)
        ):
            row = rows[p]
            row[at.KLEENE], row[at.LEAST] = position.kleene, position.least
            row[at.MOST] = position.most if position.most is not None else _UNBOUNDED
            row[at.ACCEPTS] = p in automaton.last
            row[at.BEGIN_BIT] = 1 << p
            row[at.TAKE_BIT] = 0 if take is None else 1 << take
            row[at.RELEVANT] = row[at.TAKE_BIT] | sum(1 << w for w in automaton.follow[p])
            row[at.CAN_DEFER] = p in defers
            row[at.FOLLOW], row[at.FOLLOW_END] = _extend(follow, automaton.follow[p])
            row[at.ON_BEGIN], row[at.ON_BEGIN_END] = self.conditions.add(automaton.on_begin[p])
            row[at.ON_TAKE], row[at.ON_TAKE_END] = self.conditions.add(automaton.on_take[p])
            row[at.ON_LEAVE], row[at.ON_LEAVE_END] = self.conditions.add(automaton.on_leave[p])
            row[at.CAPTURE], row[at.CAPTURE_END] = _extend(
                captures, slot.capture_rows(self.plan.slots, self.plan.columns, p)
            )
            row[at.REMEMBER], row[at.REMEMBER_END] = _extend(remembered, self._remembered(p))
        return rows, _ints(follow), _rows(captures, slot.WIDTH), _rows(remembered, 3)

    def _likenesses(self, positions: np.ndarray) -> np.ndarray:
        """Per position the columns of runs that must agree for them to be merged."""
        columns: list[int] = []
        for row, likeness in zip(positions, self.plan.likenesses, strict=True):
            if likeness is None:
                row[at.LIKENESS] = at.NEVER
                continue
            row[at.LIKENESS], row[at.LIKENESS_END] = _extend(columns, self._compared(likeness))
            row[at.LIKE_VALUES] = sum(1 << slot for slot in likeness.slots)
            row[at.LIKE_TAKEN] = likeness.taken
        return _ints(columns)

    def _compared(self, likeness: Likeness) -> list[int]:
        slots = at.RUN_WIDTH + 2 * len(self.plan.inner_windows)
        return [
            at.RUN_BOUND,
            *([at.RUN_LAST] if likeness.last else []),
            *([at.RUN_START] if likeness.start else []),
            *(at.RUN_WIDTH + 2 * window + end for window in likeness.windows for end in (0, 1)),
            *(slots + slot for slot in likeness.slots),
        ]

    def _remembered(self, position: int) -> list[list[int]]:
        return [
            [int(item.value.source), item.value.index, index]
            for index, item in enumerate(self.plan.remembered)
            if item.position == position
        ]

    def _absences(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rows = np.zeros((len(self.plan.absences), at.ABSENCE_WIDTH), np.int64)
        branches: list[int] = []
        enclosures: list[int] = []
        for a, absence in enumerate(self.plan.absences):
            row = rows[a]
            row[at.ABSENT_BIT] = 1 << absence_bit(self.plan.positions, a)
            row[at.PLACE] = absence.place
            row[at.CHECKS], row[at.CHECKS_END] = self.conditions.add(absence.conditions)
            row[at.AT_COMPLETION] = absence_looks_ahead(self.plan, absence)
            sets = [sum(1 << p for p in branch) for branch in absence.branches]
            row[at.BRANCHES], row[at.BRANCHES_END] = _extend(branches, sets)
            row[at.ENCLOSED], row[at.ENCLOSED_END] = _extend(
                enclosures, enclosing_windows(absence, self.plan)
            )
        return rows, _ints(branches), _ints(enclosures)

    def _gaps(self) -> tuple[np.ndarray, np.ndarray]:
        """Per step from one state to a next, the absences between them that can be told there."""
        positions = self.plan.automaton.positions
        width = len(positions) + 1
        rows = np.zeros((width * width, 2), np.int64)
        listed: list[int] = []
        for s in range(len(positions)):
            for w in range(len(positions)):
                told = [
                    a
                    for a, absence in enumerate(self.plan.absences)
                    if s < absence.place <= w
                    and all(s in branch or w in branch for branch in absence.branches)
                    and self._told_by(absence, w)
                ]
                rows[(s + 1) * width + w] = _extend(listed, told)
        return rows, _ints(listed)

    def _told_by(self, absence: Absence, w: int) -> bool:
        named = last_named(self.plan, absence)
        return named < absence.place or (named == w and not self.plan.automaton.positions[w].kleene)

    def _windows(self) -> np.ndarray:
        rows = np.zeros((1 + len(self.plan.inner_windows), at.WINDOW_WIDTH), np.int64)
        for row, window in zip(rows, (self.plan.window, *self.plan.inner_windows), strict=True):
            row[[at.WINDOW_KIND, at.WINDOW_LIMIT]] = window_row(window)
            row[at.WINDOW_MEMBERS] = sum(1 << p for p in window.members) if window is not None else 0
            row[at.WINDOW_HALF_OPEN] = window is not None and window.half_open
        return rows

    def _check_sizes(self) -> None:
        largest = max(len(self.plan.slots), len(self.plan.remembered), len(self.conditions.candidate_columns))
        if largest > MAX_VALUES:
            raise LimitError(
                f"the conditions need {largest} remembered values a run; at most {MAX_VALUES} are supported: "
                "split the query"
            )


def _extend(items: list, more: Sequence) -> tuple[int, int]:  # type: ignore[type-arg]
    start = len(items)
    items.extend(more)
    return start, len(items)


def _ints(values: Iterable[int]) -> np.ndarray:
    return np.array(list(values), np.int64).reshape(-1, 1)


def _bound(chapters: dict[str, np.ndarray]) -> tuple[np.ndarray, dict[str, int]]:
    """All chapters in one book, and where each begins."""
    book = np.zeros((sum(len(rows) for rows in chapters.values()), at.POSITION_WIDTH), np.int64)
    starts, start = {}, 0
    for name, rows in chapters.items():
        book[start : start + len(rows), : rows.shape[1]] = rows
        starts[name] = start
        start += len(rows)
    return book, starts


def _rows(rows: list[list[int]], width: int) -> np.ndarray:
    return np.array(rows, np.int64).reshape(len(rows), width)
