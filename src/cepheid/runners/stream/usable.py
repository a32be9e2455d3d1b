"""Values that expressions cannot compute with: an event that has one is bad, instead of being misread."""

import numpy as np
import pyarrow as pa

from cepheid.matchers.masks import fits
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


def _misfits(column: pa.ChunkedArray, name: str, unit: str) -> dict[int, str]:
    found: dict[int, str] = {}
    offset = 0
    for chunk in column.chunks:
        if not fits(chunk, unit):
            for index in range(len(chunk)):
                if not fits(chunk.slice(index, 1), unit):
                    kind = "int64" if pa.types.is_integer(chunk.type) else f"a time in {unit}"
                    found[offset + index] = f"{name}: {chunk[index]} does not fit {kind}"
        offset += len(chunk)
    return found
