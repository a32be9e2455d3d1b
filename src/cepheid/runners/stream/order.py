"""The total order of events: (time, tie-breakers, arrival), or content where arrival means nothing."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid.events import EventSchema, time_values


def in_order(table: pa.Table, schema: EventSchema, ties: str = "arrival") -> pa.Table:
    """The events in their order; a table that is in order already is not copied.

    Events that tie stay as they arrived, or (ties="content") are ordered by their other columns."""
    ordered = _by_time(table, schema)
    return ordered if ties == "arrival" else _by_content(ordered, schema)


def _by_time(table: pa.Table, schema: EventSchema) -> pa.Table:
    time = table.column(schema.time)
    if not schema.order and _ascends(time):
        return table
    if schema.order and _ascends(time, strictly=True):
        return table
    names = [schema.time, *schema.order]
    return table.take(pa.array(_sorted([_sortable(table.column(name)) for name in names])))


def _by_content(table: pa.Table, schema: EventSchema) -> pa.Table:
    """Put events that tie in the order of their other columns; only those few are sorted."""
    names = [schema.time, *schema.order]
    tied = _same_as_before(table, names)
    if not tied.any():
        return table
    rows = np.flatnonzero(tied | np.append(tied[1:], False))
    columns = [
        pa.chunked_array([np.cumsum(~tied)[rows]]),
        *(
            _comparable(table.column(name).take(pa.array(rows)))
            for name in sorted(set(table.column_names) - set(names))
        ),
    ]
    places = np.arange(table.num_rows)
    places[rows] = rows[_sorted(columns)]
    return table.take(pa.array(places))


def _sorted(columns: list[pa.ChunkedArray]) -> np.ndarray:
    """The places of rows in the order of these columns; rows that tie keep their order."""
    names = [str(number) for number in range(len(columns))]  # Arrow reads some names as paths
    table = pa.Table.from_arrays(columns, names=names)
    return np.asarray(pc.sort_indices(table, sort_keys=[(name, "ascending") for name in names]))


def _same_as_before(table: pa.Table, names: list[str]) -> np.ndarray:
    """Which events agree with the one before them in these columns."""
    same = np.ones(table.num_rows, np.bool_)
    same[:1] = False
    for name in names:
        column = _comparable(table.column(name))
        before, after = column.slice(0, max(len(column) - 1, 0)), column.slice(1)
        equal = pc.fill_null(pc.equal(before, after), False)
        if column.null_count:
            equal = pc.or_(equal, pc.and_(before.is_null(), after.is_null()))
        same[1:] &= np.asarray(equal)
    return same


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
    return column.cast(pa.float32()) if pa.types.is_float16(column.type) else column


def _comparable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column that can be sorted; nested values by their text."""
    column = _sortable(column)
    if pa.types.is_nested(column.type) or pa.types.is_null(column.type):
        texts = [None if value is None else repr(value) for value in column.to_pylist()]
        return pa.chunked_array([pa.array(texts, pa.string())])
    return column


def has_time(column: pa.ChunkedArray) -> np.ndarray:
    """Which events have a time: not null, not NaN, not infinite, not beyond int64."""
    known = np.asarray(column.is_valid())
    if pa.types.is_floating(column.type):
        known = known & np.isfinite(column.fill_null(0.0).to_numpy())
    elif pa.types.is_uint64(column.type):
        known = known & (column.fill_null(0).to_numpy() < 2**63)
    return known
