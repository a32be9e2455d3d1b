"""The five laws, each a function that fails unless it holds for a case that is run in some way.

The oracle is the judge of truth, and a whole run of the others.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import QueryCheckError
from cepheid.language.sase.parse import parse
from cepheid.pattern.nodes import Absent, atoms
from cepheid.runners.stream import feed as feeding
from tests.cases import Case
from tests.cases.times import instant
from tests.laws.verdict import COUNTED, MatchVerdict, Verdict, agree, verdict, with_all
from tests.laws.ways import Way

MOST_PIECES = 30


def whole(way: Way, case: Case, table: pa.Table | None = None) -> pa.Table:
    """What a run over the whole table finds."""
    query = way.query(case.query_text)
    return query.run(case.table if table is None else table, **case.binding).table


# -- sessions --------------------------------------------------------------------------------------


def open_session(way: Way, case: Case) -> Any:
    """A session that finds nothing late and orders events as a whole run does; None where there is none."""
    if case.lateness is None or not way.has_sessions:
        return None
    query = way.query(case.query_text)
    try:
        return query.session(case.table.schema, **case.binding, lateness=case.lateness)
    except QueryCheckError as error:
        if case.has_window or "unbounded" not in error.message:
            raise
        return None


def one_by_one(case: Case) -> list[int]:
    """Edges around every event; of a long stream, around a few at a time."""
    size = len(case.events)
    return [*range(0, size, 1 + size // MOST_PIECES), size]


def in_pieces(
    way: Way, case: Case, edges: Sequence[int], breaks: Collection[int] = (), *, as_dicts: bool = False
) -> pa.Table | None:
    """Everything that a session finds when its input is cut at these edges; None if there can be none.

    Before each of the pieces whose numbers are in `breaks`, another session goes on from a snapshot.
    """
    session, query = open_session(way, case), way.query(case.query_text)
    if session is None:
        return None
    found = []
    for number, (start, stop) in enumerate(itertools.pairwise(edges)):
        if number in breaks:
            session = cepheid.resume(query, session.snapshot())
        piece = case.table.slice(start, stop - start)
        found.append(session.push(piece.to_pylist() if as_dicts else piece))
        assert session.push(case.table.slice(0, 0)).num_rows == 0, "silence found something"
    if len(edges) - 1 in breaks:
        session = cepheid.resume(query, session.snapshot())
    found.append(session.close())
    assert len(session.late) == session.stats["late"] == 0, "nothing should be late"
    return pa.concat_tables(found)


# -- the laws --------------------------------------------------------------------------------------


def truth(way: Way, case: Case) -> None:
    """A whole run gives what the oracle gives."""
    check_whole(way, case, verdict(case))


def check_whole(way: Way, case: Case, expected: Verdict) -> list[str]:
    """Fail unless a whole run gives what it should; the ids of its rows."""
    table = whole(way, case)
    ids = expected.check(table)
    if isinstance(expected, MatchVerdict) and expected.is_compressed:
        every = way.query(with_all(expected.query)).run(case.table, **case.binding)
        expected.check_expansion(table, every.table, seed=len(case.events))
    return ids


def splitting_a_session(way: Way, case: Case) -> None:
    """Other cuts between batches change nothing."""
    _check_sessions(way, case, [([0, *case.cuts, len(case.events)], ()), (one_by_one(case), ())])


def splitting_into_dicts(way: Way, case: Case) -> None:
    """Nor does it matter whether events come as tables or, one after the other, as dicts."""
    found = in_pieces(way, case, one_by_one(case), as_dicts=True)
    if found is not None:
        agree(parse(case.query_text), found, whole(way, case), ordered=False)


def splitting_a_table(way: Way, case: Case) -> None:
    """Nor do the slices in which a whole run reads a table, nor the table's chunks."""
    query, expected = parse(case.query_text), whole(way, case)
    for size in (1, 3):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(feeding, "SLICE", size)
            agree(query, whole(way, case), expected)
    chunked = pa.concat_tables([case.table.schema.empty_table(), *_pieces(case)])
    agree(query, whole(way, case, chunked), expected)


def _pieces(case: Case) -> Iterator[pa.Table]:
    for start, stop in itertools.pairwise(one_by_one(case)):
        yield case.table.slice(start, stop - start)


def resumption(way: Way, case: Case) -> None:
    """A session that is left for its snapshot before every event, and at the end, finds the same."""
    edges = one_by_one(case)
    _check_sessions(way, case, [(edges, range(len(edges)))])


def silence(way: Way, case: Case) -> None:
    """An empty batch gives nothing, nor does a watermark that is known already."""
    session = open_session(way, case)
    for piece in _pieces(case) if session is not None else ():
        session.push(piece)
        assert session.push(case.table.slice(0, 0)).num_rows == 0
        if case.time_kind != "timestamp":
            assert session.advance(session.watermark).num_rows == 0


def order_of_a_session(way: Way, case: Case) -> None:
    """Fed one event at a time, a session gives matches as they complete: in the order of a whole run."""
    if case.lateness == 0:
        _check_sessions(way, case, [(one_by_one(case), ())], ordered=True)


def order_of_a_run(way: Way, case: Case) -> None:
    """By the completing event, then by the events, variable by variable."""
    tree = replace(parse(case.query_text), returns=None)
    if tree.aggregation is not None or tree.emit.mode in COUNTED:
        return  # no rows of matches: the truth law says in which order they come
    if any(isinstance(atom, Absent) for atom in atoms(tree.pattern)):
        return  # matches may complete by time alone: the same
    table, binding = _with_place(case)
    ranks = [_rank(row) for row in way.query(tree).run(table, **binding)]
    assert ranks == sorted(ranks)


def arrival(way: Way, case: Case) -> None:
    """Where tie-breakers are total, the order of arrival means nothing."""
    table, binding = _with_place(case)
    places = list(range(table.num_rows))
    random.Random(str(case)).shuffle(places)
    query = way.query(case.query_text)
    mixed = query.run(table.take(pa.array(places, pa.int64())), **binding).table
    agree(query.tree, mixed, query.run(table, **binding).table)


LAWS: tuple[Callable[[Way, Case], None], ...] = (
    truth,
    splitting_a_session,
    splitting_into_dicts,
    splitting_a_table,
    resumption,
    silence,
    order_of_a_session,
    order_of_a_run,
    arrival,
)


def _check_sessions(
    way: Way, case: Case, runs: Sequence[tuple[Sequence[int], Collection[int]]], ordered: bool = False
) -> None:
    expected = None
    for edges, breaks in runs:
        found = in_pieces(way, case, edges, breaks)
        if found is not None:
            expected = whole(way, case) if expected is None else expected
            agree(parse(case.query_text), found, expected, ordered=ordered)


def _rank(row: dict[str, Any]) -> tuple[int, list[tuple[int, ...]]]:
    taken = []
    for variable, bound in row.items():
        if variable != "match_id":
            events = [] if bound is None else bound if isinstance(bound, list) else [bound]
            taken.append(tuple(event["place"] for event in events))
    return max(place for places in taken for place in places), taken


def _with_place(case: Case) -> tuple[pa.Table, dict[str, Any]]:
    """The events with their place in the stream, which breaks all ties."""
    ties = case.binding.get("order", ())

    def rank(index: int) -> Any:
        event = case.events[index]
        known = event["time"] is not None and event["time"] == event["time"]
        return (instant(event["time"]), *(event[name] for name in ties), index) if known else None

    timed = sorted((r, i) for i in range(len(case.events)) if (r := rank(i)) is not None)
    places = [len(timed)] * len(case.events)
    for place, (_, index) in enumerate(timed):
        places[index] = place
    table = case.table.append_column("place", pa.array(places, pa.int64()))
    return table, {**case.binding, "order": ["place"]}
