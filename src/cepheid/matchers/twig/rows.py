"""Rows that are told, as a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from cepheid.matchers.twig import layout as at
from cepheid.matchers.twig.state import TwigState
from cepheid.plan.twig.plan import TwigPlan

SCHEMA = pa.schema(
    [
        ("match", pa.int64()),
        ("var", pa.string()),
        ("parent", pa.int64()),
        ("run", pa.int64()),
        ("tag", pa.string()),
        ("text", pa.string()),
        ("attributes", pa.map_(pa.string(), pa.string())),
        ("start", pa.int64()),
        ("end", pa.int64()),
    ]
)

NO_ROWS = SCHEMA.empty_table()
FEW = 32


def rows_table(plan: TwigPlan, m: TwigState, names: Sequence[str]) -> pa.Table:
    """The rows that are told, in document order, then by the variables' first place in the pattern."""
    told = m.told[: m.state[at.TOLD]]
    if len(told) <= FEW:
        return _few_rows(plan, m, told.tolist(), names)
    told = told[np.lexsort((told[:, at.TOLD_VARIABLE], told[:, at.TOLD_START]))]
    columns = (
        pa.array(told[:, at.TOLD_MATCH]),
        pa.array(plan.variables, pa.string()).take(pa.array(told[:, at.TOLD_VARIABLE])),
        _or_null(told[:, at.TOLD_PARENT]),
        _or_null(told[:, at.TOLD_RUN]),
        _named(names, told[:, at.TOLD_NAME]),
        _texts(m.texts, told[:, at.TOLD_TEXT], told[:, at.TOLD_TEXT_END]),
        _attributes(m, told[:, at.TOLD_VALUES], told[:, at.TOLD_VALUES_END], names),
        pa.array(told[:, at.TOLD_START]),
        pa.array(told[:, at.TOLD_END]),
    )
    return pa.Table.from_arrays(columns, schema=SCHEMA)


def _few_rows(plan: TwigPlan, m: TwigState, told: list[list[int]], names: Sequence[str]) -> pa.Table:
    """The same from Python values, which takes less time for a few rows."""
    told.sort(key=lambda row: (row[at.TOLD_START], row[at.TOLD_VARIABLE]))
    texts, values = m.texts.data, m.values.data
    rows = [
        (
            row[at.TOLD_MATCH],
            plan.variables[row[at.TOLD_VARIABLE]],
            row[at.TOLD_PARENT] if row[at.TOLD_PARENT] >= 0 else None,
            row[at.TOLD_RUN] if row[at.TOLD_RUN] >= 0 else None,
            names[row[at.TOLD_NAME]],
            str(texts[row[at.TOLD_TEXT] : row[at.TOLD_TEXT_END]], "utf-8"),
            [
                (names[name], str(values[begin:end], "utf-8"))
                for name, begin, end in m.attributes[row[at.TOLD_VALUES] : row[at.TOLD_VALUES_END]].tolist()
            ],
            row[at.TOLD_START],
            row[at.TOLD_END],
        )
        for row in told
    ]
    columns = (
        pa.array(column, kind) for column, kind in zip(zip(*rows, strict=True), SCHEMA.types, strict=True)
    )
    return pa.Table.from_arrays(list(columns), schema=SCHEMA)


def _or_null(places: np.ndarray) -> pa.Array:
    return pa.array(places, pa.int64(), mask=places < 0)


def _named(names: Sequence[str], numbers: np.ndarray) -> pa.Array:
    used, where = np.unique(numbers, return_inverse=True)
    return pa.array([names[number] for number in used], pa.string()).take(pa.array(where))


def _texts(source: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> pa.Array:
    """Spans of UTF-8 as an array of texts."""
    offsets = np.zeros(len(starts) + 1, np.int64)
    np.cumsum(ends - starts, out=offsets[1:])
    view = source.data
    data = b"".join([view[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)])
    is_small = len(data) < 1 << 31
    buffers = [None, pa.py_buffer(offsets.astype(np.int32) if is_small else offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.string() if is_small else pa.large_string(), len(starts), buffers)


def _attributes(m: TwigState, starts: np.ndarray, ends: np.ndarray, names: Sequence[str]) -> pa.Array:
    counts = ends - starts
    offsets = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=offsets[1:])
    places = np.repeat(starts - offsets[:-1], counts) + np.arange(offsets[-1])
    kept = m.attributes[places]
    keys = _named(names, kept[:, at.ATTRIBUTE_NAME])
    values = _texts(m.values, kept[:, at.VALUE_FROM], kept[:, at.VALUE_TO])
    return pa.MapArray.from_arrays(pa.array(offsets), keys, values)
