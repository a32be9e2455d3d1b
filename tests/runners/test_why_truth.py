"""What a why says is true, by the oracle, on random queries."""

from __future__ import annotations

from hypothesis import given

from tests.cases import Case, and_cases, cases
from tests.laws.why import check_why


@given(cases())
def test_all_that_is_said_is_true(case: Case) -> None:
    check_why(case)


@given(and_cases())
def test_so_it_is_with_and(case: Case) -> None:
    check_why(case)
