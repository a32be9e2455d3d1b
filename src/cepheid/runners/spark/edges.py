"""Ranges of time from what Parquet files tell of themselves, and the copies of events that they need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.events import time_values
from cepheid.plan.cut import Cut
from cepheid.plan.nodes import NfaPlan
from cepheid.runners.embedded.order import has_time
from cepheid.runners.spark.parquet import RowGroup
from cepheid.runners.spark.ranges import HOME, LEAST_WIDTH, RANGE

_POINTS = 64
"""How many times stand for a row group, evenly between its least and its greatest."""


def edges_of(groups: Sequence[RowGroup], plan: NfaPlan, cut: Cut, count: int) -> np.ndarray | None:
    """The times between ranges of about as many events each; None if the files do not tell their times."""
    field = plan.schema.columns.field(plan.schema.time)
    times, weights = [], []
    for group in groups:
        ends = _ends(group.statistics.get(field.name), field.type)
        if ends is None:
            return None
        times.append(np.linspace(ends[0], ends[1], _POINTS).astype(ends.dtype))
        weights.append(np.full(_POINTS, group.rows / _POINTS))
    if not times:
        return None
    every = np.concatenate(times)
    order = np.argsort(every, kind="stable")
    share = np.cumsum(np.concatenate(weights)[order])
    places = np.searchsorted(share, share[-1] * np.arange(1, count) / count)
    return _apart(every[order], places, LEAST_WIDTH * max(cut.before, cut.after))


def _apart(times: np.ndarray, places: np.ndarray, least: int | float) -> np.ndarray | None:
    edges = []
    last = times[0].item()
    for edge in times[places].tolist():
        if edge - last >= least and edge > last:
            edges.append(edge)
            last = edge
    return np.array(edges, times.dtype) if edges else None


def _ends(statistics: dict[str, Any] | None, kind: pa.DataType) -> np.ndarray | None:
    if statistics is None or statistics.get("min") is None or statistics.get("max") is None:
        return None
    try:
        ends = pa.array([statistics["min"], statistics["max"]], kind)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None
    return time_values(ends) if has_time(pa.chunked_array([ends])).all() else None


def copies(events: pa.Table, plan: NfaPlan, cut: Cut, edges: np.ndarray) -> pa.Table:
    """Each event for its range and for those whose overlap it is in."""
    column = events.column(plan.schema.time)
    time = np.concatenate([time_values(chunk) for chunk in column.chunks] or [np.zeros(0)])
    home = np.searchsorted(edges, time, "right").astype(np.int32)
    first = np.searchsorted(edges, _moved(time, cut.after, -1), "right")
    last = np.searchsorted(edges, _moved(time, cut.before, 1), "right")
    timeless = ~has_time(column)
    home[timeless] = first[timeless] = last[timeless] = 0
    numbers = last - first + 1
    rows = np.repeat(np.arange(time.size), numbers)
    steps = np.arange(rows.size) - np.repeat(np.cumsum(numbers) - numbers, numbers)
    copied = events.take(pa.array(rows)) if rows.size > time.size else events
    ranges = (first[rows] + steps).astype(np.int32)
    return copied.append_column(RANGE, pa.array(ranges)).append_column(HOME, pa.array(home[rows]))


def _moved(time: np.ndarray, length: int | float, sign: int) -> np.ndarray:
    """Times moved by a length, not past the ends of int64; floats by a little more: they are rounded."""
    if time.dtype == np.float64:
        moved: np.ndarray = time + sign * (length * 1.001 + np.abs(time) * 1e-9)
    elif sign < 0:
        moved = np.maximum(time, np.iinfo(np.int64).min + int(length)) - int(length)
    else:
        moved = np.minimum(time, np.iinfo(np.int64).max - int(length)) + int(length)
    return moved
