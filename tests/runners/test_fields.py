"""Fields of structs, from whatever form events come in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import QueryCheckError

EVENTS: list[dict[str, Any]] = [
    {"time": 1, "type": "A", "who": {"name": "ann", "at": {"city": "Bonn", "floor": 2}}},
    {"time": 2, "type": "A", "who": {"name": "bob", "at": None}},
    {"time": 3, "type": "A", "who": None},
    {"time": 4, "type": "B", "who": {"name": "cid", "at": {"city": "Bonn", "floor": 5}}},
]
ROLES = {"time": "time", "type": "type"}
SAME = cepheid.query(
    "PATTERN SEQ(A a, B b) WHERE a.who.at.city = b.who.at.city AND b.who.at.floor > 4 "
    "RETURN a.who.name, b.who.at, b.who.at.floor - a.who.at.floor AS up"
)
FOUND = [{"a_who_name": "ann", "b_who_at": {"city": "Bonn", "floor": 5}, "up": 3}]


def _rows(table: pa.Table) -> list[dict[str, Any]]:
    return table.drop_columns(["match_id"]).to_pylist()


def test_dicts_tables_and_files(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text("".join(json.dumps(event) + "\n" for event in EVENTS))
    for events in (EVENTS, pa.Table.from_pylist(EVENTS), path):
        assert _rows(SAME.run(events, **ROLES).table) == FOUND


def test_a_session() -> None:
    schema = pa.Table.from_pylist(EVENTS).schema
    bounded = cepheid.query(str(SAME).replace("RETURN", "WITHIN 9 RETURN"))
    session = bounded.session(schema, **ROLES)
    found = [row for event in EVENTS for row in _rows(session.push([event]))]
    assert found + _rows(session.close()) == FOUND


def test_aggregates_over_fields() -> None:
    q = cepheid.query(
        "PATTERN SEQ(A+ a[], B b) WHERE strict_contiguity { count(DISTINCT a.who.at.city) = 1 } "
        "RETURN collect(a.who.name), a[2].who.name, max(a.who.at.floor) AS top"
    )
    assert _rows(q.run(EVENTS, **ROLES).table) == [
        {"collect_a_who_name": ["ann", "bob", None], "a_2_who_name": "bob", "top": 2}
    ]


def test_explain_without_a_stream() -> None:
    assert "who: struct<" in str(SAME.explain())


@pytest.mark.parametrize(
    ("condition", "message", "hint"),
    [
        ("a.who.nam = 'x'", "'who' has no field 'nam'", "did you mean 'name'?"),
        ("a.who.name.x = 'x'", "'who.name' is string, and has no field 'x'", None),
        ("a.who = 'x'", "'who' is struct", "who.name"),
        ("a.wo.name = 'x'", "the stream has no attribute 'wo'", "did you mean 'who'?"),
    ],
)
def test_errors(condition: str, message: str, hint: str | None) -> None:
    with pytest.raises(QueryCheckError) as caught:
        cepheid.query(f"PATTERN A a WHERE {condition}").run(EVENTS, **ROLES)
    assert message in caught.value.message
    assert hint is None or hint in (caught.value.hint or "")


def test_a_field_that_does_not_fit_makes_an_event_bad() -> None:
    big = pa.array([{"n": 1}, {"n": 2**63}], pa.struct([("n", pa.uint64())]))
    found = cepheid.query("PATTERN ANY a WHERE a.o.n > 0").run(
        pa.table({"time": [1, 2], "o": big}), time="time"
    )
    assert (len(found), found.bad.num_rows) == (1, 1)
