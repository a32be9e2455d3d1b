"""One random case, every way it can be run, against the oracle."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa

import cepheid
from cepheid.errors import QueryCheckError, UnsupportedError
from cepheid.language.sase import parse
from cepheid.pattern.query import EmitMode, PatternQuery
from cepheid.testing import compare_aggregates, compare_rows
from tests.oracle import aggregates, counts, rows
from tests.strategies import Case
from tests.strategies_aggregate import AggregateCase


def check_case(case: Case, rng: random.Random) -> int:
    """Fail unless a whole run and a session in batches, broken by a snapshot, equal the oracle;
    the number of matches."""
    expected = rows(parse(case.query_text), case.events, **case.binding)
    query = cepheid.query(case.query_text)
    result = query.run(case.table, **case.binding)
    compare_rows(_without_id(result.table), expected)
    ids = result.table.column("match_id").to_pylist()
    assert len(set(ids)) == len(ids), "two matches share a match_id"
    if case.lateness is not None and case.has_window:
        found = run_in_batches(query, case, rng)
        _same_set(_without_id(found), expected)
        assert sorted(found.column("match_id").to_pylist()) == sorted(ids), "other cuts give other ids"
    return len(expected)


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


def _without_id(table: pa.Table) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.drop_columns(["match_id"]).to_pylist()
    return rows


def _same_set(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    got, wanted = Counter(map(_text, found)), Counter(map(_text, expected))
    if got != wanted:
        raise AssertionError(
            f"in batches, missing {list(wanted - got)}\nand found besides {list(got - wanted)}"
        )


def _text(cell: Any) -> str:
    """A value as text, whatever the order of its fields."""
    if isinstance(cell, dict):
        return str(sorted((name, _text(item)) for name, item in cell.items()))
    return str([_text(item) for item in cell]) if isinstance(cell, list | tuple) else repr(cell)


# -- AGG -------------------------------------------------------------------------------------------


BUILDING = ("construction", "two_step")
"""The methods that build each match, and would not be done with those of a long case."""


class Checked(NamedTuple):
    """What came of a case of AGG: so many rows, or the reason why no engine runs it."""

    rows: int
    refused: str | None = None


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
