"""The judge is judged: by a second definition, by hand, and by every scenario."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

from cepheid.language.sase.parse import parse
from cepheid.pattern.durations import parse_duration
from cepheid.pattern.nodes import (
    Absent,
    Choice,
    Kleene,
    Optional,
    Pattern,
    Seq,
    Single,
    Within,
    atoms,
    walk,
)
from cepheid.pattern.query import Emit, EmitMode, PatternQuery, Strategy
from cepheid.testing import Scenario, compare_aggregates, compare_matches, compare_rows, scenario
from cepheid.time import Window
from tests.cases import random_case
from tests.oracle import aggregates, counted, matches, profile_rows, rows
from tests.oracle.conditions import conjunct
from tests.oracle.stream import Stream, clock_of

SCENARIOS = [
    item
    for path in sorted((Path(__file__).parents[1] / "scenarios").glob("*.scn"))
    for item in scenario(path)
]
JUDGED = [item for item in SCENARIOS if not item.errors]


@pytest.mark.parametrize("item", JUDGED, ids=str)
def test_the_oracle_confirms_every_scenario(item: Scenario) -> None:
    given = [event for event in item.events.to_pylist() if str(event["id"]) not in item.late]
    query = parse(item.query)
    if item.profile is not None:
        _confirm_profile(item, given)
        return
    if item.is_counted:
        compare_aggregates(counted(query, given, **item.binding), item.rows or ())
        return
    if item.is_aggregate:
        compare_aggregates(aggregates(query, given, **item.binding), item.rows or ())
        return
    if item.rows is not None:
        compare_rows(rows(query, given, **item.binding), item.rows)
        return
    found = [_labelled(row) for row in rows(query, given, **item.binding)]
    compare_matches(found, item.matches or (), ordered=not item.is_session)


def _confirm_profile(item: Scenario, given: list[dict[str, Any]]) -> None:
    terms = dict(item.profile or {})
    if terms.get("once", "ever") != "ever":
        terms["once"] = parse_duration(terms["once"])
    passed = [clock_of(step.watermark) for step in item.steps if step.kind == "watermark"]
    found = profile_rows(parse(item.query), given, **terms, until=max(passed, default=None), **item.binding)
    if item.rows is not None:
        compare_rows(found, item.rows)
    else:
        compare_matches([_labelled(row) for row in found], item.matches or ())


def _labelled(row: dict[str, Any]) -> dict[str, Any]:
    def label(bound: Any) -> Any:
        return [event["id"] for event in bound] if isinstance(bound, list) else bound["id"]

    return {v: None if bound is None else label(bound) for v, bound in row.items()}


def test_there_are_enough_scenarios_and_no_title_twice() -> None:
    titles = [(item.source, item.title) for item in SCENARIOS]
    assert len(titles) >= 100
    assert len(set(titles)) == len(titles)


# -- a second definition: all combinations of events that satisfy everything -----------------------

Positions = dict[str, tuple[int, ...]]


@pytest.mark.slow
def test_the_automaton_finds_all_combinations() -> None:
    """A match is any combination of events, in order, that satisfies the query; contiguity allows no gaps."""
    compared = found = 0
    for seed in range(2000):
        case = random_case(random.Random(seed))
        query = replace(parse(case.query_text), emit=Emit())
        if len(case.events) > 8 or query.strategy is Strategy.NEXT:
            continue
        stream = Stream(
            case.events, query.keys, **{"type": None, "order": (), "time_unit": None, **case.binding}
        )
        expected = [taken for taken in _combinations(query, stream) if _satisfies(query, stream, taken)]
        got = [match.bindings for match in matches(query, case.events, **case.binding)]
        assert sorted(_events_of(bindings) for bindings in got) == sorted(
            [(v, [stream.index[p] for p in taken[v]]) for v in _positive(query) if taken.get(v)]
            for taken in expected
        ), case
        compared, found = compared + 1, found + bool(got)
    assert compared > 350
    assert found > 150


def _positive(query: PatternQuery) -> list[str]:
    return [atom.variable for atom in atoms(query.pattern) if not isinstance(atom, Absent)]


def _events_of(bindings: Any) -> list[tuple[str, list[int]]]:
    tuples = {v: bound if isinstance(bound, tuple) else (bound,) for v, bound in bindings.items()}
    return [(v, list(bound)) for v, bound in tuples.items() if bound and bound != (None,)]


def _combinations(query: PatternQuery, stream: Stream) -> Iterator[Positions]:
    for selection in _selections(query.pattern, len(stream)):
        for positions in combinations(range(len(stream)), len(selection)):
            taken: Positions = {}
            for variable, position in zip(selection, positions, strict=True):
                taken[variable] = (*taken.get(variable, ()), position)
            yield taken


def _selections(node: Any, longest: int) -> set[tuple[str, ...]]:
    """Every way to choose which variables have events, and how many, in order."""
    match node:
        case Single(variable=v):
            return {(v,)}
        case Optional(variable=v):
            return {(v,), ()}
        case Kleene(variable=v, least=least, most=most):
            return {(v,) * count for count in range(least, (longest if most is None else most) + 1)}
        case Absent():
            return {()}
        case Within(part=part):
            return _selections(part, longest)
        case Choice(parts=parts):
            return {selection for part in parts for selection in _selections(part, longest)}
        case Seq(parts=parts):
            ways = product(*(_selections(part, longest) for part in parts))
            return {sum(way, ()) for way in ways if sum(map(len, way)) <= longest}
        case _:
            raise AssertionError(node)


def _satisfies(query: PatternQuery, stream: Stream, taken: Positions) -> bool:
    declared = {atom.variable: atom for atom in atoms(query.pattern)}
    positions = [p for group in taken.values() for p in group]
    first, last = positions[0], positions[-1]
    bound = {v: tuple(stream.events[p] for p in group) for v, group in taken.items()}
    tests = [conjunct(item) for item in query.conjuncts]
    negated = [v for v, atom in declared.items() if isinstance(atom, Absent)]

    def is_of(variable: str, position: int) -> bool:
        atom = declared[variable]
        return atom.type in (None, stream.types[position]) or (atom.bare and not stream.has_types)

    def around(variable: str) -> list[tuple[Window, list[int]]]:
        parts = [(query.window, query.pattern), *((w.window, w.part) for w in _windows(query.pattern))]
        return [
            (window, [p for atom in inside for p in taken.get(atom.variable, ())])
            for window, inside in ((window, atoms(part)) for window, part in parts)
            if window and variable in {atom.variable for atom in inside}
            if any(atom.variable in taken for atom in inside)
        ]

    def forbidden(variable: str) -> bool:
        names = list(declared)
        before = [p for v in names[: names.index(variable)] for p in taken.get(v, ())]
        after = [p for v in names[names.index(variable) :] for p in taken.get(v, ())]
        return any(
            is_of(variable, p)
            and stream.keys[p] == stream.keys[first]
            and all(t.holds({**bound, variable: (stream.events[p],)}) for t in tests if variable in t.names)
            and (before or all(stream.spans(window, p, max(group)) for window, group in around(variable)))
            and (after or all(stream.spans(window, min(group), p) for window, group in around(variable)))
            for p in range(max(before) + 1 if before else 0, min(after) if after else len(stream))
        )

    return (
        all(is_of(v, p) for v, group in taken.items() for p in group)
        and None not in {stream.keys[p] for p in positions}
        and len({stream.keys[p] for p in positions}) == 1
        and not _has_gaps(query, stream, positions)
        and (query.window is None or stream.spans(query.window, first, last))
        and all(_fits(stream, node, taken) for node in _windows(query.pattern))
        and all(test.holds(bound) for test in tests if not test.names & set(negated))
        and not any(forbidden(v) for v in negated if _branch_is_taken(query.pattern, v, taken))
    )


def _has_gaps(query: PatternQuery, stream: Stream, positions: list[int]) -> bool:
    if query.strategy is Strategy.ANY:
        return False
    is_partitioned = query.strategy is Strategy.PARTITION
    measure = stream.ordinals if is_partitioned else range(len(stream))
    return measure[positions[-1]] - measure[positions[0]] != len(positions) - 1


def _windows(pattern: Pattern) -> list[Within]:
    return [node for node in walk(pattern) if isinstance(node, Within)]


def _fits(stream: Stream, node: Within, taken: Positions) -> bool:
    inside = [p for atom in atoms(node.part) for p in taken.get(atom.variable, ())]
    return not inside or stream.spans(node.window, min(inside), max(inside))


def _branch_is_taken(pattern: Any, variable: str, taken: Positions) -> bool:
    branches = [part for node in walk(pattern) if isinstance(node, Choice) for part in node.parts]
    around = [part for part in branches if variable in {atom.variable for atom in atoms(part)}]
    return all(any(atom.variable in taken for atom in atoms(part)) for part in around)


def test_random_cases_are_not_trivial() -> None:
    """Half of the cases have a match, and each kind of quantifier, strategy and EMIT occurs."""
    cases = [random_case(random.Random(seed)) for seed in range(600)]
    queries = [parse(case.query_text) for case in cases]
    hits = sum(bool(matches(q, case.events, **case.binding)) for q, case in zip(queries, cases, strict=True))
    assert hits > 300
    assert {query.strategy for query in queries} == set(Strategy)
    of_aggregates = {EmitMode.ON_CLOSE, EmitMode.ON_RISE, EmitMode.EVERY}
    assert {query.emit.mode for query in queries} == set(EmitMode) - of_aggregates
    kinds = {type(atom) for query in queries for atom in atoms(query.pattern)}
    assert kinds == {Single, Optional, Kleene, Absent}
