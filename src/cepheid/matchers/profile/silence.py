"""SILENCE: when for so long no event has qualified, in each partition by itself."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pyarrow as pa

from cepheid.matchers.joining import join_arrays
from cepheid.matchers.profile.qualifying import EventRows, holding
from cepheid.matchers.profile.ticking import Tick
from cepheid.plan.profile.kinds import SilentKind, Ticks
from cepheid.plan.profile.plan import ProfilePlan

_SPARE = 256
"""How many rows may pile up before those that nobody waits for are dropped."""


class Silences:
    """One SILENCE of a profile: the last qualifying event of each partition, until it is silent."""

    def __init__(self, plan: ProfilePlan, rank: int, kind: SilentKind, rows: pa.RecordBatch) -> None:
        self._plan, self._rank, self._kind = plan, rank, kind
        self._last: dict[int, tuple[Ticks, int]] = {}  # by partition: when, and its row
        self._waiting: deque[tuple[Ticks, int]] = deque()  # when, and of which partition, in order
        self.rows = rows  # the kept events
        self._fired: list[Tick] = []

    @property
    def partitions(self) -> set[int]:
        """Those that are not silent."""
        return set(self._last)

    def begin(self, start: Ticks) -> None:
        """Without keys, silence may begin with the profile."""
        if not self._plan.query.keys:
            self._note(start, 0, -1)

    def due(
        self, events: pa.RecordBatch, times: list[Ticks], partitions: list[int], end: Ticks
    ) -> list[Tick]:
        """The silences before `end`; rows of `events` are numbered after those that are kept."""
        self._fired, kept = [], self.rows.num_rows
        qualifies = self._qualifying(events)
        for place in np.flatnonzero(qualifies).tolist():
            if partitions[place] >= 0:
                self._fire(times[place])
                self._note(times[place], partitions[place], kept + place)
        self._fire(end)
        return self._fired

    def _qualifying(self, events: pa.RecordBatch) -> np.ndarray:
        rows = EventRows(events, self._plan.schema, self._plan.unit)
        return holding(self._kind.of, self._kind.conditions, rows)

    def _note(self, time: Ticks, partition: int, row: int) -> None:
        self._last[partition] = (time, row)
        self._waiting.append((time, partition))

    def _fire(self, end: Ticks) -> None:
        """Tell the silences that are over before this time; an event at their very time would end them."""
        while self._waiting and self._waiting[0][0] + self._kind.length < end:
            time, partition = self._waiting.popleft()
            if self._last.get(partition, (None,))[0] == time:
                _, row = self._last.pop(partition)
                self._fired.append(Tick(time + self._kind.length, self._rank, partition, row))

    def keep(self, events: pa.RecordBatch) -> None:
        """Keep the events that somebody waits for, of those that were kept and these."""
        kept = self.rows.num_rows
        wanted = sorted(row for _, row in self._last.values() if row >= 0)
        fresh = [row for row in wanted if row >= kept]
        if kept + len(fresh) <= 2 * len(wanted) + _SPARE:
            wanted = [*range(kept), *fresh]
        numbers = {row: number for number, row in enumerate(wanted)} | {-1: -1}
        self._last = {p: (time, numbers[row]) for p, (time, row) in self._last.items()}
        old, new = [r for r in wanted if r < kept], [r - kept for r in wanted if r >= kept]
        earlier = self.rows if len(old) == kept else self.rows.take(pa.array(old, pa.int64()))
        later = events.take(pa.array(new, pa.int64()))
        columns = [join_arrays([earlier.column(n), later.column(n)]) for n in range(earlier.num_columns)]
        self.rows = pa.RecordBatch.from_arrays(columns, schema=self.rows.schema)

    def saved(self) -> dict[str, Any]:
        """What JSON can hold of it; the rows go into a table."""
        return {
            "last": [[p, time, row] for p, (time, row) in self._last.items()],
            "waiting": [list(each) for each in self._waiting],
        }

    def restore(self, saved: dict[str, Any], rows: pa.RecordBatch) -> None:
        """Go on from what was saved."""
        self._last = {p: (time, row) for p, time, row in saved["last"]}
        self._waiting = deque((time, partition) for time, partition in saved["waiting"])
        self.rows = rows
