"""All ways to chop a query, as paths through segments from its first step to its last.

A segment is a use of a candidate, or a stretch that could be left between two uses. An arc leads from one to
a next; its cost is what the model charges for the second where the first stands before it. A chop is a path,
and what it costs is the sum of its arcs.
"""

from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from cepheid.plan.aggregate.sharing.benefit import CostModel
from cepheid.plan.aggregate.sharing.candidates import Candidate
from cepheid.plan.aggregate.sharing.chops import Chop, Segment
from cepheid.plan.aggregate.sharing.workload import SharedQuery, Workload

BEGIN = END = -1
INFINITE = float("inf")


@dataclass(frozen=True, slots=True)
class Arc:
    """From a segment to the next, by number; from BEGIN, or to END."""

    source: int
    target: int
    cost: float


@dataclass(frozen=True, slots=True)
class Paths:
    """The segments of a query from left to right, and for each the arcs that enter it."""

    segments: tuple[Segment, ...]
    entering: tuple[tuple[Arc, ...], ...]
    ending: tuple[Arc, ...]

    def arcs(self) -> Iterator[Arc]:
        for arcs in self.entering:
            yield from arcs
        yield from self.ending


def paths_of(workload: Workload, model: CostModel, candidates: Sequence[Candidate]) -> dict[int, Paths]:
    """The paths of each query that contains a candidate; segments are numbered by their candidates."""
    uses: dict[int, list[Segment]] = defaultdict(list)
    for number, candidate in enumerate(candidates):
        for use in candidate.uses:
            uses[use.query].append(Segment(use.start, use.stop, number))
    return {index: _paths(model, workload[index], within) for index, within in uses.items()}


def _paths(model: CostModel, query: SharedQuery, uses: list[Segment]) -> Paths:
    segments = sorted([*uses, *_stretches(query, uses)], key=lambda each: (each.start, each.stop))
    stopping: dict[int, list[int]] = defaultdict(list)
    entering: list[tuple[Arc, ...]] = []
    for number, segment in enumerate(segments):
        first = [Arc(BEGIN, number, model.link(query, None, segment))] if segment.start == 0 else []
        others = (
            Arc(before, number, model.link(query, segments[before], segment))
            for before in stopping[segment.start]
            if segment.is_shared or segments[before].is_shared
        )
        entering.append((*first, *others))
        stopping[segment.stop].append(number)
    ending = (Arc(last, END, model.finish(query, segments[last])) for last in stopping[len(query.steps)])
    return Paths(tuple(segments), tuple(entering), tuple(ending))


def _stretches(query: SharedQuery, uses: list[Segment]) -> Iterator[Segment]:
    stops = {use.start for use in uses} | {len(query.steps)}
    for start in {use.stop for use in uses} | {0}:
        yield from (Segment(start, stop) for stop in stops if start < stop)


@dataclass(frozen=True, slots=True)
class Shortest:
    """The cheapest chop of a query, without what counting the shared substrings costs."""

    cost: float
    chop: Chop


def shortest(paths: Paths, allowed: Container[int]) -> Shortest:
    """The cheapest path that uses allowed candidates only."""
    costs = [INFINITE] * len(paths.segments) + [0.0]  # up to each segment; the last is BEGIN's
    before = [BEGIN] * len(paths.segments)
    for number, (segment, arcs) in enumerate(zip(paths.segments, paths.entering, strict=True)):
        if segment.shared is None or segment.shared in allowed:
            costs[number], before[number] = _cheapest(costs, arcs)
    cost, last = _cheapest(costs, paths.ending)
    chop: list[Segment] = []
    while last != BEGIN:
        chop.append(paths.segments[last])
        last = before[last]
    return Shortest(cost, tuple(reversed(chop)))


def _cheapest(costs: list[float], arcs: tuple[Arc, ...]) -> tuple[float, int]:
    least, source = INFINITE, BEGIN
    for arc in arcs:
        cost = costs[arc.source] + arc.cost
        if cost < least:
            least, source = cost, arc.source
    return least, source
