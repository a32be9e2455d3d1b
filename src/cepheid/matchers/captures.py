"""What is remembered of the events of a variable, brought up to date as one is selected.

An engine keeps remembered values as *slots* in int64 rows: from `places.slots` on, with a bit in the column
`places.valid` (the value is not null) and one in `places.overflown` (a sum has left int64, and stays null).
A capture is a row of the plan's book that says how one slot changes.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from cepheid.matchers.bits import as_bits, as_real, sum_fits
from cepheid.matchers.jit import inlined, kernel
from cepheid.pattern.types import ValueType
from cepheid.plan.program import Capture, Column, Slot

SLOT, KIND, COLUMN, SUM, COUNTED = 0, 1, 2, 3, 4
WIDTH = 5
ORDINAL = REMEMBERED = SUM  # of KEEP_NTH which event it is; of DISTINCT where values are kept

KEEP_FIRST, KEEP_LAST, LENGTH, COUNT, SUM_INT, SUM_REAL = 0, 1, 2, 3, 4, 5
MIN_INT, MAX_INT, MIN_REAL, MAX_REAL, MIN_TEXT, MAX_TEXT, MEAN_INT, MEAN_REAL = 6, 7, 8, 9, 10, 11, 12, 13
KEEP_NTH, DISTINCT_INT, DISTINCT_REAL = 14, 15, 16


class SlotPlaces(NamedTuple):
    """Where an engine's rows keep slots and what is known of them."""

    slots: int
    valid: int
    overflown: int


def capture_rows(slots: tuple[Slot, ...], columns: tuple[Column, ...], position: int) -> list[list[int]]:
    """How the slots of a position change as one of its events is selected."""
    rows = []
    for index, slot in enumerate(slots):
        if slot.position != position:
            continue
        total, count = slot.inputs or (slot.remembered or slot.ordinal, 0)
        if slot.capture is Capture.MEAN:
            of = slots[total].type
        else:
            of = columns[slot.column].type if slot.column is not None else ValueType.INT
        rows.append([index, _KINDS[slot.capture](of), slot.column or 0, total, count])
    return rows


def _by_type(whole: int, real: int, text: int) -> dict[ValueType, int]:
    return {**dict.fromkeys(ValueType, whole), ValueType.FLOAT: real, ValueType.STRING: text}


_KINDS: dict[Capture, Callable[[ValueType], int]] = {
    Capture.FIRST: lambda kind: KEEP_FIRST,
    Capture.LAST: lambda kind: KEEP_LAST,
    Capture.NTH: lambda kind: KEEP_NTH,
    Capture.LENGTH: lambda kind: LENGTH,
    Capture.COUNT: lambda kind: COUNT,
    Capture.DISTINCT: lambda kind: _by_type(DISTINCT_INT, DISTINCT_REAL, DISTINCT_INT)[kind],
    Capture.SUM: lambda kind: _by_type(SUM_INT, SUM_REAL, SUM_INT)[kind],
    Capture.MIN: lambda kind: _by_type(MIN_INT, MIN_REAL, MIN_TEXT)[kind],
    Capture.MAX: lambda kind: _by_type(MAX_INT, MAX_REAL, MAX_TEXT)[kind],
    Capture.MEAN: lambda kind: _by_type(MEAN_INT, MEAN_REAL, MEAN_INT)[kind],
}


@inlined
def is_distinct(kind):
    """Whether a capture counts different values: only its engine knows those of the events before."""
    return kind >= DISTINCT_INT


@inlined
def capture(book, c, ev, e, rows, r, places, taken, is_new):
    """Bring one slot of row `r` up to date with event `e`, behind those taken before. `is_new` says of a
    capture that counts different values whether the event's is one."""
    kind, column = book[c, KIND], book[c, COLUMN]
    if kind == KEEP_LAST or kind == KEEP_FIRST:
        if kind == KEEP_LAST or taken == 0:
            bit = np.int64(1) << book[c, SLOT]
            rows[r, places.slots + book[c, SLOT]] = ev.columns[column, e]
            if ev.valid[column, e] != 0:
                rows[r, places.valid] |= bit
            else:
                rows[r, places.valid] &= ~bit
    else:
        aggregate(book, c, ev, e, rows, r, places, taken, is_new)


@kernel
def aggregate(book, c, ev, e, rows, r, places, taken, is_new):
    """Bring the n-th value or a running aggregate up to date; nulls do not count."""
    slot, kind, column = book[c, SLOT], book[c, KIND], book[c, COLUMN]
    place = places.slots + slot
    bit = np.int64(1) << slot
    if taken == 0:
        rows[r, place] = 0
        rows[r, places.overflown] &= ~bit
        rows[r, places.valid] &= ~bit
        if kind == LENGTH or kind == COUNT or is_distinct(kind):
            rows[r, places.valid] |= bit
    if kind == LENGTH:
        rows[r, place] += 1
    elif kind == MEAN_INT or kind == MEAN_REAL:
        average(book, c, rows, r, places, place, bit)
    elif kind == KEEP_NTH:
        if taken + 1 == book[c, ORDINAL] and ev.valid[column, e] != 0:
            rows[r, place] = ev.columns[column, e]
            rows[r, places.valid] |= bit
    elif ev.valid[column, e] != 0 and rows[r, places.overflown] & bit == 0:
        accumulate(kind, ev.columns[column, e], ev.texts, rows, r, places, place, bit, is_new)


@kernel
def accumulate(kind, value, texts, rows, r, places, place, bit, is_new):
    """Let a running aggregate take in a value that is not null."""
    known, before = rows[r, places.valid] & bit != 0, rows[r, place]
    rows[r, places.valid] |= bit
    if kind == COUNT:
        rows[r, place] += 1
    elif is_distinct(kind):
        if is_new:
            rows[r, place] += 1
    elif kind == SUM_INT:
        if sum_fits(before, value):
            rows[r, place] += value
        else:
            rows[r, places.overflown] |= bit
            rows[r, places.valid] &= ~bit
    elif kind == SUM_REAL:
        rows[r, place] = as_bits(as_real(before) + as_real(value))
    elif not known or replaces(kind, value, before, texts):
        rows[r, place] = value


@kernel
def average(book, c, rows, r, places, place, bit):
    """A mean from its sum and its count, which stand before it."""
    total, count = book[c, SUM], rows[r, places.slots + book[c, COUNTED]]
    if count > 0 and (rows[r, places.valid] >> total) & 1 != 0:
        value = rows[r, places.slots + total]
        whole = book[c, KIND] == MEAN_INT
        rows[r, place] = as_bits((np.float64(value) if whole else as_real(value)) / count)
        rows[r, places.valid] |= bit
    else:
        rows[r, places.valid] &= ~bit


@kernel
def replaces(kind, value, known, texts):
    """Whether a value takes the place of the least or greatest so far; NaN takes and keeps it."""
    if kind == MIN_INT:
        return value < known
    if kind == MAX_INT:
        return value > known
    if kind == MIN_TEXT:
        return texts[0, value] < texts[0, known]
    if kind == MAX_TEXT:
        return texts[0, value] > texts[0, known]
    if np.isnan(as_real(known)):
        return False
    if kind == MIN_REAL:
        return not as_real(value) >= as_real(known)
    return not as_real(value) <= as_real(known)


@inlined
def same_value(is_real, one, other):
    """Whether two values that are not null are one for COUNT(DISTINCT): all NaN are."""
    if one == other:
        return True
    if not is_real:
        return False
    return as_real(one) == as_real(other) or (np.isnan(as_real(one)) and np.isnan(as_real(other)))
