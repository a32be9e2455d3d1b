"""Small streams of events for the tests on Spark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

import cepheid


def events(count: int = 3000, *, seed: int = 1, keys: int = 7, ties: bool = False) -> pa.Table:
    """Events of three types with a key, a number and a text; in the order of time."""
    rng = np.random.default_rng(seed)
    times = rng.integers(0, count if ties else count * 10, count)
    order = np.argsort(times, kind="stable")
    return pa.table(
        {
            "ts": times[order],
            "kind": np.array(["A", "B", "C"])[rng.integers(0, 3, count)],
            "k": rng.integers(0, keys, count),
            "x": np.round(rng.random(count), 3),
            "seq": np.arange(count),
        }
    )


def ids(found: DataFrame | pa.Table) -> list[str]:
    """The ids of all matches, sorted."""
    if isinstance(found, pa.Table):
        return sorted(found.column("match_id").to_pylist())
    return sorted(row.match_id for row in found.select("match_id").collect())


def embedded_ids(table: pa.Table, text: str, **binding: Any) -> list[str]:
    """What the query finds in one process."""
    return ids(cepheid.query(text).run(table, **binding).table)


BINDING: dict[str, Any] = {"time": "ts", "type": "kind", "order": ["seq"]}

QUERIES: Sequence[str] = (
    "PATTERN SEQ(A a, B b, C c) WHERE skip_till_next_match { [k] AND a.x < 0.3 } WITHIN 300",
    "PATTERN SEQ(A+ a[], B b) WHERE skip_till_next_match { [k] AND a[i].x > a[i-1].x } WITHIN 300",
    "PATTERN SEQ(A a, B b, C c) WHERE skip_till_next_match { a.x < 0.1 } WITHIN 50",
    "PATTERN SEQ(~C n, A a, B b) WHERE a.x < 0.1 AND b.x > 0.9 WITHIN 50",
    "PATTERN SEQ(A a, B b, ~C c) WHERE skip_till_next_match { a.x < 0.1 } WITHIN < 50",
    "PATTERN SEQ(A a, B b, C c) WHERE strict_contiguity { a.x < 0.5 } WITHIN 50",
    "PATTERN SEQ(A a, B b) WHERE strict_contiguity { [k] } WITHIN 500",
    "PATTERN SEQ(A a, B b) WHERE partition_contiguity { [k] } WITHIN 500",
    "PATTERN SEQ(A a, C c) WHERE skip_till_next_match { a.x < 0.1 } WITHIN 50 EMIT NON OVERLAPPING",
    "PATTERN SEQ(A a, C c) WHERE skip_till_next_match { a.x < 0.1 } WITHIN 20 EVENTS",
    "PATTERN SEQ(A a, C c) WHERE skip_till_next_match { [k] AND a.x < 0.1 }",
    "PATTERN OR(SEQ(A a, B b), C c) WHERE skip_till_next_match { a.x < 0.1 AND c.x > 0.99 } WITHIN 20",
    "PATTERN SEQ(A a, B b) WHERE [k] AND a.x + b.x > 1.9 WITHIN 100 RETURN a.k, b.ts - a.ts AS gap, b.seq",
)
"""One query for each way of dividing, strategy and place of an absence."""
