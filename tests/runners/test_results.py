"""What a run gives back."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import MissingExtraError, QueryError
from tests.runners.streams import BINDING, FOUND, QUERY, ROWS, TABLE, found

STATS = {
    "events",
    "matches",
    "late",
    "bad",
    "seconds",
    "events_per_second",
    "engine",
    "run_steps",
    "partitions",
    "state_bytes",
    "peak_state_bytes",
    "max_matches",
    "max_state",
}


@pytest.fixture
def result() -> Any:
    return QUERY.run(TABLE, **BINDING)


def test_rows(result: Any) -> None:
    assert len(result) == result.table.num_rows == 2
    assert [tuple(row.values())[:2] for row in result] == FOUND
    assert list(result) == result.table.to_pylist()
    assert result.table.column_names == ["a_x", "b_s", "match_id"]
    assert all(len(row["match_id"]) == 32 for row in result)


def test_frames(result: Any) -> None:
    frame = result.to_pandas()
    assert isinstance(frame, pd.DataFrame) and frame["a_x"].tolist() == [1, 3]
    polars = result.to_polars()
    assert isinstance(polars, pl.DataFrame) and polars["b_s"].to_list() == ["q", "q"]


def test_stats(result: Any) -> None:
    assert result.stats.keys() >= STATS
    assert (result.stats["events"], result.stats["matches"], result.stats["engine"]) == (4, 2, "nfa")
    assert result.stats["peak_state_bytes"] >= result.stats["state_bytes"] > 0
    session = QUERY.session(TABLE.schema, **BINDING)
    session.push(TABLE)
    assert session.stats.keys() >= {*STATS, "waiting", "watermark"}
    assert session.stats["matches"] == 2


def test_in_a_notebook(result: Any) -> None:
    page = result._repr_html_()
    assert page.count("<tr>") == 3 and "<th>a_x</th>" in page
    hostile = [{**ROWS[0], "s": "<script>"}, {**ROWS[1], "s": "<script>"}]
    assert "<script>" not in QUERY.run(hostile, **BINDING)._repr_html_()
    many = cepheid.query("PATTERN ANY a").run([{"time": t} for t in range(25)], time="time")
    assert "and 5 more" in many._repr_html_()


def test_in_a_terminal(result: Any) -> None:
    assert repr(result) == "<2 matches in 4 events>"
    assert repr(QUERY.run([*ROWS, {"time": None}], **BINDING)) == "<2 matches in 4 events, 1 bad>"


def test_what_was_not_used_is_there(result: Any) -> None:
    for side in (result.late, result.bad):
        assert side.column_names == [*TABLE.column_names, "reason"]
        assert side.num_rows == 0


def test_a_missing_library_is_named(result: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def without_polars(name: str, *rest: Any, **named: Any) -> Any:
        if name.split(".")[0] == "polars":
            raise ImportError(name)
        return imported(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without_polars)
    with pytest.raises(MissingExtraError, match="polars"):
        result.to_polars()


def test_structs_and_lists_without_return() -> None:
    query = cepheid.query("PATTERN SEQ(A+ a[], B? b) WHERE strict_contiguity {}")
    rows = query.run(TABLE, **BINDING).table.to_pylist()
    assert [([event["x"] for event in row["a"]], row["b"]) for row in rows[:2]] == [
        ([1], None),
        ([1], ROWS[1]),
    ]
    assert all(isinstance(event, Mapping) for row in rows for event in row["a"])


def test_columns_of_every_kind_pass_through() -> None:
    odd = {
        "list": pa.array([[1], None]),
        "struct": pa.array([{"p": [1, None]}, None]),
        "binary": pa.array([b"\xff", None]),
        "decimal": pa.array([Decimal("1.50"), None]),
        "map": pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())),
        "large": pa.array([[1], None], pa.large_list(pa.int8())),
        "fixed": pa.array([[1, 2], None], pa.list_(pa.int8(), 2)),
        "null": pa.nulls(2),
        "interval": pa.array([(1, 2, 3), None], pa.month_day_nano_interval()),
        "float16": pa.array([1.5, None], pa.float16()),
        "view": pa.array(["a", None], pa.string_view()),
        "views": pa.array([["a"], None], pa.list_(pa.string_view())),
        "bytes": pa.array([b"a", None], pa.binary_view()),
        "uuid": pa.array([b"0123456789abcdef", None], pa.uuid()),
        "moments": pa.DictionaryArray.from_arrays(pa.array([0, None]), pa.array([1], pa.timestamp("us"))),
    }
    table = pa.table({"time": [1, 2], "type": ["A", "B"], **odd})
    expected = {name: _plain(values) for name, values in odd.items()}
    names = ", ".join(f"a.{name} AS p{i}, b.{name} AS q{i}" for i, name in enumerate(odd))
    for text in ("PATTERN SEQ(A a, B b) WITHIN 9", "PATTERN SEQ(A+ a[], B b) WITHIN 9"):
        whole = cepheid.query(text)
        session = whole.session(table.schema, **BINDING)
        session.push(table.slice(0, 1))
        session = cepheid.resume(whole, session.snapshot())
        (row,) = session.push(table.slice(1)).to_pylist()
        first = row["a"][0] if isinstance(row["a"], list) else row["a"]
        for name, (before, after) in expected.items():
            assert (_value(first[name]), row["b"][name]) == (before, after), name
    (row,) = cepheid.query(f"PATTERN SEQ(A a, B b) WITHIN 9 RETURN {names}").run(table, **BINDING)
    assert [_value(row[f"p{i}"]) for i in range(len(odd))] == [before for before, _ in expected.values()]


def _plain(values: pa.Array) -> tuple[Any, Any]:
    if isinstance(values.type, pa.BaseExtensionType):
        values = values.storage
    if pa.types.is_dictionary(values.type):
        values = values.dictionary.take(values.indices)
    first, second = values.to_pylist()
    return _value(first), second


def _value(cell: Any) -> Any:
    return dict(cell) if isinstance(cell, list) and cell and isinstance(cell[0], tuple) else cell


# -- engines ---------------------------------------------------------------------------------------


def test_an_engine_by_name() -> None:
    named = QUERY.using("nfa")
    assert named.engine == "nfa" and QUERY.engine == "auto"
    assert found(named.run(TABLE, **BINDING)) == FOUND
    assert named.run(TABLE, **BINDING).table.equals(QUERY.run(TABLE, **BINDING).table)
    assert named.using("auto").engine == "auto"


@pytest.mark.parametrize("engine", ["warp", "", None, 5, ["nfa"]])
def test_no_such_engine(engine: Any) -> None:
    with pytest.raises(QueryError, match="there is no engine") as caught:
        QUERY.using(engine)
    assert "nfa" in str(caught.value)


def test_no_such_option() -> None:
    with pytest.raises(QueryError, match="no option 'speed'"):
        QUERY.using("nfa", speed=11)


def test_a_query_shows_itself() -> None:
    assert str(QUERY).startswith("PATTERN SEQ(A a, B b)")
    assert repr(QUERY) == f"cepheid.query({str(QUERY)!r})"
    assert cepheid.query(str(QUERY)).tree == QUERY.tree


def test_queries_may_be_keys_of_a_dict() -> None:
    text = "PATTERN SEQ(A a, B b) WITHIN 5"
    assert {cepheid.query(text): 1}[cepheid.query(text)] == 1
