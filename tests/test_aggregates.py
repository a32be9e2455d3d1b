"""Random queries with AGG over random streams, whole and in batches, against the oracle."""

from __future__ import annotations

import random

import pytest

from tests.cases import random_aggregate_case
from tests.laws.differential import check_aggregate_case

CASES = 240
CHUNK = 40


@pytest.mark.parametrize("first", range(0, CASES, CHUNK))
def test_random_cases_of_aggregates(first: int) -> None:
    rows, reasons = 0, []
    for number in range(first, first + CHUNK):
        case = random_aggregate_case(random.Random(f"aggregate-{number}"))
        try:
            checked = check_aggregate_case(case, random.Random(number))
        except Exception as error:
            error.add_note(f"case {number}\n{case}")
            raise
        rows += checked.rows
        reasons += [checked.refused] if checked.refused is not None else []
    assert rows > 0
    assert not reasons, sorted(set(reasons))
