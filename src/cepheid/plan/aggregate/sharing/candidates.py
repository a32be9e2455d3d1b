"""The search for substrings that queries have in common, level by level (Apriori, A-Seq 4.3.1).

Pruning principle: a substring in fewer than two queries cannot grow into one in two queries or more. A
candidate of length n + 1 is therefore joined from two of length n that stand next to each other, one step
apart, and both must have been frequent. A level costs one pass over what is left, whatever the length.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from cepheid.plan.aggregate.sharing.workload import Step, Steps, Workload, text_of

FEWEST_QUERIES = 2
FEWEST_USES = 2

Place = tuple[int, int]  # a query's number in the workload, and a position in its steps


@dataclass(frozen=True, slots=True, order=True)
class Use:
    """One place where a substring stands: from `start` up to, not including, `stop` in a query."""

    query: int
    start: int
    stop: int

    def overlaps(self, other: Use) -> bool:
        """Whether the two lie in one query and have a position in common."""
        return self.query == other.query and self.start < other.stop and other.start < self.stop


@dataclass(frozen=True, slots=True)
class Candidate:
    """A substring that may be shared, with the places where it would be.

    `occurrences` are all its places. Those of one query may overlap, as (A, A) does in (A, A, A); `uses`
    are the leftmost that do not, which are what sharing it chops out.
    """

    steps: Steps
    window: Hashable
    occurrences: tuple[Use, ...]
    uses: tuple[Use, ...]

    @property
    def queries(self) -> tuple[int, ...]:
        """The queries that contain it, by number."""
        return tuple(dict.fromkeys(use.query for use in self.uses))

    def __str__(self) -> str:
        return f"{text_of(self.steps)} × {len(self.uses)}"


def find_candidates(workload: Workload) -> tuple[Candidate, ...]:
    """All substrings of length two or more in two queries or more of one window, shorter ones first."""
    found: list[Candidate] = []
    level = _frequent(_single_steps(workload))
    length = 1
    while level:
        level = _frequent(_joined(level))
        length += 1
        found.extend(_candidate(workload, places, length) for places in level)
    return tuple(found)


def _single_steps(workload: Workload) -> Iterable[list[Place]]:
    """The places of each step of each window."""
    places: dict[tuple[Hashable, Step], list[Place]] = {}
    for number, query in enumerate(workload):
        for position, step in enumerate(query.steps):
            places.setdefault((query.window, step), []).append((number, position))
    return places.values()


def _joined(level: list[list[Place]]) -> Iterable[list[Place]]:
    """The places of what is one step longer: two frequent substrings, the second one step further."""
    label = {place: number for number, places in enumerate(level) for place in places}
    longer: dict[tuple[int, int], list[Place]] = {}
    for (query, position), number in sorted(label.items()):
        following = label.get((query, position + 1))
        if following is not None:
            longer.setdefault((number, following), []).append((query, position))
    return longer.values()


def _frequent(level: Iterable[list[Place]]) -> list[list[Place]]:
    return [places for places in level if len({query for query, _ in places}) >= FEWEST_QUERIES]


def _candidate(workload: Workload, places: list[Place], length: int) -> Candidate:
    query, start = places[0]
    occurrences = tuple(Use(number, first, first + length) for number, first in places)
    steps = workload[query].steps[start : start + length]
    return Candidate(steps, workload[query].window, occurrences, _leftmost(occurrences))


def _leftmost(occurrences: tuple[Use, ...]) -> tuple[Use, ...]:
    """The occurrences without those that overlap one before them."""
    kept: list[Use] = []
    for use in occurrences:
        if not (kept and kept[-1].overlaps(use)):
            kept.append(use)
    return tuple(kept)
