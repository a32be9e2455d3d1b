"""A plan as the tables that the aggregate kernels read."""

import numpy as np
import pyarrow as pa

from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.aggregate.layout import AggregateTables
from cepheid.matchers.windows import window_row
from cepheid.pattern.query import EmitMode
from cepheid.pattern.types import ValueType
from cepheid.plan.aggregate.plan import AggregatedValue, AggregatePlan
from cepheid.plan.mask_bits import absence_bit


def tables_of(plan: AggregatePlan, limbs: int) -> AggregateTables:
    """The tables of a plan whose counts have so many words."""
    links: list[int] = []
    steps = np.zeros((len(plan.steps), at.STEP_WIDTH), np.int64)
    for row, step in zip(steps, plan.steps, strict=True):
        row[[at.TEST, at.BEGINS, at.ENDS]] = step.test, step.begins, step.ends
        for column, listed in (
            (at.AFTER, step.after),
            (at.BACK, step.looks_back if step.begins else ()),
            (at.UNDONE, step.undone_by),
        ):
            row[column] = len(links)
            links += listed
            row[column + 1] = len(links)
    absent = np.array([absence_bit(plan.positions, number) for number in range(len(plan.absences))], np.int64)
    return AggregateTables(
        steps=steps,
        links=np.array(links or [0], np.int64),
        values=_values(plan, limbs),
        of_step=_of_step(plan),
        absent=absent,
        window=window_row(plan.window),
        limbs=limbs,
        all_tests=word({step.test for step in plan.steps} | set(absent.tolist())),
        real_time=pa.types.is_floating(plan.schema.type_of(plan.schema.time)),
        keeps_closed=plan.query.emit.mode is EmitMode.ON_CLOSE,
    )


def row_tests(plan: AggregatePlan) -> set[int]:
    """The tests of which an event must pass one to have a row: as a last event, or absent after it."""
    last = {step.test for step in plan.steps if step.ends}
    trailing = {number for step in plan.steps if step.ends for number in step.undone_by}
    return last | {absence_bit(plan.positions, number) for number in trailing}


def cell_width(plan: AggregatePlan, limbs: int) -> int:
    """How many words a cell has."""
    return limbs + sum(_words_of(plan, number, limbs) for number in range(len(plan.values)))


def _words_of(plan: AggregatePlan, number: int, limbs: int) -> int:
    needs = needs_of(plan, number)
    total = _sum_words(plan, plan.values[number], limbs) if "sum" in needs else 0
    return limbs + total + ("min" in needs) + ("max" in needs)


def _sum_words(plan: AggregatePlan, value: AggregatedValue, limbs: int) -> int:
    return 1 if _type(plan, value) is ValueType.FLOAT else limbs + 1


def _type(plan: AggregatePlan, value: AggregatedValue) -> ValueType:
    return plan.columns[value.column].type


_KINDS = {ValueType.FLOAT: at.REAL, ValueType.STRING: at.TEXT}


def needs_of(plan: AggregatePlan, number: int) -> set[str]:
    """What is kept of a value."""
    functions = {item.function for item in plan.items if item.value == number}
    return {"sum" if function == "avg" else function for function in functions}


def _values(plan: AggregatePlan, limbs: int) -> np.ndarray:
    rows = np.full((len(plan.values), at.VALUE_WIDTH), at.NONE, np.int64)
    place = limbs
    for number, (row, value) in enumerate(zip(rows, plan.values, strict=True)):
        needs = needs_of(plan, number)
        row[[at.COLUMN, at.KIND, at.COUNTED]] = value.column, _KINDS.get(_type(plan, value), at.WHOLE), place
        place += limbs
        for need, column, width in (
            ("sum", at.SUM, _sum_words(plan, value, limbs)),
            ("min", at.LEAST, 1),
            ("max", at.MOST, 1),
        ):
            if need in needs:
                row[column] = place
                place += width
    return rows


def _of_step(plan: AggregatePlan) -> np.ndarray:
    marks = np.zeros((len(plan.steps), max(1, len(plan.values))), np.uint8)
    for number, value in enumerate(plan.values):
        marks[:, number] = value.of_steps
    return marks


def word(tests: set[int]) -> int:
    """Tests as bits."""
    return sum(1 << test for test in tests)
