"""Events as text, and scenarios as files."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

from cepheid.language.sase import parse
from cepheid.testing import compare_matches, compare_rows, describe, events, scenario
from tests.strategies import Case, cases

SESSION = """
=== A title
lateness=2 order=seq
PATTERN SEQ(A a, B b)   -- a comment
WITHIN 5
---
id time type seq
1  1    A    0
CUT
2  2    A    0
WATERMARK 3
CRASH
3  4    B    0
EMITS 1; 3 | 2; 3
---
1; 3
2; 3
LATE 7 8
BAD 9
"""


def test_cells_have_the_types_that_they_look_like() -> None:
    table = events(
        """
        i  f    b     t                   s    n    q      m
        1  1.5  true  2024-05-01T12:00:00 x    null 'a b'  1
        -2 null false 12:05:30            null null ''     2.5
        """
    )
    kinds = [pa.int64(), pa.float64(), pa.bool_(), pa.timestamp("us"), pa.string(), pa.null(), pa.string()]
    assert table.schema.types == [*kinds, pa.float64()]
    assert table.column("t").to_pylist()[1] == datetime(2024, 1, 1, 12, 5, 30)
    assert table.column("q").to_pylist() == ["a b", ""]
    assert table.column("m").to_pylist() == [1.0, 2.5]


def test_a_header_may_say_the_type() -> None:
    assert events("x:float y:date\n1 2024-01-02").schema.types == [pa.float64(), pa.date32()]
    assert events("id:int time:int").num_rows == 0


def test_a_row_with_a_missing_cell_is_shown() -> None:
    with pytest.raises(ValueError, match="3 columns, but 2 cells: '1 A'"):
        events("time type x\n1 A")


def test_a_scenario_is_read_whole() -> None:
    (item,) = scenario(SESSION)
    assert item.query == "PATTERN SEQ(A a, B b)   -- a comment\nWITHIN 5"
    assert item.binding == {"time": "time", "type": "type", "order": ["seq"]}
    assert [step.kind for step in item.steps] == ["push", "push", "watermark", "crash", "push", "emits"]
    assert [(s.start, s.stop) for s in item.steps if s.kind == "push"] == [(0, 1), (1, 2), (2, 3)]
    assert (item.lateness, item.steps[2].watermark, item.steps[5].matches) == (2, 3, ("1; 3", "2; 3"))
    assert (item.matches, item.late, item.bad) == (("1; 3", "2; 3"), ("7", "8"), ("9",))
    assert item.is_session


def test_a_scenario_that_is_not_whole_is_refused_by_title(tmp_path: Path) -> None:
    path = tmp_path / "bad.scn"
    path.write_text("=== Half\nPATTERN A a\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"bad\.scn, 'Half'"):
        scenario(path)


def test_matches_are_described_in_the_words_of_a_scenario() -> None:
    match = {"a": [1, 2], "b": None, "c": [], "d": 4}
    assert describe(match) == "1 2; -; []; 4"
    assert describe(match, named=True) == "{a: 1 2; b: -; c: []; d: 4}"
    compare_matches([match], ["1  2;-; [] ;4"])
    compare_matches([match], ["{ a: 1 2; b: -; c: []; d: 4 }"])
    with pytest.raises(AssertionError, match="no match"):
        compare_matches([match], [])


def test_rows_are_equal_where_nan_is() -> None:
    compare_rows([{"x": float("nan"), "y": [1, None]}], [{"x": float("nan"), "y": [1, None]}])
    with pytest.raises(AssertionError):
        compare_rows([{"x": None}], [{"x": float("nan")}])


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(cases())
def test_cases_for_hypothesis_are_valid(case: Case) -> None:
    assert parse(case.query_text)
    assert len(case.table) == len(case.events)
