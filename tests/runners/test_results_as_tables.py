"""A result behaves like the tables that people know."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cepheid
from cepheid.views.long import long_table
from tests.runners.streams import BINDING, QUERY, TABLE

EVENTS = pa.table(
    {
        "time": [1, 2, 3, 4],
        "type": pa.array(["A", "B", "B", "A"]).dictionary_encode(),
        "position": [10, 20, None, 40],
    }
)
KLEENE = cepheid.query("PATTERN SEQ(A a, B+ b[], C? c) WITHIN 10")


@pytest.fixture
def result() -> Any:
    return KLEENE.run(EVENTS, **BINDING)


def test_libraries_take_it_through_arrow(result: Any) -> None:
    assert pl.DataFrame(result).equals(result.to_polars())
    assert pa.table(result).equals(result.table)
    assert pd.DataFrame(result)["match_id"].tolist() == result.table["match_id"].to_pylist()
    if hasattr(pd.DataFrame, "from_arrow"):
        assert len(pd.DataFrame.from_arrow(result)) == 3


def test_duckdb_takes_it(result: Any) -> None:
    duckdb = pytest.importorskip("duckdb")
    assert duckdb.sql("SELECT count(*), max(len(b)) FROM result").fetchall() == [(3, 2)]


def test_matches_of_one_query_are_events_of_another(result: Any) -> None:
    again = cepheid.query("PATTERN SEQ(A a, B b) WHERE skip_till_next_match { [match] }")
    assert len(again.run(result.long(), **BINDING)) == 3
    assert len(cepheid.query("PATTERN ANY e").run(QUERY.run(TABLE, **BINDING), time="a_x")) == 2


def test_matches_by_number_and_slice(result: Any) -> None:
    rows = list(result)
    assert result[0] == rows[0] and result[-1] == rows[2]
    assert list(result[1:]) == rows[1:] and list(result[::-2]) == rows[::-2] and list(result[3:1]) == []
    assert list(result.head(2)) == rows[:2] and list(result.head()) == rows
    assert result["match_id"].to_pylist() == [row["match_id"] for row in rows]
    assert result.schema == result.table.schema
    assert repr(result[:2]).startswith("<2 of 3 matches in 4 events>")


@pytest.mark.parametrize("number", [3, -4])
def test_there_is_no_such_match(result: Any, number: int) -> None:
    with pytest.raises(IndexError):
        result[number]


@pytest.mark.parametrize(("chosen", "message"), [("price", "they have a, b"), (1.5, "takes a number")])
def test_there_is_no_such_thing(result: Any, chosen: Any, message: str) -> None:
    with pytest.raises(cepheid.CepheidError, match=message):
        result[chosen]


# -- one row an event ------------------------------------------------------------------------------


def test_one_row_an_event(result: Any) -> None:
    long = result.long()
    assert long.column_names == [
        *("match", "variable", "position"),
        *("time", "type", "event_position"),  # of the event: the other is the place in b
        "match_id",
    ]
    assert [tuple(row.values())[:6] for row in long.to_pylist()] == [
        (0, "a", 1, 1, "A", 10),
        (0, "b", 1, 2, "B", 20),
        (1, "a", 1, 1, "A", 10),
        (1, "b", 1, 2, "B", 20),
        (1, "b", 2, 3, "B", None),
        (2, "a", 1, 1, "A", 10),
        (2, "b", 1, 3, "B", None),
    ]
    ids = result["match_id"].to_pylist()
    assert all(row["match_id"] == ids[row["match"]] for row in long.to_pylist())


def test_one_row_an_event_of_no_match(result: Any) -> None:
    none = KLEENE.run(EVENTS.slice(3), **BINDING).long()
    assert none.num_rows == 0 and none.schema.equals(result.long().schema)
    assert result[1:2].long()["match"].to_pylist() == [0, 0, 0]


def test_one_row_an_event_of_expanded_matches(result: Any) -> None:
    compressed = cepheid.query(f"{KLEENE} EMIT COMPRESSED").run(EVENTS, **BINDING)
    assert cepheid.expand(compressed).first(9).long().equals(result.long())


def test_one_row_an_event_of_pieces_with_dictionaries_of_their_own() -> None:
    pieces = [KLEENE.run(EVENTS.slice(start, 2), **BINDING).table for start in (0, 0)]
    other = pa.table(
        {**{n: EVENTS[n] for n in EVENTS.column_names}, "type": pa.array(list("XABY")).dictionary_encode()}
    )
    pieces.append(KLEENE.run(other, **BINDING).table)
    long = long_table(pa.concat_tables(pieces), {"a": "a", "b": "b"})
    assert long["type"].to_pylist() == list("ABABAB") and long["match"].to_pylist() == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("clause", ["RETURN a.time", "EMIT COUNT", "EMIT COMPRESSED", "AGG COUNT"])
def test_without_events_there_is_no_long_form(clause: str) -> None:
    query = cepheid.query(f"PATTERN SEQ(A a, B+ b[]) WITHIN 10 {clause}")
    with pytest.raises(cepheid.CepheidError, match="leave out RETURN"):
        query.run(EVENTS, **BINDING).long()


# -- in a notebook ---------------------------------------------------------------------------------


def test_the_total_stands_above_and_the_id_is_short(result: Any) -> None:
    page = result._repr_html_()
    assert page.startswith("<p>3 matches in 4 events<br>")
    name = result[0]["match_id"]
    assert f'title="{name}"' in page and f"{name[:6]}…" in page and f">{name}<" not in page


def test_plans_stand_in_a_font_of_fixed_width() -> None:
    explanation = KLEENE.explain()
    assert 'style="font-family: monospace' in explanation._repr_html_()
    assert repr(explanation) == str(explanation)
