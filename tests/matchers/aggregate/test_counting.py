"""Each method of counting on random queries with AGG, against the oracle; its arrays are always full."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from cepheid.matchers.aggregate import matcher
from cepheid.matchers.aggregate.algebra import matcher as algebra_matcher
from cepheid.matchers.aggregate.algebra import memory as algebra_memory
from cepheid.matchers.aggregate.marking import method as marking
from cepheid.matchers.aggregate.ordered import method as ordered
from cepheid.matchers.aggregate.stacks import method as stacks
from cepheid.matchers.baselines.construction import method as construction
from tests.cases import random_aggregate_case
from tests.laws.differential import check_cases
from tests.laws.ways import AGGREGATES, WAYS

CASES = 60
CHUNK = 15
METHODS = [way for way in WAYS if way.kinds == AGGREGATES and way.name != "aggregate two_step"]


@pytest.fixture(autouse=True)
def tiny_arrays() -> Iterator[None]:
    """Starts, whole matches, kept events and rows: there is room for next to none."""
    with pytest.MonkeyPatch.context() as patch:
        for arrays in (marking, stacks, algebra_memory, ordered, construction):
            patch.setattr(arrays, "_START", 1)
        for rows in (matcher, algebra_matcher):
            patch.setattr(rows, "_ROWS", 1)
        patch.setattr(algebra_matcher, "_ROWS_OF_EACH", 1)
        patch.setattr(construction, "_MATCHES", 1)
        patch.setattr(algebra_matcher, "FEW", 1)
        yield


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, CASES, CHUNK))
def test_all_methods_count_alike(first: int) -> None:
    drawn = [random_aggregate_case(random.Random(f"counting-{n}")) for n in range(first, first + CHUNK)]
    short = [case for case in drawn if not case.is_long]  # kernels run as plain Python too
    assert check_cases(short, METHODS) > 0
