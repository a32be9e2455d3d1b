"""AGG over AND where numbers outgrow int64: exact, in a type that is chosen before data moves."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import LimitError
from cepheid.events import EventSchema
from cepheid.language.sase.parse import parse
from cepheid.matchers.aggregate.two_step.remainders import from_remainders, moduli
from cepheid.matchers.aggregate.wide import as_words, from_words
from tests.oracle.counting import counts

BINDING = {"time": "time", "type": "type"}
ITEMS = "AGG COUNT, SUM(b.x), AVG(b.x), MIN(b.x), MAX(a.y), SUM(a.y)"


def _events(types: list[str], largest: int = 9, seed: int = 1) -> list[dict[str, Any]]:
    rng = random.Random(seed)
    return [
        {"time": n, "type": kind, "x": rng.randint(-largest, largest), "y": n / 4, "k": n % 2}
        for n, kind in enumerate(types)
    ]


def _as_numbers(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Decimals and digits as integers."""
    return [
        {
            name: int(cell) if name in ("count", "sum_b_x") and cell is not None else cell
            for name, cell in row.items()
        }
        for row in rows
    ]


def _assert_equal(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    assert len(found) == len(expected)
    for one, other in zip(_as_numbers(found), expected, strict=True):
        assert one.keys() == other.keys()
        for name, cell in other.items():
            is_real = name in ("avg_b_x", "sum_a_y") and cell is not None
            assert one[name] == (pytest.approx(cell, rel=1e-12) if is_real else cell), name


# -- by the oracle: where each type comes after the other, AND has the matches of SEQ ---------------


@pytest.mark.parametrize(
    ("window", "clauses"),
    [
        ("WITHIN 1000", ""),
        ("WITHIN 75", ""),
        ("WITHIN 77 EVENTS", ""),
        ("WITHIN 1000", "WHERE b[i].x > -5"),
        ("WITHIN 1000", "WHERE [k]"),
        ("WITHIN 1000", "EMIT ON CLOSE"),
        ("WITHIN 1000", "EMIT EVERY 10"),
    ],
)
@pytest.mark.parametrize("largest", [9, 2**61])
def test_what_the_oracle_counts(window: str, clauses: str, largest: int) -> None:
    events = _events(["A"] * 3 + ["B"] * 74 + ["C"] * 2, largest)
    text = "PATTERN {}(A a, B+ b[], C c) {} {} {}"
    expected = counts(parse(text.format("SEQ", clauses, window, ITEMS)), events, **BINDING)
    found = cepheid.query(text.format("AND", clauses, window, ITEMS)).run(
        pa.Table.from_pylist(events), **BINDING
    )
    rows = found.table.to_pylist()
    if "EMIT" not in clauses:
        rows = [row for row in rows if events[row["time"]]["type"] == "C"]  # AND has rows at others too
    assert max(row["count"] for row in expected) > 2**30
    _assert_equal(rows, expected)


def test_more_than_two_to_the_sixty_three_in_groups_cut_and_resumed() -> None:
    events = _events(["A"] * 4 + ["B"] * 140 + ["C"] * 4, 2**62)
    text = f"PATTERN {{}}(A a, B+ b[], C c) WHERE [k] WITHIN 1000 {ITEMS} GROUP BY k"
    expected = counts(parse(text.format("SEQ")), events, **BINDING)
    assert max(row["count"] for row in expected) > 2**63
    asked = cepheid.query(text.format("AND"))
    schema = pa.Table.from_pylist(events).schema
    session, rows = asked.session(schema, **BINDING), []
    for start in range(0, len(events), 37):
        rows += session.push(events[start : start + 37]).to_pylist()
        session = cepheid.resume(asked, session.snapshot())
    rows += session.close().to_pylist()
    _assert_equal([row for row in rows if events[row["time"]]["type"] == "C"], expected)


# -- by plain integers: an AND of single events, in any order --------------------------------------


def _by_hand(events: list[dict[str, Any]], types: str, window: int) -> list[tuple[int, int]]:
    """At each event, how many matches there are of one event of each type, and the sum of b.x over them."""
    rows = []
    for end, now in enumerate(events):
        count = total = 0
        for start in range(end + 1):
            if now["time"] - events[start]["time"] > window:
                continue
            later = {kind: [e for e in events[start + 1 : end + 1] if e["type"] == kind] for kind in types}
            later[events[start]["type"]] = [events[start]]
            ways = math.prod(map(len, later.values()))
            count += ways
            total += ways // max(len(later["B"]), 1) * sum(e["x"] for e in later["B"])
        rows.append((count, total))
    return rows


@pytest.mark.compiled
@pytest.mark.parametrize("window", [1000, 90])
def test_single_events_in_any_order(window: int) -> None:
    types = "ABCDEFGHIJKLM"
    events = _events(random.Random(5).choices(types, k=12 * len(types)), 2**60)
    pattern = ", ".join(f"{kind} {kind.lower()}" for kind in types)
    asked = cepheid.query(f"PATTERN AND({pattern}) WITHIN {window} AGG COUNT, SUM(b.x)")
    found = asked.run(pa.Table.from_pylist(events), **BINDING).table.to_pylist()
    expected = _by_hand(events, types, window)
    told = [(int(row["count"]), int(row["sum_b_x"] or 0)) for row in found]
    assert told == expected


# -- types -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "events", "expected"),
    [
        ("A a, B b", 1 << 24, pa.int64()),
        ("A a, B b, C c", 1 << 24, pa.decimal128(38, 0)),
        ("A a, B b, C c", 1000, pa.int64()),
        ("A a, B+ b[]", 1000, pa.string()),
        ("A a, B{1,3} b[]", 1 << 24, pa.decimal128(38, 0)),
        ("A a, OR(B b, C c)", 1 << 24, pa.int64()),
    ],
)
def test_the_type_of_a_count_is_known_before_data_moves(
    pattern: str, events: int, expected: pa.DataType
) -> None:
    schema = pa.Table.from_pylist(_events(["A"])).schema
    asked = cepheid.query(f"PATTERN AND({pattern}) WITHIN 10 AGG COUNT").using("aggregate", max_events=events)
    assert asked.plan(EventSchema(schema, **BINDING)).output_schema.field("count").type == expected


def test_a_window_of_more_events_than_expected_is_refused() -> None:
    asked = cepheid.query("PATTERN AND(A a, B+ b[]) WITHIN 1000 AGG COUNT")
    events = _events(["A"] + ["B"] * 70)
    schema = pa.Table.from_pylist(events).schema
    session = asked.using("aggregate", max_events=8).session(schema, **BINDING)
    with pytest.raises(LimitError, match="max_events"):
        session.push(events)


# -- parts -----------------------------------------------------------------------------------------


def test_numbers_come_back_from_their_remainders() -> None:
    numbers = [0, 1, -1, 2**63, -(2**63), 2**900 - 7, -(3**500)]
    by = moduli(max(number.bit_length() for number in numbers))
    remainders = [np.array([number % modulus for number in numbers], np.int64) for modulus in by]
    assert from_remainders(remainders, by).tolist() == numbers


def test_numbers_come_back_from_a_snapshot() -> None:
    numbers = np.array([0, -1, 2**64, -(2**64), 5**300], object)
    assert from_words(as_words(numbers)).tolist() == numbers.tolist()
