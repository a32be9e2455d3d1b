"""What the tests of composed queries share: one stream, and running a workload over it."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa

import cepheid
from cepheid.events import bind
from cepheid.runners.embedded.session import Session
from cepheid.runners.stream.terms import Terms
from tests.cases.compositions import CompositionCase

TERMS = Terms(max_matches=10**6, max_state=10**9)
ONE_STREAM = {"time": "t", "type": "k"}
EVENTS = [{"t": time, "k": kind, "x": time} for time, kind in enumerate("ABCABDCABCD")]
COLUMNS = pa.schema([("t", pa.int64()), ("k", pa.string()), ("p", pa.int64()), ("x", pa.int64())])


def run(queries: dict[str, str], events: Any, **binding: Any) -> dict[str, list[dict[str, Any]]]:
    found = cepheid.workload(queries).run(events, **(binding or ONE_STREAM))
    return {
        name: [{n: v for n, v in row.items() if n != "match_id"} for row in matches]
        for name, matches in found.items()
    }


def session_of(
    queries: dict[str, str], columns: pa.Schema, binding: dict[str, Any]
) -> Session[dict[str, pa.Table]]:
    """Of any workload, also of one that is refused because its state may grow for ever."""
    return Session(cepheid.workload(queries).plan(bind(columns, **binding)), TERMS)


def in_batches(case: CompositionCase, chance: random.Random) -> dict[str, list[dict[str, Any]]]:
    """The rows of each query where events come piece by piece, and the work goes on elsewhere at times."""
    workload = cepheid.workload(case.queries)
    session = session_of(case.queries, case.columns, case.binding)
    table, start = case.table, 0
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in case.queries}

    def take(found: dict[str, pa.Table]) -> None:
        for name, matches in found.items():
            rows[name] += matches.to_pylist()

    while start < table.num_rows:
        stop = min(start + chance.randint(1, 5), table.num_rows)
        take(session.push(table.slice(start, stop - start)))
        now = table.column("t")[stop - 1].as_py()
        later = table.column("t")[stop].as_py() if stop < table.num_rows else now + 20
        take(session.advance(chance.choice([now, now, later])))
        start = stop
        if chance.random() < 0.3:
            session = cepheid.resume(workload, session.snapshot())
    take(session.close())
    return rows
