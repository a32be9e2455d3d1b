"""Chop (A-Seq 4.2): a query as segments, each counted on its own and connected to the one before."""

from collections.abc import Iterable
from dataclasses import dataclass

from cepheid.plan.aggregate.sharing.candidates import Use
from cepheid.plan.aggregate.sharing.workload import SharedQuery, Steps


@dataclass(frozen=True, slots=True)
class Segment:
    """The steps from `start` up to, not including, `stop`; `shared` is the number of a shared substring."""

    start: int
    stop: int
    shared: int | None = None

    @property
    def is_shared(self) -> bool:
        return self.shared is not None

    def steps(self, query: SharedQuery) -> Steps:
        """What the segment is in a query."""
        return query.steps[self.start : self.stop]


Chop = tuple[Segment, ...]


def chop(query: SharedQuery, uses: Iterable[tuple[Use, int]]) -> Chop:
    """A query in segments: the uses, each with its substring's number, and what is left between them."""
    segments: list[Segment] = []
    reached = 0
    for use, number in sorted(uses):
        if use.start > reached:
            segments.append(Segment(reached, use.start))
        segments.append(Segment(use.start, use.stop, number))
        reached = use.stop
    if reached < len(query.steps):
        segments.append(Segment(reached, len(query.steps)))
    return tuple(segments)
