"""The templates of a set as the arrays that kernels read. Others may be added behind them."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

import numpy as np
import pyarrow as pa

from cepheid.events import EventSchema
from cepheid.matchers import program as op
from cepheid.matchers.codes import TextCodes
from cepheid.matchers.condition_rows import ConditionRows, constant_rows
from cepheid.matchers.profile.one_step import layout as at
from cepheid.matchers.profile.one_step.layout import Tables
from cepheid.matchers.windows import window_row
from cepheid.pattern.profile import EVER, REAPPLY, UNIQUE
from cepheid.plan.profile.step_plan import StepAbsence, StepPlan
from cepheid.plan.states.values import ValueTable

_CONSUMED = {UNIQUE: at.CONSUME_UNIQUE, REAPPLY: at.CONSUME_REAPPLY}
_WIDTHS = {
    "templates": at.TEMPLATE_WIDTH,
    "parts": 5,
    "states": 4,
    "moves": 2,
    "windows": 3,
    "joint": 2,
    "absences": 9,
    "closings": 3,
    "choices": 4,
}


class TemplateTables:
    """Lays templates out one after the other."""

    def __init__(self, schema: EventSchema, unit: str, values: ValueTable) -> None:
        self.unit, self.values = unit, values
        self.is_real = bool(pa.types.is_floating(schema.type_of(schema.time)))
        self.rows: dict[str, list[list[int]]] = {name: [] for name in _WIDTHS}
        self.lists: dict[str, list[int]] = {"waits": [], "branches": [], "enclosed": []}
        self.conditions = ConditionRows()
        self.keys: list[tuple[str, ...]] = []  # the sets of keys
        self.most_positions = 1
        self.most_parts = 1

    @property
    def registers(self) -> int:
        """How many registers the conditions need."""
        return self.conditions.registers

    def add(self, step: StepPlan) -> int:
        """The number of another template."""
        row = [0] * at.TEMPLATE_WIDTH
        plan = step.plan
        row[at.POSITIONS], row[at.PART_COUNT] = step.positions, len(step.tests)
        row[at.STATE_COUNT] = len(step.states)
        self.most_positions = max(self.most_positions, step.positions)
        self.most_parts = max(self.most_parts, len(step.tests))
        row[at.WINDOWS] = len(self.rows["windows"])
        self.rows["windows"] += [[*window_row(window), members] for window, members in step.windows]
        row[at.WINDOWS_END] = len(self.rows["windows"])
        row[at.EXPIRES] = plan.window is not None
        row[at.CONDITIONS], row[at.CONDITIONS_END] = self.conditions.add(c.condition for c in step.conditions)
        self.rows["joint"] += [[each.parts, each.last] for each in step.conditions]
        self._add_states(step, row)
        self._add_absences(step.absences, row)
        row[at.CHOICES] = len(self.rows["choices"])
        self.rows["choices"] += [[c.position, c.wanted, c.before, c.after] for c in step.choices]
        row[at.CHOICES_END] = len(self.rows["choices"])
        row[at.CONSUME] = _CONSUMED.get(plan.terms.consume, at.CONSUME_ALL)
        row[at.ONCE], row[at.PERIOD] = self._once(step)
        row[at.KEYS] = self._keys(plan.query.keys)
        row[at.IS_LONE] = step.is_lone
        self.rows["templates"].append(row)
        return len(self.rows["templates"]) - 1

    def _add_states(self, step: StepPlan, row: list[int]) -> None:
        row[at.FIRST_PART], row[at.FIRST_STATE] = len(self.rows["parts"]), len(self.rows["states"])
        waits, moves = self.lists["waits"], self.rows["moves"]
        starts = {move.part: move.target for move in step.moves if move.source == at.NONE}
        for part in range(len(step.tests)):
            begin = len(moves)
            moves += [[m.source, m.target] for m in step.moves if m.part == part and m.source != at.NONE]
            start = starts.get(part, at.NONE)
            is_last = part == step.told_at_once
            self.rows["parts"].append([begin, len(moves), start, part in step.watched, is_last])
        for state in step.states:
            begin = len(waits)
            waits += state.waits
            self.rows["states"].append([state.filled, state.is_complete, begin, len(waits)])
        row[at.ALWAYS] = len(waits)
        waits += sorted({*starts, *step.always})
        row[at.ALWAYS_END] = len(waits)

    def _add_absences(self, absences: Sequence[StepAbsence], row: list[int]) -> None:
        row[at.ABSENCES] = len(self.rows["absences"])
        branches, enclosed, closings = self.lists["branches"], self.lists["enclosed"], self.rows["closings"]
        for each in absences:
            edges = [len(branches), len(enclosed), len(closings)]
            branches += each.branches
            enclosed += [row[at.WINDOWS] + number for number in each.windows]
            closings += [[w.members, self.length(w.length), w.half_open] for w in each.closings]
            ends = [len(branches), len(enclosed), len(closings)]
            pairs = [edge for pair in zip(edges, ends, strict=True) for edge in pair]
            self.rows["absences"].append([each.part, each.before, each.after, *pairs])
        row[at.ABSENCES_END] = len(self.rows["absences"])

    def _once(self, step: StepPlan) -> tuple[int, int]:
        if step.period is not None:
            return at.ONCE_PERIOD, self.length(step.period)
        return (at.ONCE_EVER if step.plan.terms.once == EVER else at.ONCE_NEVER), 0

    def length(self, length: int | float) -> int:
        """A length of time as kernels have it."""
        return int(np.float64(length).view(np.int64)) if self.is_real else int(length)

    def _keys(self, keys: Sequence[str]) -> int:
        if not keys:
            return at.NONE
        if tuple(keys) not in self.keys:
            self.keys.append(tuple(keys))
        return self.keys.index(tuple(keys))

    def fork(self) -> TemplateTables:
        """The same templates, to which others may be added by themselves."""
        return deepcopy(self)

    def built(self, codes: TextCodes) -> Tables:
        """The tables as they are now."""
        for function in self.values.text_functions[len(codes.functions) :]:
            codes.add_function(function.name, function.arguments)
        slots = [[slot.position, slot.column] for slot in self.values.slots]
        arrays = {name: _rows(rows, _WIDTHS[name]) for name, rows in self.rows.items()}
        arrays |= {name: np.array(items, np.int64) for name, items in self.lists.items()}
        return Tables(
            **arrays,
            conditions=_rows(self.conditions.conditions, op.CONDITION_WIDTH),
            loads=_rows(self.conditions.loads, 2),
            program=_rows(self.conditions.program, op.PROGRAM_WIDTH),
            constants=constant_rows(self.values.constants, self.unit, codes),
            slots=_rows(slots, 2),
            is_real=self.is_real,
        )


def _rows(rows: Sequence[Sequence[object]], width: int) -> np.ndarray:
    return np.array(rows, np.int64).reshape(len(rows), width)
