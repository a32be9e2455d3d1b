"""Rows about all that one event completes: how many matches, and the graph of them if that is wanted."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cepheid.errors import LimitError
from cepheid.matchers.digits import digits
from cepheid.matchers.match_identity import MIX, MIX_TOO, match_ids
from cepheid.matchers.packing import packed_columns
from cepheid.matchers.store import EventStore
from cepheid.matchers.ways import layout as way
from cepheid.matchers.ways.compress import JUNCTION, compress
from cepheid.matchers.ways.shared import SharedWays, shared
from cepheid.matchers.ways.ways import Ways
from cepheid.matchers.windows import AFTER_EVENTS, BEFORE_EVENTS, FAR
from cepheid.plan.output import MATCH_ID
from cepheid.plan.plan import QueryPlan
from cepheid.plan.program import WindowTest
from cepheid.plan.summaries import COUNT, TIME, is_packed, summary_keys

_INFINITY = np.float64(np.inf).view(np.int64)


@dataclass(frozen=True, slots=True)
class Completions:
    """Groups of matches, each with one completion and one last event."""

    last: np.ndarray  # the last event, as a row of the store
    identities: np.ndarray  # uint64: group, lane
    numbers: list[int]  # how many matches there are
    ways: Ways | SharedWays | None = None  # their graphs, if these are wanted; shared only where packed


@dataclass(frozen=True, slots=True)
class Waits:
    """Which groups had to wait for a window to close, when they began and when they completed: bits of times,
    or the number of an event where the query's window counts these."""

    waited: np.ndarray
    at_event: np.ndarray  # whether an event closed the window
    began: np.ndarray
    completed: np.ndarray
    side: np.ndarray  # whether a window closed before or after the events of that time


_WAITED = np.uint64(0xD6E8FEB86659FD93)
"""Mixed into the identity of a group that had to wait: its beginning alone says nothing if that is 0."""

_SIDE = np.uint64(0xA0761D6478BD642F)
"""Mixed into the identity of a group that another window than the query's own completed: by its side."""


def group_identities(known: np.ndarray, waits: Waits, window: WindowTest | None) -> np.ndarray:
    """Who groups are: `known` by their last event at the first variable that it is bound to. One that had to
    wait for a window to close is also known by when it began; and by when it completed, if another window
    than the query's own decided that."""
    began = np.where(waits.waited, waits.began, 0)
    otherwise = waits.waited & ~_closed_by(window, waits)
    closed, side = (np.where(otherwise, each, 0) for each in (waits.completed, waits.side))
    mixed: np.ndarray = known.copy()
    waited = waits.waited.astype(np.int64)
    for moment, mix in ((began, MIX), (closed, MIX_TOO), (side, _SIDE), (waited, _WAITED)):
        mixed += np.ascontiguousarray(moment).view(np.uint64)[:, np.newaxis] * mix
    return mixed


def _closed_by(window: WindowTest | None, waits: Waits) -> np.ndarray:
    """Whether a group completed as the query's own window closed, or at the end of all."""
    at_end: np.ndarray = (waits.completed == FAR) | (waits.completed == _INFINITY)
    if window is None or window.counts_events:
        return at_end | waits.at_event if window is not None else at_end
    with np.errstate(over="ignore"):
        if isinstance(window.limit, float):
            closes = (waits.began.view(np.float64) + window.limit).view(np.int64)
        else:
            closes = waits.began + np.int64(window.limit) + np.int64(window.half_open)
    own_side = BEFORE_EVENTS if window.half_open else AFTER_EVENTS
    at_end |= (closes == waits.completed) & (waits.side == own_side) & ~waits.at_event
    return at_end


def completion_table(plan: QueryPlan, groups: Completions, store: EventStore) -> pa.Table:
    """A row for each group."""
    columns = {
        TIME: store.column(plan.schema.time, groups.last),
        **{key: store.column(key, groups.last) for key in summary_keys(plan.query)},
        COUNT: exact_numbers(groups.numbers, plan.output_schema.field(COUNT).type),
        MATCH_ID: match_ids(plan.identity, groups.identities),
    }
    if groups.ways is not None and is_packed(plan):
        columns |= packed_columns(plan, shared(groups.ways), store)
    elif groups.ways is not None:
        assert isinstance(groups.ways, Ways)
        columns |= graph_columns(plan, groups.ways, store)
    return pa.Table.from_arrays(
        [columns[name] for name in plan.output_schema.names], schema=plan.output_schema
    )


def exact_numbers(numbers: list[int], kind: pa.DataType) -> pa.Array:
    """Numbers in the type that was promised for them."""
    if pa.types.is_string(kind):
        return pa.array([digits(number) for number in numbers], kind)
    try:
        return pa.array(numbers, kind)
    except (pa.ArrowException, OverflowError):
        raise LimitError(
            f"a number of matches has grown past {kind}: the window holds more events than was expected of a "
            "stream without end; with a shorter WITHIN, or over a table run whole, the type is wide enough"
        ) from None


def graph_columns(plan: QueryPlan, ways: Ways, store: EventStore) -> dict[str, pa.Array]:
    """The nodes, edges and roots of each group."""
    graphs = compress(ways)
    is_junction = graphs.nodes == JUNCTION
    of_nodes = ways.rows[np.where(is_junction, 0, graphs.nodes)]
    rows = np.where(is_junction, -1, of_nodes[:, way.ROW])
    absent = pa.array(is_junction)
    kind = plan.output_schema.field("nodes").type
    names = pa.array([position.variable for position in plan.positions], pa.string())
    events = pa.StructArray.from_arrays(
        [store.column(name, rows) for name in plan.needed],
        fields=list(kind.value_type.field("event").type),
        mask=absent,
    )
    words = np.ascontiguousarray(of_nodes[:, way.IDENTITY :].astype("<i8"))
    identities = pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(16), len(words), [pa.array(~is_junction).buffers()[1], pa.py_buffer(words)]
    )
    variables = names.take(pa.array(of_nodes[:, way.POSITION], mask=is_junction))
    nodes = pa.StructArray.from_arrays([variables, events, identities], fields=list(kind.value_type))
    edges = pa.StructArray.from_arrays(
        [pa.array(graphs.edges[:, k].astype(np.int32)) for k in (0, 1)], ["source", "target"]
    )
    return {
        "nodes": _lists(nodes, graphs.nodes_of, kind),
        "edges": _lists(edges, graphs.edges_of, plan.output_schema.field("edges").type),
        "roots": _lists(
            pa.array(graphs.roots.astype(np.int32)), graphs.roots_of, plan.output_schema.field("roots").type
        ),
    }


def _lists(values: pa.Array, offsets: np.ndarray, kind: pa.DataType) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), values, type=kind)
