"""Patterns as large as they may be: the bits of events and of runs are used up to the last."""

from __future__ import annotations

from typing import Any

import pytest

import cepheid

BINDING: dict[str, Any] = {"time": "ts", "type": "kind"}
LONG = [f"T{place}" for place in range(63)]
LARGE = {
    "63 variables": (", ".join(f"T{p} v{p}" for p in range(63)), LONG),
    "31 repeated": (", ".join([*(f"T{p}+ v{p}[]" for p in range(31)), "T31 v31"]), LONG[:32]),
    "31 absences": (", ".join(f"T{p} v{p}, ~X n{p}" for p in range(31)) + ", T31 v31", LONG[:32]),
}


def streams(kinds: list[str]) -> list[list[dict[str, Any]]]:
    """One with a match, one with something before its last event, and one without that."""
    variants = (kinds, [*kinds[:-1], "X", kinds[-1]], kinds[:-1])
    return [[{"ts": ts, "kind": kind} for ts, kind in enumerate(kinds)] for kinds in variants]


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("strategy", ["skip_till_next_match", "partition_contiguity"])
def test_matches(name: str, strategy: str) -> None:
    pattern, kinds = LARGE[name]
    query = cepheid.query(f"PATTERN SEQ({pattern}) WHERE {strategy} {{ 1 = 1 }} WITHIN 500")
    found = [query.run(events, **BINDING) for events in streams(kinds)]
    skips = strategy == "skip_till_next_match" and name != "31 absences"
    assert [len(each) for each in found] == [1, int(skips), 0]
    assert len(found[0].long()) == len(kinds)


@pytest.mark.parametrize("name", ["63 variables", "31 absences"])
@pytest.mark.parametrize("method", ["aseq", "stacks"])
def test_aggregates(name: str, method: str) -> None:
    pattern, kinds = LARGE[name]
    query = cepheid.query(f"PATTERN SEQ({pattern}) WITHIN 500 AGG COUNT").using("aggregate", method=method)
    counts = [query.run(events, **BINDING).table["count"].to_pylist() for events in streams(kinds)]
    assert counts == [[1], [int(name == "63 variables")], []]
