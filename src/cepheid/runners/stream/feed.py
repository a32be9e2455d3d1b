"""One ordered stream into one matcher: the same for a whole table, a session, and a shard on Spark."""

import time as clock
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.errors import SnapshotError
from cepheid.events import END, EventBatch, EventSchema, FewEvents, event_times, time_values
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.counted import held_by
from cepheid.matchers.engines import matcher_for
from cepheid.matchers.joining import join_arrays
from cepheid.matchers.protocol import Ahead, Foreseeing, Outputs, joined_tables
from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.workload.matcher import counted_in, figures_of
from cepheid.plan.plan import Plan
from cepheid.runners.stream.compiling import announce_compiling
from cepheid.runners.stream.held_back import HeldBack, held_by_kernels, times_of
from cepheid.runners.stream.moments import Moment
from cepheid.runners.stream.run_counts import run_counts
from cepheid.runners.stream.side import SideOutput
from cepheid.runners.stream.terms import Terms
from cepheid.views.run_record import CoursePoint, RunCounts

SLICE = 1 << 18
"""How many events a matcher is given at a time: its columns then stay in the processor's cache."""

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class StreamStep:
    """Good events that have come, none of them late, and how far time has come with them.

    Events at the watermark are used at once, unless they wait for others of their time (not `inclusive`),
    to be ordered with them by content.
    """

    events: pa.Table | FewEvents
    watermark: Moment
    inclusive: bool = True


class Feed:
    """Holds events back until the watermark has passed them, and gives them to the matcher in order.

    The watermark is the newest time less the lateness. With `by_arrival`, events that tie stay as they
    arrived, and an event is late if it comes too long after a newer one. In a micro-batch arrival means
    nothing: ties are ordered by content, and only the watermark of the batches before decides what is late.
    """

    def __init__(self, plan: Plan, terms: Terms, *, by_arrival: bool = True) -> None:
        self.plan = plan
        self.terms = terms
        self.by_arrival = by_arrival
        self.allowance = Allowance(terms.max_matches, terms.max_state)
        announce_compiling()
        self.matcher = matcher_for(plan, self.allowance)
        self._foresees = isinstance(self.matcher, Foreseeing) and self.matcher.has_periods
        self.held_back = HeldBack(plan, by_arrival=by_arrival)
        self.watermark: Moment = -END
        self.events = 0
        self.matches = [0] * len(plan.output_schemas)
        self.seconds = 0.0
        self.course: list[CoursePoint] = []  # of a whole table

    # -- a whole table -----------------------------------------------------------------------------

    def run(
        self,
        ordered: pa.Table,
        progress: Progress | None = None,
        until: Moment = END,
        size: int | None = None,
    ) -> Iterator[Outputs]:
        """The matches in all events there are, piece by piece; what is open at `until` stays open."""
        self._foreseen(event_times(ordered, self.plan.schema), until)
        for batch in slices(ordered, self.plan.schema, size):
            yield self._processed(batch)
            held = held_by(self.matcher)
            self.course.append(CoursePoint(self.events, batch.watermark, self.matcher.state_bytes, held))
            if progress is not None:
                progress(self.events)
        rest = self._no_events()
        yield self._processed(replace(rest, watermark=held_by_kernels(until, rest.time.dtype)))

    # -- a stream ----------------------------------------------------------------------------------

    def admit(self, rows: pa.Table, late: SideOutput) -> tuple[pa.Table, Moment | None]:
        """The events that are not late, and the newest time of all."""
        time = event_times(rows, self.plan.schema)
        if time.size == 0:
            return rows, None
        behind = time < self.watermark
        newest = time.max().item()
        if self.by_arrival and time.size > 1:
            before = np.maximum.accumulate(time)[:-1]
            behind[1:] |= (before > time[1:]) & (_lag(before, time[1:]) > self.terms.lateness)
        if behind.any():
            late.add(rows.filter(pa.array(behind)), ["behind the watermark"] * int(behind.sum()))
            rows = rows.filter(pa.array(~behind))
        return rows, newest

    def newest_of(self, few: FewEvents) -> Moment | None:
        """The newest time of a few events; None if one of them is late."""
        place, lateness = few.names.index(self.plan.schema.time), self.terms.lateness
        newest: Moment = few.rows[0][place]
        for row in few.rows:
            time: Moment = row[place]
            if time < self.watermark or newest - time > lateness:
                return None
            newest = max(newest, time)
        return newest

    def reached(self, newest: Moment | None) -> Moment:
        """The watermark, once there was an event of this time."""
        return self.watermark if newest is None else max(self.watermark, newest - self.terms.lateness)

    def foresee(self, step: StreamStep) -> bool:
        """Refuse a step that surely has too many rows, before anything is done; whether it may have."""
        if not self._foresees:
            return False
        self.allowance.begin()
        time = np.concatenate([self.held_back.times, times_of(step.events, self.plan.schema)])
        return self._foreseen(np.sort(time[time <= step.watermark]), step.watermark)

    def _foreseen(self, ordered: np.ndarray, watermark: Moment) -> bool:
        if not self._foresees:
            return False
        first, newest = (ordered[0].item(), ordered[-1].item()) if ordered.size else (None, None)
        assert isinstance(self.matcher, Foreseeing)
        return self.matcher.foresee(Ahead(first, newest, watermark), ordered.size)

    def take(self, step: StreamStep, *, limited: bool = True) -> Outputs:
        """What becomes certain with a step; a function of the state and the step alone.

        What is found is handed out, so the limit of matches is for one step. A step that is taken again to
        catch up is not limited.
        """
        started = clock.perf_counter()
        self.watermark = step.watermark
        if step.events.num_rows:
            self.held_back.add(step.events)
        batches = self._released(step)
        self.allowance.begin(limited=limited)
        try:
            return collected(self.plan, map(self._processed, batches))
        finally:
            self.seconds += clock.perf_counter() - started

    def _released(self, step: StreamStep) -> list[EventBatch]:
        few = self.held_back.few(step.watermark) if step.inclusive else None
        if few is not None:
            return [few]
        released = self.held_back.released(step.watermark, step.inclusive)
        batches = list(slices(released, self.plan.schema)) or [self._no_events()]
        held = held_by_kernels(step.watermark, batches[-1].time.dtype)
        return [*batches[:-1], replace(batches[-1], watermark=held)]

    @property
    def waiting(self) -> pa.Table:
        """The events that wait for the watermark."""
        return self.held_back.table

    @property
    def taken(self) -> int:
        """How many events took part so far, or wait for the watermark."""
        return self.events + len(self.held_back)

    # -- both --------------------------------------------------------------------------------------

    def _no_events(self) -> EventBatch:
        """The end of a stream: no event, and a watermark of infinity."""
        columns = pa.schema([self.plan.schema.columns.field(name) for name in self.plan.needed])
        data = pa.RecordBatch.from_pylist([], schema=columns)
        return EventBatch(data, time_values(data.column(self.plan.schema.time)), END)

    def _processed(self, batch: EventBatch) -> Outputs:
        found = self.matcher.process(batch)
        self.events += batch.count
        for output, table in enumerate(found):
            self.matches[output] += table.num_rows
        return found

    def stats(self, late: SideOutput, bad: SideOutput, seconds: float) -> list[dict[str, Any]]:
        """Figures of each output. The queries of a workload share time, and what a share of them holds."""
        return [
            {
                "events": self.events,
                "matches": matches,
                "late": late.count,
                "bad": bad.count,
                "seconds": seconds,
                "events_per_second": round(self.events / seconds) if seconds else None,
                **figures_of(self.matcher, output),
                "max_matches": self.terms.max_matches,
                "max_state": self.terms.max_state,
            }
            for output, matches in enumerate(self.matches)
        ]

    def counts(self) -> list[RunCounts | None]:
        """What was counted of each output, beside its figures."""
        outputs = range(len(self.matches))
        return [run_counts(counted_in(self.matcher, output), self.events) for output in outputs]

    def snapshot(self) -> Snapshot:
        """Everything needed to go on elsewhere."""
        snapshot = Snapshot(self.plan.fingerprint)
        snapshot.merge("matcher", self.matcher.snapshot())
        snapshot.tables["waiting"] = self.waiting
        snapshot.values["watermark"] = None if self.watermark == -END else self.watermark
        return snapshot

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of the same plan."""
        if snapshot.fingerprint != self.plan.fingerprint:
            raise SnapshotError("the snapshot is of another query, or of a stream with other columns")
        self.matcher.restore(snapshot.part("matcher"))
        self.held_back.set(snapshot.tables["waiting"])
        watermark = snapshot.values["watermark"]
        self.watermark = -END if watermark is None else watermark


def collected(plan: Plan, found: Iterable[Outputs]) -> Outputs:
    """What was found piece by piece, as one table for each output."""
    first, *others = found
    if not others:
        return first
    pieces = zip(first, *others, strict=True)
    return tuple(
        joined_tables([table for table in tables if table.num_rows], schema)
        for tables, schema in zip(pieces, plan.output_schemas, strict=True)
    )


def slices(ordered: pa.Table, schema: EventSchema, size: int | None = None) -> Iterator[EventBatch]:
    """An ordered table as batches; the watermark of each is its last event's time."""
    size = SLICE if size is None else size
    for start in range(0, ordered.num_rows, size):
        piece = ordered.slice(start, size)
        columns = [join_arrays(column.chunks) for column in piece.columns]
        data = pa.RecordBatch.from_arrays(columns, schema=piece.schema)
        time = time_values(data.column(schema.time))
        yield EventBatch(data, time, time[-1].item())


def _lag(newest: np.ndarray, time: np.ndarray) -> np.ndarray:
    """How far events are behind a newer one; between the ends of int64 only uint64 holds that."""
    whole = time.dtype != np.float64
    lag: np.ndarray = newest.view(np.uint64) - time.view(np.uint64) if whole else newest - time
    return lag
