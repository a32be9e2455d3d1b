"""The laws for every way to run a query, and the truth for every runner: random queries on random streams."""

from __future__ import annotations

import itertools
import random
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import Case, aggregate_cases, cases
from tests.laws import laws
from tests.laws.laws import LAWS
from tests.laws.runners import RUNNERS, Runner, session
from tests.laws.verdict import verdict
from tests.laws.ways import AGGREGATES, BY_NAME, MATCHES, WAYS, Draw, Way

Law = Callable[[Way, Case], None]
for_every_law = pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)


def tries(of_usual: int) -> int:
    """How many cases to try, where the usual profile of hypothesis would try so many."""
    return max(3, of_usual * settings().max_examples // 150)


def check_each(check: Callable[[Case], None], tried: Iterable[Case]) -> None:
    for case in tried:
        try:
            check(case)
        except Exception as error:
            error.add_note(str(case))
            raise


@for_every_law
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_law(way: Way, law: Law) -> None:
    def check(case: Case) -> None:
        with way.around():
            law(way, case)

    most = tries(30 if law is laws.truth else 12)
    check_each(check, itertools.islice(way.cases(f"{law.__name__} {way}"), most))


@for_every_law
@settings(max_examples=tries(60))
@given(case=st.one_of(cases(), aggregate_cases()))
def test_law_on_cases_that_shrink(law: Law, case: Case) -> None:
    law(BY_NAME["auto"], case)


@pytest.mark.parametrize("kinds", [MATCHES, AGGREGATES], ids=["matches", "aggregates"])
@pytest.mark.parametrize("runner", RUNNERS, ids=lambda runner: runner.__name__)
def test_truth_of_a_runner(runner: Runner, kinds: tuple[Draw, ...], tmp_path: Path) -> None:
    def check(case: Case) -> None:
        table = runner(case, Path(tempfile.mkdtemp(dir=tmp_path)))
        if table is not None:
            verdict(case).check(table, ordered=runner is not session)

    drawn = (draw(random.Random(f"{runner.__name__}-{n}")) for n in range(tries(40)) for draw in kinds)
    check_each(check, drawn)


LEAST = {
    "nfa merging": 190,
    "nfa backtracking": 100,
    "tree": 130,
    "tree shifting": 130,
    "tree right": 130,
    "aggregate aseq": 80,
    "aggregate stacks": 30,
    "aggregate inverse": 4,
    "aggregate ordered": 120,
    "aggregate construction": 4,
    "aggregate two_step": 180,
}


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_every_way_runs_a_share_of_the_cases(way: Way) -> None:
    """A way that refused what it should take would hide from the laws: so many of 200 cases are run in it."""
    drawn = [draw(random.Random(f"share-{n}")) for n in range(200 // len(way.kinds)) for draw in way.kinds]
    assert sum(map(way.supports, drawn)) >= LEAST.get(way.name, 200)
