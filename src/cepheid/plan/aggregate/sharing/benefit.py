"""What sharing a substring saves: the benefit model of the thesis, as published (A-Seq 4.3.2).

With N0 events of each type, f·N0 of the type that begins the substring (its CNET), l its length and k the
places that use it, each event costing N0 operations without sharing and each connect N0²:

    X_naive  = N0²·k·(l + f)                              (4.2)
    X_CC     = N0³·f·k + N0²·f·l                          (4.3)
    X_BValue = N0²·k·(l + f) - N0³·f·k - N0²·f·l          (4.4)

and (4.5) is (4.4) as a line in f, in l and in k. Where no query uses the substring twice, k is the number of
queries, as in the thesis.

A cost model here is a sum over neighbouring segments, which is what connecting depends on:

    cost of a workload = Σ once(substring) + Σ over queries ( Σ link(before, segment) + finish(last) )

and the benefit of a plan is the cost with each query in one piece, less the cost of the plan.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from cepheid.plan.aggregate.sharing.candidates import Candidate, Use
from cepheid.plan.aggregate.sharing.chops import Chop, Segment, chop
from cepheid.plan.aggregate.sharing.workload import SharedQuery, Step, Steps, Workload


class CostModel(Protocol):
    """What a plan costs; only differences count."""

    def once(self, steps: Steps, window: Hashable) -> float:
        """Counting a shared substring, however many use it."""

    def link(self, query: SharedQuery, before: Segment | None, segment: Segment) -> float:
        """Connecting a segment of a query to the one before, and counting it unless it is shared."""

    def finish(self, query: SharedQuery, last: Segment) -> float:
        """Reading the query's results at its last segment."""


def cost_of(model: CostModel, query: SharedQuery, segments: Chop) -> float:
    """What a chopped query costs by itself, without the substrings that it shares."""
    total = model.finish(query, segments[-1])
    before: Segment | None = None
    for segment in segments:
        total += model.link(query, before, segment)
        before = segment
    return total


def benefit_of(model: CostModel, workload: Workload, shared: Iterable[Candidate]) -> float:
    """What sharing these substrings, which do not conflict, saves against sharing nothing."""
    total = 0.0
    uses: dict[int, list[tuple[Use, int]]] = defaultdict(list)
    for number, candidate in enumerate(shared):
        total -= model.once(candidate.steps, candidate.window)
        for use in candidate.uses:
            uses[use.query].append((use, number))
    for index, within in uses.items():
        query = workload[index]
        total += cost_of(model, query, chop(query, ())) - cost_of(model, query, chop(query, within))
    return total


def naive_cost(n0: float, f: float, l: float, k: float) -> float:  # noqa: E741
    """Counting a substring in each of k places by itself (4.2)."""
    return n0**2 * k * (l + f)


def chop_connect_cost(n0: float, f: float, l: float, k: float) -> float:  # noqa: E741
    """Counting a substring once and connecting it in k places (4.3)."""
    return n0**3 * f * k + n0**2 * f * l


@dataclass(frozen=True, slots=True)
class Published:
    """The model of the thesis over a workload: benefits of substrings simply add up to (4.4)."""

    instances: float  # N0
    frequencies: Mapping[Step, float]  # f of each step that is not as frequent as the others

    def once(self, steps: Steps, window: Hashable) -> float:
        return chop_connect_cost(self.instances, self._frequency(steps), len(steps), 0)

    def link(self, query: SharedQuery, before: Segment | None, segment: Segment) -> float:
        if not segment.is_shared:
            return 0.0
        steps = segment.steps(query)
        n0, f, length = self.instances, self._frequency(steps), len(steps)
        return n0**3 * f - naive_cost(n0, f, length, 1)

    def finish(self, query: SharedQuery, last: Segment) -> float:
        return 0.0

    def _frequency(self, steps: Steps) -> float:
        return self.frequencies.get(steps[0], 1.0)
