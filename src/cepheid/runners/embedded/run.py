"""A whole table at once: put in order first, so that nothing in it is late."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa

from cepheid.events import END, EventBatch, EventSchema, time_values
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.engines import matcher_for
from cepheid.matchers.protocol import Matcher, Outputs, joined_tables
from cepheid.matchers.store import join_arrays
from cepheid.matches import Matches
from cepheid.plan.plan import Plan, QueryPlan
from cepheid.runners.embedded.sizing import Sizing
from cepheid.runners.stream.intake import Intake
from cepheid.runners.stream.order import in_order
from cepheid.runners.stream.side import SideOutput
from cepheid.runners.stream.usable import UsableValues

SLICE = 1 << 18
"""How many events a matcher is given at a time: its columns then stay in the processor's cache."""

Progress = Callable[[int], None]


def run_table(
    plan: QueryPlan,
    intake: Intake,
    *,
    on_late: str,
    on_bad: str,
    max_matches: int,
    max_state: int,
    progress: Progress | None = None,
) -> Matches:
    """Every match of a plan in a table."""
    started = clock.perf_counter()
    late, bad = SideOutput("late", on_late, intake.schema), SideOutput("bad", on_bad, intake.schema)
    table = pa.Table.from_batches(list(intake.batches), schema=intake.schema)
    bad.add_unread(intake.unreadable())
    ordered = in_order(good_events(plan, table, bad), plan.schema)
    plan = Sizing(ordered).sized(plan)
    allowance = Allowance(max_matches, max_state)
    matcher = matcher_for(plan, allowance)
    (matches,) = collected(plan, matches_in(matcher, plan, ordered, progress))
    return Matches(
        matches,
        late.table,
        bad.table,
        run_stats(
            matcher, allowance, ordered.num_rows, matches.num_rows, late, bad, clock.perf_counter() - started
        ),
    )


def collected(plan: Plan, found: Iterable[Outputs]) -> Outputs:
    """What was found piece by piece, as one table for each output."""
    tables: list[list[pa.Table]] = [[] for _ in plan.output_schemas]
    for outputs in found:
        for pieces, table in zip(tables, outputs, strict=True):
            if table.num_rows:
                pieces.append(table)
    return tuple(map(joined_tables, tables, plan.output_schemas))


def good_events(plan: Plan, table: pa.Table, bad: SideOutput) -> pa.Table:
    """The events that can be used, with the columns that a plan needs."""
    return UsableValues(plan).good(table, bad).select(list(plan.needed))


def matches_in(
    matcher: Matcher, plan: Plan, ordered: pa.Table, progress: Progress | None = None
) -> Iterator[Outputs]:
    """The matches in a whole table of ordered events, as they are found."""
    done = 0
    for batch in slices(ordered, plan.schema):
        yield matcher.process(batch)
        done += batch.data.num_rows
        if progress is not None:
            progress(done)
    yield matcher.process(end_batch(plan.schema, plan.needed))


def slices(table: pa.Table, schema: EventSchema) -> Iterator[EventBatch]:
    """An ordered table as batches; the watermark of each is its last event's time."""
    for start in range(0, table.num_rows, SLICE):
        piece = table.slice(start, SLICE)
        columns = [join_arrays(column.chunks) for column in piece.columns]
        data = pa.RecordBatch.from_arrays(columns, schema=piece.schema)
        time = time_values(data.column(schema.time))
        yield EventBatch(data, time, time[-1].item())


def end_batch(schema: EventSchema, names: tuple[str, ...]) -> EventBatch:
    """The end of a stream: no event, and a watermark of infinity."""
    columns = pa.schema([schema.columns.field(name) for name in names])
    data = pa.RecordBatch.from_pylist([], schema=columns)
    return EventBatch(data, time_values(data.column(schema.time)), END)


def run_stats(
    matcher: Matcher,
    allowance: Allowance,
    events: int,
    matches: int,
    late: SideOutput,
    bad: SideOutput,
    seconds: float,
) -> dict[str, Any]:
    """Figures about a run."""
    return {
        "events": events,
        "matches": matches,
        "late": late.count,
        "bad": bad.count,
        "seconds": seconds,
        "events_per_second": round(events / seconds) if seconds else None,
        "engine": matcher.engine,
        **matcher.figures,
        "state_bytes": matcher.state_bytes,
        "peak_state_bytes": matcher.peak_state_bytes,
        "max_matches": allowance.max_matches,
        "max_state": allowance.max_state,
    }
