"""Between the matchers of a workload: matches become events of the queries that name them.

The matchers run each after those that feed it. An event's *place* says where it stands among all events, so
that derived events can be put among those of the stream. A query whose feeders may still have matches to
tell of, because they end in an absence, is given its events when nothing can come between them any more.
"""

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cepheid.errors import LimitError
from cepheid.events import END, EventBatch, time_values
from cepheid.matchers.joining import decoded, join_arrays
from cepheid.matchers.masks import fits
from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.workload.feeders import Derived, Feeder, MatchFeeder, MomentFeeder, RowFeeder
from cepheid.matchers.workload.places import as_places, no_places, words_of
from cepheid.plan.plan import QueryPlan
from cepheid.plan.workload.derived import as_run, delays, place_field
from cepheid.plan.workload.plan import WorkloadPlan
from cepheid.plan.workload.rows import is_at_moments

_INT64_MIN = -(2**63)


class Composed:
    """What flows between the queries of a workload."""

    def __init__(self, plan: WorkloadPlan, max_state: int) -> None:
        self.place = place_field(plan)
        self.position = 0  # of the next event of the stream
        self.feeders = plan.feeders
        self.plans = as_run(plan)
        self.sources = {
            member: _feeder(member, plan, told, self.place) for member, told in self.plans.items()
        }
        self.inflows: dict[int, Inflow] = {}
        self._feeding = {feeder for fed_by in plan.feeders for feeder in fed_by}
        for member, (fed_by, delay) in enumerate(zip(plan.feeders, delays(plan), strict=True)):
            if fed_by:
                names = frozenset(plan.names[feeder] for feeder in fed_by)
                self.inflows[member] = Inflow(plan.plans[member], self.place, names, delay, max_state)
        self._derived: dict[int, Derived] = {}
        self._raw = self._placed = EventBatch(pa.RecordBatch.from_pylist([]), np.zeros(0), -END)

    @property
    def held_bytes(self) -> int:
        """The size of the events that wait for matches of an earlier time."""
        return sum(inflow.held_bytes for inflow in self.inflows.values())

    def begin(self, batch: EventBatch) -> None:
        """A new batch of the stream."""
        count = batch.data.num_rows
        places = _stream_places(self.position, count, self.place.type)
        self._raw = batch
        self._placed = replace(batch, events=batch.data.append_column(self.place, places))
        self.position += count

    def given(self, member: int) -> EventBatch:
        """The events that a query is to be given now; what feeds it has been run."""
        if member not in self.inflows:
            return self._placed if member in self.sources else self._raw
        derived = [self._derived[feeder] for feeder in self.feeders[member]]
        return self.inflows[member].take(self._placed, derived)

    def found(self, member: int, table: pa.Table, given: EventBatch) -> pa.Table:
        """The rows of a query as its user sees them, after these events; the queries that name it will see
        them as events."""
        source = self.sources.get(member)
        if source is None:
            return table
        if member in self._feeding:
            self._derived[member] = source.events(table, given)
        return source.rows(table)

    def snapshot(self) -> Snapshot:
        """Everything needed to go on elsewhere."""
        snapshot = Snapshot("")
        snapshot.values["position"] = self.position
        snapshot.values["told"] = {str(member): source.saved() for member, source in self.sources.items()}
        snapshot.values["derived"] = {str(member): flow.derived for member, flow in self.inflows.items()}
        for member, inflow in self.inflows.items():
            snapshot.tables[f"held{member}"] = pa.Table.from_batches([inflow.held])
        return snapshot

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of the same workload."""
        self.position = snapshot.values["position"]
        for member, source in self.sources.items():
            source.restore(snapshot.values["told"][str(member)])
        for member, inflow in self.inflows.items():
            inflow.derived = snapshot.values["derived"][str(member)]
            inflow.held = _as_batch(snapshot.tables[f"held{member}"], inflow.schema)


def _feeder(member: int, workload: WorkloadPlan, told: QueryPlan, place: pa.Field) -> Feeder:
    """What makes events of what a query tells; `told` is its plan as it is run."""
    name, plan = workload.names[member], workload.plans[member]
    if plan.query.aggregation is None:
        return MatchFeeder(member, name, plan, place)
    if is_at_moments(plan):
        return MomentFeeder(member, name, plan, place)
    return RowFeeder(member, name, told, place, plan.output_schema)


class Inflow:
    """The events of one query that names others: those of the stream and those of its feeders, in order."""

    def __init__(
        self, plan: QueryPlan, place: pa.Field, feeders: frozenset[str], delay: int | float, max_state: int
    ) -> None:
        self.plan = plan
        self.feeders = feeders
        self.delay = delay
        self.max_state = max_state
        self.place = place.name
        self.schema = pa.schema([*(plan.schema.columns.field(name) for name in plan.needed), place])
        self.held = self._nothing = pa.RecordBatch.from_pylist([], schema=self.schema)
        self.derived = 0  # how many events feeders have given
        self._computed = plan.computed

    @property
    def held_bytes(self) -> int:
        """The size of the events that wait."""
        return int(self.held.nbytes)

    def take(self, batch: EventBatch, derived: list[Derived]) -> EventBatch:
        """What the query may be given, once these events have come."""
        parts = [
            self.held,
            self._from_stream(batch.data),
            *(self._from_feeder(d) for d in derived if d.count),
        ]
        self.derived += sum(each.count for each in derived)
        events = self._in_order([part for part in parts if part.num_rows] or parts[:1])
        time = time_values(events.column(self.plan.schema.time))
        watermark, ready = batch.watermark, events.num_rows
        if self.delay and watermark != END:
            watermark = _behind(watermark, self.delay, time.dtype.kind == "f")
            ready = int(np.searchsorted(time, watermark)) if np.isfinite(watermark) else 0
        self.held = events.slice(ready) if ready < events.num_rows else self._nothing
        if self.held_bytes > self.max_state:
            raise LimitError(
                f"more than max_state = {self.max_state:,} bytes of events wait for matches that end in an "
                "absence: give the query that finds these a shorter WITHIN, or a larger max_state="
            )
        return EventBatch(events.slice(0, ready), time[:ready], watermark)

    def _in_order(self, parts: list[pa.RecordBatch]) -> pa.RecordBatch:
        if len(parts) == 1:
            return parts[0]
        columns = [join_arrays([part.column(k) for part in parts]) for k in range(len(self.schema))]
        joined = pa.RecordBatch.from_arrays(columns, schema=self.schema)
        words = words_of(joined.column(self.place)).astype(np.uint64)
        return joined.take(pa.array(np.lexsort(words.T[::-1])))

    def _from_stream(self, data: pa.RecordBatch) -> pa.RecordBatch:
        """The stream's events. A feeder's name means its matches, so events of that type lose their type."""
        columns = []
        for field in self.schema:
            if field.name not in data.schema.names:
                columns.append(pa.nulls(data.num_rows, field.type))
            elif field.name == self.plan.schema.type:
                columns.append(self._without_feeders(data.column(field.name)))
            else:
                columns.append(_cast(data.column(field.name), field.type))
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def _without_feeders(self, types: pa.Array) -> pa.Array:
        texts = decoded(types)
        taken = pc.is_in(texts, value_set=pa.array(sorted(self.feeders), texts.type))
        if not pc.any(taken).as_py():
            return types
        return _cast(pc.if_else(taken, pa.scalar(None, texts.type), texts), types.type)

    def _from_feeder(self, events: Derived) -> pa.RecordBatch:
        columns = []
        for field in self.schema:
            if field.name == self.plan.schema.type:
                values = _cast(pa.array([events.type] * events.count, pa.string()), field.type)
            elif field.name in events.columns:
                values = self._fitting(field.name, _cast(events.columns[field.name], field.type))
            else:
                values = pa.nulls(events.count, field.type)
            columns.append(values)
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def _fitting(self, name: str, values: pa.Array) -> pa.Array:
        """Values that the query can compute with. One that does not fit becomes null, as in a computation."""
        if name not in self._computed or fits(values, self.plan.unit):
            return values
        misfit = [not fits(values.slice(row, 1), self.plan.unit) for row in range(len(values))]
        return pc.if_else(pa.array(misfit), pa.scalar(None, values.type), values)


def _behind(watermark: int | float, delay: int | float, real: bool) -> int | float:
    """The watermark of a query that waits for its feeders by this delay."""
    if math.isinf(watermark) or math.isinf(delay):
        return -END
    if real:
        rounding = 4 * np.finfo(np.float64).eps * max(abs(watermark), abs(delay))
        return float(watermark - delay - rounding)
    return max(math.floor(watermark - delay), _INT64_MIN)


def _stream_places(start: int, count: int, kind: pa.DataType) -> pa.Array:
    words = no_places(count, kind)
    words[:, 0] = np.arange(start, start + count)
    return as_places(words, kind)


def _cast(values: pa.Array, kind: pa.DataType) -> pa.Array:
    if values.type == kind:
        return values
    values = decoded(values)
    if pa.types.is_dictionary(kind):
        return values.cast(kind.value_type).dictionary_encode().cast(kind)
    return values.cast(
        kind, safe=not pa.types.is_floating(kind)
    )  # a count may be more than floats tell apart


def _as_batch(table: pa.Table, schema: pa.Schema) -> pa.RecordBatch:
    if table.num_rows == 0:
        return pa.RecordBatch.from_pylist([], schema=schema)
    return pa.RecordBatch.from_arrays([join_arrays(column.chunks) for column in table.columns], schema=schema)
