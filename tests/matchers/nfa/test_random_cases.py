"""Random queries over random streams against the oracle; arrays are always full, and so they grow.

With arrays of the usual sizes, the laws try the same.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from cepheid.matchers import forgetting
from cepheid.matchers.nfa import matcher, memory
from cepheid.runners.stream import feed as feeding
from tests.cases import Case, random_case, random_merging_case
from tests.laws.differential import check_cases
from tests.laws.ways import BY_NAME, MATCHES, WAYS, Draw

CASES = 250
CHUNK = 25


@pytest.fixture
def tiny_arrays() -> Iterator[None]:
    """Everything is full all the time: runs, buffered events, candidates, found matches, keys and texts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "_START", 4)
        patch.setattr(matcher, "_FOUND_AT_FIRST", 1)
        patch.setattr(matcher, "_NODES_AHEAD", 0)
        patch.setattr(forgetting, "SPARE", 0)
        patch.setattr(matcher, "_larger", _just_enough)
        yield


def _just_enough(size: int, free: int, wanted: int) -> int:
    return size + max(wanted - free, 0)


SHARINGS = [way for way in WAYS if way.kinds == MATCHES]


def _drawn(first: int, draw: Draw) -> list[Case]:
    return [draw(random.Random(f"kernel-{number}")) for number in range(first, first + CHUNK)]


@pytest.mark.parametrize("first", range(0, CASES, CHUNK))
def test_cases(tiny_arrays: None, first: int) -> None:
    assert check_cases(_drawn(first, random_case), [BY_NAME["nfa"]]) > 0


@pytest.mark.parametrize("first", range(0, CASES, 2 * CHUNK))
def test_cases_in_slices(tiny_arrays: None, monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    monkeypatch.setattr(feeding, "SLICE", 3)
    assert check_cases(_drawn(first, random_case), [BY_NAME["nfa"]]) > 0


@pytest.mark.slow
@pytest.mark.parametrize("draw", [random_case, random_merging_case])
@pytest.mark.parametrize("first", range(CASES, CASES + 100, CHUNK))
def test_cases_with_every_sharing(tiny_arrays: None, first: int, draw: Draw) -> None:
    assert check_cases(_drawn(first, draw), SHARINGS) > 0
