"""Every function of the language is shown in its reference, and gives what is said there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import cepheid
from cepheid.pattern.functions import FUNCTIONS

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "language.md").read_text()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_reference_has_it(name: str) -> None:
    assert re.search(rf"`{name}[(`]", PAGE)


@pytest.mark.parametrize(
    ("example", "value"),
    [
        ("abs(-3)", 3),
        ("round(2.5)", 2.0),
        ("ceil(2.5)", 3.0),
        ("sqrt(9)", 3.0),
        ("upper('straße')", "STRAẞE"),
        ("length('日本')", 2),
        ("substr('abcd', 2, 2)", "bc"),
        ("substr('abcd', -2, 1)", "c"),
        ("concat('a', '-', 'b')", "a-b"),
        (r"regexp_like('user=ann', '^user=\w+')", True),
        (r"regexp_extract('user=ann', 'user=(\w+)', 1)", "ann"),
        ("coalesce(NULL, 3)", 3),
        ("CASE WHEN 1 > 2 THEN 'a' ELSE 'b' END", "b"),
        ("hour(TIMESTAMP '2024-05-01 12:30')", 12),
        ("day_of_week(TIMESTAMP '2024-05-01')", 3),
    ],
)
def test_what_the_reference_says(example: str, value: Any) -> None:
    assert f"`{example}`" in PAGE
    found = cepheid.query(f"PATTERN ANY a RETURN {example} AS r").run([{"time": 1}], time="time")
    assert [match["r"] for match in found] == [value]
