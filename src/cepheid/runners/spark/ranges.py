"""Ranges of time: overlapped by the window, each reports the matches that start in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from cepheid import expressions as ex
from cepheid.plan.nodes import NfaPlan
from cepheid.plan.output import OutputColumn, output_schema
from cepheid.runners.embedded.run import good_events
from cepheid.runners.embedded.side import SideOutput
from cepheid.runners.spark.work import Work

RANGE, HOME = "cepheid range", "cepheid home"
"""The range that a copy of an event is for, and the one that its time is in."""

START = "cepheid start"
"""The time of a match's first event."""

LEAST_WIDTH = 4
"""How many windows wide a range is at least: what overlaps is worked on twice."""


def range_columns(work: Work) -> pa.Schema:
    """The columns that reach a worker."""
    return pa.schema([*work.events, (RANGE, pa.int32()), (HOME, pa.int32())])


def matches_by_range(work: Work, table: pa.Table, bad: SideOutput) -> Iterator[pa.Table]:
    """The matches that start in each of the ranges that a worker was given."""
    plan = _with_start(work.plan)
    numbers = table.column(RANGE)
    for number in sorted(pc.unique(numbers).to_pylist()):
        yield from _matches_of_range(work, plan, table.filter(pc.equal(numbers, number)), bad)


def _matches_of_range(work: Work, plan: NfaPlan, table: pa.Table, bad: SideOutput) -> Iterator[pa.Table]:
    is_home = pc.equal(table.column(RANGE), table.column(HOME))
    home = good_events(plan, table.filter(is_home), bad)
    if home.num_rows == 0:
        return
    elsewhere = SideOutput("bad", "drop", work.events)  # reported by the range that it is in
    overlap = good_events(plan, table.filter(pc.invert(is_home)), elsewhere)
    edges = pc.min_max(home.column(plan.schema.time))
    for found in work.matches_of(plan, pa.concat_tables([home, overlap])):
        start = found.column(START)
        inside = pc.and_(pc.greater_equal(start, edges["min"]), pc.less_equal(start, edges["max"]))
        yield found.filter(inside).drop_columns([START])


def _with_start(plan: NfaPlan) -> NfaPlan:
    """The same plan, whose matches also tell when they start; their ids do not change."""
    start = OutputColumn(START, ex.Call("first_time", ()), None, plan.schema.type_of(plan.schema.time))
    output = (*plan.output, start)
    return replace(plan, output=output, output_schema=output_schema(output))
