"""One random case, every way it can be run, against the oracle."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import pyarrow as pa

import cepheid
from cepheid.language.sase import parse
from cepheid.testing import compare_rows
from tests.oracle.oracle import rows
from tests.strategies import Case


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
