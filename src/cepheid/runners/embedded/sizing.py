"""Plans for just the events of a table: numbers that a known number of events bounds need not be wide."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from cepheid.events import EventSchema, time_values
from cepheid.matchers.engines import named
from cepheid.matchers.known import KnownEvents
from cepheid.plan.plan import QueryPlan


class Sizing:
    """What is known of ordered events, found out once for all plans that ask."""

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


def event_times(table: pa.Table, schema: EventSchema) -> np.ndarray:
    """The times of events as the numbers that order them."""
    chunks = [time_values(chunk) for chunk in table.column(schema.time).chunks]
    return np.concatenate(chunks) if chunks else empty_times(schema)


def empty_times(schema: EventSchema) -> np.ndarray:
    """The times of no events, of the right type."""
    return time_values(pa.array([], schema.columns.field(schema.time).type))
