"""Combining the matches of parts finds what runs find, and AND what its definition says."""

from __future__ import annotations

import random
from typing import Any

import pytest

from cepheid.language.sase.parse import parse
from cepheid.pattern.query import Strategy
from tests.cases import random_case
from tests.oracle import aggregates, matches
from tests.oracle.combinations import found_by_combining
from tests.oracle.facts import Facts
from tests.oracle.order import by_events
from tests.oracle.runs import found_by_runs
from tests.oracle.stream import Stream


def test_combining_finds_what_runs_find() -> None:
    compared = found = 0
    for seed in range(1200):
        case = random_case(random.Random(f"combining-{seed}"))
        query = parse(case.query_text)
        if query.strategy is not Strategy.ANY or len(case.events) > 8:
            continue
        options = {"type": None, "order": (), "time_unit": None, **case.binding}
        facts = Facts(query, Stream(case.events, query.keys, **options))
        one, other = (
            sorted(by_events(facts, taken) for taken in way(facts))
            for way in (found_by_combining, found_by_runs)
        )
        assert one == other, case
        compared, found = compared + 1, found + bool(one)
    assert compared > 150
    assert found > 70


def events_of(text: str) -> list[dict[str, Any]]:
    """`A1 B2`: an A at 1, a B at 2."""
    return [{"type": word[0], "time": int(word[1:])} for word in text.split()]


@pytest.mark.parametrize(
    ("pattern", "stream", "expected"),
    [
        ("AND(A a, B b)", "A1 B2", ["a1 b2"]),
        ("AND(A a, B b)", "B1 A2", ["a2 b1"]),
        ("AND(A a, A b)", "A1 A2", ["a1 b2", "a2 b1"]),
        ("AND(A a, A b)", "A1", []),
        ("OR(A a, A b)", "A1", ["a1", "b1"]),
        ("SEQ(AND(A a, B b), C c)", "A1 C2 B3", []),
        ("SEQ(AND(A a, B b), C c)", "B1 A2 C3", ["a2 b1 c3"]),
        ("SEQ(C c, AND(A a, B b))", "A1 C2 B3 A4", ["c2 a4 b3"]),
        ("AND(SEQ(A a, B b), C c)", "A1 C2 B3", ["a1 b3 c2"]),
        (
            "AND(SEQ(A a, B b), SEQ(A c, B d))",
            "A1 A2 B3 B4",
            ["a1 b3 c2 d4", "a1 b4 c2 d3", "a2 b3 c1 d4", "a2 b4 c1 d3"],
        ),
        ("AND(A+ a[], B b)", "A1 B2 A3", ["a1 a3 b2", "a1 b2", "a3 b2"]),
        ("AND(A a, B? b)", "A1 B2", ["a1", "a1 b2"]),
        ("AND(A a, OR(B b, C c))", "C1 A2 B3", ["a2 b3", "a2 c1"]),
        ("AND(A a, B b) WITHIN 2", "A1 B3 B4", ["a1 b3"]),
        ("SEQ((AND(A a, B b)) WITHIN 1, C c)", "A1 B2 B3 C4", ["a1 b2 c4"]),
        ("AND(A a, B b) WHERE b.time < a.time", "A1 B2 A3", ["a3 b2"]),
        (
            "AND(A a, B b)",
            "A1 A2 A3 B4 A5 B6",
            ["a1 b4", "a1 b6", "a2 b4", "a2 b6", "a3 b4", "a3 b6", "a5 b4", "a5 b6"],
        ),
        ("AND(A a, SEQ(B b, ~X x, C c))", "B1 X2 A3 C4", []),
        ("AND(A a, SEQ(B b, ~X x, C c))", "X1 B2 A3 C4 X5", ["a3 b2 c4"]),
        ("AND(A a, SEQ(B b, ~A x, C c))", "B1 A2 C3", ["a2 b1 c3"]),
        ("AND(A a, SEQ(B b, ~A x, C c))", "B1 A2 A3 C4", []),
        ("AND(A a, ~A x)", "A1", ["a1"]),
        ("AND(A a, ~X x) WITHIN 3", "X1 A4", []),
        ("AND(A a, ~X x) WITHIN < 3", "X1 A4 X7", ["a4"]),
        ("AND(A a, ~X x) WITHIN 3", "A1 X4", []),
        ("AND(A a, ~X x) WITHIN 3", "X1 A5 X9", ["a5"]),
        ("AND(A a, B b, ~X x) WITHIN 3", "X1 A3 B5 X7", ["a3 b5"]),
        ("AND(A a, B b, ~X x) WITHIN 3", "X2 A3 B5 X7", []),
        ("AND(A a, B b, ~X x) WITHIN 3", "X1 A3 B5 X6", []),
        ("AND(A a, B b, ~X x) WITHIN 3", "A3 X4 B5", []),
        ("SEQ(C c, AND(A a, ~X x), D d)", "X1 C2 A3 D4 X5", ["c2 a3 d4"]),
        ("SEQ(C c, AND(A a, ~X x), D d)", "C1 X2 A3 D4", []),
        ("SEQ(C c, AND(A a, ~X x), D d)", "C1 A2 X3 D4", []),
        ("SEQ(AND(A a, B b), ~X x, C c)", "A1 X2 B3 C4", ["a1 b3 c4"]),
        ("SEQ(AND(A a, B b), ~X x, C c)", "B1 A2 X3 C4", []),
        ("AND(C c, (AND(A a, ~X x)) WITHIN 2) WITHIN 20", "A1 X4 C9", ["c9 a1"]),
        ("AND(C c, (AND(A a, ~X x)) WITHIN 2) WITHIN 20", "A1 X3 C9", []),
        ("AND(C c, (AND(A a, ~X x)) WITHIN 2) WITHIN 20", "X6 C8 A9", ["c8 a9"]),
        ("AND(C c, (AND(A a, ~X x)) WITHIN 2) WITHIN 20", "X7 C8 A9", []),
        ("SEQ((AND(A a, ~X x)) WITHIN 2, C c)", "A1 X5 C9", []),
    ],
)
def test_and(pattern: str, stream: str, expected: list[str]) -> None:
    events = events_of(stream)
    found = matches(parse(f"PATTERN {pattern}"), events, time="time", type="type")
    assert sorted(_shown(match.bindings, events) for match in found) == expected


def test_matches_of_and_come_by_the_event_that_completes_them() -> None:
    events = events_of("A1 A2 B3 A4")
    found = matches(parse("PATTERN AND(A a, B b)"), events, time="time", type="type")
    assert [_shown(match.bindings, events) for match in found] == ["a1 b3", "a2 b3", "a4 b3"]


def test_a_match_waits_for_its_windows_and_for_its_events() -> None:
    """The window of a part closes at 3, at 6 and at 12; the matches are complete at 4, 6 and 12."""
    events = events_of("A1 C4 A4 A10")
    query = parse("PATTERN AND(C c, (AND(A a, ~X x)) WITHIN 2) WITHIN 9")
    found = matches(query, events, time="time", type="type")
    assert [_shown(match.bindings, events) for match in found] == ["c4 a1", "c4 a4", "c4 a10"]


@pytest.mark.parametrize(
    ("pattern", "stream", "expected"),
    [
        ("AND(A a, B b)", "A1 B2 A3 C4", [(1, 0), (2, 1), (3, 2)]),
        ("AND(A a, SEQ(B b, C c))", "B1 A2 C3 A4", [(2, 0), (3, 1), (4, 2)]),
        ("SEQ(AND(A a, B b), C c)", "A1 B2 C3 C4", [(3, 1), (4, 2)]),
        ("SEQ(C c, AND(A a, B? b))", "C1 A2 B3", [(2, 1), (3, 2)]),
        ("AND(A a, OR(B b, C c))", "C1 A2 B3", [(1, 0), (2, 1), (3, 2)]),
        ("AND(A a, ~X x) WITHIN 9", "A1 X2 A3", [(1, 1), (2, 0), (3, 0)]),
        ("AND(A a, SEQ(B b, ~X x))", "B1 X2 A3 B4 X5", [(1, 0), (2, 0), (3, 0), (4, 1), (5, 0)]),
        ("SEQ(AND(A a, ~X x), B b)", "A1 B2 X3 B4", [(2, 1), (4, 1)]),
        ("AND(A a, B b) WITHIN 2", "A1 B3 B4 B6", [(1, 0), (3, 1), (4, 0), (6, 0)]),
    ],
)
def test_agg_over_and(pattern: str, stream: str, expected: list[tuple[int, int]]) -> None:
    """A row at each event that may be the last of a match, or is absent with nothing after it."""
    rows = aggregates(parse(f"PATTERN {pattern} AGG COUNT"), events_of(stream), time="time", type="type")
    assert [(row["time"], row["count"]) for row in rows] == expected


def _shown(bindings: Any, events: list[dict[str, Any]]) -> str:
    listed = {v: bound if isinstance(bound, tuple) else (bound,) for v, bound in bindings.items()}
    return " ".join(
        f"{v}{events[i]['time']}" for v, bound in listed.items() for i in bound or () if i is not None
    )
