"""Random queries over random streams against the oracle, in any shape and block; arrays are always full."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from cepheid.matchers import forgetting
from cepheid.matchers.tree import matcher, memory
from tests.cases import Case, random_and_case, random_case, random_tree_options
from tests.laws.differential import check_cases
from tests.laws.ways import Draw, Way, tree_way

CASES = 120
CHUNK = 20


@pytest.fixture
def tiny_arrays() -> Iterator[None]:
    """Everything is full all the time: composites, candidates, found matches, keys and texts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "_START", 2)
        patch.setattr(matcher, "_FOUND_AT_FIRST", 1)
        patch.setattr(matcher, "_COLLECT_FROM", 1)
        patch.setattr(forgetting, "SPARE", 0)
        yield


def ways_of(case: Case, seed: str) -> list[Way]:
    """The tree engine with some options, if it takes the case."""
    options = random_tree_options(random.Random(seed), case.query_text)
    return [way for way in (tree_way(options),) if way.supports(case)]


@pytest.mark.parametrize("chunk", range(CASES // CHUNK))
@pytest.mark.parametrize("draw", [random_case, random_and_case], ids=lambda draw: draw.__name__)
@pytest.mark.usefixtures("tiny_arrays")
def test_truth_with_tiny_arrays(draw: Draw, chunk: int) -> None:
    found = 0
    for number in range(CHUNK):
        seed = f"{draw.__name__}-{chunk}-{number}"
        case = draw(random.Random(seed))
        found += check_cases([case], ways_of(case, seed))
    assert found > 0
