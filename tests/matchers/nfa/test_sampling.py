"""A sample is uniform over the matches: not over groups, nor over the edges at each node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

import pytest

import cepheid
from cepheid.testing import events

DRAWS = 300  # samples of SIZE, each with a seed of its own
SIZE = 5
STREAM = """
    time type x
    1    A    1
    2    A    2
    3    B    0
    4    A    2
    5    A    3
    6    A    1
    7    B    0
    8    C    0
"""
QUERIES = [
    "PATTERN SEQ(A+ a[], B b)",
    "PATTERN SEQ(A+ a[], B b) WHERE a[i].x > a[i-1].x",
    "PATTERN SEQ(A+ a[], B* b[], C c)",
    "PATTERN SEQ(OR(A a, A{2,3} b[]), ~C u, B c)",
    "PATTERN SEQ(A+ a[], B b) WHERE skip_till_next_match { a.len <= 9 }",
]


def chi_square(counts: Iterable[int], expected: float) -> float:
    """How far counts are from being alike."""
    return sum((count - expected) ** 2 / expected for count in counts)


def bound(kinds: int) -> float:
    """What chi-square stays below all but once in a million times; its mean is kinds - 1."""
    freedom = kinds - 1
    return freedom * (1 - 2 / (9 * freedom) + 4.75 * (2 / (9 * freedom)) ** 0.5) ** 3  # Wilson and Hilferty


@pytest.mark.slow
@pytest.mark.parametrize("text", QUERIES)
def test_every_match_is_as_likely(text: str) -> None:
    given = events(STREAM)
    found = cepheid.expand(cepheid.query(f"{text} EMIT COMPRESSED").run(given, time="time", type="type"))
    drawn = Counter(
        row["match_id"] for seed in range(DRAWS) for row in found.sample(min(SIZE, len(found)), seed=seed)
    )
    matches = {row["match_id"] for row in found}
    assert len(matches) > 4
    assert drawn.keys() <= matches
    counts = [drawn[one] for one in matches]
    assert chi_square(counts, drawn.total() / len(matches)) < bound(len(matches)), counts


def test_one_seed_is_one_sample() -> None:
    result = cepheid.query(f"{QUERIES[0]} EMIT COMPRESSED").run(events(STREAM), time="time", type="type")
    found = cepheid.expand(result)
    assert list(found.sample(9, seed=4)) == list(found.sample(9, seed=4))
    assert list(found.sample(9, seed=4)) != list(found.sample(9, seed=5))
    assert list(found.sample(9)) == list(found.sample(9, seed=0))


def test_a_walk_that_takes_every_way_alike_would_be_seen() -> None:
    """Five rises and an end: 31 matches. Back from the end, each earlier rise, and the start, alike."""

    def likelihoods(last: int) -> list[Fraction]:
        """Of each match that goes on back from this rise: the way to no more events is one of all ways."""
        ways = [Fraction(1, last)]
        for before in range(1, last):
            ways += [share / last for share in likelihoods(before)]
        return ways

    shares = [share / 5 for last in range(1, 6) for share in likelihoods(last)]
    assert (len(shares), sum(shares)) == (31, 1)
    total = DRAWS * SIZE
    assert chi_square([round(share * total) for share in shares], total / 31) > 2 * bound(31)
