"""Candidates, and which of them conflict (A-Seq 4.3.1 and 4.3.3)."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given, settings

from cepheid.plan.aggregate.sharing.candidates import Candidate, Use, find_candidates
from cepheid.plan.aggregate.sharing.conflicts import ConflictGraph, conflict_graph
from cepheid.plan.aggregate.sharing.workload import SharedQuery, Workload
from tests.plan.aggregate.sharing.workloads import is_independent, queries, workloads


def found(workload: Workload) -> dict[str, Candidate]:
    return {"".join(map(str, each.steps)): each for each in find_candidates(workload)}


def test_substrings_of_two_queries_are_found_with_their_places() -> None:
    candidates = found(queries("ABCD", "XABC", "BCD"))
    assert set(candidates) == {"AB", "BC", "CD", "ABC", "BCD"}
    assert candidates["BC"].uses == (Use(0, 1, 3), Use(1, 2, 4), Use(2, 0, 2))
    assert candidates["BC"].queries == (0, 1, 2)


def test_twice_in_one_query_is_not_two_queries() -> None:
    assert found(queries("ABAB", "CD")) == {}
    assert found(queries("ABXAB", "AB"))["AB"].uses == (Use(0, 0, 2), Use(0, 3, 5), Use(1, 0, 2))


def test_overlapping_occurrences_are_known_but_not_used() -> None:
    candidate = found(queries("AAA", "AA"))["AA"]
    assert candidate.occurrences == (Use(0, 0, 2), Use(0, 1, 3), Use(1, 0, 2))
    assert candidate.uses == (Use(0, 0, 2), Use(1, 0, 2))


def test_other_windows_do_not_count() -> None:
    one, two = SharedQuery("p", ("A", "B"), "1 min"), SharedQuery("q", ("A", "B"), "1 h")
    assert find_candidates((one, two)) == ()


@given(workloads(most=5, longest=7))
@settings(max_examples=200)
def test_the_search_finds_what_listing_all_substrings_finds(workload: Workload) -> None:
    places: dict[object, list[Use]] = defaultdict(list)
    for number, query in enumerate(workload):
        for start in range(len(query.steps)):
            for stop in range(start + 2, len(query.steps) + 1):
                places[query.window, query.steps[start:stop]].append(Use(number, start, stop))
    frequent = {key: tuple(uses) for key, uses in places.items() if len({use.query for use in uses}) >= 2}
    assert {(each.window, each.steps): each.occurrences for each in find_candidates(workload)} == frequent


def edges(graph: ConflictGraph) -> set[tuple[str, str]]:
    names = ["".join(map(str, each.steps)) for each in graph.candidates]
    return {(names[one], names[other]) for one, other in graph.edges()}


def test_overlaps_in_a_common_query_conflict() -> None:
    # as in 4.3.3: (A, B, C) and (B, C, D) conflict where one query has both, and not elsewhere
    graph = conflict_graph(find_candidates(queries("ABC", "ABC", "BCD", "BCD")))
    assert ("ABC", "BCD") not in edges(graph)
    graph = conflict_graph(find_candidates(queries("ABCD", "ABC", "BCD")))
    assert ("ABC", "BCD") in edges(graph)


def test_a_common_step_without_an_overlap_is_no_conflict() -> None:
    graph = conflict_graph(find_candidates(queries("ABXCA", "AB", "CA")))
    assert edges(graph) == set()
    assert is_independent(graph, [0, 1])


@given(workloads())
def test_conflicts_are_the_overlaps_of_uses(workload: Workload) -> None:
    graph = conflict_graph(find_candidates(workload))
    expected = {
        (one, other)
        for one, mine in enumerate(graph.candidates)
        for other, theirs in enumerate(graph.candidates)
        if one < other and any(a.overlaps(b) for a in mine.uses for b in theirs.uses)
    }
    assert set(graph.edges()) == expected
