"""Random queries over random streams against the oracle, with arrays of usual and of tiny sizes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

import pytest

from cepheid.matchers.nfa import matcher, memory
from cepheid.runners.stream import feed as feeding
from tests.cases import Case, random_case, random_merging_case
from tests.laws.differential import check_case

CASES = 250
CHUNK = 25
SHARINGS = ("auto", "restless", "basic", "merging", "backtracking")


@pytest.fixture
def tiny_arrays() -> Iterator[None]:
    """Everything is full all the time: runs, buffered events, candidates, found matches, keys and texts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "_START", 4)
        patch.setattr(matcher, "_FOUND_AT_FIRST", 1)
        patch.setattr(matcher, "_NODES_AHEAD", 0)
        patch.setattr(matcher, "SPARE", 0)
        patch.setattr(matcher, "_larger", _just_enough)
        yield


def _just_enough(size: int, free: int, wanted: int) -> int:
    return size + max(wanted - free, 0)


Draw = Callable[[random.Random], Case]


def _check(first: int, draw: Draw = random_case, sharings: Sequence[str] = SHARINGS[:1]) -> int:
    found = 0
    for number in range(first, first + CHUNK):
        case = draw(random.Random(f"kernel-{number}"))
        try:
            found += check_case(case, random.Random(number), sharings).rows
        except Exception as error:
            error.add_note(f"case {number}\n{case}")
            raise
    return found


@pytest.mark.parametrize("first", range(0, CASES, CHUNK))
def test_cases(first: int) -> None:
    assert _check(first) > 0


@pytest.mark.parametrize("first", range(0, CASES, CHUNK))
def test_cases_with_tiny_arrays(tiny_arrays: None, first: int) -> None:
    assert _check(first) > 0


@pytest.mark.parametrize("first", range(0, CASES, 2 * CHUNK))
def test_cases_in_slices_with_tiny_arrays(
    tiny_arrays: None, monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    monkeypatch.setattr(feeding, "SLICE", 3)
    assert _check(first) > 0


@pytest.mark.parametrize("draw", [random_case, random_merging_case])
@pytest.mark.parametrize("first", range(CASES, CASES + 150, CHUNK))
def test_cases_with_every_sharing(first: int, draw: Draw) -> None:
    assert _check(first, draw, SHARINGS) > 0


@pytest.mark.parametrize("first", range(CASES, CASES + 100, CHUNK))
def test_cases_with_every_sharing_and_tiny_arrays(tiny_arrays: None, first: int) -> None:
    assert _check(first, random_merging_case, SHARINGS) > 0
