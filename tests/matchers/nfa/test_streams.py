"""Long streams and odd values: memory that stays flat, many partitions, ties, NaN, the ends of int64."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.matchers import forgetting
from cepheid.matchers.nfa import memory
from cepheid.testing import assert_matches, events

NAN = float("nan")
SCALE = 1 if numba.config.DISABLE_JIT else 20
WINDOW = 20 * SCALE  # in ticks, of one event each
LITTLE = 2**19  # bytes that a matcher may hold before it looks what is out of reach


@pytest.fixture
def small_arrays() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "_START", 16)
        patch.setattr(forgetting, "SPARE", 16)
        yield


def stream(windows: int, start: int = 0) -> pa.Table:
    """So many windows of events; every key and every text is new."""
    places = np.arange(start * WINDOW, (start + windows) * WINDOW)
    return pa.table(
        {
            "time": places,
            "type": pa.array(np.array(["A", "B", "C"])[places % 3]),
            "x": places % 7,
            "k": places % 2,
            "s": pa.array([f"text {place}" for place in places]),
        }
    )


SLIDING = {
    "a sequence": "PATTERN SEQ(A a, B b) WHERE skip_till_next_match { a.x < b.x }",
    "combinations": "PATTERN SEQ(A a, B b) WHERE a.x = 1 AND b.x = 2",
    "a Kleene variable": "PATTERN SEQ(A+ a[], B b) "
    "WHERE skip_till_next_match { [k] AND a[i].x >= avg(a[..i-1].x) }",
    "texts": "PATTERN SEQ(A a, B b) WHERE skip_till_next_match { a.s < b.s AND lower(a.s) != b.s }",
    "an absence between": "PATTERN SEQ(A a, ~C c, B b) WHERE skip_till_next_match { c.x > a.x }",
    "an absence at the start": "PATTERN SEQ(~C c, A a) WHERE c.x = 8",
    "an absence at the end": "PATTERN SEQ(A a, ~C c) WHERE c.x > 5 AND a.x = 1",
    "events that do not overlap": "PATTERN SEQ(A a, B b) WHERE a.x = 1 AND b.x = 2 EMIT NON OVERLAPPING",
    "new partitions for ever": "PATTERN SEQ(A a, B b) WHERE skip_till_next_match { [s] }",
}
WINDOWS = [
    pytest.param(text, length, id=f"{name}, {'events' if 'EVENTS' in length else 'time'}")
    for name, text in SLIDING.items()
    for length in (f"{WINDOW}", f"{WINDOW} EVENTS")
    if "EVENTS" not in length or "new" not in name  # a partition without new events keeps its window open
]


@pytest.mark.compiled  # a stream longer than what is kept without looking
@pytest.mark.parametrize(("text", "length"), WINDOWS)
def test_memory_is_flat_as_the_window_slides(small_arrays: None, text: str, length: str) -> None:
    query = cepheid.query(f"{text} WITHIN {length}")
    session = query.session(stream(1).schema, time="time", type="type")
    sizes = []
    for part in range(80):
        session.push(stream(1, part))
        sizes.append(session.stats["state_bytes"])
        if part % 8 == 0:
            sizes[-1] += len(session.snapshot())
    assert max(sizes[40:]) <= max(1.25 * max(sizes[:40]), LITTLE)


def test_a_partition_for_every_few_events() -> None:
    count = 400 * SCALE
    keys = np.arange(count).repeat(2)
    table = pa.table(
        {"time": np.arange(2 * count), "type": ["A", "B"] * count, "k": keys, "g": [f"g{k}" for k in keys]}
    )
    for test in ("[k]", "[g]", "[k, g]", "[g] AND [k]"):
        query = cepheid.query(f"PATTERN SEQ(A a, B b) WHERE {test} RETURN a.k, b.k AS other")
        found = query.run(table, time="time", type="type")
        assert found.table.column("a_k").to_pylist() == list(range(count))
        assert found.table.column("other").to_pylist() == list(range(count))
        assert found.stats["partitions"] == count


def test_texts_that_come_later_sort_among_those_that_were() -> None:
    query = cepheid.query("PATTERN SEQ(A a, B b) WHERE a.s < b.s WITHIN 100 RETURN a.s, b.s AS t")
    session = query.session({"time": "int64", "type": "string", "s": "string"}, time="time", type="type")
    words = ["m", "zz", "a", "mm", "", "é", "z"]
    found: set[tuple[str, str]] = set()
    for place, word in enumerate(words):
        rows = [{"time": place, "type": kind, "s": word} for kind in ("B", "A")]
        found |= {(row["a_s"], row["t"]) for row in session.push(rows).to_pylist()}
    expected = {(a, b) for i, a in enumerate(words) for b in words[i + 1 :] if a < b}
    assert found == expected


TIED = "id time type x\n1 1 A 0\n2 1 B 1\n3 1 A 2\n4 1 B 3\n5 1 B 4"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PATTERN SEQ(A a, B b) WITHIN 1", ["1; 2", "1; 4", "3; 4", "1; 5", "3; 5"]),
        ("PATTERN SEQ(A a, B b) WHERE skip_till_next_match {} WITHIN 1", ["1; 2", "3; 4"]),
        ("PATTERN SEQ(A a, B b) WHERE strict_contiguity {}", ["1; 2", "3; 4"]),
        ("PATTERN SEQ(~B b, A a) WITHIN 1", ["1"]),
        ("PATTERN SEQ(A a, ~B b) WITHIN 1", []),
        ("PATTERN SEQ(A a, ~A c, B b) WITHIN 1", ["1; 2", "3; 4", "3; 5"]),
    ],
)
def test_events_of_one_time_have_an_order(text: str, expected: list[str]) -> None:
    assert_matches(text, events(TIED), expected)


def test_nan_is_not_equal_less_or_more() -> None:
    table = pa.table({"time": [1, 2, 3], "type": ["A", "B", "B"], "y": [NAN, NAN, 1.0]})
    for condition, count in {
        "a.y = b.y": 0,
        "a.y < b.y": 0,
        "a.y != b.y": 2,
        "NOT a.y < b.y": 2,
        "[y]": 0,
    }.items():
        query = cepheid.query(f"PATTERN SEQ(A a, B b) WHERE {condition} WITHIN 10")
        assert len(query.run(table, time="time", type="type")) == count, condition


def test_the_ends_of_int64_in_conditions() -> None:
    most, least = 2**63 - 1, -(2**63)
    table = pa.table({"time": [1, 2, 3], "type": ["A", "B", "B"], "n": [most, least, most]})
    counts: dict[str, int] = {
        "a.n > b.n": 1,
        "a.n = b.n": 1,
        "a.n + b.n = -1": 1,
        "a.n + b.n > 0": 0,
        "a.n - b.n > 0": 0,
        "a.n - b.n = 0": 1,
        "a.n * 2 > b.n": 0,
        "-b.n < a.n": 1,
        "abs(b.n) = a.n": 1,
        "b.n % -1 = 0 AND a.n > 0": 2,
        "(a.n + b.n) IS NULL": 1,
    }
    for condition, count in counts.items():
        query = cepheid.query(f"PATTERN SEQ(A a, B b) WHERE {condition} WITHIN 10")
        assert len(query.run(table, time="time", type="type")) == count, condition


def test_a_sum_that_leaves_int64_is_null() -> None:
    table = pa.table({"time": [1, 2, 3], "type": ["A", "A", "B"], "x": [1, 3, 0]})
    for function in ("sum", "avg"):
        huge = f"{function}(a.x * 3000000000000000000)"
        for condition, lengths in {
            f"{huge} IS NULL": [2],
            f"{huge} > 0": [1, 1],
            f"NOT {huge} > 0": [],
        }.items():
            query = cepheid.query(f"PATTERN SEQ(A+ a[], B b) WHERE {condition} WITHIN 10 RETURN a.len")
            found = query.run(table, time="time", type="type").table.column("a_len").to_pylist()
            assert found == lengths, condition


def test_a_window_longer_than_time_itself() -> None:
    table = pa.table({"time": [-(2**61), 2**61], "type": ["A", "B"]})
    for length, count in {
        str(2**63): 1,
        str(2**80): 1,
        "1" + "0" * 38: 1,
        str(2**62 - 1): 0,
        str(2**62): 1,
    }.items():
        query = cepheid.query(f"PATTERN SEQ(A a, B b) WITHIN {length}")
        assert len(query.run(table, time="time", type="type")) == count, length


@pytest.mark.parametrize("bound", ["{1,99999999999999999999}", "{1,9223372036854775807}", "{1,2}"])
def test_bounds_beyond_any_stream(bound: str) -> None:
    table = pa.table({"time": [1, 2], "type": ["A", "B"]})
    query = cepheid.query(f"PATTERN SEQ(A{bound} a[], B b) WITHIN 99999999999999999999 EVENTS")
    assert len(query.run(table, time="time", type="type")) == 1


def test_as_many_variables_as_there_may_be() -> None:
    count = 31
    pattern = ", ".join(f"A a{place}" for place in range(count))
    table = pa.table({"time": range(count + 1), "type": ["A"] * (count + 1)})
    query = cepheid.query(
        f"PATTERN SEQ({pattern}) WHERE strict_contiguity {{}} WITHIN 100 RETURN a0.time, a30.time"
    )
    found: list[dict[str, Any]] = query.run(table, time="time", type="type").table.to_pylist()
    assert [(row["a0_time"], row["a30_time"]) for row in found] == [(0, 30), (1, 31)]
