"""The second step: at which events or moments there are rows, and which matches count at each."""

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa

from cepheid.events import END, EventBatch
from cepheid.matchers.aggregate.period_rows import TOO_MANY_PERIODS
from cepheid.matchers.aggregate.periods import Periods
from cepheid.matchers.aggregate.rows import TOO_MANY_ROWS, as_time, at_events, group_names
from cepheid.matchers.aggregate.two_step.events import HeldEvents
from cepheid.matchers.aggregate.two_step.matches import BuiltMatches
from cepheid.matchers.aggregate.two_step.settled import Settled
from cepheid.matchers.aggregate.two_step.totals import Tally, Totals
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.masks import BatchRows, event_masks
from cepheid.matchers.windows import FAR, first_outside
from cepheid.pattern.query import EmitMode
from cepheid.plan.aggregate.plan import TwoStepPlan
from cepheid.plan.program import WindowTest

_CELLS = 1 << 18
"""How many rows of periods and groups are filled together."""


class Reports:
    """Makes rows from the matches that may still count and from those that always will."""

    def __init__(
        self, plan: TwoStepPlan, events: HeldEvents, tally: Tally, settled: Settled, allowance: Allowance
    ) -> None:
        self.plan, self.events, self.tally, self.settled = plan, events, tally, settled
        self.allowance = allowance
        self.newest: int | float | None = None  # the time of the last event
        self.clock = Periods(plan.period, plan.schema.type_of(plan.schema.time))

    def of_batch(
        self, batch: EventBatch, rows: BatchRows, since: int, alive: BuiltMatches
    ) -> Iterator[pa.Table]:
        """The rows that a batch brings; `since` is the position of its first event."""
        if batch.time.size:
            self.newest = batch.time[-1].item()
        yield from _REPORTS[self.plan.query.emit.mode](self, batch, rows, since, alive)

    def _at_events(
        self, batch: EventBatch, rows: BatchRows, since: int, alive: BuiltMatches
    ) -> Iterator[pa.Table]:
        """A row at each event that may end a match, or spoil one, by itself."""
        events, plan = self.events, self.plan
        partition, group = events.partition[events.old :], events.group[events.old :]
        found = np.flatnonzero((event_masks(plan.rows, rows) != 0) & (partition >= 0))
        start, stop = self._ranges(alive, since + 1 + found, batch.time[found])
        order = np.argsort(group[found], kind="stable")  # the rows of a group side by side
        keys = group[found][order] * (found.size + 1) + order
        own = alive["group"] * (found.size + 1)
        totals = self.tally.by_row(
            np.searchsorted(keys, own + start),
            np.searchsorted(keys, own + np.maximum(start, stop)),
            alive.columns,
            found.size,
        )
        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        totals = self.tally.together(
            {name: column[place] for name, column in totals.items()}, self.settled.at(group[found])
        )
        yield self._table(*at_events(plan, batch, found), totals)

    def _at_periods(
        self, batch: EventBatch, rows: BatchRows, since: int, alive: BuiltMatches
    ) -> Iterator[pa.Table]:
        """The rows of all periods that have ended before the watermark, or before an event."""
        for moments in self.clock.moments(batch):
            seen = np.searchsorted(batch.time, moments, "right")
            beyond = self.clock.beyond(batch, int(seen[-1]))
            yield from self._at_moments(moments, since + seen, alive, beyond)

    def _at_moments(
        self, moments: np.ndarray, seen: np.ndarray, alive: BuiltMatches, beyond: int
    ) -> Iterator[pa.Table]:
        """The rows at some moments; where that takes too many cells, of one half after the other. So many
        periods beyond see the same events as the last."""
        start, stop = self._ranges(alive, seen, moments)
        counts, size = start < stop, moments.size
        start, stop, group = start[counts], stop[counts], alive["group"][counts]
        groups = np.unique(np.concatenate([group, self.settled.groups]))
        groups = groups if self.plan.group else np.zeros(1, np.int64)
        is_quiet = not start.any() and bool((stop == size).all())
        if size > 1 and groups.size * size > _CELLS and not is_quiet:
            half = size // 2
            yield from self._at_moments(moments[:half], seen[:half], alive, 0)
            yield from self._at_moments(moments[half:], seen[half:], alive, beyond)
            return
        width = 1 if is_quiet else size
        own = np.searchsorted(groups, group) * width
        columns = {name: column[counts] for name, column in alive.columns.items()}
        totals = self.tally.by_row(own + start, own + np.minimum(stop, width), columns, groups.size * width)
        totals = self.tally.together(totals, self.settled.at(np.repeat(groups, width)))
        cells = np.arange(groups.size * width).reshape(groups.size, width)
        by_moment = np.tile(cells[:, 0], size) if is_quiet else cells.T.ravel()
        moment = np.repeat(np.arange(size), groups.size)
        if self.plan.group:
            has_row = totals["count"][by_moment] > 0
            by_moment, moment = by_moment[has_row], moment[has_row]
        lasts = is_quiet and (self.plan.window is None or self.plan.window.counts_events)
        rows = by_moment.size * (size + beyond) // size if lasts else by_moment.size
        self.allowance.expect(rows, TOO_MANY_PERIODS)
        yield self._table(
            as_time(self.plan, pa.array(moments[moment])),
            group_names(self.plan, self.events.groups, groups[by_moment // width]),
            {name: column[by_moment] for name, column in totals.items()},
        )

    def _at_the_end(
        self, batch: EventBatch, rows: BatchRows, since: int, alive: BuiltMatches
    ) -> Iterator[pa.Table]:
        """One row a group over all matches, when no event can come."""
        if batch.watermark != END:
            return
        self.settled.add(alive.take(alive["end"] == FAR))
        groups = self.settled.groups if self.plan.group else np.zeros(1, np.int64)
        known = self.settled.last[groups] >= 0
        time = pa.array(self.settled.ended[groups].view(batch.time.dtype), mask=~known)
        yield self._table(
            as_time(self.plan, time),
            group_names(self.plan, self.events.groups, groups),
            self.settled.at(groups),
        )

    def _ranges(
        self, alive: BuiltMatches, seen: np.ndarray, now: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """From which row on, and until before which, each match counts.

        A row has seen so many events, and is at a moment; both ascend.
        """
        start = np.searchsorted(seen, alive["last"], "right")
        stop = np.searchsorted(seen, alive["end"], "right")
        window = self.plan.window
        if window is None:
            return start, stop
        if window.counts_events:
            left = left_at(alive, self.events, window)
            return start, np.minimum(stop, np.searchsorted(seen, left, "right"))
        return start, np.minimum(stop, first_outside(window, now, alive["begun"]))

    def _table(self, time: pa.Array, group: list[pa.Array], totals: Totals) -> pa.Table:
        self.allowance.take(len(time), TOO_MANY_ROWS)
        items = [self.tally.column(item, totals) for item in self.plan.items]
        return pa.Table.from_arrays([time, *group, *items], schema=self.plan.output_schema)


_REPORTS: dict[EmitMode, Callable[..., Iterator[pa.Table]]] = {
    EmitMode.ALL: Reports._at_events,
    EmitMode.ON_RISE: Reports._at_events,
    EmitMode.EVERY: Reports._at_periods,
    EmitMode.ON_CLOSE: Reports._at_the_end,
}


def left_at(matches: BuiltMatches, events: HeldEvents, window: WindowTest) -> np.ndarray:
    """The stream position of the event with which the first one leaves a window that counts events."""
    left = np.full(matches.count, FAR, np.int64)
    batch = np.flatnonzero(events.partition[events.old :] >= 0) + events.old
    batch = batch[np.argsort(events.partition[batch], kind="stable")]
    of, starts, sizes = np.unique(events.partition[batch], return_index=True, return_counts=True)
    if not of.size:
        return left
    place = np.minimum(np.searchsorted(of, matches["partition"]), of.size - 1)
    ahead = matches["begun"] + window.limit - events.ordinal[batch[starts]][place] + 1
    leaves = (of[place] == matches["partition"]) & (ahead < sizes[place])
    left[leaves] = events.position[batch[(starts[place] + np.maximum(ahead, 0))[leaves]]]
    return left
