"""A whole table through a set of profiles. The rows of what is told are made when somebody asks for them."""

import time as clock

from cepheid.matchers.profile.one_step.stored import whole_table
from cepheid.matchers.profile.sets import ProfileSetMatcher
from cepheid.matches import Matches
from cepheid.plan.profile.sets import ProfileSetPlan
from cepheid.runners.embedded.run import ordered_events
from cepheid.runners.stream.compiling import announce_compiling
from cepheid.runners.stream.feed import Feed, Progress
from cepheid.runners.stream.intake import Intake
from cepheid.runners.stream.side import SideOutput
from cepheid.runners.stream.terms import Terms


def run_profiles(
    plan: ProfileSetPlan, intake: Intake, terms: Terms, progress: Progress | None = None
) -> Matches:
    """All that is told in a table."""
    announce_compiling()
    started = clock.perf_counter()
    late, bad = (
        SideOutput("late", terms.on_late, intake.schema),
        SideOutput("bad", terms.on_bad, intake.schema),
    )
    ordered = ordered_events(plan, intake, bad)
    feed = Feed(plan, terms)
    matcher = feed.matcher
    assert isinstance(matcher, ProfileSetMatcher)
    matcher.defer()
    pieces = [piece for (piece,) in feed.run(ordered, progress) if piece.num_rows]
    (stats,) = feed.stats(late, bad, clock.perf_counter() - started)
    known_by = [step.plan.known_by for step in matcher.step.known.steps]
    rows = matcher.rows
    return Matches(
        lambda: rows.tables(pieces, whole_table(ordered, plan.schema, known_by)), late.table, bad.table, stats
    )
