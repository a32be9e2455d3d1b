"""The judge of EMIT is judged: by hand, and by a second definition over the matches of EMIT ALL."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from cepheid.language.sase.parse import parse
from cepheid.pattern.nodes import Absent, atoms
from cepheid.pattern.query import Emit, EmitMode
from cepheid.testing import events
from tests.cases import Case, random_case
from tests.oracle import completed, counted, matches, rows
from tests.oracle.stream import Stream

BINDING = {"time": "time", "type": "type"}
RISING = """
    id time type k
    1  1    A    1
    2  2    A    1
    3  3    A    1
    4  4    B    1
"""
TWO_ENDS = RISING + "5 5 B 1"


def chosen(query: str, table: str, **binding: Any) -> list[str]:
    """The matches as lines of labels."""
    given = events(table).to_pylist()
    found = matches(parse(query), given, **{**BINDING, **binding})

    def label(bound: Any) -> str:
        places = bound if isinstance(bound, tuple) else () if bound is None else (bound,)
        return " ".join(str(given[place]["id"]) for place in places)

    return ["; ".join(map(label, match.bindings.values())) for match in found]


def numbers(query: str, table: str, **binding: Any) -> list[dict[str, Any]]:
    return counted(parse(query), events(table).to_pylist(), **{**BINDING, **binding})


ANY = "PATTERN SEQ(A+ a[], B b) "
ALL_SEVEN = ["1; 4", "1 2; 4", "1 2 3; 4", "1 3; 4", "2; 4", "2 3; 4", "3; 4"]


@pytest.mark.parametrize(
    ("emission", "expected"),
    [
        ("EMIT ALL", ALL_SEVEN),
        ("EMIT COMPRESSED", ALL_SEVEN),
        ("EMIT FIRST 1", ALL_SEVEN[:1]),
        ("EMIT FIRST 3", ALL_SEVEN[:3]),
        ("EMIT FIRST 9", ALL_SEVEN),
        ("EMIT LONGEST", ["1 2 3; 4"]),
    ],
)
def test_seven_ways_to_one_event(emission: str, expected: list[str]) -> None:
    assert chosen(ANY + emission, RISING) == expected


def test_seven_are_counted() -> None:
    assert numbers(ANY + "EMIT COUNT", RISING) == [{"time": 4, "count": 7}]


@pytest.mark.parametrize(
    ("emission", "expected"),
    [
        ("EMIT FIRST 2", ["1; 4", "1 2; 4", "1; 5", "1 2; 5"]),
        ("EMIT LONGEST", ["1 2 3; 4", "1 2 3; 5"]),
        ("EMIT NON OVERLAPPING", ["1; 4"]),
    ],
)
def test_each_completing_event_has_its_own(emission: str, expected: list[str]) -> None:
    assert chosen(ANY + emission, TWO_ENDS) == expected


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("skip_till_any_match", [(4, 7), (5, 7)]),
        ("skip_till_next_match", [(4, 3), (5, 3)]),
        ("strict_contiguity", [(4, 3)]),
        ("partition_contiguity", [(4, 3)]),
    ],
)
def test_counts_under_each_strategy(strategy: str, expected: list[tuple[int, int]]) -> None:
    found = numbers(f"PATTERN SEQ(A+ a[], B b) WHERE {strategy} {{ a[1].k = 1 }} EMIT COUNT", TWO_ENDS)
    assert [(row["time"], row["count"]) for row in found] == expected


def test_of_several_longest_the_first_in_the_order_of_output() -> None:
    assert chosen("PATTERN SEQ(A{1,2} a[], B b) EMIT LONGEST", RISING) == ["1 2; 4"]
    shorter_first = "PATTERN OR(SEQ(A? a, A{2,2} b[], B c), SEQ(A d, B e)) EMIT LONGEST"
    assert chosen(shorter_first, RISING) == ["1; 2 3; 4; ; "]


def test_every_event_that_ends_a_kleene_variable_completes() -> None:
    assert numbers("PATTERN A+ a[] EMIT COUNT", RISING) == [
        {"time": 1, "count": 1},
        {"time": 2, "count": 2},
        {"time": 3, "count": 4},
    ]
    assert chosen("PATTERN A+ a[] EMIT LONGEST", RISING) == ["1", "1 2", "1 2 3"]
    assert chosen("PATTERN A+ a[] EMIT FIRST 2", RISING) == ["1", "1 2", "2", "1 2 3", "1 3"]


def test_one_last_event_of_several_windows_that_close() -> None:
    """A1 and A1 A2 are certain at 6, A2 at 7; the first two have different last events."""
    query = "PATTERN SEQ(A+ a[], ~B b) WITHIN 5 "
    table = "id time type\n1 1 A\n2 2 A"
    one_each = [{"time": 1, "count": 1}, {"time": 2, "count": 1}, {"time": 2, "count": 1}]
    assert numbers(query + "EMIT COUNT", table) == one_each
    for emission in ("EMIT ALL", "EMIT FIRST 1", "EMIT LONGEST", "EMIT COMPRESSED"):
        assert chosen(query + emission, table) == ["1", "1 2", "2"]


def test_without_a_window_everything_closes_at_the_end() -> None:
    query = "PATTERN SEQ(A+ a[], ~B b) "
    table = "id time type\n1 1 A\n2 2 A"
    assert numbers(query + "EMIT COUNT", table) == [{"time": 1, "count": 1}, {"time": 2, "count": 2}]
    assert chosen(query + "EMIT LONGEST", table) == ["1", "1 2"]


def test_groups_of_one_closing_window_come_by_their_last_event() -> None:
    """All is certain at 11. EMIT ALL goes by the events, variable by variable, and so mixes the groups."""
    query = "PATTERN SEQ(A a, B+ b[], D d, ~C c) WITHIN 10 "
    table = "id time type\n1 1 A\n2 2 B\n3 3 B\n4 4 D\n5 5 D"
    assert numbers(query + "EMIT COUNT", table) == [{"time": 4, "count": 3}, {"time": 5, "count": 3}]
    assert chosen(query + "EMIT FIRST 1", table) == ["1; 2; 4", "1; 2; 5"]
    assert chosen(query + "EMIT FIRST 2", table) == ["1; 2; 4", "1; 2; 5", "1; 2 3; 4", "1; 2 3; 5"]
    assert chosen(query + "EMIT LONGEST", table) == ["1; 2 3; 4", "1; 2 3; 5"]


def test_absence_is_judged_before_anything_is_chosen() -> None:
    query = "PATTERN SEQ(A+ a[], ~B u, B b) "
    assert chosen(query + "EMIT LONGEST", TWO_ENDS) == ["1 2 3; 4"]
    assert numbers(query + "EMIT COUNT", TWO_ENDS) == [{"time": 4, "count": 7}]


PARTITIONS = """
    id ts type k g
    1  1  A    1 p
    2  2  A    2 p
    3  3  A    1 p
    4  4  B    1 p
    5  4  B    2 p
    6  5  B    null p
"""


def test_a_count_has_the_keys_of_its_partition() -> None:
    found = numbers("PATTERN SEQ(A+ a[], B b) WHERE [k, g] AND [k] EMIT COUNT", PARTITIONS, time="ts")
    assert [list(row.items()) for row in found] == [
        [("time", 4), ("k", 1), ("g", "p"), ("count", 3)],
        [("time", 4), ("k", 2), ("g", "p"), ("count", 1)],
    ]


def test_keys_that_are_named_like_the_other_columns_are_left_out() -> None:
    table = "id time type count kind\n1 1 A 5 x\n2 1 A 5 x\n3 2 A 5 x"
    found = numbers("PATTERN SEQ(A a, A b) WHERE [count, time, type] EMIT COUNT", table, type="kind")
    assert found == []
    found = numbers("PATTERN SEQ(ANY a, ANY b) WHERE [count, time, type] EMIT COUNT", table, type="kind")
    assert found == [{"time": 1, "type": "A", "count": 1}]
    renamed = "id ts kind\n1 1 A\n2 2 A\n3 3 B"
    found = numbers("PATTERN SEQ(ANY a, ANY b) WHERE [type] EMIT COUNT", renamed, time="ts", type="kind")
    assert found == [{"time": 2, "type": "A", "count": 1}]


def test_a_group_has_its_rows_and_its_paths() -> None:
    query = parse("PATTERN SEQ(A{2,2} a[], B b) RETURN a.len AS n, a[1].id AS first EMIT COMPRESSED")
    (group,) = completed(query, events(RISING).to_pylist(), **BINDING)
    assert group.head == {"time": 4, "count": 3}
    assert group.rows == [{"n": 2, "first": 1}, {"n": 2, "first": 1}, {"n": 2, "first": 2}]
    assert group.paths == [
        (("a", 0), ("a", 1), ("b", 3)),
        (("a", 0), ("a", 2), ("b", 3)),
        (("a", 1), ("a", 2), ("b", 3)),
    ]


# -- a second definition: without absences, matches belong together that have one last event -------


def _by_last_event(case: Case) -> list[list[tuple[tuple[tuple[int, ...], ...], dict[str, Any]]]]:
    """The groups of EMIT ALL, each match as its stream positions by variable, with its row."""
    query = replace(parse(case.query_text), emit=Emit())
    given = {"type": None, "order": (), "time_unit": None, **case.binding}
    place = {index: at for at, index in enumerate(Stream(case.events, query.keys, **given).index)}

    def positions(bound: Any) -> tuple[int, ...]:
        return tuple(place[i] for i in (bound if isinstance(bound, tuple) else (bound,)) if i is not None)

    taken = [
        tuple(map(positions, match.bindings.values()))
        for match in matches(query, case.events, **case.binding)
    ]
    groups: dict[int, list[Any]] = {}
    for match, row in zip(taken, rows(query, case.events, **case.binding), strict=True):
        groups.setdefault(max(p for bound in match for p in bound), []).append((match, row))
    assert list(groups) == sorted(groups)
    return [sorted(group, key=lambda pair: pair[0]) for group in groups.values()]


def _length(pair: tuple[tuple[tuple[int, ...], ...], Any]) -> int:
    return sum(map(len, pair[0]))


@pytest.mark.slow
def test_every_mode_of_random_cases() -> None:
    compared = 0
    for seed in range(700):
        case = random_case(random.Random(f"emit-{seed}"))
        query = parse(case.query_text)
        if any(isinstance(atom, Absent) for atom in atoms(query.pattern)):
            continue
        groups = _by_last_event(case)

        def found(mode: EmitMode, count: int | None = None, query: Any = query, case: Case = case) -> str:
            return repr(rows(replace(query, emit=Emit(mode, count)), case.events, **case.binding))

        for most in (1, 2, 3):
            first = [row for group in groups for _, row in group[:most]]
            assert found(EmitMode.FIRST, most) == repr(first), case
        longest = [
            next(row for match, row in group if _length((match, row)) == max(map(_length, group)))
            for group in groups
        ]
        assert found(EmitMode.LONGEST) == repr(longest), case
        counts = [row["count"] for row in counted(query, case.events, **case.binding)]
        assert counts == [len(group) for group in groups], case
        compared += len(groups) > 0
    assert compared > 200
