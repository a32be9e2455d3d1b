"""The thesis's comparison of the optimizers on twelve query groups (A-Seq 5.3)."""

from __future__ import annotations

import math
from random import Random

import pytest

from cepheid.bench.aseq.query_groups import SIZES, QueryGroup, query_group, query_groups
from cepheid.plan.workload.sharing.benefit import CostModel
from cepheid.plan.workload.sharing.choose import choose, choose_by
from cepheid.plan.workload.sharing.rated import rated
from tests.plan.workload.sharing.workloads import assert_valid

SEED = 1


def model_of(group: QueryGroup, kind: str) -> CostModel:
    return group.published if kind == "published" else rated(group.queries, group.rates)


def test_the_groups_are_those_of_the_thesis() -> None:
    groups = query_groups(SEED)
    assert [len(group.queries) for group in groups] == list(SIZES)
    assert all(4 <= len(query.steps) <= 12 for group in groups for query in group.queries)


@pytest.mark.parametrize("kind", ["published", "rated"])
@pytest.mark.parametrize(
    ("heuristic", "best"), [("greedy", "exact"), ("gwmin", "exact"), ("partial", "exact_partial")]
)
def test_equals_the_exact_plan_in_eleven_of_twelve_groups(kind: str, heuristic: str, best: str) -> None:
    pytest.importorskip("scipy")
    equal = 0
    for group in query_groups(SEED):
        model = model_of(group, kind)
        found, bound = choose_by(group.queries, model, heuristic), choose_by(group.queries, model, best)
        assert_valid(found)
        assert_valid(bound)
        assert found.benefit <= bound.benefit * (1 + 1e-9)
        equal += math.isclose(found.benefit, bound.benefit, rel_tol=1e-9)
    assert equal >= 11


def test_partial_sharing_is_no_worse_than_greedy() -> None:
    for group in query_groups(SEED):
        assert (
            choose(group.queries, group.rates, "partial").benefit
            >= choose(group.queries, group.rates).benefit
        )


@pytest.mark.slow
def test_a_thousand_queries_are_planned() -> None:
    group = query_group(Random(SEED), 1000)
    for method in ("greedy", "partial"):
        assert_valid(choose(group.queries, group.rates, method))
