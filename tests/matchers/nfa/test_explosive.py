"""Queries with more matches than anyone could list: counted, cut and sampled by closed formulas."""

from __future__ import annotations

from math import comb
from typing import Any

import pyarrow as pa
import pytest

import cepheid

RISES = 60
STREAM = pa.table(
    {
        "time": range(1, RISES + 2),
        "type": ["A"] * RISES + ["B"],
        "x": range(1, RISES + 2),
        "parity": [place % 2 for place in range(RISES + 1)],
    }
)
BINDING = {"time": "time", "type": "type"}

COUNTED = [
    ("SEQ(A+ a[], B b)", "", 2**RISES - 1),
    ("SEQ(A+ a[], B b)", "a[i].x > a[i-1].x", 2**RISES - 1),
    ("SEQ(A+ a[], B b)", "a[i].x < a[i-1].x", RISES),
    ("SEQ(A+ a[], B b)", "a.len >= 2", 2**RISES - 1 - RISES),
    ("SEQ(A+ a[], B b)", "a[1].x = 1", 2 ** (RISES - 1)),
    ("SEQ(A+ a[], B b)", "a[last].x = 10", 2**9),
    ("SEQ(A+ a[], B b)", "a[i].parity = a[1].parity", 2 * (2 ** (RISES // 2) - 1)),
    ("SEQ(A a, A+ b[], B c)", "", 2**RISES - 1 - RISES),
    ("SEQ(A+ a[], A+ b[], B c)", "", 2 ** (RISES - 1) * (RISES - 2) + 1),
    ("SEQ(A a, A b, A c, A d, B e)", "", comb(RISES, 4)),
    ("SEQ(A{2,3} a[], B b)", "", comb(RISES, 2) + comb(RISES, 3)),
    ("SEQ(A a, A* b[], B c)", "", 2**RISES - 1),
    ("SEQ(A+ a[], A? b, B c)", "", 2 * (2**RISES - 1) - RISES),
    ("SEQ(OR(A a, A+ b[]), B c)", "", RISES + 2**RISES - 1),
]
SHARINGS = ("auto", "merging")


def query(pattern: str, condition: str, emission: str, sharing: str) -> cepheid.Query:
    where = f"WHERE {condition}" if condition else ""
    made = cepheid.query(f"PATTERN {pattern} {where} EMIT {emission}")
    return made if sharing == "auto" else made.using("nfa", sharing=sharing)


@pytest.mark.parametrize("sharing", SHARINGS)
@pytest.mark.parametrize(("pattern", "condition", "count"), COUNTED)
def test_counts(pattern: str, condition: str, count: int, sharing: str) -> None:
    found = query(pattern, condition, "COUNT", sharing).run(STREAM, **BINDING)
    assert [(row["time"], int(row["count"])) for row in found] == [(RISES + 1, count)]


@pytest.mark.parametrize("sharing", SHARINGS)
@pytest.mark.parametrize(("pattern", "condition", "count"), COUNTED)
def test_compressed(pattern: str, condition: str, count: int, sharing: str) -> None:
    found = cepheid.expand(query(pattern, condition, "COMPRESSED", sharing).run(STREAM, **BINDING))
    assert found.count() == count
    sampled = [_events(row) for row in found.sample(5, seed=3)]
    assert len(sampled) == 5
    assert all(_is_in_order(events) for events in sampled)


def _events(row: dict[str, Any]) -> list[int]:
    bound = [value for name, value in row.items() if name != "match_id" and value is not None]
    return [event["time"] for value in bound for event in (value if isinstance(value, list) else [value])]


def _is_in_order(events: list[int]) -> bool:
    return events == sorted(set(events)) and events[-1] == RISES + 1


@pytest.mark.parametrize("sharing", SHARINGS)
def test_the_first_and_the_longest(sharing: str) -> None:
    first = list(query("SEQ(A+ a[], B b)", "", "FIRST 3", sharing).run(STREAM, **BINDING))
    assert [_events(row)[:-1] for row in first] == [[1], [1, 2], [1, 2, 3]]
    (longest,) = query("SEQ(A+ a[], B b)", "", "LONGEST", sharing).run(STREAM, **BINDING)
    assert _events(longest) == list(range(1, RISES + 2))


@pytest.mark.parametrize("sharing", SHARINGS)
def test_the_first_of_what_is_compressed_without_listing_it(sharing: str) -> None:
    found = cepheid.expand(query("SEQ(A+ a[], B b)", "", "COMPRESSED", sharing).run(STREAM, **BINDING))
    assert [_events(row)[:-1] for row in found.first(3)] == [[1], [1, 2], [1, 2, 3]]
    beginning = [row["match_id"] for row, _ in zip(found, range(3), strict=False)]
    assert beginning == [row["match_id"] for row in found.first(3)]
