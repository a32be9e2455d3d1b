"""A why over a table, a frame, dicts or files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cepheid.errors import CepheidError
from cepheid.expressions import Expression
from cepheid.plan.plan import QueryPlan
from cepheid.runners.embedded.run import ordered_events
from cepheid.runners.embedded.why.ask import Question, answered
from cepheid.runners.embedded.why.candidate import Effort
from cepheid.runners.embedded.why.found import EngineMatches
from cepheid.runners.stream.compiling import announce_compiling
from cepheid.runners.stream.intake import Intake
from cepheid.runners.stream.moments import moment
from cepheid.runners.stream.side import SideOutput
from cepheid.views.unused import unused_lines
from cepheid.why import Why

MAX_EVENTS = Effort().events


@dataclass(frozen=True, slots=True)
class WhyScope:
    """About which moment, and in how many events at most."""

    around: Any = None
    max_events: int | None = None

    def effort(self) -> Effort:
        """The effort that this allows."""
        most = MAX_EVENTS if self.max_events is None else self.max_events
        if isinstance(most, bool) or not isinstance(most, int) or most < 1:
            raise CepheidError(f"max_events= should be a positive whole number, not {most!r}")
        return Effort(events=most)


def why_in_table(
    text: str,
    matching: EngineMatches,
    written: tuple[Expression, ...],
    plan: QueryPlan,
    intake: Intake,
    wanted: WhyScope,
) -> Why:
    """What came how far in events that are taken in; the plan says which columns are needed."""
    announce_compiling()
    effort = wanted.effort()
    around = None if wanted.around is None else moment(wanted.around, plan.schema)
    bad = SideOutput("bad", "side", intake.schema)
    ordered = ordered_events(plan, intake.only(plan.needed), bad)
    question = Question(text, matching, plan.schema, written, effort=effort)
    return answered(question, ordered, around, unused_lines("bad", bad.count, bad.table))
