"""AGG over AND is counted on the graph of all matches: none is built, and it equals what matches come to."""

import random

import pyarrow as pa
import pytest

import cepheid
from tests.cases import random_and_aggregate_case
from tests.fuzz import ANY_ENGINE
from tests.laws.differential import check_case

ITEMS = "AGG COUNT, SUM(b.x), AVG(a.x), MIN(c.x), MAX(a.y)"


def _events(each: int, types: str = "ABC") -> pa.Table:
    size = len(types) * each
    return pa.table(
        {
            "time": range(size),
            "type": [kind for kind in types for _ in range(each)],
            "x": [n % 7 - 3 for n in range(size)],
            "y": [n / 4 for n in range(size)],
        }
    )


@pytest.mark.compiled
def test_a_million_combinations_are_counted_and_none_is_built() -> None:
    each = 100
    asked = cepheid.query(f"PATTERN AND(A a, B b, C c) {ITEMS} WITHIN 1000")
    found = asked.run(_events(each), time="time", type="type", max_matches=50_000)
    last = found.table.to_pylist()[-1]
    xs = [n % 7 - 3 for n in range(3 * each)]
    assert last["count"] == each**3
    assert last["sum_b_x"] == each**2 * sum(xs[each : 2 * each])
    assert last["avg_a_x"] == pytest.approx(sum(xs[:each]) / each)
    assert (last["min_c_x"], last["max_a_y"]) == (min(xs[2 * each :]), (each - 1) / 4)
    assert found.stats["matches_built"] == each**2  # pairs of a first and a last event


def test_explain_says_that_no_match_is_built() -> None:
    text = str(
        cepheid.query("PATTERN AND(A a, B b) WITHIN 10 AGG COUNT").explain(
            _events(1).schema, time="time", type="type"
        )
    )
    assert "matches are counted on a graph of them" in text


@pytest.mark.parametrize("seed", range(12))
def test_random_cases_equal_the_oracle(seed: int) -> None:
    rng = random.Random(seed)
    check_case(random_and_aggregate_case(rng), rng, [ANY_ENGINE])
