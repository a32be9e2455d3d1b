"""The five laws, for every engine: truth, splitting, resumption, silence and order.

Random queries over random streams; the oracle is the judge of truth, and a whole run of the others.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given

import cepheid
from cepheid.language.sase.parse import parse
from cepheid.matches import Matches
from cepheid.pattern.nodes import Absent, atoms
from cepheid.runners.stream import feed as feeding
from tests.cases import Case, cases
from tests.laws.verdict import COUNTED, listed, verdict

ENGINES = ["nfa"]

for_every_engine = pytest.mark.parametrize("engine", ENGINES)


def whole(case: Case, engine: str) -> Matches:
    return cepheid.query(case.query_text).using(engine).run(case.table, **case.binding)


def as_session(case: Case, engine: str) -> tuple[cepheid.Query, Any] | None:
    """A session that finds nothing late and orders events as a whole run does, if the case allows one."""
    if case.lateness is None or not case.has_window:
        return None
    query = cepheid.query(case.query_text).using(engine)
    return query, query.session(case.table.schema, **case.binding, lateness=case.lateness)


def pieces(case: Case, edges: list[int]) -> Iterator[pa.Table]:
    for start, stop in itertools.pairwise(edges):
        yield case.table.slice(start, stop - start)


def one_by_one(case: Case) -> list[int]:
    return list(range(len(case.events) + 1))


# -- truth -----------------------------------------------------------------------------------------


@for_every_engine
@given(case=cases())
def test_truth(engine: str, case: Case) -> None:
    verdict(case).check(whole(case, engine).table)


# -- splitting -------------------------------------------------------------------------------------


@for_every_engine
@given(case=cases())
def test_splitting_a_session(engine: str, case: Case) -> None:
    expected = Counter(listed(whole(case, engine).table))
    for edges in ([0, *case.cuts, len(case.events)], one_by_one(case)):
        opened = as_session(case, engine)
        if opened is None:
            return
        session = opened[1]
        found = [session.push(piece) for piece in pieces(case, edges)]
        found.append(session.close())
        assert Counter(listed(pa.concat_tables(found))) == expected
        assert session.stats["late"] == 0


@for_every_engine
@given(case=cases())
def test_splitting_a_table(engine: str, case: Case) -> None:
    expected = whole(case, engine).table
    for size in (1, 3):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(feeding, "SLICE", size)
            assert listed(whole(case, engine).table) == listed(expected)
    chunked = pa.concat_tables([case.table.schema.empty_table(), *pieces(case, one_by_one(case))])
    again = cepheid.query(case.query_text).using(engine).run(chunked, **case.binding)
    assert listed(again.table) == listed(expected)


# -- resumption ------------------------------------------------------------------------------------


@for_every_engine
@given(case=cases())
def test_resumption(engine: str, case: Case) -> None:
    opened = as_session(case, engine)
    if opened is None:
        return
    query, session = opened
    found = []
    for piece in pieces(case, one_by_one(case)):
        session = cepheid.resume(query, session.snapshot())
        found.append(session.push(piece))
    session = cepheid.resume(query, session.snapshot())
    found.append(session.close())
    assert Counter(listed(pa.concat_tables(found))) == Counter(listed(whole(case, engine).table))


# -- silence ---------------------------------------------------------------------------------------


@for_every_engine
@given(case=cases())
def test_silence(engine: str, case: Case) -> None:
    opened = as_session(case, engine)
    if opened is None:
        return
    session = opened[1]
    for piece in pieces(case, one_by_one(case)):
        session.push(piece)
        assert session.push(case.table.slice(0, 0)).num_rows == 0
        if case.time_kind != "timestamp":
            assert session.advance(session.watermark).num_rows == 0


# -- order -----------------------------------------------------------------------------------------


@for_every_engine
@given(case=cases())
def test_order_of_a_session(engine: str, case: Case) -> None:
    """Fed one event at a time, a session gives matches as they complete: in the order of a whole run."""
    opened = as_session(case, engine)
    if opened is None or case.lateness != 0:
        return
    session = opened[1]
    found = [session.push(piece) for piece in pieces(case, one_by_one(case))]
    found.append(session.close())
    assert listed(pa.concat_tables(found)) == listed(whole(case, engine).table)


@for_every_engine
@given(case=cases())
def test_order_of_a_run(engine: str, case: Case) -> None:
    """By the completing event, then by the events, variable by variable."""
    tree = replace(parse(case.query_text), returns=None)
    if tree.emit.mode in COUNTED or any(isinstance(atom, Absent) for atom in atoms(tree.pattern)):
        return  # no rows of matches, or they may complete by time alone: the truth law says when
    table, binding = _with_place(case)
    found = cepheid.query(tree).using(engine).run(table, **binding)
    ranks = [_rank(row) for row in found]
    assert ranks == sorted(ranks)


def _rank(row: dict[str, Any]) -> tuple[int, list[tuple[int, ...]]]:
    taken = []
    for variable, bound in row.items():
        if variable != "match_id":
            events = [] if bound is None else bound if isinstance(bound, list) else [bound]
            taken.append(tuple(event["place"] for event in events))
    return max(place for places in taken for place in places), taken


@for_every_engine
@given(case=cases())
def test_arrival_means_nothing_where_tie_breakers_are_total(engine: str, case: Case) -> None:
    table, binding = _with_place(case)
    order = list(range(table.num_rows))
    random.Random(str(case)).shuffle(order)
    query = cepheid.query(case.query_text).using(engine)
    mixed = query.run(table.take(pa.array(order, pa.int64())), **binding)
    assert listed(mixed.table) == listed(query.run(table, **binding).table)


def _with_place(case: Case) -> tuple[pa.Table, dict[str, Any]]:
    """The events with their place in the stream, which breaks all ties."""
    ties = case.binding.get("order", ())

    def rank(index: int) -> Any:
        event = case.events[index]
        known = event["time"] is not None and event["time"] == event["time"]
        return (event["time"], *(event[name] for name in ties), index) if known else None

    timed = sorted((r, i) for i in range(len(case.events)) if (r := rank(i)) is not None)
    places = [len(timed)] * len(case.events)
    for place, (_, index) in enumerate(timed):
        places[index] = place
    table = case.table.append_column("place", pa.array(places, pa.int64()))
    return table, {**case.binding, "order": ["place"]}
