"""Events as text, and scenarios as files."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from pathlib import Path
from textwrap import dedent
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

from cepheid import testing
from cepheid.language.sase.parse import parse
from cepheid.testing import (
    assert_scenario,
    compare_aggregates,
    compare_matches,
    compare_rows,
    describe,
    events,
    scenario,
)
from tests.cases import AggregateCase, Case, aggregate_cases, cases
from tests.oracle import aggregates

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

AGGREGATE = """
=== Rows
PATTERN SEQ(A a, B b)
AGG COUNT, AVG(a.x) AS mean GROUP BY g
---
id time type x g
1  1    A    1 p
2  2    B    0 p
EMITS 2 p 1 1.0
CRASH
3  3    B    0 null
---
RETURNS time g    count mean
        2    p    1     1.0
        3    null 18446744073709551616 0.5
"""

RETURNED = """
=== Rows of matches, in batches
PATTERN SEQ(A a, B b)
WITHIN 10
RETURN a.x, b.x AS x
---
id time type x
1  1    A    5
2  2    B    6
EMITS 5 6
CRASH
3  3    B    7
---
RETURNS a_x x
        5   6
        5   7
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


@pytest.mark.parametrize(
    "options",
    [
        "select=p:first,w:2 once=12hours",
        'select={"p": "first", "w": 2} once=\'12 hours\'',
        'once="12 hours"\nselect=p:first,w:2',
    ],
)
def test_parameters_of_profiles_are_written_as_in_python(options: str) -> None:
    (item,) = scenario(
        f"=== told\n{options}\nPATTERN SEQ(W w, P p) WHERE w.x=1\n---\ntime type x\n9:05 W 1\n---\nNONE"
    )
    assert item.profile is not None and item.query.startswith("PATTERN SEQ")
    assert item.profile["select"] == {"p": "first", "w": 2}
    assert item.profile["once"].replace(" ", "") == "12hours"
    assert item.events["time"].to_pylist() == [datetime(2024, 1, 1, 9, 5)]


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


def test_a_scenario_of_aggregates_has_rows() -> None:
    (item,) = scenario(AGGREGATE)
    assert item.is_aggregate
    assert item.matches is None
    assert item.rows == (
        {"time": 2, "g": "p", "count": 1, "mean": 1.0},
        {"time": 3, "g": None, "count": 2**64, "mean": 0.5},
    )
    assert [step.kind for step in item.steps] == ["push", "emits", "crash", "push"]
    assert item.steps[1].matches == ("2 p 1 1.0",)


def test_the_scenario_in_the_documentation_is_right() -> None:
    (item,) = scenario(dedent("    ===" + (testing.__doc__ or "").split("===")[-1]))
    assert item.rows is not None and item.steps[1].matches == ("4 1 20",)
    compare_aggregates(aggregates(parse(item.query), item.events.to_pylist(), **item.binding), item.rows)


def test_rows_may_come_in_batches() -> None:
    (item,) = scenario(RETURNED)
    assert not item.is_aggregate
    assert_scenario(item)
    (wrong,) = scenario(RETURNED.replace("EMITS 5 6", "EMITS 5 7"))
    with pytest.raises(AssertionError, match="but found"):
        assert_scenario(wrong)


def test_a_heading_with_an_unknown_type_is_named() -> None:
    with pytest.raises(ValueError, match="there is no type 'number'; the types are int, float"):
        events("x:number\n1")


@pytest.mark.parametrize("whole", [2**70, Decimal(2**70), str(2**70)])
def test_whole_numbers_of_aggregates_are_exact_in_any_column(whole: Any) -> None:
    compare_aggregates([{"count": whole}], [{"count": 2**70}])
    with pytest.raises(AssertionError):
        compare_aggregates([{"count": whole}], [{"count": 2**70 + 1}])


@pytest.mark.parametrize(
    ("found", "expected", "same"),
    [
        (0.1 + 0.2, 0.3, True),
        (1.0, 1.0 + 1e-8, False),
        (2.0, 2, True),
        (float("nan"), float("nan"), True),
        (None, None, True),
        (None, 0, False),
        (0, None, False),
        ("p", "p", True),
        ("p", 1, False),
        (True, True, True),
        (datetime(2024, 1, 1), datetime(2024, 1, 1), True),
        (-3, -3, True),
        ("-3", -3, True),
    ],
)
def test_values_of_aggregates(found: Any, expected: Any, same: bool) -> None:
    if same:
        compare_aggregates([{"x": found}], [{"x": expected}])
    else:
        with pytest.raises(AssertionError, match="but found"):
            compare_aggregates([{"x": found}], [{"x": expected}])


def test_rows_of_aggregates_come_in_order_and_with_their_columns() -> None:
    one, two = {"time": 1, "count": 2}, {"time": 2, "count": 3}
    for found in ([two, one], [one], [one, two, two], [one, {**two, "more": 1}], [one, {"time": 2, "n": 3}]):
        with pytest.raises(AssertionError):
            compare_aggregates(found, [one, two])


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(aggregate_cases())
def test_cases_of_aggregates_for_hypothesis_are_valid(case: AggregateCase) -> None:
    assert parse(case.query_text).aggregation
    assert len(case.table) == len(case.events)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(cases())
def test_cases_for_hypothesis_are_valid(case: Case) -> None:
    assert parse(case.query_text)
    assert len(case.table) == len(case.events)
