"""A whole table through a set of profiles. The rows of what is told are made when somebody asks for them."""

import time as clock
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from cepheid.matchers.profile.one_step.stored import whole_table
from cepheid.matchers.profile.sets import ProfileSetMatcher
from cepheid.matches import Matches
from cepheid.plan.loose.stream import Form, LooseStream
from cepheid.plan.profile.sets import ProfileSetPlan
from cepheid.runners.embedded.run import events_again, ordered_events
from cepheid.runners.stream.compiling import announce_compiling
from cepheid.runners.stream.feed import Feed, Progress
from cepheid.runners.stream.fit import fit_rows
from cepheid.runners.stream.intake import Intake
from cepheid.runners.stream.loose import LooseBinding, loose_events
from cepheid.runners.stream.side import SideOutput
from cepheid.runners.stream.terms import Terms, terms_for
from cepheid.views.run_record import RunRecord


def run_profiles(
    plan: ProfileSetPlan,
    intake: Intake,
    terms: Terms,
    progress: Progress | None = None,
    unfit: SideOutput | None = None,
) -> Matches:
    """All that is told in a table; `unfit` are events that were found to be bad before."""
    announce_compiling()
    started = clock.perf_counter()
    late, bad = (
        SideOutput("late", terms.on_late, intake.schema),
        unfit or SideOutput("bad", terms.on_bad, intake.schema),
    )
    ordered = ordered_events(plan, intake, bad)
    feed = Feed(plan, terms)
    matcher = feed.matcher
    assert isinstance(matcher, ProfileSetMatcher)
    is_deferred = matcher.defer()
    pieces = [piece for (piece,) in feed.run(ordered, progress) if piece.num_rows]
    (stats,) = feed.stats(late, bad, clock.perf_counter() - started)
    record = RunRecord(plan, partial(events_again, plan))
    if not is_deferred:
        table = pa.concat_tables(pieces) if pieces else matcher.rows.schema.empty_table()
        return Matches(table, _shown(late, plan), _shown(bad, plan), stats, record=record)
    known_by = [step.plan.known_by for step in matcher.step.known.steps]
    rows, loose = matcher.rows, matcher.loose
    return Matches(
        lambda: rows.tables(pieces, whole_table(ordered, plan.schema, known_by, loose)),
        _shown(late, plan),
        _shown(bad, plan),
        stats,
        record=record,
    )


def _shown(side: SideOutput, plan: ProfileSetPlan) -> pa.Table:
    return side.table if plan.loose is None else side.table.drop_columns([plan.loose.moments])


def run_loose(
    plan_of: Callable[[LooseStream], ProfileSetPlan],
    events: Iterable[Any],
    time: str,
    *,
    type: str | None = None,
    order: Sequence[str] = (),
    time_unit: str | None = None,
    on_late: str = "side",
    on_bad: str = "side",
    max_matches: int | None = None,
    max_state: int | None = None,
    progress: Progress | None = None,
) -> Matches:
    """All that is told of dicts, which need not be alike."""
    binding = LooseBinding.of(time, type, order, time_unit)
    taken = loose_events(list(events), binding)
    stream = taken.stream() or binding.likely_streams()[-1]
    plan = plan_of(stream)
    terms = terms_for(stream.schema, 0, on_late, on_bad, max_matches, max_state)
    taken = taken.without_inexact([c.path for c in plan.loose_columns if c.form is Form.NUMBER])
    bad = SideOutput("bad", on_bad, stream.schema.columns)
    bad.add(*taken.bad_rows(stream))
    table = fit_rows(taken.travelling(stream), stream.schema, bad)
    return run_profiles(plan, Intake(table.schema, table.to_batches()), terms, progress, bad)
