"""Ranges of time: one after the other to the shards in turn, overlapped by the window.

Each shard gets every n-th range, and the events within a window of those ranges. A match belongs to the shard
that has the range of its first event; a match that starts in an overlap is reported by another shard.
All ranges of a shard run through one matcher, since the gaps between them are wider than the window.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid import expressions as ex
from cepheid.events import time_values
from cepheid.plan.events.division import Division
from cepheid.plan.output import OutputColumn, output_schema
from cepheid.plan.plan import Plan, QueryPlan
from cepheid.runners.spark.assignment import Assignment
from cepheid.runners.stream.order import has_time
from cepheid.runners.stream.side import SideOutput
from cepheid.runners.stream.usable import good_events

SHARD = "cepheid shard"
"""The shard that a copy of an event is for."""

START = "cepheid start"
"""The time of a match's first event."""

WINDOWS = 16
"""How many windows wide a range is: so small a part of the events is worked on twice."""

FARTHEST = 2.0**53
"""Ranges of float time are numbered so far; beyond, one cannot be told from the next."""

MARGIN = 1.01
"""Of a window of float time, since differences are rounded."""


@dataclass(frozen=True, slots=True)
class Ranges:
    """How the time of a stream is cut."""

    width: int | float
    before: int | float  # how far a range looks back, and ahead
    after: int | float
    shards: int

    def home(self, time: np.ndarray) -> np.ndarray:
        """The shard that a time belongs to. What is no time may belong to any."""
        if isinstance(self.width, float):
            number = np.floor(np.clip(np.nan_to_num(time) / self.width, -FARTHEST, FARTHEST))
        else:
            number = np.floor_divide(time, self.width)
        shards: np.ndarray = np.mod(number, self.shards).astype(np.int32)
        return shards

    def copied(self, time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows that each shard needs, and the shard that each is for."""
        home = self.home(time)
        place = np.mod(time, self.width)
        ahead = np.flatnonzero(place <= self.after)
        behind = np.flatnonzero(self.width - place <= self.before)
        rows = np.concatenate([np.arange(time.size), ahead, behind])
        shards = np.concatenate([home, (home[ahead] - 1) % self.shards, (home[behind] + 1) % self.shards])
        return rows, shards.astype(np.int32)


def ranges_for(way: Division, shards: int) -> Ranges | None:
    """The ranges for a division by time; None if they would not be worth it."""
    longest = max(way.before, way.after, 1 if isinstance(way.after, int) else 0)
    if shards < 2 or longest * WINDOWS > 2**60 or longest <= 0:
        return None
    if isinstance(way.after, int):
        return Ranges(longest * WINDOWS, way.before, way.after, shards)
    return Ranges(longest * WINDOWS, way.before * MARGIN, way.after * MARGIN, shards)


def range_columns(assigned: Assignment) -> pa.Schema:
    """The columns that reach a worker."""
    return pa.schema([*assigned.events, (SHARD, pa.int32())])


def with_copies(events: pa.Table, plan: Plan, ranges: Ranges) -> pa.Table:
    """A copy of each event for its own shard and for each shard that it overlaps; an event without a time
    goes to the first shard."""
    column = events.column(plan.schema.time)
    timed = np.flatnonzero(has_time(column))
    rows, shards = ranges.copied(_times(column)[timed])
    timeless = np.setdiff1d(np.arange(events.num_rows), timed)
    every = np.concatenate([timed[rows], timeless])
    number = np.concatenate([shards, np.zeros(timeless.size, np.int32)])
    return events.take(pa.array(every)).append_column(SHARD, pa.array(number))


def matches_by_range(
    assigned: Assignment, ranges: Ranges, table: pa.Table, bad: SideOutput
) -> Iterator[pa.Table]:
    """The matches of each of the shards that a worker was given."""
    plan = _with_start(assigned.plan)
    numbers = table.column(SHARD)
    for number in sorted(pc.unique(numbers).to_pylist()):
        good = _good_of_shard(plan, ranges, number, table.filter(pc.equal(numbers, number)), bad)
        for found in assigned.matches_of(plan, good):
            starts_here = ranges.home(_times(found.column(START))) == number
            yield found.filter(pa.array(starts_here)).drop_columns([START])


def _good_of_shard(plan: Plan, ranges: Ranges, number: int, table: pa.Table, bad: SideOutput) -> pa.Table:
    """The good events of a shard; the bad ones of an overlap are reported by the shard they belong to."""
    column = table.column(plan.schema.time)
    at_home = pa.array((ranges.home(_times(column)) == number) | ~has_time(column))
    home = good_events(plan, table.filter(at_home), bad)
    elsewhere = SideOutput("bad", "drop", bad.schema)
    return pa.concat_tables([home, good_events(plan, table.filter(pc.invert(at_home)), elsewhere)])


def _times(column: pa.ChunkedArray) -> np.ndarray:
    chunks = [time_values(chunk) for chunk in column.chunks]
    return np.concatenate(chunks) if chunks else np.zeros(0, np.int64)


def _with_start(plan: Plan) -> QueryPlan:
    """The same plan, whose matches also tell when they start; their ids do not change."""
    assert isinstance(plan, QueryPlan) and plan.output is not None
    start = OutputColumn(START, ex.Call("first_time", ()), None, plan.schema.type_of(plan.schema.time))
    output = (*plan.output, start)
    return replace(plan, output=output, output_schema=output_schema(output))
