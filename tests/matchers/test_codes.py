"""Text and keys as integers."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from cepheid.matchers.codes import KeyCodes, NumberCodes, TextCodes

NAN = float("nan")


def test_texts_keep_their_numbers() -> None:
    codes = TextCodes()
    assert codes.encode(pa.array(["b", "a", None, "b"])).tolist() == [0, 1, 0, 0]
    again = pa.array(["a", "c", "b"]).dictionary_encode()
    assert codes.encode(again).tolist() == [1, 2, 0]
    assert TextCodes(codes.texts).encode(pa.array(["c", "d"])).tolist() == [2, 3]


def test_ranks_follow_code_points() -> None:
    words = ["é", "z", "", "Z", "🦀", "￿", "a\0b", "a"]
    codes = TextCodes(words)
    assert sorted(words, key=lambda word: codes.tables()[0][codes.code(word)]) == sorted(words)
    codes.encode(pa.array(["aa"]))
    assert sorted([*words, "aa"], key=lambda word: codes.tables()[0][codes.code(word)]) == sorted(
        [*words, "aa"]
    )


def test_functions_of_texts_are_tables() -> None:
    codes = TextCodes()
    codes.add_function("lower", ())
    codes.add_function("length", ())
    codes.add_function("like", ("a%",))
    code = codes.code("ABC")
    lower, length, like = codes.tables()[1:]
    assert codes.texts[lower[code]] == "abc"
    assert (length[code], like[code], like[codes.code("abc")]) == (3, 0, 1)
    later = codes.code("AX")
    assert codes.texts[codes.tables()[1][later]] == "ax"


def test_numbers_grow_and_keep_their_codes() -> None:
    codes = NumberCodes()
    many = np.arange(5000, dtype=np.int64) * 2**50 - 2**62
    first = codes.encode(many, np.ones(many.size, np.uint8))
    assert first.tolist() == list(range(5000))
    valid = np.ones(many.size, np.uint8)
    valid[7] = 0
    again = NumberCodes(codes.numbers).encode(many, valid)
    assert again[7] == -1
    assert np.delete(again, 7).tolist() == np.delete(first, 7).tolist()


@pytest.mark.parametrize("extreme", [2**63 - 1, -(2**63), -1, 0])
def test_any_int64_is_a_number(extreme: int) -> None:
    codes = NumberCodes()
    numbers = np.array([extreme, 5, extreme], np.int64)
    assert codes.encode(numbers, np.ones(3, np.uint8)).tolist() == [0, 1, 0]


# values 0 and 2 are one key, value 1 is another, and value 3 is null
KEYS: dict[str, pa.Array] = {
    "int8": pa.array([1, 2, 1, None], pa.int8()),
    "uint64": pa.array([2**64 - 1, 1, 2**64 - 1, None], pa.uint64()),
    "float": pa.array([0.0, 1.5, -0.0, None]),
    "float with NaN": pa.array([0.0, 1.5, -0.0, NAN]),
    "float32": pa.array([0.0, 1.5, -0.0, NAN], pa.float32()),
    "bool": pa.array([True, False, True, None]),
    "decimal": pa.array([Decimal("1.10"), Decimal("1.11"), Decimal("1.10"), None]),
    "wide decimal": pa.array([Decimal(10**30), Decimal(10**30 + 1), Decimal(10**30), None]),
    "date32": pa.array([date(2024, 1, 1), date(2024, 1, 2), date(2024, 1, 1), None]),
    "date64": pa.array([date(2024, 1, 1), date(2024, 1, 2), date(2024, 1, 1), None], pa.date64()),
    "timestamp": pa.array([datetime(2024, 1, 1), datetime(2024, 1, 2), datetime(2024, 1, 1), None]),
    "zoned": pa.array([1, 2, 1, None], pa.timestamp("ns", "Europe/Berlin")),
    "time32": pa.array([time(1), time(2), time(1), None], pa.time32("s")),
    "time64": pa.array([time(1), time(2), time(1), None]),
    "duration": pa.array([timedelta(1), timedelta(2), timedelta(1), None]),
    "string": pa.array(["a", "b", "a", None]),
    "large string": pa.array(["a", "b", "a", None], pa.large_string()),
    "dictionary": pa.array(["a", "b", "a", None]).dictionary_encode(),
    "dictionary of numbers": pa.array([1, 2, 1, None]).dictionary_encode(),
    "binary": pa.array([b"\xff", b"a", b"\xff", None]),
    "fixed size binary": pa.array([b"\xff", b"a", b"\xff", None], pa.binary(1)),
}


@pytest.mark.parametrize("column", KEYS.values(), ids=KEYS.keys())
def test_keys_of_every_type(column: pa.Array) -> None:
    codes = KeyCodes(1)
    assert codes.encode([column], 4).tolist() == [0, 1, 0, -1]
    assert codes.encode([column.slice(1, 2)], 2).tolist() == [1, 0]
    assert codes.count == 2


def test_several_keys_are_one_partition() -> None:
    codes = KeyCodes(2)
    columns: list[Any] = [pa.array([1, 1, 2, None, 1]), pa.array(["x", "y", "x", "x", "x"])]
    assert codes.encode(columns, 5).tolist() == [0, 1, 2, -1, 0]
    assert codes.count == 3


def test_no_key_is_one_partition() -> None:
    codes = KeyCodes(0)
    assert codes.encode([], 3).tolist() == [0, 0, 0]
    assert codes.count == 1


def test_texts_that_come_one_by_one_are_ranked_in_order() -> None:
    codes, words = TextCodes(), []
    for number in range(400):
        words.append(f"{number * 7919 % 1009:04}" if number % 3 else "x" * (number + 1))
        codes.code(words[-1])
        if number % 97 == 5:
            codes.encode(pa.array([f"y{number}-{k}" for k in range(number)]))  # many at once
        ranks = codes.tables()[0][: len(codes.texts)]
        assert len(set(ranks.tolist())) == len(codes.texts)
        if number % 20 == 0:
            assert [codes.texts[code] for code in np.argsort(ranks)] == sorted(codes.texts)


def test_there_is_always_room_between_two_ranks() -> None:
    codes = TextCodes(["a", "b"])
    codes.tables()
    for number in range(100):
        codes.code("a" + "a" * (100 - number))  # each between "a" and all others
        ranks = codes.tables()[0][: len(codes.texts)]
        assert [codes.texts[code] for code in np.argsort(ranks)] == sorted(codes.texts)


@pytest.mark.parametrize("values", [[1, None, 2, 1], [0.0, -0.0, float("nan"), None], ["a", None, "b", "a"]])
def test_keys_of_a_few_events(values: list[object]) -> None:
    few, many = KeyCodes(1), KeyCodes(1)
    assert few.encode([values], 4).tolist() == many.encode([pa.array(values)], 4).tolist()
    assert few.encode([pa.array(values)], 4).tolist() == many.encode([values], 4).tolist()
