"""A worker's whole share of the events of a finite stream, and what becomes of it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from cepheid.runners.spark.assignment import Assignment
from cepheid.runners.spark.ranges import Ranges, matches_by_range
from cepheid.runners.spark.schema import as_events
from cepheid.runners.stream.side import SideOutput


@dataclass(frozen=True, slots=True)
class ShareTask:
    """What a worker runs over one partition."""

    assigned: Assignment
    columns: pa.Schema
    ranges: Ranges | None

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows of the result, from all rows of the partition."""
        given = [as_events(batch, self.columns) for batch in batches]
        if not given:
            return
        table = pa.Table.from_batches(given, schema=self.columns)
        del given
        yield from share_rows(self.assigned, table, self.ranges)


def share_rows(assigned: Assignment, table: pa.Table, ranges: Ranges | None) -> Iterator[pa.RecordBatch]:
    """The rows of the result from a worker's whole share of the events."""
    bad = SideOutput("bad", assigned.terms.on_bad, assigned.events)
    found = assigned.matches(table, bad) if ranges is None else matches_by_range(assigned, ranges, table, bad)
    yield from assigned.rows(found, bad)
