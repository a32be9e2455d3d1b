"""A worker's whole share of the events of a finite stream, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from cepheid.runners.spark.ranges import Ranges, matches_by_range
from cepheid.runners.spark.schema import as_events
from cepheid.runners.spark.work import Work
from cepheid.runners.stream.side import SideOutput


@dataclass(frozen=True, slots=True)
class ShareTask:
    """What a worker runs over one partition."""

    work: Work
    columns: pa.Schema
    ranges: Ranges | None

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows of the result, from all rows of the partition."""
        given = [as_events(batch, self.columns) for batch in batches]
        if not given:
            return
        table = pa.Table.from_batches(given, schema=self.columns)
        del given
        yield from share_rows(self.work, table, self.ranges)


def share_rows(work: Work, table: pa.Table, ranges: Ranges | None) -> Iterator[pa.RecordBatch]:
    """The rows of the result from a worker's whole share of the events."""
    bad = SideOutput("bad", work.on_bad, work.events)
    found = work.matches(table, bad) if ranges is None else matches_by_range(work, ranges, table, bad)
    yield from work.rows(found, bad)
