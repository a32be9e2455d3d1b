"""Shards in Spark's state store: every micro-batch with data visits each of them once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from math import isinf
from operator import or_
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import types as st
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from cepheid.matchers.protocol import joined_tables
from cepheid.runners.spark.assignment import Assignment
from cepheid.runners.spark.frames import LATE, Frames
from cepheid.runners.spark.journal import Row, visit
from cepheid.runners.spark.pack import pack, unpack
from cepheid.runners.spark.route import BAD, BEAT, EVENTS, GUARD, Beat, shard_keys
from cepheid.runners.spark.stamp import Stamp
from cepheid.runners.spark.worker_log import tell_of_compiling, tell_of_unused
from cepheid.runners.stream.moments import Moment

if TYPE_CHECKING:
    from pyspark.sql.streaming.stateful_processor import TimerValues

_HEAD = st.StructType([st.StructField("stamp", st.StringType()), st.StructField("head", st.StringType())])
_BYTES = st.StructType([st.StructField("data", st.BinaryType())])
_STEPS = st.StructType(
    [
        st.StructField("step", st.StringType()),
        st.StructField("end", st.StringType()),
        st.StructField("events", st.BinaryType()),
    ]
)


class ShardVisits(StatefulProcessor):
    """What Spark calls for each group of a micro-batch."""

    def __init__(self, assigned: Assignment, stamp: Stamp, frames: Frames) -> None:
        self.plan = assigned.plan
        self.terms = assigned.terms
        self.side = assigned.side
        self.stamp = stamp
        self.frames = frames

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Once a task."""
        self.open(SparkStore(handle))

    def open(self, store: SparkStore) -> None:
        """Visit shards that rest in this store."""
        tell_of_compiling()
        self._store = store
        self._numbers = {key: number for number, key in enumerate(shard_keys(self.stamp.shards))}

    def handleInputRows(
        self, key: Any, rows: Iterator[pd.DataFrame], timerValues: TimerValues
    ) -> Iterator[pd.DataFrame]:
        """The rows of one group, all of this micro-batch."""
        given = [pair for frame in rows for pair in zip(frame["what"], frame["blob"], strict=True)]
        if key[0] == GUARD:
            self._guard(given)
            return
        yield from self._visited(self._numbers[key[0]], given)

    def close(self) -> None:
        """Nothing is held open."""

    def _visited(self, number: int, given: list[tuple[str, bytes]]) -> Iterator[pd.DataFrame]:
        beats = [Beat.from_bytes(blob) for what, blob in given if what == BEAT]
        newest = max((beat.newest for beat in beats if beat.newest is not None), default=None)
        events = [blob for what, blob in given if what == EVENTS]
        taken, head = visit(self._store, self.stamp, self.plan, self.terms, events, newest)
        yield from self.frames.matches(number, taken.matches)
        if self.side and taken.late.num_rows:
            yield self.frames.blob(number, LATE, pack(taken.late))
        for what, blob in given:
            if self.side and what == BAD:
                yield self.frames.blob(number, BAD, blob)
        bad = sum(beat.bad for beat in beats)
        if not self.side:
            reasons = joined_tables([unpack(blob) for what, blob in given if what == BAD], taken.late.schema)
            tell_of_unused(("late", taken.late_count, taken.late), ("bad", bad, reasons))
        watermark = _shown(taken.step.watermark, self.plan.schema.type_of(self.plan.schema.time))
        counts = {
            "events": taken.step.events.num_rows,
            "matches": taken.matches.num_rows,
            "late": taken.late_count,
            "bad": bad,
            "waiting": taken.waiting,
            "state_bytes": head.stored,
            "seen": reduce(or_, (beat.seen for beat in beats), 0),
        }
        yield self.frames.progress(number, watermark, counts)

    def _guard(self, given: list[tuple[str, bytes]]) -> None:
        """The one group whose key no number of shards changes."""
        made = self._store.head()
        if made is None:
            self._store.put_head(self.stamp.to_text(), "")
        else:
            self.stamp.refuse(made[0])


class SparkStore:
    """One shard at rest, in three variables of Spark's state: of the group that is being visited."""

    def __init__(self, handle: StatefulProcessorHandle) -> None:
        self._head = handle.getValueState("head", _HEAD)
        self._base = handle.getValueState("base", _BYTES)
        self._steps = handle.getListState("steps", _STEPS)

    def head(self) -> tuple[str, str] | None:
        """The stamp of its stream, and what the other two hold."""
        found = self._head.get()
        return None if found is None else (found[0], found[1])

    def put_head(self, stamp: str, head: str) -> None:
        """Written last."""
        self._head.update((stamp, head))

    def base(self) -> bytes:
        """The latest snapshot."""
        found = self._base.get()
        return b"" if found is None else bytes(found[0])

    def put_base(self, data: bytes) -> None:
        """A new snapshot; the steps before it are dropped."""
        self._base.update((data,))
        self._steps.clear()

    def steps(self) -> Iterator[Row]:
        """Those since the snapshot."""
        for step, end, events in self._steps.get():
            yield step, end, None if events is None else bytes(events)

    def append(self, rows: list[Row]) -> None:
        """One more step."""
        self._steps.appendList(rows)


_TICKS = {pa.date32(): pa.int32()}


def _shown(watermark: Moment, kind: pa.DataType) -> str | None:
    """A watermark as people read it."""
    if isinf(watermark):
        return None
    if not pa.types.is_temporal(kind):
        return str(watermark)
    try:
        return str(pa.array([watermark], _TICKS.get(kind, pa.int64())).cast(kind)[0])
    except (pa.ArrowException, OverflowError, ValueError):
        return f"{watermark} ticks"  # a lateness may take it out of the calendar
