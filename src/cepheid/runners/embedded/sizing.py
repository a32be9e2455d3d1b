"""Plans for just the events of a table: numbers that a known number of events bounds need not be wide."""

from __future__ import annotations

import pyarrow as pa

from cepheid.matchers.engines import named
from cepheid.matchers.known import KnownEvents
from cepheid.plan.plan import QueryPlan
from cepheid.runners.stream.order import event_times


class Sizing:
    """Facts about ordered events, computed once for all plans that ask."""

    def __init__(self, ordered: pa.Table) -> None:
        self.ordered = ordered
        self._known: KnownEvents | None = None

    def sized(self, plan: QueryPlan) -> QueryPlan:
        """The plan for just these events."""
        if plan.engine.fit is None:
            return plan
        if self._known is None:
            self._known = KnownEvents(self.ordered, event_times(self.ordered, plan.schema))
        fitted: QueryPlan = named(plan.engine.fit)(plan, self._known)
        return fitted
