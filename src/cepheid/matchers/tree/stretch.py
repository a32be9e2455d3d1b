"""A stretch of events, and combinations of them that are drawn by chance, in their order and in the window.

Events are numbered from one partition to the next, and in their order within it: so a window around an event
is a range of numbers, and so are the events of a leaf in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from cepheid.events import EventBatch, time_values
from cepheid.matchers.codes import KeyCodes, TextCodes
from cepheid.matchers.joining import join_arrays
from cepheid.matchers.known import KnownEvents
from cepheid.matchers.reading import EventRead, EventReader
from cepheid.plan.precedence import neighbourhoods
from cepheid.plan.program import WindowTest
from cepheid.plan.tree.plan import TreePlan


@dataclass(frozen=True, slots=True)
class Draws:
    """Combinations of one event for each of some positions; the more a combination weighs, the more there are
    like it."""

    events: dict[int, np.ndarray]  # by position
    weights: np.ndarray
    total: float  # how many there are in the stretch, as far as the draws tell
    following: np.ndarray | None = None  # of a chain: the event that it may go on with

    @property
    def size(self) -> int:
        """How many were drawn."""
        return int(self.weights.size)


class Stretch:
    """The events of a batch, read as a plan reads them."""

    def __init__(self, plan: TreePlan, batch: EventBatch, seed: int = 1) -> None:
        self.plan = plan
        self.time = batch.time
        self.texts = TextCodes()
        for function in plan.text_functions:
            self.texts.add_function(function.name, function.arguments)
        reader = EventReader(plan.tests, plan.columns, plan.schema, plan.unit)
        self.keys = KeyCodes(len(plan.query.keys))
        self.read: EventRead = reader.read(batch, self.texts)
        self.partition = self.keys.encode(batch.columns(plan.query.keys), batch.count)
        self.size = batch.count
        self._random = np.random.default_rng(seed)
        self._leaves: dict[int, np.ndarray] = {}
        self._reach: dict[WindowTest | None, tuple[np.ndarray, np.ndarray]] = {}

    @cached_property
    def order(self) -> np.ndarray:
        """The events of all partitions, one partition after the other; those of none come first."""
        return np.argsort(self.partition, kind="stable")

    @cached_property
    def number(self) -> np.ndarray:
        """The number of each event in that order."""
        number = np.empty(self.size, np.int64)
        number[self.order] = np.arange(self.size)
        return number

    @cached_property
    def _starts(self) -> np.ndarray:
        """The number at which the partition of each event begins, and that at which the next one does."""
        sorted_ = self.partition[self.order]
        begin, end = (
            np.searchsorted(sorted_, self.partition),
            np.searchsorted(sorted_, self.partition, "right"),
        )
        return np.stack([begin, end])

    def leaf(self, bit: int) -> np.ndarray:
        """The numbers of the events that pass a test, in ascending order."""
        if bit not in self._leaves:
            passing = (self.read.mask >> bit) & 1 != 0
            self._leaves[bit] = np.sort(self.number[passing & (self.partition >= 0)])
        return self._leaves[bit]

    def reach(self, window: WindowTest | None) -> tuple[np.ndarray, np.ndarray]:
        """For each event the numbers from which and up to which others are in one window with it."""
        if window not in self._reach:
            begin, end = self._starts
            if window is not None and window.counts_events:
                most = int(window.limit)
                found = np.maximum(begin, self.number - most), np.minimum(end, self.number + most + 1)
            elif window is not None:
                limit = float(window.limit)
                ticks = self.time.astype(np.float64)
                found = (
                    self._numbered(np.searchsorted(ticks, ticks - limit), begin, end),
                    self._numbered(np.searchsorted(ticks, ticks + limit, "right"), begin, end),
                )
            else:
                found = begin, end
            self._reach[window] = found
        return self._reach[window]

    def _numbered(self, places: np.ndarray, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
        """The number of the first event of a partition that stands at a place of the stretch or after it."""
        if not self.plan.query.keys:
            return places
        wide = np.int64(self.size + 1)
        keys = self.partition[self.order] * wide + self.order
        found: np.ndarray = np.searchsorted(keys, self.partition * wide + places)
        clipped: np.ndarray = np.clip(found, begin, end)
        return clipped

    # -- draws -------------------------------------------------------------------------------------

    def draw(self, positions: list[int], bits: list[int], most: int) -> Draws:
        """Combinations of events for some positions, the first taken by chance, then one after the other."""
        first = self.leaf(bits[0])
        numbers = self._begun(first, most)
        chosen = {positions[0]: self.order[numbers]}
        weights = np.ones(numbers.size)
        for position, bit in zip(positions[1:], bits[1:], strict=True):
            kept, picked, counts = self._picked(bit, *self._allowed(position, chosen))
            chosen = {place: events[kept] for place, events in chosen.items()}
            weights = weights[kept] * counts
            chosen[position] = picked
            apart = np.ones(weights.size, np.bool_)
            for place, events in chosen.items():
                apart &= (events != chosen[position]) | (place == position)
            chosen = {place: events[apart] for place, events in chosen.items()}
            weights = weights[apart]
        total = first.size * float(weights.sum()) / max(numbers.size, 1)
        return Draws(chosen, weights, total)

    def draw_following(self, position: int, bit: int, most: int) -> Draws:
        """Events of a Kleene variable, each with a later one that may be taken next."""
        first = self.leaf(position)
        numbers = self._begun(first, most)
        events = self.order[numbers]
        kept, picked, counts = self._picked(
            bit, numbers + 1, self.reach(self.window(position, position))[1][events]
        )
        total = first.size * float(counts.sum()) / max(numbers.size, 1)
        return Draws({position: events[kept]}, counts, total, picked)

    def _begun(self, first: np.ndarray, most: int) -> np.ndarray:
        """The numbers of the events that combinations begin with: all of them, or some by chance."""
        if first.size > most:
            chosen: np.ndarray = first[self._random.integers(0, first.size, most)]
            return chosen
        return np.tile(first, most // max(first.size, 1))

    def _picked(
        self, bit: int, low: np.ndarray, high: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For which ranges of numbers there is an event that passes a test, one of those, and how many."""
        leaf = self.leaf(bit)
        begin, end = np.searchsorted(leaf, low), np.searchsorted(leaf, high)
        kept = end > begin
        counts = (end - begin)[kept].astype(np.float64)
        picked = begin[kept] + (self._random.random(counts.size) * counts).astype(np.int64)
        return kept, self.order[leaf[picked]], counts

    def _allowed(self, position: int, chosen: dict[int, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """The range of numbers in which an event may be drawn beside those that are chosen."""
        low: np.ndarray | None = None
        high: np.ndarray | None = None
        for place, events in chosen.items():
            first, last = self.reach(self.window(place, position))
            begin, end = first[events], last[events]
            if self.precedes(place, position):
                begin = self.number[events] + 1
            elif self.precedes(position, place):
                end = self.number[events]
            low = begin if low is None else np.maximum(low, begin)
            high = end if high is None else np.minimum(high, end)
        assert low is not None and high is not None
        return low, high

    def window(self, one: int, other: int) -> WindowTest | None:
        """The shortest window around two positions."""
        inner = [w for w in self.plan.inner_windows if one in w.members and other in w.members]
        alike = self.plan.window
        if alike is not None:
            inner = [w for w in inner if w.counts_events == alike.counts_events]
        return min([*inner, *([alike] if alike else [])], key=lambda w: w.limit, default=None)

    @cached_property
    def _before(self) -> set[tuple[int, int]]:
        """The pairs of positions of which the pattern puts the first before the second."""
        found = set()
        names = {p.variable: place for place, p in enumerate(self.plan.positions)}
        for variable, around in neighbourhoods(self.plan.query.pattern).items():
            if variable in names:
                found |= {(before, names[variable]) for before in around.before}
                found |= {(names[variable], after) for after in around.after}
        return found

    def precedes(self, one: int, other: int) -> bool:
        """Whether the pattern puts one position before the other."""
        return one == other or (one, other) in self._before


def stretch_of(plan: TreePlan, ordered: pa.Table, size: int, places: int = 1) -> EventBatch:
    """So many events from the middle of a table, or from several places of it, one after the other."""
    share, each = ordered.num_rows / places, size // places
    begins = [int(share * place + (share - each) / 2) for place in range(places)]
    events = pa.concat_tables([ordered.slice(begin, each) for begin in begins])
    columns = [join_arrays(events.column(name).chunks) for name in plan.needed]
    data = pa.RecordBatch.from_arrays(columns, list(plan.needed))
    time = time_values(data.column(plan.schema.time))
    return EventBatch(data, time, time[-1].item())


def window_events(plan: TreePlan, known: KnownEvents) -> int:
    """About how many events a window holds, those of all partitions."""
    events: int = known.ordered.num_rows
    if plan.window is None or events == 0:
        return events
    if plan.window.counts_events:
        return min(int(plan.window.limit) + 1, events)
    span = float(known.time[-1]) - float(known.time[0])
    return events if span <= 0 else min(int(events * float(plan.window.limit) / span) + 1, events)


def some_events(batch: EventBatch, start: int, stop: int) -> EventBatch:
    """Those events of a batch, with the watermark that the last of them has."""
    time = batch.time[start:stop]
    watermark = time[-1].item() if time.size else batch.watermark
    return EventBatch(batch.data.slice(start, stop - start), time, watermark)
