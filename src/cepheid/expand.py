"""Compressed matches, one by one: as many as are wanted, counted without listing, or drawn at random."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid.errors import CepheidError, LimitError, QueryError
from cepheid.events import bind, time_values
from cepheid.language.sase.parse import parse
from cepheid.matchers.bindings import Bindings, ended_by_time
from cepheid.matchers.digits import spoken
from cepheid.matchers.packed_rows import ROWS, PackedRows
from cepheid.matchers.rows import match_table
from cepheid.matchers.store import EventStore
from cepheid.matchers.ways.compress import JUNCTION, Graphs, restore
from cepheid.matchers.ways.listing import UNLIMITED, list_matches
from cepheid.matchers.ways.sampling import draw
from cepheid.matchers.ways.shared import SharedWays, shared
from cepheid.matchers.ways.sorted_listing import list_sorted
from cepheid.matchers.ways.ways import Ways
from cepheid.matches import Matches
from cepheid.pattern.nodes import Conjunction, walk
from cepheid.pattern.query import Emit
from cepheid.plan.plan import QueryPlan
from cepheid.plan.summaries import METADATA
from cepheid.query import Query
from cepheid.query import query as query_of
from cepheid.runners.embedded.run import events_again
from cepheid.runners.stream.compiling import announce_compiling
from cepheid.runners.stream.terms import MAX_MATCHES
from cepheid.views.notebook import table_html
from cepheid.views.run_record import RunRecord

AT_FIRST, AT_ONCE = 64, 1 << 14
"""How many matches are listed at a time: few for who wants the first, more for who goes on."""


def expand(
    compressed: Any,
    query: Query | None = None,
    *,
    time: str | None = None,
    type: str | None = None,
    order: Sequence[str] = (),
    time_unit: str | None = None,
) -> Expansion:
    """The matches of `EMIT COMPRESSED`: of what `run` gave, of its table, or of some of its rows.

    A table knows its query. One that has been elsewhere, such as on Spark, may not: give the query, and the
    columns of time and type as for `run`.
    """
    announce_compiling()
    source = _source_of(compressed)
    schema = source.schema if isinstance(source, pa.Table) else source.plan.output_schema
    missing = {"nodes", "edges", "roots"} - set(schema.names)
    if missing:
        raise CepheidError(
            f"expand() takes the rows of EMIT COMPRESSED; these have no {sorted(missing)[0]!r}"
        )
    known = (schema.metadata or {}).get(METADATA)
    binding: dict[str, Any]
    if query is not None:
        if time is None:
            raise CepheidError("expand() with a query needs time=, the name of the time column")
        tree, binding = query.tree, {"time": time, "type": type, "order": order, "time_unit": time_unit}
    elif known is not None:
        binding = json.loads(known)
        tree = parse(binding.pop("query"))
    else:
        raise CepheidError(
            "this table does not say which query it is of: give it, as in expand(table, q, time='ts')"
        )
    columns = pa.schema(list(schema.field("nodes").type.value_type.field("event").type))
    plan = query_of(replace(tree, emit=Emit())).plan(bind(columns, **binding))
    return Expansion(source, plan)


def _source_of(compressed: Any) -> pa.Table | PackedRows:
    if isinstance(compressed, Matches):
        is_packed = isinstance(compressed.source, PackedRows)
        return compressed.source if is_packed else compressed.table
    if isinstance(compressed, pa.RecordBatch):
        return pa.Table.from_batches([compressed])
    if isinstance(compressed, pa.Table):
        return compressed
    raise CepheidError(
        f"expand() takes what run() gave, or a table of it, not {type(compressed).__name__}; "
        "for one row, m.table.slice(0, 1)"
    )


@dataclass(frozen=True)
class Expansion:
    """The matches of compressed rows, with the rows, the order and the ids of EMIT ALL."""

    compressed: pa.Table | PackedRows
    plan: QueryPlan

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for table in self.tables():
            yield from table.to_pylist()

    def __len__(self) -> int:
        return self.count()

    def count(self) -> int:
        """How many matches there are: exact, and none is listed."""
        return sum(sum(ways.counts()) for ways, _ in self._parts())

    @property
    def table(self) -> pa.Table:
        """All matches, if they are not too many to be listed."""
        number = self.count()
        if number > MAX_MATCHES:
            raise LimitError(
                f"there are {spoken(number)} matches, more than {MAX_MATCHES:,}: take some with first(k) or "
                "sample(k), or go through tables(), which lists them as they are asked for"
            )
        return self._joined(list(self.tables()))

    def tables(self) -> Iterator[pa.Table]:
        """All matches in the order of output, table after table; each is made as it is asked for."""
        at_once = AT_FIRST
        for ways, store in self._some_groups():
            for bindings, _ in self._listed(ways, UNLIMITED, at_once):
                yield self._rows(bindings, store)
            at_once = AT_ONCE

    def first(self, number: int) -> Matches:
        """The first matches in the order of output."""
        found: list[pa.Table] = []
        wanted = _checked(number)
        for ways, store in self._some_groups():
            for bindings, _ in self._listed(ways, wanted, min(wanted, AT_ONCE) or 1):
                table = self._rows(bindings, store).slice(0, wanted)
                wanted -= table.num_rows
                found.append(table)
                if wanted == 0:
                    return self._matches(found)
        return self._matches(found)

    def sample(self, number: int, seed: int = 0) -> Matches:
        """Different matches, drawn so that each is as likely as any other; all, if there are not so many."""
        totals = [total for ways, _ in self._parts() for total in ways.counts()]
        wanted, random = min(_checked(number), sum(totals)), Random(seed)
        if 2 * wanted > sum(totals):
            chosen = random.sample(range(sum(totals)), wanted)
            return self._matches([self.first(sum(totals)).table.take(pa.array(chosen, pa.int64()))])
        ends = list(accumulate(totals))
        known: set[bytes] = set()
        drawn: list[pa.Table] = []
        while len(known) < wanted:  # what was drawn before does not count
            left = range(wanted - len(known))
            groups = sorted(bisect_right(ends, random.randrange(ends[-1])) for _ in left)
            drawn += self._drawn(groups, random, known)
        return self._matches(drawn)

    def _drawn(self, groups: list[int], random: Random, known: set[bytes]) -> Iterator[pa.Table]:
        """A match of each of these groups, which are in order, without those that are known."""
        first = 0
        for ways, store in self._parts():
            here = groups[bisect_left(groups, first) : bisect_left(groups, first + ways.count)]
            if here:
                bindings = draw(ways, self._variables, [group - first for group in here], random)
                is_new = [_is_new(each.tobytes(), known) for each in bindings.hashes]
                yield self._rows(bindings, store).filter(pa.array(is_new))
            first += ways.count

    def to_pandas(self) -> Any:
        """All matches as a pandas data frame."""
        return self._matches([self.table]).to_pandas()

    def to_polars(self) -> Any:
        """All matches as a Polars data frame."""
        return self._matches([self.table]).to_polars()

    def _repr_html_(self) -> str:
        return table_html(self.first(20).table, f"{spoken(self.count())} matches in all")

    def __repr__(self) -> str:
        return f"<{spoken(self.count())} matches, compressed in {self._source.num_rows:,} rows>"

    def _listed(self, ways: Ways, limit: int, at_once: int) -> Iterator[tuple[Bindings, np.ndarray]]:
        listing = list_matches if ways.meets else list_sorted
        return listing(ways, self._variables, limit, at_once)

    def _rows(self, bindings: Bindings, store: EventStore) -> pa.Table:
        if any(isinstance(node, Conjunction) for node in walk(self.plan.query.pattern)):
            listed = np.arange(1 + max(events.max(initial=0) for events in bindings.events))
            bindings = ended_by_time(bindings, time_values(store.column(self.plan.schema.time, listed)))
        return match_table(self.plan, bindings, store)

    @property
    def _variables(self) -> int:
        return len(self.plan.positions)

    def _matches(self, tables: list[pa.Table]) -> Matches:
        table = self._joined(tables)
        nothing = self._source.slice(0, 0)
        return Matches(
            table, nothing, nothing, {"matches": table.num_rows}, self.plan.event_columns, record=self._record
        )

    @property
    def _record(self) -> RunRecord:
        return RunRecord(self.plan, partial(events_again, self.plan))

    def _joined(self, tables: list[pa.Table]) -> pa.Table:
        return pa.concat_tables([t for t in tables if t.num_rows] or [self.plan.output_schema.empty_table()])

    @property
    def _source(self) -> pa.Table:
        return self.compressed if isinstance(self.compressed, pa.Table) else self.compressed.packed

    def _parts(self) -> Iterator[tuple[SharedWays, EventStore]]:
        """The ways of some rows at a time, and their events."""
        if isinstance(self.compressed, PackedRows):
            yield from self.compressed.parts()
            return
        for start in range(0, self.compressed.num_rows, ROWS):
            ways, store = _read(self.compressed.slice(start, ROWS), self.plan)
            yield shared(ways), store

    def _some_groups(self) -> Iterator[tuple[Ways, EventStore]]:
        """The same, where each group has rows of its own."""
        for ways, store in self._parts():
            for start in range(0, ways.count, ROWS):
                yield ways.of(start, min(start + ROWS, ways.count)), store


def _is_new(identity: bytes, known: set[bytes]) -> bool:
    """Whether a match was not known; now it is."""
    size = len(known)
    known.add(identity)
    return len(known) > size


def _read(table: pa.Table, plan: QueryPlan) -> tuple[Ways, EventStore]:
    nodes, nodes_of = _flat(table, "nodes")
    edges, edges_of = _flat(table, "edges")
    roots, roots_of = _flat(table, "roots")
    variables = pa.array([position.variable for position in plan.positions], pa.string())
    names = nodes.field("variable").cast(pa.string())
    positions = pc.fill_null(pc.index_in(names, value_set=variables), JUNCTION)
    identities = nodes.field("identity").cast(pa.binary()).fill_null(bytes(16)).to_pylist()
    words = np.frombuffer(b"".join(identities), "<i8").reshape(-1, 2).astype(np.int64)
    graphs = Graphs(
        nodes=np.zeros(0, np.int64),
        nodes_of=nodes_of,
        edges=np.stack([_numbers(edges.field("source")), _numbers(edges.field("target"))], axis=1),
        edges_of=edges_of,
        roots=_numbers(roots),
        roots_of=roots_of,
    )
    events = nodes.field("event")
    store = EventStore(pa.schema([plan.schema.columns.field(name) for name in plan.needed]))
    store.look_at(
        pa.RecordBatch.from_arrays([events.field(name) for name in plan.needed], schema=store.schema)
    )
    return restore(graphs, _numbers(positions), words), store


def _flat(table: pa.Table, name: str) -> tuple[pa.Array, np.ndarray]:
    """The items of a column of lists, one after the other, and where those of each row begin."""
    lists = table.column(name).combine_chunks()
    lists = lists.combine_chunks() if isinstance(lists, pa.ChunkedArray) else lists
    lengths = np.asarray(pc.list_value_length(lists))
    return lists.flatten(), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _numbers(values: pa.Array) -> np.ndarray:
    return np.asarray(values).astype(np.int64)


def _checked(number: int) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise QueryError(f"a number of matches is wanted, not {number!r}")
    return number
