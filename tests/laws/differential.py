"""One random case, every way it can be run, against the oracle."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import pyarrow as pa

import cepheid
from cepheid.errors import QueryCheckError, UnsupportedError
from cepheid.language.sase.parse import parse
from cepheid.pattern.query import EmitMode, PatternQuery
from cepheid.testing import compare_aggregates
from tests.cases import AggregateCase, Case
from tests.laws.restless import restless
from tests.laws.verdict import verdict, with_all
from tests.oracle import aggregates, counts

WHOLE_TABLES_ONLY = "backtracking"
"""The sharing that re-reads events, and so has no session."""

RESTLESS = "restless"
"""No sharing of its own: auto, with a switch that never lets it be."""


class Checked(NamedTuple):
    """What came of a case: so many rows, or the reason why one of the ways to run it was refused."""

    rows: int
    refused: str | None = None


def check_case(case: Case, rng: random.Random, sharings: Sequence[str] = ("auto",)) -> Checked:
    """Fail unless, with each sharing that takes the query, a whole run and a session in batches, broken
    by a snapshot, equal the oracle, and have the same ids."""
    query, expected = cepheid.query(case.query_text), verdict(case)
    ids: list[str] | None = None
    reason = None
    for sharing in sharings:
        with restless() if sharing == RESTLESS else nullcontext():
            try:
                chosen = shared(query, sharing)
                table = chosen.run(case.table, **case.binding).table
            except UnsupportedError as error:
                if sharing == "auto":
                    raise  # some engine runs every random query
                reason = f"{sharing}: {error.message}"
                continue
            found = expected.check(table)
            if ids is None and expected.is_compressed:
                every = shared(cepheid.query(with_all(expected.query)), sharing)
                all_of_them = every.run(case.table, **case.binding).table
                expected.check_expansion(table, all_of_them, rng.randrange(100))
            assert ids is None or found == ids, f"{sharing} gives other ids"
            ids = found
            if case.lateness is not None and case.has_window and sharing != WHOLE_TABLES_ONLY:
                again = expected.check(run_in_batches(chosen, case, rng), ordered=False)
                assert sorted(again) == sorted(ids), "other cuts give other ids"
    return Checked(len(expected), reason)


def shared(query: cepheid.Query, sharing: str) -> cepheid.Query:
    """The query with a way of sharing between its runs."""
    return query if sharing in ("auto", RESTLESS) else query.using("nfa", sharing=sharing)


def run_in_batches(query: cepheid.Query, case: Case, rng: random.Random) -> pa.Table:
    """Everything that a session finds when its input is cut, with a snapshot and resume in between."""
    session = query.session(case.table.schema, **case.binding, lateness=case.lateness)
    edges = [0, *case.cuts, len(case.events)]
    crash = rng.randrange(len(edges))
    found = []
    for number, (start, stop) in enumerate(itertools.pairwise(edges)):
        found.append(session.push(case.table.slice(start, stop - start)))
        if number == crash:
            session = cepheid.resume(query, session.snapshot())
            assert session.push(case.table.slice(0, 0)).num_rows == 0, "silence found something"
    found.append(session.close())
    assert len(session.late) == 0, "nothing should be late"
    return pa.concat_tables(found)


# -- AGG -------------------------------------------------------------------------------------------


BUILDING = ("construction", "two_step")
"""The methods that build each match, and would not be done with those of a long case."""


def check_aggregate_case(case: AggregateCase, rng: random.Random, methods: Sequence[str] = ()) -> Checked:
    """Fail unless a whole run and a session in batches, broken by a snapshot, equal the oracle; then the
    same with each method of counting, where it takes the query."""
    query, parsed = cepheid.query(case.query_text), parse(case.query_text)
    methods = [method for method in methods if not (case.is_long and method in BUILDING)]
    expected: list[dict[str, Any]] | None = None
    reason = None
    for chosen in (query, *(query.using("aggregate", method=method) for method in methods)):
        try:
            result = chosen.run(case.table, **case.binding)
        except UnsupportedError as error:
            reason = error.message
            if expected is None:
                return Checked(0, reason)
            continue
        if expected is None:
            expected = (counts if case.is_long else aggregates)(parsed, case.events, **case.binding)
        compare_tables(result.table, expected, parsed)
        if case.lateness is not None:
            _check_batches(chosen, case, rng, expected)
    assert expected is not None
    return Checked(len(expected), reason)


def _check_batches(
    query: cepheid.Query, case: AggregateCase, rng: random.Random, expected: list[dict[str, Any]]
) -> None:
    try:
        found = run_in_batches(query, case, rng)
    except QueryCheckError as error:
        if case.has_window or "unbounded" not in error.message:
            raise
    else:
        compare_tables(found, expected, parse(case.query_text))


def compare_tables(found: pa.Table, expected: list[dict[str, Any]], query: PatternQuery) -> None:
    """Fail unless the rows of AGG are the expected ones, in order, in the right columns and kinds."""
    got = found.to_pylist()
    for row, wanted in zip(got, expected, strict=False):
        assert list(row) == list(wanted), f"columns {list(row)}, but {list(wanted)} expected"
        for name, cell in wanted.items():
            is_inexact = type(cell) is int and isinstance(row[name], float)
            assert not is_inexact, f"'{name}' is a float, and should be a whole number"
    compare_aggregates(_settled(got, query), _settled(expected, query))


def _settled(rows: list[dict[str, Any]], query: PatternQuery) -> list[dict[str, Any]]:
    """Of the rows of one moment, or of the end, which group comes first is nobody's business."""
    assert query.aggregation is not None
    groups = query.aggregation.group_by
    if query.emit.mode is EmitMode.ALL or not groups:
        return rows
    every = query.emit.mode is EmitMode.EVERY
    return sorted(rows, key=lambda row: (row["time"] if every else 0, [repr(row[name]) for name in groups]))
