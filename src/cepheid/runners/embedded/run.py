"""A whole table at once: put in order first, so that nothing in it is late."""

import time as clock
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa

from cepheid.errors import CepheidError
from cepheid.matchers.counted import RunTally
from cepheid.matchers.masks import BatchRows, event_masks, no_counts
from cepheid.matchers.packed_rows import PackedRows
from cepheid.matches import Matches
from cepheid.pattern.query import EmitMode
from cepheid.plan.plan import Plan, QueryPlan
from cepheid.plan.summaries import WAYS, packed_schema
from cepheid.runners.stream.binding import bound_events
from cepheid.runners.stream.compiling import announce_compiling
from cepheid.runners.stream.diagnosis import diagnosed, warn_of
from cepheid.runners.stream.feed import Feed, Progress, collected
from cepheid.runners.stream.intake import Intake
from cepheid.runners.stream.order import in_order
from cepheid.runners.stream.run_counts import in_bits, run_counts
from cepheid.runners.stream.side import SideOutput
from cepheid.runners.stream.terms import Terms
from cepheid.runners.stream.usable import good_events
from cepheid.views.run_record import CoursePoint, RunCounts, RunRecord

Fit = Callable[[pa.Table], Plan]
"""The plan for just these events, which are in order: numbers that they bound need not be wide."""


def run_table(
    plan: Plan, intake: Intake, terms: Terms, progress: Progress | None = None, fit: Fit | None = None
) -> list[Matches]:
    """All matches in a table, for each output of a plan."""
    announce_compiling()
    started = clock.perf_counter()
    intake = intake.only(plan.needed)
    late, bad = (
        SideOutput("late", terms.on_late, intake.schema),
        SideOutput("bad", terms.on_bad, intake.schema),
    )
    ordered = ordered_events(plan, intake, bad)
    fitted = plan if fit is None else fit(ordered)
    feed = Feed(packed(fitted), terms)
    found = collected(feed.plan, feed.run(ordered, progress))
    stats = feed.stats(late, bad, clock.perf_counter() - started)
    told = diagnosed(feed.plan, ordered, found, bad)
    warn_of(feed.plan, told, bad)
    return [
        Matches(
            _source(table, each),
            late.table,
            bad.table,
            figures,
            each.event_columns,
            says.notes,
            says.steps,
            RunRecord(
                each,
                partial(events_again, each),
                counts,
                tuple(feed.course),
                partial(course_again, each),
                partial(counts_again, each),
            ),
        )
        for table, figures, each, says, counts in zip(
            found, stats, fitted.query_plans, told, feed.counts(), strict=True
        )
    ]


def events_again(plan: Plan, events: Any) -> pa.Table:
    """Events of a plan's stream, taken in as a run does: those that can be used, in their order."""
    schema = plan.schema
    _, intake = bound_events(events, schema.time, schema.type, schema.order, schema.time_unit)
    missing = [name for name in plan.needed if name not in intake.schema.names]
    if missing:
        raise CepheidError(
            f"these events have no column '{missing[0]}', which the run read: give the events of the run, "
            "and none for a query over the matches of another"
        )
    return ordered_events(plan, intake, SideOutput("bad", "drop", intake.schema))


def course_again(plan: QueryPlan, events: Any, pieces: int) -> list[CoursePoint]:
    """How much a run over events holds after each of so many pieces of them."""
    ordered = events_again(plan, events)
    feed = Feed(packed(plan), Terms())
    for _ in feed.run(ordered.select(list(plan.needed)), size=max(-(-ordered.num_rows // pieces), 1)):
        pass
    return feed.course


def counts_again(plan: QueryPlan, events: Any) -> RunCounts | None:
    """How many events pass each condition, where the run itself did not count them."""
    ordered = events_again(plan, events)
    tests = in_bits(plan, plan.engine.event_tests(plan))
    passed = [no_counts(test) for test in tests]
    for batch in ordered.to_batches():
        event_masks(tests, BatchRows(batch, plan.schema, plan.unit), passed)
    return run_counts(RunTally(plan, tuple(map(tuple, passed)), {}), ordered.num_rows)


def packed(plan: Plan) -> Plan:
    """The same plan, where compressed matches share what they have in common until they are looked at."""
    if not isinstance(plan, QueryPlan) or plan.query.emit.mode is not EmitMode.COMPRESSED:
        return plan
    return replace(plan, output_schema=packed_schema(plan))


def _source(table: pa.Table, plan: QueryPlan) -> pa.Table | PackedRows:
    return PackedRows(table, plan) if WAYS in table.column_names else table


def ordered_events(plan: Plan, intake: Intake, bad: SideOutput) -> pa.Table:
    """The events that can be used, in their order, with the columns that a plan needs."""
    table = pa.Table.from_batches(list(intake.batches), schema=intake.schema)
    bad.add_unread(intake.unreadable())
    return in_order(good_events(plan, table, bad), plan.schema)
