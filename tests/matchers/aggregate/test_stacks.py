"""Two stacks with numbers of many words, against the same counts in Python's integers."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.matchers.aggregate.cells import add_multiple, bits_of

Event = tuple[int, str, int, int]  # time, type, key, x
WORD = 1 << 64


def _expected(events: list[Event], window: int) -> list[tuple[int, int, int, int]]:
    """Time, count, sum of a.x and of b.x of SEQ(A+ a[], B+ b[]) at each B, window by window."""
    rows = []
    for place, (now, kind, _, _) in enumerate(events):
        if kind == "B":
            inside = [event for event in events[: place + 1] if event[0] >= now - window]
            parts = [_counted([e for e in inside if e[2] == key]) for key in {e[2] for e in inside}]
            rows.append((now, *(sum(column) for column in zip(*parts, strict=True))))
    return rows


def _counted(events: list[Event]) -> tuple[int, int, int]:
    ways = sum_a = whole = whole_a = whole_b = 0
    for _, kind, _, x in events:
        if kind == "A":
            ways, sum_a = 2 * ways + 1, 2 * sum_a + (ways + 1) * x
        else:
            new = ways + whole
            whole, whole_a, whole_b = whole + new, 2 * whole_a + sum_a, 2 * whole_b + new * x
    return whole, whole_a, whole_b


@pytest.mark.parametrize(("keys", "burst", "window"), [(1, 1, 120), (1, 70, 290), (3, 5, 200), (2, 140, 280)])
def test_numbers_grow_past_any_word_and_shrink_again(keys: int, burst: int, window: int) -> None:
    rng = random.Random(f"{keys} {burst}")
    events = [
        (t, "AB"[t // burst % 2], rng.randrange(keys), rng.randrange(-(2**63), 2**63)) for t in range(340)
    ]
    columns = [pa.array(column) for column in zip(*events, strict=True)]
    table = pa.table(columns, names=["time", "type", "k", "x"])
    query = cepheid.query(
        f"PATTERN SEQ(A+ a[], B+ b[]) WHERE [k] AGG COUNT, SUM(a.x), SUM(b.x) WITHIN {window}"
    ).using("aggregate", method="stacks")
    found = query.run(table, time="time", type="type").table
    rows = [tuple(int(cell or 0) for cell in row.values()) for row in found.to_pylist()]
    assert rows == _expected(events, window)


def test_products_of_wide_numbers_are_exact() -> None:
    rng = random.Random(5)
    with np.errstate(over="ignore"):
        for _ in range(200):
            long, limbs = rng.randint(1, 4), rng.randint(1, 4)
            number, count = (
                rng.getrandbits(rng.randint(1, 64 * long)),
                rng.getrandbits(rng.randint(1, 64 * limbs)),
            )
            before, signed = rng.getrandbits(64 * long), rng.random() < 0.5
            words, factor = _words(-number if signed else number, long), _words(count, limbs)
            to = _words(before, long)
            add_multiple(to, 0, 0, long, words, 0, 0, long, factor, 0, limbs)  # type: ignore[no-untyped-call]
            product = (-number if signed else number) * count
            assert _number(to) == (before + product) % WORD**long
            found = bits_of(_words(count, limbs), 0, 0, limbs)  # type: ignore[no-untyped-call]
            assert found == count.bit_length()


def _words(number: int, width: int) -> np.ndarray:
    return np.array([[number % WORD**width // WORD**k % WORD for k in range(width)]], np.uint64)


def _number(words: np.ndarray) -> int:
    return sum(int(word) * WORD**k for k, word in enumerate(words[0]))
