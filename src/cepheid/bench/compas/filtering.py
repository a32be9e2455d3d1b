"""A cell of the paper's figures: one set of sequences over one stream, by all methods in turns.

Profiles are there before the clock starts, as in the paper; what is told is not written as JSON.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import pyarrow as pa

from cepheid.bench.compas.sequences import METHODS, ONE_STEP, STREAM, TWO_STEPS, Sequences
from cepheid.bench.harness import in_turn
from cepheid.bench.results import Figure, at_most
from cepheid.errors import CepheidError
from cepheid.events import event_times
from cepheid.matchers.profile.sets import ProfileSetMatcher
from cepheid.plan.profile.sets import ProfileSetPlan
from cepheid.profiles import ProfileSet
from cepheid.runners.stream.binding import bound_schema
from cepheid.runners.stream.feed import Feed, StreamStep
from cepheid.runners.stream.terms import Terms

MOST = 10**9
BAR = 1.1
COUNTED = ("tested", "looked_up", "pool", "inserted", "removed")


class PreparedFilter:
    """A set over a stream, up to where events begin to be measured."""

    def __init__(self, plan: ProfileSetPlan, before: pa.Table | None = None) -> None:
        self.plan = plan
        self._feed = Feed(plan, Terms(max_matches=MOST, max_state=MOST))
        matcher = self._feed.matcher
        assert isinstance(matcher, ProfileSetMatcher)
        matcher.defer()
        self._matcher = matcher
        if before is not None:
            self.take(before)

    def take(self, events: pa.Table) -> tuple[float, int]:
        """The processor time that events take, and how many matches are told."""
        newest = event_times(events, self.plan.schema)[-1].item()
        began = time.process_time()
        (told,) = self._feed.take(StreamStep(events, newest))
        return time.process_time() - began, told.num_rows

    @property
    def figures(self) -> dict[str, int]:
        """What the single step has counted."""
        return self._matcher.step.figures


def planned(work: Sequences, setting: str, method: str) -> ProfileSetPlan:
    """The plan of sequences over their stream."""
    return planned_over(work, work.set_of(setting, method))


def planned_over(work: Sequences, asked: ProfileSet) -> ProfileSetPlan:
    """The plan of a set over the stream of some sequences."""
    return asked.plan(bound_schema(work.table.schema, **STREAM, type=None, order=(), time_unit=None))


@dataclass(frozen=True, slots=True)
class FilterCell:
    """What one set took by each method: processor seconds of each round, and counts."""

    where: dict[str, Any]
    events: int
    matches: int
    seconds: dict[str, list[float]]
    counts: dict[str, dict[str, int]]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each method."""
        return [
            {
                **self.where,
                "method": method,
                "µs an event": round(median(spent) / self.events * 1e6, 3),
                "least µs": round(min(spent) / self.events * 1e6, 3),
                "matches": self.matches,
                **self.counts[method],
            }
            for method, spent in self.seconds.items()
        ]

    def ratio(self, method: str) -> float:
        """Its time to that of two steps, by medians."""
        return median(self.seconds[method]) / max(median(self.seconds[TWO_STEPS]), 1e-9)


def cell(work: Sequences, setting: str, repeat: int, **where: Any) -> FilterCell:
    """Measure one set by all methods; they must tell the same."""
    table = work.table
    plans = {method: planned(work, setting, method) for method in METHODS}
    seconds: dict[str, list[float]] = {method: [] for method in METHODS}
    found: dict[str, int] = {}
    counts: dict[str, dict[str, int]] = {}
    for turn in range(repeat + 1):
        for method in in_turn(list(METHODS), turn):
            ready = PreparedFilter(plans[method])
            spent, found[method] = ready.take(table)
            if turn:  # the first one compiles, and builds the pool
                seconds[method].append(spent)
            counts[method] = {name: ready.figures[name] for name in COUNTED}
    if len(set(found.values())) != 1:
        raise CepheidError(f"the methods tell different numbers of matches: {found}")
    return FilterCell({**where, "setting": setting}, table.num_rows, found[TWO_STEPS], seconds, counts)


def figures_of(title: str, cells: Sequence[FilterCell]) -> tuple[Figure, ...]:
    """The worst cell of each variant beside two steps, and whether one of them tests more."""
    found = []
    for method in ONE_STEP:
        worst = max(cells, key=lambda each: each.ratio(method))
        note = f"worst of {len(cells)} cells: {', '.join(f'{k} {v}' for k, v in worst.where.items())}"
        found.append(at_most(f"{title}: {method} to two steps", BAR, worst.ratio(method), note))
    more = [
        (method, name)
        for each in cells
        for method in ONE_STEP
        for name in ("tested", "looked_up")
        if each.counts[method][name] > each.counts[TWO_STEPS][name]
    ]
    found.append(
        Figure(f"{title}: cells in which one step tests or looks up more", "0", str(len(more)), not more)
    )
    return tuple(found)
