"""Events as they come: pushed batch by batch, put in order up to the watermark, resumable."""

from __future__ import annotations

import math
import time as clock
from datetime import date, datetime
from numbers import Real
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.errors import BindingError, CepheidError, QueryError, SnapshotError
from cepheid.events import END, EventBatch, EventSchema, time_values
from cepheid.matchers.engines import matcher_for
from cepheid.matchers.evaluate import ticks
from cepheid.matchers.snapshot import Snapshot
from cepheid.matchers.store import join_arrays
from cepheid.pattern.durations import parse_duration
from cepheid.pattern.literals import parse_timestamp
from cepheid.plan.nodes import NfaPlan
from cepheid.plan.windows import tick_nanoseconds, ticks_of
from cepheid.runners.embedded.fit import fit_rows
from cepheid.runners.embedded.order import has_time, in_order
from cepheid.runners.embedded.run import empty_times, run_stats
from cepheid.runners.embedded.side import SideOutput
from cepheid.runners.embedded.usable import UsableValues

Moment = int | float

INT64 = range(-(2**63), 2**63)


class Session:
    """One query over one stream, as it comes."""

    def __init__(
        self,
        plan: NfaPlan,
        *,
        lateness: Any = 0,
        on_late: str = "side",
        on_bad: str = "side",
        max_matches: int,
        max_state: int,
    ) -> None:
        self.plan = plan
        self.schema = plan.schema
        self.lateness = _ticks(lateness, plan.schema)
        self._late = SideOutput("late", on_late, plan.schema.columns)
        self._bad = SideOutput("bad", on_bad, plan.schema.columns)
        self._usable = UsableValues(plan)
        self._matcher = matcher_for(plan, max_matches=max_matches, max_state=max_state)
        self._waiting = plan.schema.columns.empty_table().select(list(plan.needed))
        self._newest: Moment = -END
        self._advanced: Moment = -END
        self._closed = False
        self._events = self._matches = 0
        self._seconds = 0.0

    @property
    def late(self) -> pa.Table:
        """The late events so far, with the reason."""
        return self._late.table

    @property
    def bad(self) -> pa.Table:
        """The bad events so far, with the reason."""
        return self._bad.table

    @property
    def watermark(self) -> Moment:
        """How far time has come, in ticks of the time column; an event before it is late."""
        return max(self._newest - self.lateness, self._advanced)

    @property
    def stats(self) -> dict[str, Any]:
        """Figures about the session so far."""
        figures = run_stats(self._matcher, self._events, self._matches, self._late, self._bad, self._seconds)
        return {**figures, "waiting": self._waiting.num_rows, "watermark": self.watermark}

    def take_late(self) -> pa.Table:
        """The late events since they were last taken; a long session's side output stays small."""
        taken = self._late.table
        self._late.clear()
        return taken

    def take_bad(self) -> pa.Table:
        """The bad events since they were last taken."""
        taken = self._bad.table
        self._bad.clear()
        return taken

    def push(self, batch: Any) -> pa.Table:
        """Events as they arrive; the matches that became certain."""
        self._check_open()
        rows = fit_rows(batch, self.schema, self._bad)
        good = has_time(rows.column(self.schema.time))
        if not good.all():
            without = rows.filter(pa.array(~good))
            self._bad.add(without, [f"'{self.schema.time}' is no time"] * without.num_rows)
            rows = rows.filter(pa.array(good))
        rows = self._without_late(self._usable.without_others(rows, self._bad))
        self._waiting = pa.concat_tables([self._waiting, rows.select(list(self.plan.needed))])
        return self._process()

    def advance(self, watermark: Any) -> pa.Table:
        """Time passing without events: no event before `watermark` will come."""
        self._check_open()
        self._advanced = max(self._advanced, moment(watermark, self.schema))
        return self._process()

    def close(self) -> pa.Table:
        """The end of the stream."""
        self._check_open()
        self._advanced = END
        found = self._process()
        self._closed = True
        return found

    def snapshot(self) -> bytes:
        """Everything needed to go on elsewhere: `cepheid.resume(q, snapshot)`."""
        self._check_open()
        snapshot = Snapshot(self.plan.fingerprint)
        snapshot.merge("matcher", self._matcher.snapshot())
        snapshot.tables |= {"waiting": self._waiting, "late": self.late, "bad": self.bad}
        snapshot.tables["schema"] = self.schema.columns.empty_table()
        snapshot.values |= {
            "binding": [self.schema.time, self.schema.type, list(self.schema.order), self.schema.time_unit],
            "clock": [None if moment == -END else moment for moment in (self._newest, self._advanced)],
            "lateness": self.lateness,
            "on": [self._late.choice, self._bad.choice],
            "counts": [self._late.count, self._bad.count, self._events, self._matches],
            "limits": [self._matcher.max_matches, self._matcher.max_state],
        }
        return snapshot.to_bytes()

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of a session of the same query."""
        if snapshot.fingerprint != self.plan.fingerprint:
            raise SnapshotError("the snapshot is of another query, or of a stream with other columns")
        part = snapshot.part("matcher")
        self._matcher.restore(part)
        self._waiting = snapshot.tables["waiting"]
        clock = snapshot.values["clock"]
        self._newest, self._advanced = (-END if moment is None else moment for moment in clock)
        late, bad, self._events, self._matches = snapshot.values["counts"]
        self._late.restore(snapshot.tables["late"], late)
        self._bad.restore(snapshot.tables["bad"], bad)

    def _check_open(self) -> None:
        if self._closed:
            raise CepheidError(
                "the session is closed, or an error has stopped it: start another with q.session(…), "
                "or go on from a snapshot with cepheid.resume(q, snapshot)"
            )

    def _without_late(self, rows: pa.Table) -> pa.Table:
        """Judge each event against the watermark as it stood when the event arrived."""
        if rows.num_rows == 0:
            return rows
        time = _times(rows, self.schema)
        newest = np.maximum.accumulate(time)
        late = np.zeros(time.size, np.bool_)
        late[1:] = (newest[:-1] > time[1:]) & (_lag(newest[:-1], time[1:]) > self.lateness)
        late |= time < self.watermark
        if late.any():
            self._late.add(rows.filter(pa.array(late)), ["behind the watermark"] * int(late.sum()))
            rows = rows.filter(pa.array(~late))
        self._newest = max(self._newest, newest[-1].item())
        return rows

    def _process(self) -> pa.Table:
        try:
            return self._matched(self.watermark)
        except BaseException:
            self._closed = True  # the matcher stopped in the middle of a batch
            raise

    def _matched(self, watermark: Moment) -> pa.Table:
        started = clock.perf_counter()
        ready = _times(self._waiting, self.schema) <= watermark
        chosen = self._waiting if ready.all() else self._waiting.filter(pa.array(ready))
        if not ready.all():
            self._waiting = self._waiting.filter(pa.array(~ready))
        else:
            self._waiting = self._waiting.slice(0, 0)
        ordered = in_order(chosen, self.schema)
        columns = [
            join_arrays(column.chunks) if column.num_chunks else column.combine_chunks() for column in ordered
        ]
        data = pa.RecordBatch.from_arrays(columns, schema=ordered.schema)
        self._matcher.matches = 0  # a session hands its matches out: the limit is for one call
        time = time_values(data.column(self.schema.time))
        found = self._matcher.process(EventBatch(data, time, _within_range(watermark, time.dtype)))
        self._events += data.num_rows
        self._matches += found.num_rows
        self._seconds += clock.perf_counter() - started
        return found


def resumed_binding(snapshot: Snapshot) -> tuple[pa.Schema, dict[str, Any]]:
    """The stream's columns and their roles, as a snapshot has them."""
    if "binding" not in snapshot.values or "schema" not in snapshot.tables:
        raise SnapshotError("the snapshot is not of a session: pass the bytes of session.snapshot()")
    time, kind, order, unit = snapshot.values["binding"]
    return snapshot.tables["schema"].schema, {"time": time, "type": kind, "order": order, "time_unit": unit}


def _times(table: pa.Table, schema: EventSchema) -> np.ndarray:
    chunks = [time_values(chunk) for chunk in table.column(schema.time).chunks]
    if not chunks:
        return empty_times(schema)
    return np.concatenate(chunks)


def _lag(newest: np.ndarray, time: np.ndarray) -> np.ndarray:
    """How far events are behind a newer one; between the ends of int64 only uint64 holds that."""
    whole = time.dtype != np.float64
    lag: np.ndarray = newest.view(np.uint64) - time.view(np.uint64) if whole else newest - time
    return lag


def _within_range(watermark: Moment, kind: np.dtype[Any]) -> Moment:
    """A watermark that kernels can hold: the lateness may take it out of int64."""
    if kind == np.float64 or math.isinf(watermark):
        return watermark
    return min(max(watermark, INT64[0]), INT64[-1])


def _ticks(lateness: Any, schema: EventSchema) -> Moment:
    """An allowed lateness in ticks of the time column."""
    try:
        duration = parse_duration(lateness)
    except QueryError as error:
        raise BindingError(f"lateness={lateness!r} is no duration: write '5 min' ({error.message})") from None
    except (TypeError, ValueError):
        raise BindingError(f"lateness={lateness!r} is no duration: write '5 min'") from None
    if duration.amount < 0:
        raise BindingError("lateness= is negative")
    if duration.amount == 0:
        return 0
    if duration.unit is None and not schema.has_numeric_time:
        raise BindingError(f"lateness={lateness} needs a unit, since '{schema.time}' is a time: '5 min'")
    try:
        exact = ticks_of(duration, schema)
    except QueryError as error:
        raise BindingError(f"lateness={lateness!r}: {error}") from None
    return float(exact) if pa.types.is_floating(schema.type_of(schema.time)) else int(exact)


def moment(value: Any, schema: EventSchema) -> Moment:
    """A point in time, as users write it, in ticks of the time column, rounded up to a whole one."""
    if schema.has_numeric_time:
        return _numeric_moment(value, schema)
    if isinstance(value, str):
        parsed = parse_timestamp(value)
        if parsed is None:
            raise BindingError(f"'{value}' is not a timestamp: write '2026-01-31 17:00:00'")
        value = parsed
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if not isinstance(value, datetime) or value != value:
        raise BindingError(f"{value!r} is not a time: pass a datetime or '2026-01-31 17:00:00'")
    return _held(-(-ticks(value, "ns") // (tick_nanoseconds(schema) or 1)), value, schema)


def _numeric_moment(value: Any, schema: EventSchema) -> Moment:
    if isinstance(value, bool) or not isinstance(value, Real) or value != value:
        raise BindingError(f"{value!r} is not a time here: '{schema.time}' is a number")
    if pa.types.is_floating(schema.type_of(schema.time)) or math.isinf(value):
        return float(value)
    whole: int = math.ceil(value)  # type: ignore[assignment]
    return _held(whole, value, schema)


def _held(tick: int, value: Any, schema: EventSchema) -> int:
    if tick not in INT64:
        raise BindingError(f"{value!r} is beyond what the time column '{schema.time}' can hold")
    return tick
