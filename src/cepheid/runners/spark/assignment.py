"""What a worker does with its share of the events: the same whichever way they reached it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from cepheid.plan.plan import Plan
from cepheid.runners.spark.schema import as_rows, row_schema
from cepheid.runners.spark.together import in_one_table
from cepheid.runners.spark.worker_log import tell_of_compiling, tell_of_unused
from cepheid.runners.stream.feed import Feed
from cepheid.runners.stream.order import in_order
from cepheid.runners.stream.side import SideOutput
from cepheid.runners.stream.terms import Terms
from cepheid.runners.stream.usable import good_events

SIDE = "side"
"""The column of a result that holds the events that were not used."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """A plan and its terms; with `side`, events that were not used are rows of the result too."""

    plan: Plan
    terms: Terms
    side: bool

    @property
    def events(self) -> pa.Schema:
        """The columns that reach a worker."""
        return pa.schema([self.plan.schema.columns.field(name) for name in self.plan.needed])

    @property
    def results(self) -> pa.Schema:
        """The columns that leave it."""
        columns = list(self.plan.output_schema)
        return pa.schema([*columns, side_field(self.events)] if self.side else columns)

    def matches(self, table: pa.Table, bad: SideOutput) -> Iterator[pa.Table]:
        """The matches in a share of the events."""
        yield from self.matches_of(self.plan, good_events(self.plan, table, bad))

    def matches_of(self, plan: Plan, good: pa.Table) -> Iterator[pa.Table]:
        """The matches of a plan in good events, put in order first."""
        tell_of_compiling()
        ordered = in_order(good, plan.schema, ties="content")
        for outputs in Feed(plan, self.terms, by_arrival=False).run(ordered):
            yield in_one_table(plan, outputs)

    def rows(self, matches: Iterable[pa.Table], bad: SideOutput) -> Iterator[pa.RecordBatch]:
        """Matches, then what was not used, as rows for Spark."""
        rows = row_schema(self.results)
        for found in matches:
            if found.num_rows:
                yield from as_rows(with_side(found, self.results) if self.side else found, rows)
        if self.side:
            yield from as_rows(side_rows("bad", bad.table, self.results), rows)
        else:
            tell_of_unused(("bad", bad.count, bad.table))


def side_field(events: pa.Schema) -> pa.Field:
    """The last column of a result with side=True: null for a match."""
    parts = [("what", pa.string()), ("reason", pa.string()), ("event", pa.struct(list(events)))]
    return pa.field(SIDE, pa.struct(parts))


def with_side(matches: pa.Table, results: pa.Schema) -> pa.Table:
    """Matches as rows of a result that also has a side."""
    return matches.append_column(results.field(SIDE), pa.nulls(matches.num_rows, results.field(SIDE).type))


def side_rows(what: str, unused: pa.Table, results: pa.Schema) -> pa.Table:
    """Events that were not used as rows of a result: null but for the side."""
    kind = results.field(SIDE).type
    count = unused.num_rows
    event = kind.field("event").type
    columns = [unused.column(part.name).combine_chunks() for part in event]
    parts = [
        pa.array([what] * count, pa.string()),
        unused.column("reason").combine_chunks(),
        pa.StructArray.from_arrays(columns, fields=list(event)),
    ]
    side = pa.StructArray.from_arrays(parts, fields=list(kind))
    nulls = [pa.nulls(count, field.type) for field in results if field.name != SIDE]
    return pa.Table.from_arrays([*nulls, side], schema=results)
