"""One random case in several ways, whole and as a session that is broken once: for very many cases."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import NamedTuple

from tests.cases import Case
from tests.laws.laws import check_whole, in_pieces
from tests.laws.verdict import verdict
from tests.laws.ways import Way


class Checked(NamedTuple):
    """What came of a case: so many rows, and for ways that would not run it, why."""

    rows: int
    refused: tuple[str, ...] = ()


def check_case(case: Case, rng: random.Random, ways: Iterable[Way], breaks: int = 1) -> Checked:
    """Fail unless, in each way that takes the query, a whole run and a session in batches, broken by
    so many snapshots, equal the oracle, and have the same ids."""
    expected = verdict(case)
    known: list[str] | None = None
    refused = []
    for way in ways:
        reason = way.refusal(case)
        if reason is not None:
            refused.append(f"{way}: {reason}")
            continue
        with way.around():
            ids = check_whole(way, case, expected)
            assert known is None or ids == known, f"{way} gives other ids"
            known = ids
            edges = [0, *case.cuts, len(case.events)]
            broken = {rng.randrange(len(edges)) for _ in range(breaks)}
            table = in_pieces(way, case, edges, broken, as_dicts=rng.random() < 0.5)
            if table is not None:
                again = expected.check(table, ordered=False)
                assert sorted(again) == sorted(ids), "other cuts give other ids"
    return Checked(len(expected), tuple(refused))


def check_cases(cases: Iterable[Case], ways: Iterable[Way]) -> int:
    """Fail with the case that does; how many rows there are in all."""
    found, ways = 0, list(ways)
    for number, case in enumerate(cases):
        try:
            found += check_case(case, random.Random(number), ways).rows
        except Exception as error:
            error.add_note(str(case))
            raise
    return found
