"""The total order of events: (time, tie-breakers, arrival)."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid.events import EventSchema, time_values


def in_order(table: pa.Table, schema: EventSchema) -> pa.Table:
    """The events in their order; a table that has it already is not copied."""
    time = table.column(schema.time)
    if not schema.order and _ascends(time):
        return table
    keys = [(schema.time, "ascending"), *((name, "ascending") for name in schema.order)]
    if schema.order and _ascends(time, strictly=True):
        return table
    plain = pa.Table.from_arrays(
        [_sortable(table.column(name)) for name, _ in keys], names=[n for n, _ in keys]
    )
    return table.take(pc.sort_indices(plain, sort_keys=keys))


def _ascends(time: pa.ChunkedArray, strictly: bool = False) -> bool:
    last = None
    for chunk in time.chunks:
        values = time_values(chunk)
        if values.size == 0:
            continue
        steps = values[1:] > values[:-1] if strictly else values[1:] >= values[:-1]
        if not steps.all():
            return False
        if last is not None and (values[0] < last or (strictly and values[0] == last)):
            return False
        last = values[-1]
    return True


def _sortable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_dictionary(column.type):
        return column.cast(column.type.value_type)
    return column


def has_time(column: pa.ChunkedArray) -> np.ndarray:
    """Which events have a time: not null, not NaN, not infinite, not beyond int64."""
    known = np.asarray(column.is_valid())
    if pa.types.is_floating(column.type):
        known = known & np.isfinite(column.fill_null(0.0).to_numpy())
    elif pa.types.is_uint64(column.type):
        known = known & (column.fill_null(0).to_numpy() < 2**63)
    return known
