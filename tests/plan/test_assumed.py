"""Without a stream, explanations are about an assumed one: what a query names, in types that fit."""

from __future__ import annotations

import pytest

import cepheid
from cepheid.errors import CepheidError

ASSUMED = "assumed, since no stream was given"


@pytest.mark.parametrize(
    ("condition", "columns"),
    [
        ("a.x > 1", {"x": "int64"}),
        ("a.x > 1.5", {"x": "double"}),
        ("a.s = 'one' AND b.s != a.s", {"s": "string"}),
        ("hour(a.t) = 0", {"t": "timestamp[us]"}),
        ("lower(a.s) LIKE 'a%' AND length(b.name) > 3", {"s": "string", "name": "string"}),
        ("b.t - a.t < 5 min", {"t": "timestamp[us]"}),
        ("NOT a.flag", {"flag": "bool"}),
        ("[k] AND a.x IN (1, 2) AND b.y BETWEEN 'a' AND 'b'", {"k": "int64", "x": "int64", "y": "string"}),
    ],
)
def test_types_that_fit(condition: str, columns: dict[str, str]) -> None:
    text = str(cepheid.query(f"PATTERN SEQ(A a, B b) WHERE {condition} WITHIN 1 hour").explain())
    told = dict(line.strip().split(": ") for line in text.split(ASSUMED)[1].strip().splitlines())
    assert told == {"time": "timestamp[us]", "type": "string", **columns}


def test_time_is_a_number_where_the_window_is_one() -> None:
    assert "  time: int64" in str(cepheid.query("PATTERN SEQ(A a, B b) WITHIN 5").explain())


def test_no_stream_fits() -> None:
    with pytest.raises(CepheidError, match="say its columns"):
        cepheid.query("PATTERN SEQ(A a, B b) WHERE a.x = 1 AND b.x = 'one' WITHIN 5").explain()
