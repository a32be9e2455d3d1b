"""One small stream, its query, and what should come of it; shared by the tests of the runner."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

import cepheid

ROWS: list[dict[str, Any]] = [
    {"time": 1, "type": "A", "x": 1, "s": "p"},
    {"time": 2, "type": "B", "x": 2, "s": "q"},
    {"time": 3, "type": "A", "x": 3, "s": None},
    {"time": 5, "type": "B", "x": None, "s": "q"},
]
TABLE = pa.Table.from_pylist(ROWS)
BINDING: dict[str, Any] = {"time": "time", "type": "type"}
QUERY = cepheid.query("PATTERN SEQ(A a, B b) WHERE skip_till_next_match {} WITHIN 10 RETURN a.x, b.s")
FOUND = [(1, "q"), (3, "q")]


def found(matches: Any) -> list[tuple[Any, ...]]:
    """The rows of a result or of a session's table, without their ids."""
    table = matches if isinstance(matches, pa.Table) else matches.table
    return [tuple(row.values()) for row in table.drop_columns(["match_id"]).to_pylist()]
