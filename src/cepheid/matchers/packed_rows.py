"""What a run keeps of compressed matches, and the rows that users see, made when they are asked for."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cepheid.matchers.completions import graph_columns
from cepheid.matchers.store import EventStore
from cepheid.matchers.ways import layout as way
from cepheid.matchers.ways.shared import SharedWays
from cepheid.plan.plan import QueryPlan
from cepheid.plan.summaries import ENTRIES, LINKS, WAYS

ROWS = 64
"""How many rows are taken out together: a row may hold any number of matches."""


@dataclass(frozen=True, slots=True)
class PackedRows:
    """Packed rows, and the plan with the columns that users see."""

    packed: pa.Table
    plan: QueryPlan

    def __call__(self) -> pa.Table:
        """The rows as users see them."""
        tables = [table for batch in self.packed.to_batches() for table in self._rows(batch)]
        return pa.concat_tables(tables) if tables else self.plan.output_schema.empty_table()

    def _rows(self, batch: pa.RecordBatch) -> Iterator[pa.Table]:
        schema = self.plan.output_schema
        ways, store = read_ways(batch, self.plan)
        for start in range(0, batch.num_rows, ROWS):
            some = batch.slice(start, ROWS)
            columns = graph_columns(self.plan, ways.of(start, start + some.num_rows), store)
            told = [columns[name] if name in columns else some.column(name) for name in schema.names]
            yield pa.Table.from_arrays(told, schema=schema)

    def parts(self) -> Iterator[tuple[SharedWays, EventStore]]:
        """The ways of some rows at a time, and their events."""
        for batch in self.packed.to_batches():
            if batch.num_rows:
                yield read_ways(batch, self.plan)


def read_ways(batch: pa.RecordBatch, plan: QueryPlan) -> tuple[SharedWays, EventStore]:
    """The ways of packed rows, and a store of the events that they name."""
    views, entries = batch.column(WAYS), batch.column(ENTRIES)
    begins, sizes = _numbers(views.offsets), _numbers(views.sizes)
    listed = entries.values
    rows = np.full((len(views.values), way.WAY_WIDTH), way.NONE, np.int64)
    entry, previous, sibling = (_numbers(views.values.field(name)) for name in LINKS)
    _, some = np.unique(begins, return_index=True)
    lengths = sizes[some]
    place = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    own = place + np.repeat(begins[some], lengths)  # the rows of all pieces
    base = np.repeat(begins[some], lengths)
    known = entry[own] + np.repeat(_numbers(entries.offsets)[some], lengths)
    rows[own, way.ROW] = rows[own, way.EVENT] = known
    rows[own, way.POSITION] = _numbers(listed.field("variable"))[known]
    for field, linked in ((way.PREVIOUS, previous), (way.SIBLING, sibling)):
        rows[own, field] = np.where(linked[own] == way.NONE, way.NONE, linked[own] + base)
    rows[own, way.ROOT] = 0
    rows[own, way.IDENTITY :] = _words(listed.field("identity"))[known]
    roots = batch.column("roots")
    roots_of = np.concatenate([[0], np.cumsum(_numbers(roots.value_lengths()))]).astype(np.int64)
    flat = _numbers(roots.flatten()) + np.repeat(begins, np.diff(roots_of))
    store = EventStore(pa.schema([plan.schema.columns.field(name) for name in plan.needed]))
    events = [listed.field("event").field(name) for name in plan.needed]
    store.look_at(pa.RecordBatch.from_arrays(events, schema=store.schema))
    return SharedWays(rows, np.column_stack([begins, begins + sizes]), flat, roots_of), store


def _words(identities: pa.Array) -> np.ndarray:
    words = np.frombuffer(identities.buffers()[1], "<i8").reshape(-1, 2)
    begin = identities.offset
    return words[begin : begin + len(identities)].astype(np.int64)


def _numbers(values: pa.Array) -> np.ndarray:
    return np.asarray(values).astype(np.int64)
