"""Events that wait for the watermark to pass them, and leave in the order of the stream."""

import math
from bisect import bisect_right, insort
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.events import EventBatch, EventSchema, FewEvents, Row, event_times
from cepheid.plan.plan import Plan
from cepheid.runners.stream.few import may_be_few
from cepheid.runners.stream.moments import Moment
from cepheid.runners.stream.order import in_order

Place = tuple[Any, ...]
"""Where an event stands in the order of the stream: time, tie-breakers, arrival."""


class HeldBack:
    """Events as a table, or while they come a few at a time, as rows that stand in order already."""

    def __init__(self, plan: Plan, *, by_arrival: bool) -> None:
        self._schema = plan.schema
        self._names = plan.needed
        self._types = tuple(plan.schema.columns.field(name).type for name in plan.needed)
        self._ties = "arrival" if by_arrival else "content"
        self._may_be_few = by_arrival and may_be_few(plan)
        self._table = pa.Table.from_batches([], plan.schema.columns).select(list(plan.needed))
        self._rows: list[tuple[Place, Row]] = []
        self._arrived = 0
        self._keys = [plan.needed.index(name) for name in (plan.schema.time, *plan.schema.order)]
        self._kind = event_times(self._table, plan.schema).dtype

    def __len__(self) -> int:
        return int(self._table.num_rows) + len(self._rows)

    @property
    def table(self) -> pa.Table:
        """All that wait."""
        if self._rows:
            few = FewEvents([row for _, row in self._rows], self._names, self._types)
            rows = pa.Table.from_batches([few.record_batch()])
            self._table = pa.concat_tables([self._table, rows]) if self._table.num_rows else rows
            self._rows = []
        return self._table

    @property
    def times(self) -> np.ndarray:
        """The times of all that wait, in no order."""
        few = np.array([place[0] for place, _ in self._rows], self._kind)
        return np.concatenate([event_times(self._table, self._schema), few])

    def set(self, table: pa.Table) -> None:
        """Let these wait, and no others."""
        self._table, self._rows = table, []

    def add(self, events: pa.Table | FewEvents) -> None:
        """Let these wait too."""
        if isinstance(events, FewEvents) and not self._table.num_rows:
            for row in events.rows:
                self._arrived += 1
                insort(self._rows, (self._place(row), row))
            return
        table = pa.Table.from_batches([events.record_batch()]) if isinstance(events, FewEvents) else events
        self._table = pa.concat_tables([self.table, table.select(list(self._names))])

    def _place(self, row: Row) -> Place:
        time, *ties = [row[key] for key in self._keys]
        return (time, *map(_tie, ties), self._arrived)

    def few(self, watermark: Moment) -> EventBatch | None:
        """The events up to the watermark in their order, if they came a few at a time; they wait no more."""
        if not self._may_be_few or self._table.num_rows:
            return None
        count = bisect_right(self._rows, watermark, key=lambda item: item[0][0])
        released = self._rows[:count]
        del self._rows[:count]
        time = np.array([place[0] for place, _ in released], self._kind)
        time.flags.writeable = False  # as Arrow's columns are: for kernels that is another type
        events = FewEvents([row for _, row in released], self._names, self._types)
        return EventBatch(events, time, held_by_kernels(watermark, self._kind))

    def released(self, watermark: Moment, inclusive: bool) -> pa.Table:
        """The events up to the watermark, in their order; they wait no more."""
        table = self.table
        time = event_times(table, self._schema)
        ready = time <= watermark if inclusive else time < watermark
        everything = bool(ready.all())
        chosen = table if everything else table.filter(pa.array(ready))
        self._table = table.slice(0, 0) if everything else table.filter(pa.array(~ready))
        return in_order(chosen, self._schema, ties=self._ties)


def times_of(events: pa.Table | FewEvents, schema: EventSchema) -> np.ndarray:
    """The times of events that have come."""
    if isinstance(events, FewEvents):
        return np.array(events.column(schema.time))
    return event_times(events, schema)


def held_by_kernels(watermark: Moment, kind: np.dtype[Any]) -> Moment:
    """A watermark that kernels can hold: the lateness may take it out of int64."""
    if kind == np.float64 or math.isinf(watermark):
        return watermark
    return min(max(watermark, -(2**63)), 2**63 - 1)


def _tie(value: Any) -> tuple[int, Any]:
    """A value of a tie-breaker as Arrow orders it: what is no number, and then null, come last."""
    if value is None:
        return 2, 0
    return (1, 0) if value != value else (0, value)
