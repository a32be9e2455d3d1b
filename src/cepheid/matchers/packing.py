"""Compressed matches as a run keeps them: what several rows have in common is there once.

A row of `EMIT COMPRESSED` has the whole graph of its matches, and a thousand events in one window that
complete matches have much the same graph. So a run keeps ways as they are shared, and each event that they
name once; `packed_rows` makes the rows that users see when these are asked for.
"""

import numpy as np
import pyarrow as pa

from cepheid.matchers.store import EventStore
from cepheid.matchers.ways import layout as way
from cepheid.matchers.ways.shared import SharedWays
from cepheid.plan.plan import QueryPlan
from cepheid.plan.summaries import ENTRIES, LINKS, WAYS


def packed_columns(plan: QueryPlan, ways: SharedWays, store: EventStore) -> dict[str, pa.Array]:
    """The ways of all groups, the events at their variables, and the roots of each group."""
    key = ways.rows[:, way.EVENT] * len(plan.positions) + ways.rows[:, way.POSITION]
    _, some, entry = np.unique(key, return_index=True, return_inverse=True)
    begins, sizes = ways.pieces[:, 0], ways.pieces[:, 1] - ways.pieces[:, 0]
    base = np.zeros(ways.rows.shape[0], np.int64)  # where the piece of a row begins
    base[begins] = begins
    links = np.empty((3, base.size), np.int32)
    links[0] = entry
    for lane, field in ((1, way.PREVIOUS), (2, way.SIBLING)):
        linked = ways.rows[:, field]
        links[lane] = np.where(linked == way.NONE, way.NONE, linked - np.maximum.accumulate(base))
    group_begins = np.repeat(begins, np.diff(ways.roots_of))
    return {
        ENTRIES: _views(_entries(plan, ways.rows[some], store), np.zeros_like(begins), some.size),
        WAYS: _views(pa.StructArray.from_arrays([pa.array(each) for each in links], LINKS), begins, sizes),
        "roots": pa.ListArray.from_arrays(
            pa.array(ways.roots_of.astype(np.int32)), pa.array((ways.roots - group_begins).astype(np.int32))
        ),
    }


def _entries(plan: QueryPlan, rows: np.ndarray, store: EventStore) -> pa.Array:
    """Each event at a variable, in the order of events."""
    kind = plan.output_schema.field(ENTRIES).type.value_type
    events = pa.StructArray.from_arrays(
        [store.column(name, rows[:, way.ROW]) for name in plan.needed],
        fields=list(kind.field("event").type),
    )
    words = pa.py_buffer(np.ascontiguousarray(rows[:, way.IDENTITY :].astype("<i8")))
    identities = pa.FixedSizeBinaryArray.from_buffers(pa.binary(16), len(rows), [None, words])
    variables = pa.array(rows[:, way.POSITION].astype(np.int16))
    return pa.StructArray.from_arrays([variables, events, identities], fields=list(kind))


def _views(values: pa.Array, begins: np.ndarray, sizes: np.ndarray | int) -> pa.Array:
    sizes = np.broadcast_to(sizes, begins.shape)
    return pa.ListViewArray.from_arrays(
        pa.array(begins.astype(np.int32)), pa.array(sizes.astype(np.int32)), values
    )
