"""The conflict graph (A-Seq 4.3.3): which substrings cannot both be shared.

Two candidates conflict if, in some query that contains both, a use of one overlaps a use of the other:
chopping the query for the one cuts the other apart. A plan is a set of candidates without conflict, an
independent set of this graph; the best plan is one of the largest weight.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cepheid.plan.aggregate.sharing.candidates import Candidate, Use


@dataclass(frozen=True, slots=True)
class ConflictGraph:
    """Candidates, and for each the numbers of those that it conflicts with."""

    candidates: tuple[Candidate, ...]
    neighbours: tuple[frozenset[int], ...]

    def edges(self) -> Iterator[tuple[int, int]]:
        """Each conflict once."""
        for one, others in enumerate(self.neighbours):
            yield from ((one, other) for other in sorted(others) if one < other)


def conflict_graph(candidates: Sequence[Candidate]) -> ConflictGraph:
    """The conflicts between candidates of one workload."""
    neighbours: list[set[int]] = [set() for _ in candidates]
    for placed in _by_query(candidates).values():
        for one, other in _overlapping(placed):
            neighbours[one].add(other)
            neighbours[other].add(one)
    return ConflictGraph(tuple(candidates), tuple(map(frozenset, neighbours)))


def _by_query(candidates: Sequence[Candidate]) -> dict[int, list[tuple[Use, int]]]:
    placed: dict[int, list[tuple[Use, int]]] = defaultdict(list)
    for number, candidate in enumerate(candidates):
        for use in candidate.uses:
            placed[use.query].append((use, number))
    return placed


def _overlapping(placed: list[tuple[Use, int]]) -> Iterator[tuple[int, int]]:
    """Pairs of overlapping uses of one query, from left to right."""
    ordered = sorted(placed)
    for index, (use, number) in enumerate(ordered):
        for later, other in ordered[index + 1 :]:
            if later.start >= use.stop:
                break
            yield number, other
