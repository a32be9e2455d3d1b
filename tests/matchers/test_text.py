"""Functions of text over columns are what they are of each text, and what SQL says."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from cepheid.matchers import text
from cepheid.pattern.regexps import with_group_names
from tests.oracle.evaluate import FUNCTIONS

TEXTS = ["abcd", "", "é", "a", "日本語x", None]
NUMBERS = [*range(-6, 7), 2**40, -(2**40), 2**63 - 1, -(2**63)]


def _expected(value: str | None, *numbers: int) -> str | None:
    return None if value is None else FUNCTIONS["substr"](value, *numbers)


@pytest.mark.parametrize("begin", NUMBERS)
def test_a_part_of_a_text(begin: int) -> None:
    column, first = pa.array(TEXTS), pa.scalar(begin, pa.int64())
    assert text.substr(column, first).to_pylist() == [_expected(t, begin) for t in TEXTS]
    for length in NUMBERS:
        found = text.substr(column, first, pa.scalar(length, pa.int64()))
        assert found.to_pylist() == [_expected(t, begin, length) for t in TEXTS], length


def test_a_part_of_a_text_by_the_numbers_of_its_event() -> None:
    rng = random.Random(5)
    rows = [(rng.choice(TEXTS), rng.choice(NUMBERS), rng.choice(NUMBERS)) for _ in range(300)]
    columns = [pa.array(column) for column in zip(*rows, strict=True)]
    assert text.substr(*columns).to_pylist() == [_expected(*row) for row in rows]


NAMED = [
    ("a", "(?P<g0>a)"),
    ("(a)(?:b)(c)", "(?P<g0>(?P<g1>a)(?:b)(?P<g2>c))"),
    ("(?i)(?P<x>a)(?<y>b)", "(?P<g0>(?i)(?P<g1>a)(?P<g2>b))"),
    (r"\((a)[(][]()](b)", r"(?P<g0>\((?P<g1>a)[(][]()](?P<g2>b))"),
    (r"\Q(\E(a)[[:alpha:](](b)", r"(?P<g0>\Q(\E(?P<g1>a)[[:alpha:](](?P<g2>b))"),
    (r"[^]\](](a)", r"(?P<g0>[^]\](](?P<g1>a))"),
]


@pytest.mark.parametrize(("pattern", "named"), NAMED)
def test_groups_are_named_by_their_number(pattern: str, named: str) -> None:
    assert with_group_names(pattern) == named
    text.regexp_extract(pa.array(["ab"]), pattern, 0)


def test_a_group_is_empty_where_nothing_is_found() -> None:
    column = pa.array(["ab12", "zz", None, ""])
    assert text.regexp_extract(column, r"([a-z]+)(\d)?", 2).to_pylist() == ["1", "", None, ""]
    assert text.regexp_extract(column, r"[a-z]+(\d)", 0).to_pylist() == ["ab1", "", None, ""]
