"""Plans: valid whatever the method, as good as listing all, and drawn."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations, product

import pytest
from hypothesis import given, settings

from cepheid.errors import LimitError, MissingExtraError, QueryError
from cepheid.plan.aggregate.sharing.benefit import CostModel, Published, benefit_of
from cepheid.plan.aggregate.sharing.candidates import Candidate, Use, find_candidates
from cepheid.plan.aggregate.sharing.choose import METHODS, choose, choose_by
from cepheid.plan.aggregate.sharing.conflicts import conflict_graph
from cepheid.plan.aggregate.sharing.exact import exact
from cepheid.plan.aggregate.sharing.rated import rated
from cepheid.plan.aggregate.sharing.workload import SharedQuery, Workload
from tests.plan.aggregate.sharing.workloads import assert_valid, is_independent, queries, rates, workloads

EXACT = ("exact", "exact_partial")
HEURISTIC = tuple(method for method in METHODS if method not in EXACT)


@pytest.mark.parametrize("method", HEURISTIC)
@given(workload=workloads(most=6, longest=7), rates=rates)
@settings(max_examples=60, deadline=None)
def test_plans_are_valid(method: str, workload: Workload, rates: dict[str, float]) -> None:
    plan = choose(workload, rates, method)
    assert_valid(plan)
    shared = (Candidate(each.steps, each.window, each.uses, each.uses) for each in plan.shared)
    assert plan.benefit == pytest.approx(benefit_of(rated(workload, rates), workload, shared))
    assert plan.method == method


def models(workload: Workload, rates: dict[str, float]) -> tuple[CostModel, ...]:
    return rated(workload, rates), Published(100, {letter: rate / 500 for letter, rate in rates.items()})


@given(workload=workloads(), rates=rates)
@settings(max_examples=60, deadline=None)
def test_the_exact_plan_is_the_best_of_all_subsets(workload: Workload, rates: dict[str, float]) -> None:
    pytest.importorskip("scipy")
    graph = conflict_graph(find_candidates(workload))
    for model in models(workload, rates):
        best = 0.0
        for subset in subsets(len(graph.candidates)):
            if is_independent(graph, subset):
                best = max(best, benefit_of(model, workload, [graph.candidates[n] for n in subset]))
        plan = choose_by(workload, model, "exact")
        assert_valid(plan)
        assert plan.benefit == pytest.approx(best, abs=1e-6)
        for method in ("greedy", "gwmin"):
            assert choose_by(workload, model, method).benefit <= best + 1e-6


@given(workload=workloads(most=3, longest=4), rates=rates)
@settings(max_examples=60, deadline=None)
def test_the_exact_partial_plan_is_the_best_of_all_chops(workload: Workload, rates: dict[str, float]) -> None:
    pytest.importorskip("scipy")
    candidates = find_candidates(workload)
    for model in models(workload, rates):
        best = max((benefit_of(model, workload, shared) for shared in sharings(candidates)), default=0.0)
        plan = choose_by(workload, model, "exact_partial")
        assert_valid(plan)
        assert plan.benefit == pytest.approx(max(best, 0.0), abs=1e-6)
        assert choose_by(workload, model, "partial").benefit <= plan.benefit + 1e-6
        assert choose_by(workload, model, "exact").benefit <= plan.benefit + 1e-6


def subsets(count: int) -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(combinations(range(count), size) for size in range(count + 1))


def sharings(candidates: tuple[Candidate, ...]) -> Iterator[list[Candidate]]:
    """Every choice of some uses, two or none, of each candidate, so that none overlap."""
    choices = [
        [(), *(some for size in range(2, len(each.uses) + 1) for some in combinations(each.uses, size))]
        for each in candidates
    ]
    for chosen in product(*choices):
        if not _overlap([use for uses in chosen for use in uses]):
            yield [replace(each, uses=uses) for each, uses in zip(candidates, chosen, strict=True) if uses]


def _overlap(uses: list[Use]) -> bool:
    return any(one.overlaps(other) for one, other in combinations(uses, 2))


RARE_START = {"A": 0.01, "B": 50.0, "C": 50.0, "P": 50.0, "Q": 50.0, "R": 50.0}
SUFFIX = queries("PABC", "QABC", "RABC")


def test_the_plan_is_drawn() -> None:
    plan = choose(SUFFIX, RARE_START)
    assert str(plan) == (
        "sharing plan (greedy): 1 shared, saves 22,424\n"
        "  q1  (P) → #1 (A, B, C)\n"
        "  q2  (Q) → #1 (A, B, C)\n"
        "  q3  (R) → #1 (A, B, C)\n"
        "  #1 (A, B, C) for q1, q2, q3; alone it saves 22,424"
    )
    assert plan.mermaid() == (
        "flowchart LR\n"
        '  s0(["(A, B, C)"])\n'
        + "".join(
            f'  q{n}p0["({first})"]\n'
            f'  q{n}{{{{"q{n + 1}"}}}}\n'
            f'  q{n}p0 -->|"q{n + 1}"| s0\n'
            f'  s0 -->|"q{n + 1}"| q{n}\n'
            for n, first in enumerate("PQR")
        )
    )
    assert plan.queries_of(plan.shared[0]) == ("q1", "q2", "q3")
    assert [segment.stop for segment in plan.chops[1]] == [1, 4]


def test_frequent_connects_share_nothing() -> None:
    plan = choose(SUFFIX, dict.fromkeys(RARE_START, 50.0))
    assert plan.benefit == 0 and plan.shared == ()
    assert str(plan).startswith("sharing plan (greedy): nothing is shared\n  q1  (P, A, B, C)")


def test_partial_sharing_goes_where_whole_sharing_is_blocked() -> None:
    # q1 and q2 want (A, B, C), q1 and q4, q5 want (C, D, E): only one can have q1
    workload = queries("PABCDE", "QABC", "RABC", "PCDE", "QCDE")
    frequencies = dict.fromkeys("AC", 0.001)
    model = Published(instances=100, frequencies=frequencies)
    whole, part = choose_by(workload, model, "greedy"), choose_by(workload, model, "partial")
    assert len(whole.shared) == 1 and len(part.shared) == 2
    assert part.benefit > whole.benefit


def test_no_queries_and_no_candidates() -> None:
    for method in METHODS:
        assert choose((), {}, method).chops == ()
        assert choose(queries("AB", "CD"), dict.fromkeys("ABCD", 1.0), method).shared == ()


@pytest.mark.parametrize(
    ("workload", "method", "says"),
    [
        (queries("AB"), "fast", "there is no method 'fast' of sharing"),
        ((*queries("AB"), *queries("BA")), "greedy", "two queries of the workload are named 'q1'"),
        ((SharedQuery("q", ()),), "greedy", "the query 'q' has no steps"),
    ],
)
def test_what_means_nothing_is_refused(workload: Workload, method: str, says: str) -> None:
    with pytest.raises(QueryError, match=says):
        choose(workload, dict.fromkeys("AB", 1.0), method)


def test_the_exact_plan_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(MissingExtraError, match=r"cepheid\[optimize\]"):
        choose(SUFFIX, RARE_START, "exact")


def test_a_limit_of_time_is_told() -> None:
    pytest.importorskip("scipy")
    workload = queries(*("ABCDEF"[n:] + "ABCDEF"[:n] for n in range(6)), "FEDCBA", "ABCABC")
    with pytest.raises(LimitError, match="method='greedy'"):
        exact(workload, rated(workload, dict.fromkeys("ABCDEF", 1.0)), partial=True, seconds=0.0)
