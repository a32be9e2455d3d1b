"""What is known of the events of a table before they are matched, so that numbers need not be wide."""

from functools import cached_property

import numpy as np
import pyarrow as pa

from cepheid.events import EventSchema, event_times
from cepheid.matchers.engines import named
from cepheid.plan.plan import QueryPlan
from cepheid.plan.program import WindowTest


class KnownEvents:
    """The ordered events of a table, and what is found out about them once for all plans that ask."""

    def __init__(self, ordered: pa.Table, schema: EventSchema) -> None:
        self.ordered = ordered
        self.schema = schema
        self._most: dict[WindowTest | None, int] = {}

    @cached_property
    def time(self) -> np.ndarray:
        """The times of the events."""
        return event_times(self.ordered, self.schema)

    def fitted(self, plan: QueryPlan) -> QueryPlan:
        """The plan for just these events."""
        if plan.engine.fit is None:
            return plan
        fitted: QueryPlan = named(plan.engine.fit)(plan, self)
        return fitted

    def most_events(self, window: WindowTest | None) -> int:
        """How many events a window holds at most."""
        if window not in self._most:
            self._most[window] = most_in_window(self.time, window)
        return self._most[window]


def most_in_window(time: np.ndarray, window: WindowTest | None) -> int:
    """How many events, in the order of their times, one window holds at most."""
    if window is None or window.counts_events:
        return int(time.size)
    from cepheid.matchers.windows import most_within, window_row  # compiled: not needed to explain a plan

    return int(most_within(*window_row(window), np.ascontiguousarray(time).view(np.int64)))
