"""The benefit models: as published (4.2 to 4.5), and with rates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cepheid.errors import QueryError
from cepheid.plan.aggregate.sharing.benefit import (
    Published,
    benefit_of,
    chop_connect_cost,
    cost_of,
    naive_cost,
)
from cepheid.plan.aggregate.sharing.candidates import find_candidates
from cepheid.plan.aggregate.sharing.choose import choose
from cepheid.plan.aggregate.sharing.chops import Segment, chop
from cepheid.plan.aggregate.sharing.rated import Units, rated
from cepheid.plan.aggregate.sharing.workload import SharedQuery
from tests.plan.aggregate.sharing.estimate import estimate
from tests.plan.aggregate.sharing.published import (
    benefit_by_frequency,
    benefit_by_length,
    benefit_by_uses,
    benefit_value,
)
from tests.plan.aggregate.sharing.workloads import queries

sizes = st.integers(2, 1000)
frequencies = st.floats(0.0, 1.0)
small = st.integers(2, 20)


@given(sizes, frequencies, small, small)
def test_the_three_lines_are_the_benefit(n0: int, f: float, length: int, k: int) -> None:
    value = benefit_value(n0, f, length, k)
    near = pytest.approx(value, abs=1e-6 * n0**3)
    assert benefit_by_frequency(n0, length, k).at(f) == near
    assert benefit_by_length(n0, f, k).at(length) == near
    assert benefit_by_uses(n0, f, length).at(k) == near
    assert naive_cost(n0, f, length, k) - chop_connect_cost(n0, f, length, k) == near


def test_sharing_pays_up_to_the_frequency_that_the_thesis_measures() -> None:
    # 10,000 events of 20 types, a substring of length 7 for 3 queries: better up to about 1.3 % (figure 5.4)
    assert benefit_by_frequency(n0=10_000 / 20, l=7, k=3).root == pytest.approx(0.014, abs=0.0005)


def test_the_published_benefits_of_a_workload_add_up() -> None:
    workload = queries("ABXCD", "CDAB", "ABYY")
    model = Published(instances=50, frequencies={"A": 0.01, "C": 0.02})
    ab, cd = find_candidates(workload)
    assert benefit_of(model, workload, (ab,)) == pytest.approx(benefit_value(50, 0.01, 2, 3))
    assert benefit_of(model, workload, (cd,)) == pytest.approx(benefit_value(50, 0.02, 2, 2))
    both = benefit_value(50, 0.01, 2, 3) + benefit_value(50, 0.02, 2, 2)
    assert benefit_of(model, workload, (ab, cd)) == pytest.approx(both)


RATES = {"A": 2.0, "B": 3.0, "C": 5.0, "D": 7.0, "E": 11.0}
UNITS = Units(start=1, update=10, add=100, copy=1_000, multiply=10_000)


def test_each_term_of_the_rated_model() -> None:
    query = SharedQuery("q", tuple("ABCDE"))
    model = rated((query,), RATES, UNITS)
    whole = 1 * 2 + 10 * 2 * (3 + 5 + 7 + 11) + 100 * 11 * 2
    assert cost_of(model, query, chop(query, ())) == whole
    pieces = (Segment(0, 1), Segment(1, 3, shared=0), Segment(3, 5))
    connects = 1_000 * 3 * 2 + 10_000 * 7 * 3 * 2
    counting = 1 * 2 + (1 * 7 + 10 * 7 * 11)
    trigger = 10_000 * 11 * 7 * 2
    assert cost_of(model, query, pieces) == connects + counting + trigger
    assert model.once(tuple("BC"), None) == 1 * 3 + 10 * 3 * 5


def test_a_shared_beginning_needs_no_connect() -> None:
    query = SharedQuery("q", tuple("AB"))
    model = rated((query,), RATES, UNITS)
    assert cost_of(model, query, (Segment(0, 2, shared=0),)) == 100 * 3 * 2


def test_prefix_trees_are_part_of_the_estimate() -> None:
    workload = queries("ABC", "ABD")
    model = rated(workload, RATES)
    costs = estimate(choose(workload, RATES, "none"), model)
    assert costs.separate - costs.prefixes == 2 + 2 * 3  # A's start and B's updates, once and not twice
    assert costs.shared == costs.prefixes and not costs.sharing_pays


def test_an_estimate_prices_what_is_shared() -> None:
    workload = queries("DEABCC", "CEABCC", "EAABCC")
    rates = RATES | {"A": 0.01}
    plan = choose(workload, rates, "greedy")
    costs = estimate(plan, rated(workload, rates))
    assert plan.shared and costs.sharing_pays
    assert costs.shared <= costs.separate - plan.benefit + 1e-9


def test_rates_may_depend_on_the_window() -> None:
    workload = (SharedQuery("p", ("A",), 60), SharedQuery("q", ("A",), 3600))
    model = rated(workload, lambda step, window: 0.5 * window)
    assert model.rates == {(60, "A"): 30.0, (3600, "A"): 1800.0}


@pytest.mark.parametrize(
    ("rates", "says"),
    [
        ({"A": 1.0}, "no rate is known for the step B"),
        ({"A": 1.0, "B": -1.0}, "the rate of the step B is -1.0"),
        ({"A": 1.0, "B": float("nan")}, "the rate of the step B is nan"),
    ],
)
def test_rates_that_mean_nothing_are_refused(rates: dict[str, float], says: str) -> None:
    with pytest.raises(QueryError, match=says):
        rated(queries("AB"), rates)
