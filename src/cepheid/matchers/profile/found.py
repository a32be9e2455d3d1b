"""Matches as the inner engine lists them, each with its events, its partition and its completion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import pyarrow as pa

from cepheid.events import time_values
from cepheid.matchers.joining import join_arrays
from cepheid.matchers.profile.moments import AT_THE_END, Moment, PlacedEvent
from cepheid.matchers.profile.recent import Recent
from cepheid.plan.profile.plan import Closing, OpenAbsence, ProfilePlan


@dataclass(frozen=True, slots=True)
class FoundMatch:
    """A match of the inner engine."""

    row: int  # in the engine's table
    partition: int
    events: tuple[tuple[PlacedEvent, ...], ...]  # of each position, in the order of the text
    completion: Moment

    @property
    def every_event(self) -> Iterator[PlacedEvent]:
        """All events of the match."""
        return chain.from_iterable(self.events)

    @property
    def last(self) -> PlacedEvent:
        """The last event."""
        return max(self.every_event, key=lambda event: event.moment)


class FoundMatches:
    """Reads matches from the tables of the inner engine."""

    def __init__(self, plan: ProfilePlan, recent: Recent) -> None:
        self.plan, self.recent = plan, recent

    def of(self, table: pa.Table) -> list[FoundMatch]:
        """The matches of a table, in the order of output."""
        if table.num_rows == 0:
            return []
        columns, start = [], self.plan.own_columns
        for number, position in enumerate(self.plan.positions):
            four = [table.column(start + 4 * number + k) for k in range(4)]
            columns.append((_lists if position.kleene else _ones)(four, table.num_rows))
        found = [self._match(row, cells) for row, cells in enumerate(zip(*columns, strict=True))]
        return sorted(found, key=_order)

    def _match(self, row: int, cells: tuple[list[tuple[Any, ...]], ...]) -> FoundMatch:
        events = tuple(
            tuple(
                PlacedEvent(time, rank, 0 if rank in self.plan.shared_ranks else place, place)
                for time, place, _, rank in cell
            )
            for cell in cells
        )
        partition = max(partition for cell in cells for _, _, partition, _ in cell)
        return FoundMatch(row, partition, events, self._completion(events))

    def _completion(self, events: tuple[tuple[PlacedEvent, ...], ...]) -> Moment:
        """At the last event, or when the last window closes that an absence waits for."""
        waits = [self._close(each, events) for each in self.plan.absences if _is_open(each, events)]
        return max([*waits, *(event.moment for event in chain.from_iterable(events))])

    def _close(self, absence: OpenAbsence, events: tuple[tuple[PlacedEvent, ...], ...]) -> Moment:
        """When the first of the windows around an absence closes."""
        closings = (self._closing(window, events) for window in absence.windows)
        return min((each for each in closings if each is not None), default=AT_THE_END)

    def _closing(self, window: Closing, events: tuple[tuple[PlacedEvent, ...], ...]) -> Moment | None:
        inside = [event for p in window.members for event in events[p]]
        if not inside:
            return None
        first = min(inside, key=lambda event: event.moment)
        if not window.counts_events:
            return (first.time + window.length, -1 if window.half_open else 1, 0, 0)
        closed = self.recent.closing(first.place, int(window.length))
        return AT_THE_END if closed is None else (closed[0], 0, 0, closed[1])


def _is_open(absence: OpenAbsence, events: tuple[tuple[PlacedEvent, ...], ...]) -> bool:
    """Whether an absence counts in a match, and the match has no event after it."""
    stands = all(any(events[p] for p in branch) for branch in absence.branches)
    return stands and not any(events[p] for p in absence.after)


def _order(found: FoundMatch) -> Any:
    """The order of output: by completion, then by the events, variable by variable."""
    return found.completion, [[event.moment for event in each] for each in found.events]


def _ones(columns: list[pa.ChunkedArray], count: int) -> list[list[tuple[Any, ...]]]:
    """The one event of a variable in each match, or none."""
    time, *others = (join_arrays(column.chunks or [column.combine_chunks()]) for column in columns)
    values = zip(time_values(time).tolist(), *(other.to_pylist() for other in others), strict=True)
    return [[] if value[1] is None else [value] for value in values]


def _lists(columns: list[pa.ChunkedArray], count: int) -> list[list[tuple[Any, ...]]]:
    """The events of a Kleene variable in each match."""
    time, *others = (join_arrays(column.chunks or [column.combine_chunks()]) for column in columns)
    flat = zip(time_values(time.flatten()).tolist(), *(o.flatten().to_pylist() for o in others), strict=True)
    values = iter(list(flat))
    return [[next(values) for _ in places or ()] for places in others[0].to_pylist()]
