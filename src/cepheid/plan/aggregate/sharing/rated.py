"""The benefit model with the rates of a stream: what A-Seq and Chop-Connect do, event by event.

Let r(t) be the events a window that qualify as step t (with a partition key: of one partition). So many are
also active as starts at any time. For a query t1 … tL in segments that begin at t1 = s1, s2, …, sm:

    START  of a segment s     start · r(s)                         creates a counter
    UPD    at step t of it    update · r(t) · r(s)                 touches each active counter
    CNET   at s2              copy · r(s2) · r(t1)                 a snapshot has a row for each active t1
    CNET   at si, i > 2       multiply · r(si) · r(si-1) · r(t1)   each counter before × its rows
    TRIG   of one segment     add · r(tL) · r(t1)                  adds up the active counters
    TRIG   of several         multiply · r(tL) · r(sm) · r(t1)     each counter of the last × its rows

START and UPD of a shared segment are paid once, CNET and TRIG in each query. What this has and the
published model has not: a substring at the beginning of a query needs no connect; one with steps after it
needs a second one; a first connect copies rows and does not multiply them; steps after a rare start touch
few counters; and the trigger of a chopped query is dearer.
"""

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

from cepheid.errors import QueryError
from cepheid.plan.aggregate.sharing.chops import Segment
from cepheid.plan.aggregate.sharing.workload import SharedQuery, Step, Steps, Workload

Rates = Mapping[Step, float] | Callable[[Step, Hashable], float]


@dataclass(frozen=True, slots=True)
class Units:
    """What each elementary operation costs, in any unit; measured times fit here."""

    start: float = 1.0  # create a counter
    update: float = 1.0  # update one count of a counter
    add: float = 1.0  # add a counter to a total
    copy: float = 1.0  # copy a row into a snapshot
    multiply: float = 1.0  # multiply a row of a snapshot by a count and add it up


@dataclass(frozen=True, slots=True)
class Rated:
    """The model over the rates of a stream; see the formulas above."""

    rates: Mapping[tuple[Hashable, Step], float]  # by window and step
    units: Units = Units()

    def once(self, steps: Steps, window: Hashable) -> float:
        first, *others = (self.rates[window, step] for step in steps)
        return self.units.start * first + self.units.update * first * sum(others)

    def link(self, query: SharedQuery, before: Segment | None, segment: Segment) -> float:
        counting = 0.0 if segment.is_shared else self.once(segment.steps(query), query.window)
        return counting if before is None else counting + self._connect(query, before, segment)

    def finish(self, query: SharedQuery, last: Segment) -> float:
        ending, starts = self._rate(query, -1), self._rate(query, 0)
        if last.start == 0:
            return self.units.add * ending * starts
        return self.units.multiply * ending * self._rate(query, last.start) * starts

    def _connect(self, query: SharedQuery, before: Segment, segment: Segment) -> float:
        connects, rows = self._rate(query, segment.start), self._rate(query, 0)
        if before.start == 0:
            return self.units.copy * connects * rows
        return self.units.multiply * connects * self._rate(query, before.start) * rows

    def _rate(self, query: SharedQuery, position: int) -> float:
        return self.rates[query.window, query.steps[position]]


def rated(workload: Workload, rates: Rates, units: Units = Units()) -> Rated:  # noqa: B008
    """The model for a workload; rates are by step, or a function of step and window where windows differ."""
    look_up = rates if callable(rates) else _by_step(rates)
    table: dict[tuple[Hashable, Step], float] = {}
    for query in workload:
        for step in query.steps:
            if (query.window, step) not in table:
                table[query.window, step] = _checked(look_up(step, query.window), step)
    return Rated(table, units)


def _by_step(rates: Mapping[Step, float]) -> Callable[[Step, Hashable], float]:
    def rate(step: Step, window: Hashable) -> float:
        if step not in rates:
            raise QueryError(
                f"no rate is known for the step {step}",
                hint="give the events a window of every step of the workload, 0 where there are none",
            )
        return rates[step]

    return rate


def _checked(rate: float, step: Step) -> float:
    if not (math.isfinite(rate) and rate >= 0):
        raise QueryError(
            f"the rate of the step {step} is {rate}", hint="a rate is a number of events a window"
        )
    return float(rate)
