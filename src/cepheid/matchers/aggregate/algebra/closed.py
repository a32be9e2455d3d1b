"""EMIT ON CLOSE: what the events of a stream have completed, added up by the group of each."""

import numpy as np
import pyarrow as pa

from cepheid.matchers.aggregate.groups import Groups
from cepheid.matchers.aggregate.rows import as_time, group_names
from cepheid.matchers.aggregate.wide import (
    as_words,
    exact_column,
    from_words,
    held_bytes,
    narrowed,
    ready_to_add,
)
from cepheid.matchers.snapshot import Snapshot
from cepheid.plan.aggregate.plan import AggregatePlan


class ClosedCounts:
    """The matches of one query so far, and when the last of each group was complete."""

    def __init__(self, plan: AggregatePlan) -> None:
        self.plan = plan
        self.counts = np.zeros(0, np.int64)  # by group, or Python's integers
        self.ended = np.zeros(0, np.int64)  # as kernels have times

    @property
    def bytes(self) -> int:
        """How much they take."""
        return held_bytes(self.counts) + self.ended.nbytes

    def grow(self, groups: int) -> None:
        """So many groups may have a match."""
        more = max(0, groups - self.counts.size)
        self.counts = np.append(self.counts, np.zeros(more, self.counts.dtype))
        self.ended = np.append(self.ended, np.zeros(more, np.int64))

    def add(self, groups: np.ndarray, counts: np.ndarray, time: np.ndarray) -> None:
        """Events in their order: the group of each, how many matches it completes, and its time."""
        complete = np.flatnonzero(counts != 0)
        if not complete.size:
            return
        groups, counts, time = groups[complete], counts[complete], time[complete]
        order = np.argsort(groups, kind="stable")
        known, first = np.unique(groups[order], return_index=True)
        own, more = ready_to_add(self.counts[known], counts[order])
        total = own + np.add.reduceat(more, first)
        if total.dtype == object and self.counts.dtype != object:
            self.counts = self.counts.astype(object)
        self.counts[known] = total
        last = np.append(first[1:], groups.size) - 1
        self.ended[known] = time[order][last]

    def rows(self, groups: Groups, kind: np.dtype) -> pa.Table:
        """A row for each group that has a match; without GROUP BY always one."""
        chosen = np.flatnonzero(self.counts != 0) if self.plan.group else np.zeros(1, np.int64)
        counts = narrowed(self.counts[chosen])
        time = pa.array(self.ended[chosen].view(kind), mask=np.asarray(counts == 0, np.bool_))
        items = [exact_column(counts, item, None) for item in self.plan.items]
        columns = [as_time(self.plan, time), *group_names(self.plan, groups, chosen), *items]
        return pa.Table.from_arrays(columns, schema=self.plan.output_schema)

    def save(self, snapshot: Snapshot, name: str) -> None:
        """Into a snapshot, with the rest of a matcher."""
        snapshot.arrays |= {f"{name}_counts": as_words(self.counts), f"{name}_ended": self.ended}

    def restore(self, snapshot: Snapshot, name: str) -> None:
        """From a snapshot."""
        self.counts = from_words(snapshot.arrays[f"{name}_counts"])
        self.ended = snapshot.arrays[f"{name}_ended"].copy()
