"""One random profile by every door: a table, and a session that is cut and goes on from snapshots."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pyarrow as pa

import cepheid
from cepheid.errors import QueryCheckError
from cepheid.language.sase.parse import parse
from cepheid.pattern import nodes as pt
from cepheid.pattern.durations import parse_duration
from cepheid.profiles import Profile, profile
from cepheid.testing import compare_rows
from tests.cases.profiles import ProfileCase
from tests.oracle import profile_rows

Row = dict[str, Any]


def check_profile(case: ProfileCase, rng: random.Random, breaks: int = 1) -> int:
    """Fail unless a table and a session tell what the oracle does; how much that is."""
    once = case.once if case.once in (None, "ever") else parse_duration(case.once)
    expected = profile_rows(
        parse(case.query_text), case.events, **(case.parameters | {"once": once}), **case.binding
    )
    subject = profile(case.query_text, **case.parameters)
    whole = subject.run(case.table, **case.binding).table
    compare_rows(_without_id(whole), expected)
    ids = whole.column("match_id").to_pylist()
    assert len(set(ids)) == len(ids), "two rows share a match_id"
    edges = [0, *case.cuts, len(case.events)]
    if rng.random() < 0.4:
        edges = list(range(len(case.events) + 1))
    told = _in_pieces(subject, case, edges, {rng.randrange(len(edges)) for _ in range(breaks)}, rng)
    if told is not None:
        compare_rows(_without_id(told), expected)
        assert told.column("match_id").to_pylist() == ids, "other cuts give other ids"
    return len(expected)


def _in_pieces(
    subject: Profile, case: ProfileCase, edges: list[int], breaks: set[int], rng: random.Random
) -> pa.Table | None:
    """What a session tells that is cut at these edges; None where no session can have the same order."""
    if case.lateness is None:
        return None
    try:
        session = subject.session(case.table.schema, **case.binding, lateness=case.lateness)
    except QueryCheckError as error:
        if case.has_window or "unbounded" not in error.message:
            raise
        return None
    found = []
    for number, (start, stop) in enumerate(itertools.pairwise(edges)):
        if number in breaks:
            session = cepheid.resume(subject, session.snapshot())
        piece = case.table.slice(start, stop - start)
        found.append(session.push(piece.to_pylist() if rng.random() < 0.5 else piece))
        assert session.push(case.table.slice(0, 0)).num_rows == 0, "silence told something"
    if len(edges) - 1 in breaks:
        session = cepheid.resume(subject, session.snapshot())
    found.append(session.close())
    assert session.stats["late"] == 0, "nothing should be late"
    return pa.concat_tables(found)


def _without_id(table: pa.Table) -> list[Row]:
    rows: list[Row] = table.drop_columns(["match_id"]).to_pylist()
    return rows


# -- what a case has -------------------------------------------------------------------------------

CONSTRUCTS = {
    pt.Conjunction: "AND",
    pt.Choice: "OR",
    pt.Nth: "Type[i]",
    pt.At: "AT",
    pt.Every: "EVERY",
    pt.Silence: "SILENCE",
    pt.Within: "a part's own window",
    pt.Kleene: "Kleene",
    pt.Absent: "absence",
}


def tried(case: ProfileCase) -> set[str]:
    """What a case tries, to count how often it is tried."""
    query = parse(case.query_text)
    found = {CONSTRUCTS[type(node)] for node in pt.walk(query.pattern) if type(node) in CONSTRUCTS}
    nested = [part for part in pt.walk(query.pattern) if part is not query.pattern and pt.parts(part)]
    chosen = case.select.values() if isinstance(case.select, dict) else [case.select]
    found |= {f"select {choice}" for choice in chosen} | {f"consume {case.consume}"}
    found.add("once a period" if case.once not in (None, "ever") else f"once {case.once}")
    found |= {"nesting"} if any(not isinstance(part, pt.Within) for part in nested) else set()
    found |= {"keys"} if query.keys else set()
    return found | {query.strategy.value}
