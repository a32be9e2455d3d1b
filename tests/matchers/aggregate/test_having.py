"""HAVING and EMIT ON RISE: which rows are given, and what is kept for that."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import LimitError, QueryCheckError

RISING = "PATTERN A a WITHIN 3 AGG COUNT AS n GROUP BY k HAVING n >= 2 EMIT ON RISE"


def stream(size: int, keys: int) -> list[dict[str, Any]]:
    return [{"time": row, "type": "A", "k": row * 7 // 3 % keys, "x": row} for row in range(size)]


def run(text: str, events: list[dict[str, Any]], **options: Any) -> list[dict[str, Any]]:
    return cepheid.query(text).run(events, time="time", type="type", **options).table.to_pylist()


def test_count_is_the_name_of_its_column() -> None:
    events = stream(10, 2)
    assert run("PATTERN A a AGG COUNT HAVING COUNT > 4", events) == run(
        "PATTERN A a AGG COUNT HAVING count > 4", events
    )
    with pytest.raises(QueryCheckError, match="no column 'COUNT'"):
        run("PATTERN A a AGG COUNT AS n HAVING COUNT > 4", events)


def test_numbers_past_int64_are_compared() -> None:
    events = stream(80, 1)
    rows = run("PATTERN A+ a[] AGG COUNT AS n HAVING n > 5000000000000000000", events)
    assert [row["time"] for row in rows] == list(range(62, 80))
    assert int(rows[-1]["n"]) == 2**80 - 1


def test_only_rows_that_are_given_count() -> None:
    events = stream(500, 1)
    assert len(run("PATTERN A a AGG COUNT AS n HAVING n > 498", events, max_matches=10)) == 2
    with pytest.raises(LimitError, match="max_matches = 10"):
        run("PATTERN A a AGG COUNT AS n HAVING n > 400", events, max_matches=10)


def test_groups_that_are_not_true_are_forgotten() -> None:
    """A stream with ever new groups, of which few are true at their last row."""
    columns = pa.schema([("time", pa.int64()), ("type", pa.string()), ("k", pa.int64())])
    session = cepheid.query(RISING).session(columns, time="time", type="type")
    sizes, found = [], 0
    for first in range(0, 60_000, 6_000):
        rows = [
            {"time": time, "type": "A", "k": time - time % 500 // 499} for time in range(first, first + 6_000)
        ]
        found += session.push(pa.Table.from_pylist(rows, schema=columns)).num_rows
        sizes.append(session.stats["peak_state_bytes"])
    assert found == 120
    assert sizes[-1] < 1.1 * sizes[len(sizes) // 2]


@pytest.mark.parametrize("sharing", ["auto", "none"])
def test_queries_of_a_workload_are_tested_each_by_itself(sharing: str) -> None:
    texts = {
        "all": "PATTERN SEQ(A a, A b) WITHIN 9 AGG COUNT AS n",
        "some": "PATTERN SEQ(A a, A b) WITHIN 9 AGG COUNT AS n HAVING n > 20",
        "rising": "PATTERN SEQ(A a, A b, A c) WITHIN 9 AGG COUNT AS n HAVING n % 3 = 0 EMIT ON RISE",
    }
    events = stream(60, 4)
    found = cepheid.workload(texts).using(sharing).run(events, time="time", type="type")
    for name, text in texts.items():
        assert found[name].table.to_pylist() == run(text, events)
    assert 0 < len(found["rising"]) < len(found["some"]) < len(found["all"])
