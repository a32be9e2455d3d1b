"""Queries that name other queries, at random: what the oracle says, in one process and in batches."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

import cepheid
from cepheid.language.sase.parse import parse
from cepheid.testing import compare_aggregates, compare_rows
from tests.cases.compositions import CompositionCase, random_composition
from tests.composing import in_batches
from tests.oracle import composed_rows
from tests.oracle.compose import TooMany

MOST_DERIVED = 12


def _expected(case: CompositionCase) -> tuple[CompositionCase, dict[str, list[dict[str, Any]]]]:
    """What the oracle says of a case, or of a shorter one if that has too many matches."""
    trees = {name: parse(text) for name, text in case.queries.items()}
    while True:
        try:
            return case, composed_rows(trees, case.events, **case.binding, most=MOST_DERIVED)
        except TooMany:
            case = case.shorter()


@pytest.mark.parametrize("seed", range(150))
def test_a_random_composition_means_what_the_oracle_says(seed: int) -> None:
    chance = random.Random(f"composition-{seed}")
    _check(random_composition(chance), chance)


@pytest.mark.parametrize("seed", range(100))
def test_a_random_composition_that_waits_for_absences_does_too(seed: int) -> None:
    chance = random.Random(f"waiting-{seed}")
    _check(random_composition(chance, waits=True), chance)


def _check(case: CompositionCase, chance: random.Random) -> None:
    """Fail unless a whole run and one in batches find what the oracle does."""
    case, expected = _expected(case)
    found = cepheid.workload(case.queries).run(case.table, **case.binding)
    for name, rows in expected.items():
        table = found[name].table
        try:
            if "AGG" in case.queries[name]:
                compare_aggregates(_by_group(table.to_pylist()), _by_group(rows))
            else:
                compare_rows(table.drop_columns(["match_id"]).to_pylist(), rows)
        except AssertionError as error:
            raise AssertionError(f"{name}\n{case}\n{error}") from None
        ids = table.column("match_id").to_pylist() if "match_id" in table.column_names else []
        assert len(set(ids)) == len(ids), f"two matches of {name} share an id\n{case}"
    batches = in_batches(case, chance)
    for name, matches in found.items():
        assert _set(batches[name]) == _set(matches), f"{name}\n{case}"


def _by_group(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The order of groups in one moment of EMIT EVERY means nothing."""
    return sorted(rows, key=lambda row: (row["time"], str(row.get("p"))))


def _set(rows: Any) -> Counter[str]:
    """Rows whatever their order; a count may be a number or its digits."""
    return Counter(str({n: str(v) if n in ("c", "s") else v for n, v in row.items()}) for row in rows)
