"""Conditions of a plan as the rows that kernels read: see `program` for what they hold."""

from collections.abc import Iterable
from datetime import time

import numpy as np

from cepheid.matchers import program as op
from cepheid.matchers.codes import TextCodes
from cepheid.matchers.evaluate import literal_ticks, microseconds
from cepheid.pattern.functions import CALENDAR
from cepheid.pattern.types import ValueType
from cepheid.plan.program import Apply, Condition, Load, Source

_COMPARISONS = {"=": op.EQ, "!=": op.NE, "<": op.LT, "<=": op.LE, ">": op.GT, ">=": op.GE}
_WHOLE = {"+": op.ADD, "-": op.SUB, "*": op.MUL, "%": op.MOD, "negate": op.NEG, "abs": op.ABS}
_REAL: dict[str, int] = {
    "+": op.ADD_REAL,
    "-": op.SUB_REAL,
    "*": op.MUL_REAL,
    "/": op.DIV_REAL,
    "%": op.MOD_REAL,
} | {
    "negate": op.NEG_REAL,
    **{name: getattr(op, f"{name.upper()}_REAL") for name in ("abs", "round", "floor", "ceil", "sqrt")},
}
_OTHER: dict[str, int] = {"text": op.TEXT_VALUE, "float": op.TO_REAL} | {
    name: getattr(op, name.upper()) for name in ("and", "or", "not", "is_null", "choose", *CALENDAR)
}


class ConditionRows:
    """Collects conditions; each takes a row, and its loads and its program follow those before it."""

    def __init__(self) -> None:
        self.conditions: list[list[int]] = []
        self.loads: list[list[int]] = []  # source, index
        self.program: list[list[int]] = []  # operation, target, and the registers that it reads
        self.registers = 1  # how many a program needs at most
        self.candidate_columns: list[int] = []  # which columns are read of events that may be the absent one

    def add(self, conditions: Iterable[Condition]) -> tuple[int, int]:
        """Where the rows of these conditions begin and end."""
        begin = len(self.conditions)
        self.conditions += [self._row(condition) for condition in conditions]
        return begin, len(self.conditions)

    def _row(self, condition: Condition) -> list[int]:
        value = condition.value
        row = [0] * op.CONDITION_WIDTH
        row[op.REQUIRES] = sum(1 << p for p in condition.requires)
        row[op.RANGES_OVER] = sum(1 << p for p in condition.ranges_over)
        seconds = zip(condition.ranges_over, condition.from_second, strict=True)
        row[op.FROM_SECOND] = sum(1 << p for p, second in seconds if second)
        if isinstance(value, Load):
            row[op.OPERATION] = op.IS_TRUE
            row[op.LEFT_SOURCE], row[op.LEFT] = self._place(value)
        elif value.operation in _COMPARISONS and all(isinstance(a, Load) for a in value.arguments):
            left, right = value.arguments
            assert isinstance(left, Load) and isinstance(right, Load)
            row[op.OPERATION] = _operation(value)
            row[op.LEFT_SOURCE], row[op.LEFT] = self._place(left)
            row[op.RIGHT_SOURCE], row[op.RIGHT] = self._place(right)
        else:
            loads = list(dict.fromkeys(self._place(load) for load in _loads(value)))
            row[op.OPERATION] = op.RUN_PROGRAM
            row[op.LOADS], row[op.PROGRAM] = len(self.loads), len(self.program)
            self.loads += [list(load) for load in loads]
            self._write(value, len(loads), loads)
            row[op.LOADS_END], row[op.PROGRAM_END] = len(self.loads), len(self.program)
        return row

    def _write(self, value: Load | Apply, target: int, loads: list[tuple[int, int]]) -> int:
        """Code that computes a value in registers from `target` on; the register that has it then."""
        if isinstance(value, Load):
            return loads.index(self._place(value))
        read = [self._write(argument, target + k, loads) for k, argument in enumerate(value.arguments)]
        self.program.append([_operation(value), target, read[0], read[min(1, len(read) - 1)], read[-1]])
        self.registers = max(self.registers, target + 1)
        return target

    def _place(self, load: Load) -> tuple[int, int]:
        if load.source is not Source.CANDIDATE:
            return int(load.source), load.index
        if load.index not in self.candidate_columns:
            self.candidate_columns.append(load.index)
        return int(load.source), self.candidate_columns.index(load.index)


def _loads(value: Load | Apply) -> list[Load]:
    if isinstance(value, Load):
        return [value]
    return [load for argument in value.arguments for load in _loads(argument)]


def _operation(value: Apply) -> int:
    kinds = {argument.type for argument in value.arguments}
    if value.operation in _COMPARISONS:
        code = _COMPARISONS[value.operation]
        if ValueType.FLOAT in kinds:
            return code + op.REAL
        ordered = code not in (op.EQ, op.NE)
        return code + op.TEXT if ValueType.STRING in kinds and ordered else code
    if value.operation in _OTHER:
        return _OTHER[value.operation]
    return (_REAL if value.type is ValueType.FLOAT else _WHOLE)[value.operation]


def constant_rows(constants: Iterable[tuple[object, ValueType]], unit: str, codes: TextCodes) -> np.ndarray:
    """Constants as kernels load them: 64 bits, and whether they are not null."""
    rows = [
        [0 if value is None else _bits(value, kind, unit, codes), value is not None]
        for value, kind in constants
    ]
    return np.array(rows, np.int64).reshape(len(rows), 2)


def _bits(value: object, kind: ValueType, unit: str, codes: TextCodes) -> int:
    if kind is ValueType.FLOAT:
        return int(np.array([value], np.float64).view(np.int64)[0])
    if kind is ValueType.STRING:
        return codes.code(str(value))
    if kind in (ValueType.TIMESTAMP, ValueType.DURATION):
        return literal_ticks(value, unit)  # type: ignore[arg-type]
    if isinstance(value, time):
        return microseconds(value)
    return int(value)  # type: ignore[call-overload, no-any-return]
