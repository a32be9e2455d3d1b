"""Plans for just the events of a table: numbers that a known number of events bounds need not be wide."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from cepheid.events import EventSchema
from cepheid.matchers.aggregate.crowd import most_by_step, most_in_window
from cepheid.matchers.aggregate.largest import largest_values
from cepheid.plan.aggregate.build import sized
from cepheid.plan.aggregate.plan import AggregatePlan
from cepheid.plan.magnitude import INT64_BITS, repeats
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.plan.nfa.summaries import SUMMARIES, sized_summaries
from cepheid.plan.plan import QueryPlan
from cepheid.plan.program import WindowTest
from cepheid.runners.stream.order import event_times


class Sizing:
    """Facts about ordered events, computed once for all plans that ask."""

    def __init__(self, ordered: pa.Table) -> None:
        self.ordered = ordered
        self._times: dict[str, np.ndarray] = {}
        self._most: dict[WindowTest | None, int] = {}

    def sized(self, plan: QueryPlan) -> QueryPlan:
        """The plan for just these events."""
        if isinstance(plan, NfaPlan):
            return (
                sized_summaries(plan, self._most_events(plan)) if plan.query.emit.mode in SUMMARIES else plan
            )
        if not isinstance(plan, AggregatePlan):
            return plan
        sizes = self._most_events(plan), self.ordered.num_rows, largest_values(plan, self.ordered)
        plan = sized(plan, *sizes)
        if plan.bits <= INT64_BITS or repeats(plan.steps):
            return plan
        return sized(plan, *sizes, most_by_step(plan, self.ordered, self._time(plan.schema)))

    def _most_events(self, plan: QueryPlan) -> int:
        """How many events a window of the query holds at most."""
        if plan.window not in self._most:
            self._most[plan.window] = most_in_window(self._time(plan.schema), plan.window)
        return self._most[plan.window]

    def _time(self, schema: EventSchema) -> np.ndarray:
        if schema.time not in self._times:
            self._times[schema.time] = event_times(self.ordered, schema)
        return self._times[schema.time]
