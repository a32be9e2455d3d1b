"""A tree plan as arrays that kernels read."""

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from cepheid.errors import LimitError
from cepheid.matchers import captures as slot
from cepheid.matchers import program as op
from cepheid.matchers.codes import TextCodes
from cepheid.matchers.condition_rows import ConditionRows, constant_rows
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.conditions import RIGHT_SLOT
from cepheid.matchers.tree.layout import TreeTables
from cepheid.matchers.windows import window_row
from cepheid.plan.mask_bits import absence_bit, take_bits
from cepheid.plan.program import Apply, Condition, Load, Slot, Source
from cepheid.plan.tree.condensing import counts_by_beginning
from cepheid.plan.tree.indexes import hashed_equalities, ordered_comparison
from cepheid.plan.tree.nodes import Kind, TreeAbsence, TreeNode
from cepheid.plan.tree.plan import TreePlan

MAX_VALUES = 63
"""A composite's and a candidate's nulls are bits of one word."""

_UNBOUNDED = 2**62
_COMPARISONS = {"<": op.LT, "<=": op.LE, ">": op.GT, ">=": op.GE}
_WIDTH = max(at.NODE_WIDTH, op.CONDITION_WIDTH)


class SidedRows(ConditionRows):
    """Conditions as rows, where a slot is one of the left composite or of the right one."""

    def __init__(self, slots: Sequence[Slot]) -> None:
        super().__init__()
        self.slots = slots
        self.right: frozenset[int] = frozenset()  # the positions of the right composite

    def between(self, conditions: Iterable[Condition], right: frozenset[int]) -> tuple[int, int]:
        """Where the rows of conditions begin and end, if these are the positions on the right."""
        self.right = right
        return self.add(conditions)

    def _place(self, load: Load) -> tuple[int, int]:
        if load.source is Source.SLOT and self.slots[load.index].position in self.right:
            return RIGHT_SLOT, load.index
        return super()._place(load)


class TreeTableBuilder:
    """Lays the parts of a plan out one after the other."""

    def __init__(self, plan: TreePlan, codes: TextCodes) -> None:
        self.plan = plan
        self.codes = codes
        self.conditions = SidedRows(plan.slots)
        self.windows = (plan.window, *plan.inner_windows)
        self._captures: list[list[int]] = []
        self._remembered: list[list[int]] = []
        self._carried: list[int] = []
        self._keys: list[list[int]] = []
        self.indexes = 0  # how many nodes have one
        self._enclosures: list[int] = []
        self._judged: list[int] = []
        self._branches: list[int] = []
        self._terms: list[int] = []

    def build(self) -> TreeTables:
        """The tables."""
        plan = self.plan
        nodes, absences = self._nodes(), self._absences()
        written = self.conditions
        self._check_sizes()
        chapters = {
            "nodes": nodes,
            "conditions": _rows(written.conditions, op.CONDITION_WIDTH),
            "loads": _rows(written.loads, 2),
            "program": _rows(written.program, op.PROGRAM_WIDTH),
            "constants": constant_rows(plan.constants, plan.unit, self.codes),
            "captures": _rows(self._captures, slot.WIDTH),
            "remembered": _rows(self._remembered, 3),
            "node_positions": _ints(item.position for item in plan.remembered),
            "carried": _ints(self._carried),
            "keys": _rows(self._keys, 2),
            "windows": self._window_rows(),
            "enclosures": _ints(self._enclosures),
            "absences": absences,
            "judged": _ints(self._judged),
            "branches": _ints(self._branches),
            "terms": _ints(self._terms),
            "candidate_columns": _ints(written.candidate_columns),
        }
        book, starts = _bound(chapters)
        return TreeTables(
            book=book,
            **starts,
            node_count=len(plan.nodes),
            position_count=len(plan.positions),
            window_count=len(self.windows),
            absence_count=len(plan.absences),
            candidate_count=len(written.candidate_columns),
            slot_count=len(plan.slots),
            block=1 if plan.groupings else plan.batch,  # new members of a group have one last event
            candidate_heads=at.HEADS + len(plan.nodes),
            kept=at.WIDTH + len(plan.slots),
            counts=counts_by_beginning(plan),
            is_indexed=plan.index,
            waits_for_events=self._waits_for_events(),
            real_time=pa.types.is_floating(plan.schema.type_of(plan.schema.time)),
        )

    # -- nodes -------------------------------------------------------------------------------------

    def _nodes(self) -> np.ndarray:
        rows = np.zeros((len(self.plan.nodes), at.NODE_WIDTH), np.int64)
        above = {
            part: number for number, node in enumerate(self.plan.nodes) for part in (node.left, node.right)
        }
        rows[:, [at.INDEX, at.SORTED, at.COMPARISON]] = at.NONE
        for number, node in enumerate(self.plan.nodes):
            row = rows[number]
            row[at.KIND], row[at.LEFT], row[at.RIGHT] = node.kind, node.left, node.right
            row[at.MEMBERS], row[at.SHARES] = _set(node.members), node.shares
            row[at.LISTED] = number != self.plan.root or node.kind is Kind.CHAIN
            row[[at.WINDOWS, at.WINDOWS_END]] = self._enclosed(node.windows)
            reached = self.plan.nodes[above[number]].windows if number in above else node.windows
            row[[at.REACHES, at.REACHES_END]] = self._enclosed(reached)
            row[[at.JUDGES, at.JUDGES_END]] = _extend(self._judged, node.absences)
            row[at.POSITION] = node.position
            if node.position >= 0:
                self._leaf(row, node)
            else:
                self._join(row, number, node)
                self._index(rows, number)
        for number, grouping in enumerate(self.plan.groupings):
            row, node = rows[number], self.plan.nodes[number]
            row[at.ALONE], row[at.BY_FIRST] = grouping.alone is not None, grouping.by_first
            row[at.MOST_COUNTED] = grouping.most_counted
            row[[at.TERMS, at.TERMS_END]] = _extend(self._terms, grouping.slots)
            is_free = not (node.shares or node.windows or grouping.alone)
            row[at.IS_PRODUCT] = node.kind is Kind.AND and is_free
            if node.kind is Kind.SEQ and self.plan.nodes[node.right].kind is Kind.LEAF:
                rows[node.right, at.IS_FLEETING] = self.plan.groupings[node.right].alone is None
                is_joined = not self.plan.nodes[node.left].nullable
                rows[node.right, at.ONLY_FOR] = number if is_joined else at.NONE
        return rows

    def _index(self, rows: np.ndarray, number: int) -> None:
        """By which slots the composites of both sides of a join are found, and by which they are passed over.
        Links are found by their partition, since events that go on with them look for them too."""
        node, equalities = self.plan.nodes[number], hashed_equalities(self.plan, number)
        ordered = ordered_comparison(self.plan, number)
        if ordered is not None:
            rows[number, at.COMPARISON] = _COMPARISONS[ordered.operator]
            rows[[node.left, node.right], at.SORTED] = ordered.left, ordered.right
            rows[[node.left, node.right], at.IS_REAL] = ordered.is_real
        if not equalities:
            return
        for part in (node.left, node.right):
            slots = [
                [each.left if part == node.left else each.right, int(each.is_real)] for each in equalities
            ]
            rows[part, [at.KEYS, at.KEYS_END]] = _extend(self._keys, slots)
            if self.plan.nodes[part].kind is not Kind.CHAIN:
                rows[part, at.INDEX] = self.indexes
                self.indexes += 1

    def _leaf(self, row: np.ndarray, node: TreeNode) -> None:
        plan, p = self.plan, node.position
        position, leaf = plan.positions[p], plan.leaves[p]
        row[at.BEGIN_BIT] = 1 << p
        take = take_bits(plan.positions)[p]
        row[at.TAKE_BIT] = 0 if take is None else 1 << take
        row[at.LEAST] = position.least
        row[at.MOST] = position.most if position.most is not None else _UNBOUNDED
        row[[at.CAPTURES, at.CAPTURES_END]] = _extend(
            self._captures, slot.capture_rows(plan.slots, plan.columns, p)
        )
        row[[at.ON_TAKE, at.ON_TAKE_END]] = self.conditions.between(leaf.on_take, frozenset())
        row[[at.ON_LEAVE, at.ON_LEAVE_END]] = self.conditions.between(leaf.on_leave, frozenset())
        kept = [
            [int(item.value.source), item.value.index, index]
            for index, item in enumerate(plan.remembered)
            if item.position == p
        ]
        row[[at.REMEMBERS, at.REMEMBERS_END]] = _extend(self._remembered, kept)

    def _join(self, row: np.ndarray, number: int, node: TreeNode) -> None:
        left, right = self.plan.nodes[node.left], self.plan.nodes[node.right]
        is_choice = node.kind is Kind.OR
        row[at.PASSES_LEFT], row[at.PASSES_RIGHT] = is_choice or right.nullable, is_choice or left.nullable
        row[at.STARTS_LEFT] = node.kind is Kind.AND
        row[at.STARTS_RIGHT] = not is_choice
        row[[at.TESTS, at.TESTS_END]] = self.conditions.between(node.conditions, right.members)
        needed = self._needed_above(number)
        for part, columns in (
            (left, [at.CARRIES_LEFT, at.CARRIES_LEFT_END]),
            (right, [at.CARRIES_RIGHT, at.CARRIES_RIGHT_END]),
        ):
            carried = [k for k in sorted(needed) if self.plan.slots[k].position in part.members]
            row[columns] = _extend(self._carried, carried)

    def _needed_above(self, number: int) -> set[int]:
        """The slots that conditions read above a node, or of the absences that it or a node above judges."""
        plan, members = self.plan, self.plan.nodes[number].members
        conditions = [c for a in plan.absences if a.node >= number for c in a.conditions]
        for above in range(number + 1, len(plan.nodes)):
            if members < plan.nodes[above].members:
                conditions += plan.nodes[above].conditions
        return {load.index for c in conditions for load in _loads(c.value) if load.source is Source.SLOT}

    def _enclosed(self, inner: Sequence[int]) -> tuple[int, int]:
        outer = [0] if self.plan.window is not None else []
        return _extend(self._enclosures, [*outer, *(1 + w for w in inner)])

    # -- absences and windows ----------------------------------------------------------------------

    def _absences(self) -> np.ndarray:
        rows = np.zeros((len(self.plan.absences), at.ABSENCE_WIDTH), np.int64)
        for a, absence in enumerate(self.plan.absences):
            row = rows[a]
            row[at.ABSENT_BIT] = 1 << absence_bit(self.plan.positions, a)
            row[at.BEFORE], row[at.AFTER] = _set(absence.before), _set(absence.after)
            row[[at.CHECKS, at.CHECKS_END]] = self.conditions.between(
                absence.conditions, self._right_of(absence.node)
            )
            row[[at.BRANCHES, at.BRANCHES_END]] = _extend(self._branches, list(map(_set, absence.branches)))
            row[[at.ENCLOSED, at.ENCLOSED_END]] = self._enclosed(absence.inner_windows)
        return rows

    def _right_of(self, number: int) -> frozenset[int]:
        right = self.plan.nodes[number].right
        return self.plan.nodes[right].members if right >= 0 else frozenset()

    def _window_rows(self) -> np.ndarray:
        rows = np.zeros((len(self.windows), at.WINDOW_WIDTH), np.int64)
        for row, window in zip(rows, self.windows, strict=True):
            row[[at.WINDOW_KIND, at.WINDOW_LIMIT]] = window_row(window)
            row[at.WINDOW_MEMBERS] = _set(window.members) if window is not None else 0
            row[at.WINDOW_HALF_OPEN] = window is not None and window.half_open
        rows[0, at.WINDOW_MEMBERS] = (1 << len(self.plan.positions)) - 1
        return rows

    def _waits_for_events(self) -> bool:
        return any(self._counts_events(self.plan.absences[a]) for a in self.plan.trailing)

    def _counts_events(self, absence: TreeAbsence) -> bool:
        around = [self.plan.window, *(self.plan.inner_windows[w] for w in absence.inner_windows)]
        return any(window is not None and window.counts_events for window in around)

    def _check_sizes(self) -> None:
        largest = max(len(self.plan.slots), len(self.plan.remembered), len(self.conditions.candidate_columns))
        if largest > MAX_VALUES:
            raise LimitError(
                f"the conditions need {largest} remembered values a composite; at most {MAX_VALUES} are "
                "supported: split the query"
            )


def _loads(value: Load | Apply) -> list[Load]:
    if isinstance(value, Load):
        return [value]
    return [load for argument in value.arguments for load in _loads(argument)]


def _set(places: Iterable[int]) -> int:
    return sum(1 << place for place in places)


def _extend(items: list, more: Sequence) -> tuple[int, int]:  # type: ignore[type-arg]
    start = len(items)
    items.extend(more)
    return start, len(items)


def _ints(values: Iterable[int]) -> np.ndarray:
    return np.array(list(values), np.int64).reshape(-1, 1)


def _rows(rows: list[list[int]], width: int) -> np.ndarray:
    return np.array(rows, np.int64).reshape(len(rows), width)


def _bound(chapters: dict[str, np.ndarray]) -> tuple[np.ndarray, dict[str, int]]:
    """All chapters in one book, and where each begins."""
    book = np.zeros((sum(len(rows) for rows in chapters.values()), _WIDTH), np.int64)
    starts, start = {}, 0
    for name, rows in chapters.items():
        book[start : start + len(rows), : rows.shape[1]] = rows
        starts[name] = start
        start += len(rows)
    return book, starts
