"""Backtracking finds what all runs at once find, in the same order; it runs whole tables."""

from __future__ import annotations

import random
import re

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import LimitError, QueryError, SnapshotError, UnsupportedError
from cepheid.language.sase.parse import parse
from cepheid.matchers.nfa import matcher, memory, results
from cepheid.runners.stream import feed as feeding
from cepheid.testing import compare_rows
from tests.cases import Case, random_case
from tests.matchers.nfa.test_random_cases import tiny_arrays as tiny_arrays
from tests.oracle import rows

CASES = 200
CHUNK = 25
ONE_STREAM = {"time": "t", "type": "kind"}


def backtracking(text: str) -> cepheid.Query:
    return cepheid.query(text).using("nfa", sharing="backtracking")


def _check(case: Case, text: str) -> int:
    """Fail unless backtracking gives the oracle's rows, and the ids that all runs at once give."""
    try:
        found = backtracking(text).run(case.table, **case.binding).table
    except UnsupportedError as error:
        assert "may end in the absence" in error.message
        return 0
    compare_rows(found.drop_columns(["match_id"]).to_pylist(), rows(parse(text), case.events, **case.binding))
    usual = cepheid.query(text).run(case.table, **case.binding).table
    assert found.column("match_id").equals(usual.column("match_id"))
    return found.num_rows


def _check_cases(first: int, emit: str = "") -> int:
    found = 0
    for number in range(first, first + CHUNK):
        case = random_case(random.Random(f"backtracking-{number}"))
        text = re.sub("EMIT .*", "", case.query_text) + f"\n{emit}"
        try:
            found += _check(case, text)
        except Exception as error:
            error.add_note(f"case {number}\n{case}")
            raise
    return found


@pytest.mark.parametrize("first", range(0, CASES, CHUNK))
def test_cases(first: int) -> None:
    assert _check_cases(first) > 0


@pytest.mark.parametrize("first", range(0, CASES, CHUNK))
def test_cases_without_overlap(first: int) -> None:
    assert _check_cases(first, "EMIT NON OVERLAPPING") > 0


@pytest.mark.parametrize("emit", ["", "EMIT NON OVERLAPPING"])
@pytest.mark.parametrize("first", range(0, CASES, 4 * CHUNK))
def test_cases_in_slices_with_tiny_arrays(
    tiny_arrays: None, monkeypatch: pytest.MonkeyPatch, first: int, emit: str
) -> None:
    monkeypatch.setattr(feeding, "SLICE", 3)
    monkeypatch.setattr(results, "PIECE", 2)
    assert _check_cases(first, emit) > 0


def _events(kinds: str, **columns: list[int]) -> pa.Table:
    names = {"t": list(range(1, len(kinds) + 1)), "kind": list(kinds), **columns}
    return pa.table(names)


def test_partitions_are_put_in_one_order() -> None:
    text = "PATTERN SEQ(A a, B+ b[], C c) WHERE skip_till_any_match { [k] } WITHIN 9 RETURN a.t, c.t AS end"
    events = _events("AABBBBCCABBC", k=[1, 2, 2, 1, 1, 2, 2, 1, 2, 2, 2, 2])
    found = backtracking(text).run(events, **ONE_STREAM)
    assert found.table.equals(cepheid.query(text).run(events, **ONE_STREAM).table)
    assert found.stats["partitions"] == 2
    ends = found.table.column("end").to_pylist()
    assert ends == sorted(ends) and len(set(ends)) == 3


def test_an_absence_inside() -> None:
    text = "PATTERN SEQ(A a, ~B b, C c) WHERE skip_till_any_match { b.x > a.x } RETURN a.t AS a, c.t AS c"
    events = _events("AABCCBC", x=[5, 1, 3, 0, 0, 9, 0])
    found = backtracking(text).run(events, **ONE_STREAM).table.drop_columns(["match_id"])
    assert found.to_pylist() == [{"a": 1, "c": 4}, {"a": 1, "c": 5}]


def test_an_absence_before() -> None:
    text = "PATTERN SEQ(~B b, A a, C c) WITHIN 3 RETURN a.t AS a, c.t AS c"
    events = _events("BACAACBAC")
    found = backtracking(text).run(events, **ONE_STREAM).table
    assert found.equals(cepheid.query(text).run(events, **ONE_STREAM).table)


def test_what_is_read_again() -> None:
    """Each A reads on to the end, and so does what goes on from each B; all but the first read again."""
    query = backtracking("PATTERN SEQ(A a, B b, C c)")
    figures = query.run(_events("ABCZ"), **ONE_STREAM).stats
    assert figures["matches"] == 1
    assert figures["events_reread"] == 2  # by the run that ignored B: C, and the last event
    assert figures["run_steps"] == 2
    assert query.run(_events("ZZZZ"), **ONE_STREAM).stats["events_reread"] == 0


def test_nothing_is_followed_past_the_earliest_match() -> None:
    text = "PATTERN SEQ(A a, B b) WHERE skip_till_any_match { 1 = 1 }"
    events = _events("AB" + "Z" * 20 + "B" * 20)
    everything = backtracking(text).run(events, **ONE_STREAM).stats
    earliest = backtracking(f"{text} EMIT NON OVERLAPPING").run(events, **ONE_STREAM).stats
    assert (everything["matches"], earliest["matches"]) == (21, 1)
    assert (everything["run_steps"], earliest["run_steps"]) == (21, 1)


@pytest.mark.parametrize("emit", ["", " EMIT NON OVERLAPPING"])
def test_no_events(emit: str) -> None:
    query = backtracking(f"PATTERN SEQ(A a, B b) WHERE [k]{emit}")
    assert query.run(_events("", k=[]).cast(_events("A", k=[1]).schema), **ONE_STREAM).table.num_rows == 0


def test_too_many_matches() -> None:
    query = backtracking("PATTERN SEQ(A+ a[], B b) WHERE skip_till_any_match { 1 = 1 }")
    with pytest.raises(LimitError, match="max_matches = 100"):
        query.run(_events("A" * 12 + "B"), **ONE_STREAM, max_matches=100)


def test_matches_are_counted_as_they_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matcher, "_FOUND_AT_FIRST", 16)
    query = backtracking("PATTERN SEQ(A+ a[], B b) WHERE skip_till_any_match { 1 = 1 }")
    with pytest.raises(LimitError, match="max_matches = 100"):
        query.run(_events("A" * 60 + "B"), **ONE_STREAM, max_matches=100)


def test_a_stream_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    query = backtracking("PATTERN SEQ(A a, B b)")
    with pytest.raises(LimitError, match="keeps the whole stream"):
        query.run(_events("AB" * 4000), **ONE_STREAM, max_state=300_000)
    monkeypatch.setattr(memory, "_START", 4)
    monkeypatch.setattr(matcher, "_NODES_AHEAD", 0)
    kleene = backtracking("PATTERN SEQ(A+ a[], B b) WHERE skip_till_any_match { 1 = 1 } EMIT NON OVERLAPPING")
    with pytest.raises(LimitError, match="the query's state"):
        kleene.run(_events("A" * 200), **ONE_STREAM, max_state=20_000)


def test_what_it_does_not_run() -> None:
    events = _events("AB")
    with pytest.raises(UnsupportedError, match="end in the absence of b") as refused:
        backtracking("PATTERN SEQ(A a, ~B b) WITHIN 5").run(events, **ONE_STREAM)
    assert refused.value.column is not None
    query = backtracking("PATTERN SEQ(A a, B b) WITHIN 5")
    with pytest.raises(UnsupportedError, match="whole tables only"):
        query.session(events.schema, **ONE_STREAM)
    session = cepheid.query("PATTERN SEQ(A a, B b) WITHIN 5").session(events.schema, **ONE_STREAM)
    with pytest.raises(SnapshotError, match="cannot go on"):
        cepheid.resume(query, session.snapshot())


def test_no_such_sharing() -> None:
    query = cepheid.query("PATTERN SEQ(A a, B b)").using("nfa", sharing="magic")
    with pytest.raises(QueryError, match="cannot share by 'magic'"):
        query.run(_events("AB"), **ONE_STREAM)
