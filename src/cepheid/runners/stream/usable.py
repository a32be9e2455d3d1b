"""Values that expressions cannot compute with: an event that has one is bad, instead of being misread."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from cepheid.matchers.masks import fits
from cepheid.matchers.shown import shown
from cepheid.plan.plan import Plan
from cepheid.runners.stream.order import has_time
from cepheid.runners.stream.side import SideOutput

_SIZES = ("s", "ms", "us", "ns")


class UsableValues:
    """Keeps out events whose values do not fit, in the columns that a plan computes with."""

    def __init__(self, plan: Plan) -> None:
        self.time = plan.schema.time
        self.unit = plan.unit
        computed = plan.computed
        self.columns = tuple(
            name
            for name in plan.schema.columns.names
            if name in computed and _may_overflow(plan.schema.type_of(name), plan.unit)
        )

        self.read = {
            field.name: is_readable
            for field in plan.schema.columns
            if field.name in plan.needed and (is_readable := _reading(field.type)) is not None
        }

    def good(self, table: pa.Table, bad: SideOutput) -> pa.Table:
        """The events that can be used: they have a time, and their values all fit."""
        timed = has_time(table.column(self.time))
        if not timed.all():
            without = table.filter(pa.array(~timed))
            bad.add(without, [f"'{self.time}' is no time"] * without.num_rows)
            table = table.filter(pa.array(timed))
        reasons: dict[int, str] = {}
        for name in self.columns:
            reasons = _misfits(table.column(name), name, self.unit) | reasons
        for name, is_readable in self.read.items():
            reasons = _unreadable(table.column(name), name, is_readable) | reasons
        if not reasons:
            return table
        misfit = sorted(reasons)
        bad.add(table.take(pa.array(misfit)), [reasons[index] for index in misfit])
        kept = np.ones(table.num_rows, np.bool_)
        kept[misfit] = False
        return table.filter(pa.array(kept))


def good_events(plan: Plan, table: pa.Table, bad: SideOutput) -> pa.Table:
    """The events that can be used, with the columns that a plan needs."""
    return UsableValues(plan).good(table, bad).select(list(plan.needed))


def _may_overflow(kind: pa.DataType, unit: str) -> bool:
    if pa.types.is_struct(kind):
        return any(_may_overflow(field.type, unit) for field in kind)
    if pa.types.is_uint64(kind) or pa.types.is_date(kind):
        return True
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        return _SIZES.index(kind.unit) < _SIZES.index(unit)
    return False


Readable = Callable[[pa.Array], bool]


def _reading(kind: pa.DataType) -> Readable | None:
    """How to see whether the values of a type can be read as what they are called; None if all can."""
    if pa.types.is_dictionary(kind):
        is_readable = _reading(kind.value_type)
        return None if is_readable is None else lambda values: is_readable(values.dictionary_decode())
    if pa.types.is_nested(kind):
        return _is_readable_by_python
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _is_text
    return None


def _is_text(values: pa.Array) -> bool:
    """Whether texts are UTF-8, which Arrow takes for granted where it is given bytes."""
    try:
        values.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _is_readable_by_python(values: pa.Array) -> bool:
    """Whether nested values are such as Python can hold: they are compared by their text."""
    try:
        values.to_pylist()
    except (
        Exception
    ):  # what fails is up to the types inside: OverflowError, ValueError, UnicodeDecodeError, …
        return False
    return True


def _unreadable(column: pa.ChunkedArray, name: str, is_readable: Readable) -> dict[int, str]:
    found: dict[int, str] = {}
    offset = 0
    for chunk in column.chunks:
        if not is_readable(chunk):
            is_nested = pa.types.is_nested(chunk.type)
            why = "a value inside is beyond what can be read" if is_nested else "its text is not UTF-8"
            for index in range(len(chunk)):
                if not is_readable(chunk.slice(index, 1)):
                    found[offset + index] = f"{name}: {why}"
        offset += len(chunk)
    return found


def _misfits(column: pa.ChunkedArray, name: str, unit: str) -> dict[int, str]:
    found: dict[int, str] = {}
    offset = 0
    for chunk in column.chunks:
        if not fits(chunk, unit):
            for index in range(len(chunk)):
                if not fits(chunk.slice(index, 1), unit):
                    kind = "int64" if pa.types.is_integer(chunk.type) else f"a time in {unit}"
                    found[offset + index] = f"{name}: {shown(chunk[index])} does not fit {kind}"
        offset += len(chunk)
    return found
