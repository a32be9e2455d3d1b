"""The judge of AGG is judged: by a second definition, by closed forms, and by a second way to count."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from math import comb
from typing import Any

import pytest

import cepheid
from cepheid import expressions as ex
from cepheid.errors import UnsupportedError
from cepheid.events import bind
from cepheid.language.sase.parse import parse
from cepheid.pattern.nodes import (
    Absent,
    Atom,
    Choice,
    Conjunction,
    Kleene,
    Optional,
    Pattern,
    Seq,
    Single,
    Within,
    atoms,
)
from cepheid.pattern.query import Emit, EmitMode, PatternQuery
from cepheid.testing import compare_aggregates
from tests.cases import AggregateCase, random_aggregate_case, random_and_aggregate_case
from tests.oracle import aggregates, counts, matches
from tests.oracle.counting import is_countable
from tests.oracle.stream import Stream
from tests.oracle.zones import inward, outward

Row = dict[str, Any]

# -- a second definition: from the matches of a query without AGG, over what has been seen so far --


class Prefixes:
    """The matches of each beginning of a stream, and what there is to say of them."""

    def __init__(self, case: AggregateCase) -> None:
        self.query = parse(case.query_text)
        assert self.query.aggregation is not None
        self.items, self.groups = self.query.aggregation.items, self.query.aggregation.group_by
        self.binding = case.binding
        options = {"type": None, "order": (), "time_unit": None, **case.binding}
        self.stream = Stream(case.events, self.query.keys, **options)
        self.events = [case.events[i] for i in self.stream.index]

    def rows(self) -> list[Row]:
        mode = self.query.emit.mode
        if mode is EmitMode.ON_CLOSE:
            return list(self.grouped(None, self.found(len(self.events))))
        if mode is EmitMode.EVERY:
            return [row for seen, now in self.multiples() for row in self.grouped(now, self.begun(seen, now))]
        return [self.at_event(position) for position in range(len(self.events)) if self.has_row(position)]

    def at_event(self, position: int) -> Row:
        own = self.group(position)
        begun = self.begun(position + 1, self.stream.clock[position])
        members = [match for match in begun if repr(self.group(max(_events(match)))) == repr(own)]
        return self.row(self.events[position]["time"], own, members)

    def found(self, seen: int) -> list[dict[str, Any]]:
        plain = replace(self.query, aggregation=None, emit=Emit())
        found = matches(plain, self.events[:seen], **self.binding)
        return sorted((dict(match.bindings) for match in found), key=lambda match: max(_events(match)))

    def begun(self, seen: int, now: Any) -> list[dict[str, Any]]:
        """Those that began in the window that ends now."""
        window, keys = self.query.window, self.stream.keys
        if window is None:
            return self.found(seen)
        if isinstance(window.length, int):
            sizes = {p: keys[p:seen].count(keys[p]) for p in range(seen)}
            return [match for match in self.found(seen) if sizes[min(_events(match))] <= window.length]
        length = self.stream.ticks(window.length)
        ages = {p: now - self.stream.clock[p] for p in range(seen)}
        inside = {p for p, age in ages.items() if (age < length if window.half_open else age <= length)}
        return [match for match in self.found(seen) if min(_events(match)) in inside]

    def multiples(self) -> Iterator[tuple[int, Any]]:
        """Every multiple of the period, from below the stream to above it, that is not outside."""
        assert self.query.emit.period is not None
        clock, step = self.stream.clock, self.stream.ticks(self.query.emit.period)
        if not clock:
            return
        at = Fraction(clock[0]) // step * step
        while at < clock[0]:
            at += step
        while True:
            yield sum(time <= at for time in clock), at
            if at >= clock[-1]:
                return
            at += step

    def grouped(self, now: Any, found: list[dict[str, Any]]) -> Iterator[Row]:
        groups = list(
            {repr(self.group(max(_events(m)))): self.group(max(_events(m))) for m in found}.values()
        )
        for own in groups if self.groups else [()]:
            members = [match for match in found if repr(self.group(max(_events(match)))) == repr(own)]
            last = max((max(_events(match)) for match in members), default=None)
            at_last = None if last is None else self.events[last]["time"]
            yield self.row(at_last if now is None else now, own, members)

    def group(self, position: int) -> tuple[Any, ...]:
        return tuple(self.stream.events[position].get(name) for name in self.groups)

    def row(self, time: Any, own: tuple[Any, ...], members: list[dict[str, Any]]) -> Row:
        row = {"time": time, **dict(zip(self.groups, own, strict=True))}
        for item in self.items:
            if item.argument is None:
                row[item.name or "count"] = len(members)
            elif isinstance(item.argument, ex.Attribute):
                variable, column = item.argument.variable, item.argument.name
                bound = [_listed(match[variable]) for match in members]
                cells = [self.stream.events[p].get(column) for positions in bound for p in positions]
                name = item.name or f"{item.function}_{variable}_{column}"
                row[name] = _aggregated(item.function, [cell for cell in cells if cell is not None])
        return row

    # -- which events have a row -------------------------------------------------------------------

    def has_row(self, position: int) -> bool:
        return any(self.is_match(self.alone(v), position) for v in self.last_variables())

    def is_match(self, query: PatternQuery, position: int) -> bool:
        return bool(matches(query, [self.events[position]], **self.binding))

    def alone(self, variable: str) -> PatternQuery:
        """A query for one event of this variable, with what is said of such an event by itself."""
        atom = next(atom for atom in atoms(self.query.pattern) if atom.variable == variable)
        is_kleene = isinstance(atom, Kleene)
        one = Kleene(atom.type, variable) if is_kleene else Single(atom.type, variable, bare=atom.bare)
        own = tuple(
            test
            for test in self.query.conjuncts
            if ex.variables(test) == {variable} and not _names_several(test)
        )
        return PatternQuery(one, equivalences=self.query.equivalences, conjuncts=own)

    def last_variables(self) -> set[str]:
        """Those that some order of events ends with, if what should be absent were there."""
        negated = {atom.variable for atom in atoms(self.query.pattern) if isinstance(atom, Absent)}
        return {order[-1] for order in _orders(self.query.pattern) if {*order} - negated}


def _orders(node: Pattern) -> set[tuple[str, ...]]:
    """In which orders the variables of a part may have their last events, negated ones as if optional."""
    match node:
        case Absent(variable=v) | Optional(variable=v) | Kleene(variable=v, least=0):
            return {(v,), ()}
        case Atom(variable=v):
            return {(v,)}
        case Choice(parts=parts):
            return {order for part in parts for order in _orders(part)}
        case Within(part=part):
            return _orders(part)
        case Seq(parts=parts):
            return {sum(way, ()) for way in product(*map(_orders, parts))}
        case Conjunction(parts=parts):
            return {mixed for way in product(*map(_orders, parts)) for mixed in _mixed(way)}
        case _:
            raise AssertionError(node)


def _mixed(way: tuple[tuple[str, ...], ...]) -> Iterator[tuple[str, ...]]:
    """All orders that keep that of each part."""
    if not any(way):
        yield ()
    for place, part in enumerate(way):
        if part:
            rest = (*way[:place], part[1:], *way[place + 1 :])
            yield from ((part[0], *more) for more in _mixed(rest))


def _names_several(test: ex.Expression) -> bool:
    alone = {ex.Index.ONLY, ex.Index.CURRENT}
    return any(
        isinstance(node, ex.Aggregate | ex.Length)
        or (isinstance(node, ex.Attribute) and node.index not in alone)
        for node in ex.walk(test)
    )


def _listed(bound: Any) -> tuple[int, ...]:
    return bound if isinstance(bound, tuple) else () if bound is None else (bound,)


def _events(match: dict[str, Any]) -> list[int]:
    return [position for bound in match.values() for position in _listed(bound)]


def _aggregated(function: str, cells: list[Any]) -> Any:
    if not cells:
        return None
    if any(isinstance(cell, float) and math.isnan(cell) for cell in cells):
        return math.nan
    if function in ("min", "max"):
        return outward({"min": min, "max": max}[function](map(inward, cells)))
    return sum(cells) if function == "sum" else sum(cells) / len(cells)


def _without_having(query: PatternQuery) -> PatternQuery:
    """The query with all its rows."""
    assert query.aggregation is not None
    emit = Emit() if query.emit.mode is EmitMode.ON_RISE else query.emit
    return replace(query, aggregation=replace(query.aggregation, having=None), emit=emit)


@pytest.mark.slow
@pytest.mark.parametrize("draw", [random_aggregate_case, random_and_aggregate_case], ids=["SEQ", "AND"])
def test_rows_are_those_of_the_matches_so_far(draw: Callable[[random.Random], AggregateCase]) -> None:
    compared = found = 0
    for seed in range(600):
        case = draw(random.Random(f"second-{seed}"))
        if case.is_long or len(case.events) > 11:
            continue
        query = _without_having(parse(case.query_text))
        expected = Prefixes(case).rows()
        got = aggregates(query, case.events, **case.binding)
        names = {name for row in expected for name in row}
        got = [{name: cell for name, cell in row.items() if name in names} for row in got]
        if query.emit.mode is EmitMode.EVERY:
            got, expected = _without_time(got), _without_time(expected)
        try:
            compare_aggregates(got, expected)
        except AssertionError as error:
            error.add_note(str(case))
            raise
        compared, found = compared + 1, found + any(row.get("count") or row.get("n") for row in expected)
    assert compared > 200
    assert found > 80


def _without_time(rows: list[Row]) -> list[Row]:
    return [{name: cell for name, cell in row.items() if name != "time"} for row in rows]


# -- counting --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_counting_agrees_with_listing() -> None:
    compared = 0
    for seed in range(500):
        case = random_aggregate_case(random.Random(f"counting-{seed}"))
        query = parse(case.query_text)
        if not case.is_long and is_countable(query):
            expected = aggregates(query, case.events, **case.binding)
            compare_aggregates(counts(query, case.events, **case.binding), expected)
            compared += 1
    assert compared > 120


def _stream_of(types: str) -> list[Row]:
    return [{"time": time, "type": kind, "x": time % 7, "k": 1} for time, kind in enumerate(types)]


def _last(text: str, types: str) -> Row:
    return counts(parse(text), _stream_of(types), time="time", type="type")[-1]


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 5, 64, 120])
def test_closed_forms(size: int) -> None:
    """Subsets, combinations, and the sums over them."""
    total = sum(event["x"] for event in _stream_of("A" * size))
    row = _last("PATTERN A+ a[] AGG COUNT, SUM(a.x)", "A" * size)
    assert row == {"time": size - 1, "count": 2**size - 1, "sum_a_x": total * 2 ** (size - 1)}
    names = ", ".join(f"A v{i}" for i in range(8))
    assert _last(f"PATTERN SEQ({names}) AGG COUNT", "A" * size)["count"] == comb(size, 8)
    assert _last("PATTERN SEQ(A+ a[], B b) AGG COUNT", "A" * size + "BB")["count"] == 2 * (2**size - 1)
    both = _last("PATTERN SEQ(A+ a[], B+ b[]) AGG COUNT", "A" * size + "B" * size)
    assert both["count"] == (2**size - 1) ** 2


@pytest.mark.slow
def test_closed_forms_with_a_window_and_an_absence() -> None:
    windowed = _last("PATTERN A+ a[] AGG COUNT WITHIN 80 EVENTS", "A" * 200)
    assert windowed["count"] == 2**80 - 1
    half_open = _last("PATTERN A+ a[] AGG COUNT WITHIN < 70", "A" * 200)
    assert half_open["count"] == 2**70 - 1
    kept = _last("PATTERN SEQ(A+ a[], ~C u, B b) AGG COUNT", "A" * 70 + "C" + "A" * 3 + "B")
    assert kept["count"] == 2**70 * (2**3 - 1)


# -- random cases ----------------------------------------------------------------------------------


def test_random_cases_of_aggregates_are_not_trivial() -> None:
    """Most of them count something, some past 64 bits, and everything that AGG can say occurs."""
    cases = [random_aggregate_case(random.Random(f"trivial-{seed}")) for seed in range(700)]
    queries = [parse(case.query_text) for case in cases]
    found = [
        aggregates(query, case.events, **case.binding)
        for query, case in zip(queries, cases, strict=True)
        if not case.is_long
    ]
    assert sum(any(row.get("count", row.get("n")) for row in rows) for rows in found) > 0.5 * len(found)
    assert sum(case.is_long for case in cases) > 15
    assert {query.emit.mode for query in queries} == {
        EmitMode.ALL,
        EmitMode.ON_CLOSE,
        EmitMode.ON_RISE,
        EmitMode.EVERY,
    }
    atom_kinds = {type(atom) for query in queries for atom in atoms(query.pattern)}
    assert atom_kinds == {Single, Optional, Kleene, Absent}
    assert any(isinstance(query.pattern, Choice) for query in queries)
    items = [item for query in queries for item in (query.aggregation and query.aggregation.items) or ()]
    assert {item.function for item in items} == {"count", "sum", "avg", "min", "max"}


@pytest.mark.slow
def test_long_cases_pass_64_bits() -> None:
    drawn = (random_aggregate_case(random.Random(f"long-{seed}")) for seed in range(300))
    cases = [case for case in drawn if case.is_long][:8]
    queries = [parse(case.query_text) for case in cases]
    assert all(map(is_countable, queries))
    rows = [counts(query, case.events, **case.binding) for query, case in zip(queries, cases, strict=True)]
    sizes: list[Any] = [[row.get("count", row.get("n", 0)) for row in one] for one in rows]
    assert sum(max(one, default=0) >= 2**63 for one in sizes) >= 2


def test_random_cases_of_aggregates_fit_their_streams() -> None:
    """No engine need run them, but nothing else may be wrong with them."""
    for seed in range(150):
        case = random_aggregate_case(random.Random(f"valid-{seed}"))
        with suppress(UnsupportedError):
            cepheid.query(case.query_text).plan(
                bind(case.table.schema, **{"type": None, "order": (), "time_unit": None, **case.binding})
            )
        assert len(case.table) == len(case.events)
        assert all(a <= b for a, b in pairwise(case.cuts))
