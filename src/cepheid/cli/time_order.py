"""Matches that several workers found, in the order in which one would have found them."""

import numpy as np
import pyarrow as pa


def in_time_order(table: pa.Table, time: str) -> pa.Table:
    """By the time of the last event, then event by event. Rows that hold no events stay as they came."""
    times = [_times(column.combine_chunks(), time) for column in table.columns if _holds(column.type, time)]
    if not times:
        return table
    firsts, lasts = zip(*times, strict=True)
    order = np.lexsort([*reversed(firsts), np.maximum.reduce(lasts)])
    return table.take(pa.array(order))


def _holds(kind: pa.DataType, time: str) -> bool:
    """Whether a column holds events: structs with a time, or lists of them."""
    one = kind.value_type if pa.types.is_list(kind) else kind
    return bool(pa.types.is_struct(one) and one.get_field_index(time) >= 0)


def _times(column: pa.Array, time: str) -> tuple[np.ndarray, np.ndarray]:
    """The times of the first and of the last event of each row; the least time where there is none."""
    if not pa.types.is_list(column.type):
        alone = _numbers(column.field(time))
        return alone, alone
    every = np.append(_numbers(column.values.field(time)), _least)
    starts, ends = column.offsets.to_numpy()[:-1], column.offsets.to_numpy()[1:]
    empty = starts == ends
    return np.where(empty, _least, every[starts]), np.where(empty, _least, every[ends - 1])


_least = np.iinfo(np.int64).min


def _numbers(times: pa.Array) -> np.ndarray:
    """Times as numbers of one type, whatever they were."""
    if pa.types.is_floating(times.type):
        return np.asarray(times.to_numpy(zero_copy_only=False))
    numbers = times.cast(pa.timestamp("us")) if pa.types.is_date(times.type) else times
    whole = numbers.cast(pa.int64()).fill_null(_least)
    return np.asarray(whole.to_numpy(zero_copy_only=False))
