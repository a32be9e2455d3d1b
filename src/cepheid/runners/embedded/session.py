"""Events as they come: pushed batch by batch, put in order up to the watermark, resumable."""

from __future__ import annotations

import time as clock
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.errors import CepheidError, SnapshotError
from cepheid.events import END
from cepheid.matchers.snapshot import Snapshot
from cepheid.plan.plan import Plan
from cepheid.runners.embedded.run import run_stats
from cepheid.runners.embedded.sizing import event_times
from cepheid.runners.stream.feed import Feed
from cepheid.runners.stream.fit import fit_rows
from cepheid.runners.stream.moments import Moment, allowed_lateness, moment
from cepheid.runners.stream.side import SideOutput
from cepheid.runners.stream.usable import UsableValues


class Session:
    """One query over one stream, as it comes."""

    def __init__(
        self,
        plan: Plan,
        *,
        lateness: Any = 0,
        on_late: str = "side",
        on_bad: str = "side",
        max_matches: int,
        max_state: int,
    ) -> None:
        self.plan = plan
        self.schema = plan.schema
        self.lateness = allowed_lateness(lateness, plan.schema)
        self._late = SideOutput("late", on_late, plan.schema.columns)
        self._bad = SideOutput("bad", on_bad, plan.schema.columns)
        self._usable = UsableValues(plan)
        self._feed = Feed(plan, max_matches=max_matches, max_state=max_state)
        self._newest: Moment = -END
        self._advanced: Moment = -END
        self._closed = False
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
        feed = self._feed
        (matches,) = feed.matches
        figures = run_stats(
            feed.matcher, feed.allowance, feed.events, matches, self._late, self._bad, self._seconds
        )
        return {**figures, "waiting": feed.waiting.num_rows, "watermark": self.watermark}

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
        self._feed.wait(self._without_late(self._usable.good(rows, self._bad)))
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
        feed = self._feed
        snapshot = feed.snapshot()
        snapshot.tables |= {"late": self.late, "bad": self.bad}
        snapshot.tables["schema"] = self.schema.columns.empty_table()
        snapshot.values |= {
            "binding": [self.schema.time, self.schema.type, list(self.schema.order), self.schema.time_unit],
            "clock": [None if moment == -END else moment for moment in (self._newest, self._advanced)],
            "lateness": self.lateness,
            "on": [self._late.choice, self._bad.choice],
            "counts": [self._late.count, self._bad.count, feed.events, *feed.matches],
            "limits": [feed.allowance.max_matches, feed.allowance.max_state],
        }
        return snapshot.to_bytes()

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of a session of the same query."""
        self._feed.restore(snapshot)
        clock = snapshot.values["clock"]
        self._newest, self._advanced = (-END if moment is None else moment for moment in clock)
        late, bad, self._feed.events, *self._feed.matches = snapshot.values["counts"]
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
        time = event_times(rows, self.schema)
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
        started = clock.perf_counter()
        try:
            (found,) = self._feed.advance(self.watermark)
            return found
        except BaseException:
            self._closed = True  # the matcher stopped in the middle of a batch
            raise
        finally:
            self._seconds += clock.perf_counter() - started


def resumed_binding(snapshot: Snapshot) -> tuple[pa.Schema, dict[str, Any]]:
    """The stream's columns and their roles, as a snapshot has them."""
    if "binding" not in snapshot.values or "schema" not in snapshot.tables:
        raise SnapshotError("the snapshot is not of a session: pass the bytes of session.snapshot()")
    time, kind, order, unit = snapshot.values["binding"]
    return snapshot.tables["schema"].schema, {"time": time, "type": kind, "order": order, "time_unit": unit}


def _lag(newest: np.ndarray, time: np.ndarray) -> np.ndarray:
    """How far events are behind a newer one; between the ends of int64 only uint64 holds that."""
    whole = time.dtype != np.float64
    lag: np.ndarray = newest.view(np.uint64) - time.view(np.uint64) if whole else newest - time
    return lag
