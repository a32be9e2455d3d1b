"""Small random workloads with rates, and what any plan must satisfy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import strategies as st

from cepheid.plan.aggregate.sharing.conflicts import ConflictGraph
from cepheid.plan.aggregate.sharing.sharing_plan import SharingPlan
from cepheid.plan.aggregate.sharing.workload import SharedQuery, Workload

LETTERS = "ABCD"

rates = st.fixed_dictionaries(
    {letter: st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0, 100.0]) for letter in LETTERS}
)


@st.composite
def workloads(draw: st.DrawFn, most: int = 4, longest: int = 5) -> Workload:
    steps = st.lists(st.sampled_from(LETTERS), min_size=2, max_size=longest).map(tuple)
    windows = st.sampled_from(["1 min", "1 min", "1 min", "1 min", "1 h"])
    drawn = draw(st.lists(st.tuples(steps, windows), min_size=min(3, most), max_size=most))
    return tuple(SharedQuery(f"q{n}", string, window) for n, (string, window) in enumerate(drawn))


def is_independent(graph: ConflictGraph, chosen: Sequence[int]) -> bool:
    """Whether candidates, by number, can all be shared at once."""
    return all(graph.neighbours[number].isdisjoint(chosen) for number in chosen)


def queries(*strings: str) -> Workload:
    """Queries whose steps are letters: q1, q2, …"""
    return tuple(SharedQuery(f"q{number}", tuple(string)) for number, string in enumerate(strings, 1))


def assert_valid(plan: SharingPlan) -> None:
    """Chops reassemble to their queries, uses are what they say, and nothing is shared for nothing."""
    for query, segments in zip(plan.workload, plan.chops, strict=True):
        assert tuple(step for segment in segments for step in segment.steps(query)) == query.steps
        assert [segment.start for segment in segments] == [0, *(segment.stop for segment in segments[:-1])]
        assert all(one.is_shared or two.is_shared for one, two in pairwise(segments))
    for number, shared in enumerate(plan.shared):
        assert len(shared.uses) >= 2 and len(shared.steps) >= 2
        chopped = [
            (index, segment.start, segment.stop)
            for index, segments in enumerate(plan.chops)
            for segment in segments
            if segment.shared == number
        ]
        assert chopped == sorted((use.query, use.start, use.stop) for use in shared.uses)
        for use in shared.uses:
            query = plan.workload[use.query]
            assert query.steps[use.start : use.stop] == shared.steps and query.window == shared.window
    assert plan.benefit >= 0
    assert bool(plan.shared) == (plan.benefit > 0)
    assert len({(shared.steps, shared.window) for shared in plan.shared}) == len(plan.shared)
