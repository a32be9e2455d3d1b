"""A row for each completing event: how many matches it completes, and the graph of them if that is wanted."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from cepheid.errors import LimitError
from cepheid.matchers.digits import digits
from cepheid.matchers.identity import match_ids
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.gather import gather_ways
from cepheid.matchers.nfa.layout import NfaState
from cepheid.matchers.nfa.results import NfaResults
from cepheid.matchers.store import EventStore
from cepheid.matchers.ways import layout as way
from cepheid.matchers.ways.compress import JUNCTION, compress
from cepheid.matchers.ways.counting import counts
from cepheid.matchers.ways.ways import Ways
from cepheid.pattern.query import EmitMode
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.plan.output import MATCH_ID
from cepheid.plan.summaries import COUNT, TIME, summary_keys


class Summaries:
    """Turns found matches into rows about all that one event completes."""

    def __init__(self, plan: NfaPlan, results: NfaResults) -> None:
        self.plan = plan
        self.results = results
        self._held: list[tuple[np.ndarray, pa.Table]] = []

    def take(
        self, found: np.ndarray, state: NfaState, nodes: int, store: EventStore, last: bool
    ) -> Iterator[pa.Table]:
        """The rows that can be handed out now."""
        if found.shape[0]:
            found, groups = self.results.grouped(found)
            began = np.minimum.reduceat(found[:, at.FOUND_MEASURE], groups[:-1])
            for ways, first in gather_ways(self.results.tables, state, nodes, found, groups):
                rows = found[groups[first : first + ways.count]]
                rows[:, at.FOUND_MEASURE] = began[first : first + ways.count]
                self._held.append((rows, summary_table(self.plan, ways, rows, store)))
        if not self._held or (self.results.tables.trailing and not last):
            return
        held, self._held = self._held, []
        if not self.results.tables.trailing:
            yield from (table for _, table in held)
            return
        rows = np.concatenate([told for told, _ in held])
        order = np.lexsort([rows[:, at.FOUND_LAST], *self.results.completion(rows)])
        yield pa.concat_tables([table for _, table in held]).take(pa.array(order))


def summary_table(plan: NfaPlan, ways: Ways, found: np.ndarray, store: EventStore) -> pa.Table:
    """A row for each group of matches, all of which have one last event."""
    last = last_rows(ways)
    events = ways.rows[last, way.ROW]
    columns = {
        TIME: store.column(plan.schema.time, events),
        **{key: store.column(key, events) for key in summary_keys(plan.query)},
        COUNT: exact_numbers(counts(ways), plan.output_schema.field(COUNT).type),
        MATCH_ID: match_ids(plan.identity, _identities(ways.rows[last], found)),
    }
    if plan.query.emit.mode is EmitMode.COMPRESSED:
        columns |= _graph_columns(plan, ways, store)
    return pa.Table.from_arrays(
        [columns[name] for name in plan.output_schema.names], schema=plan.output_schema
    )


def last_rows(ways: Ways) -> np.ndarray:
    """Of each group the last event at the first variable that it is bound to."""
    roots = np.flatnonzero(ways.rows[:, way.ROOT])
    group = np.searchsorted(ways.groups, roots, side="right") - 1
    roots = roots[np.lexsort((ways.rows[roots, way.POSITION], group))]
    first = np.searchsorted(np.sort(group), np.arange(ways.count))
    chosen: np.ndarray = roots[first]
    return chosen


def _identities(last: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Who a group is: its last event, and when it began if it had to wait for a window to close."""
    waited = np.where(found[:, at.FOUND_EVENT] != found[:, at.FOUND_LAST], found[:, at.FOUND_MEASURE], 0)
    known = last[:, way.IDENTITY : way.IDENTITY + 2].view(np.uint64)
    return known + waited.view(np.uint64)[:, np.newaxis] * np.uint64(0x9E3779B97F4A7C15)


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


def _graph_columns(plan: NfaPlan, ways: Ways, store: EventStore) -> dict[str, pa.Array]:
    graphs = compress(ways)
    is_junction = graphs.nodes == JUNCTION
    of_nodes = ways.rows[np.where(is_junction, 0, graphs.nodes)]
    rows = np.where(is_junction, -1, of_nodes[:, way.ROW])
    absent = pa.array(is_junction)
    kind = plan.output_schema.field("nodes").type
    names = pa.array([position.variable for position in plan.automaton.positions], pa.string())
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
