"""Groups, partitions and texts that nothing in the window refers to are forgotten; nothing else changes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.matchers.aggregate import matcher
from cepheid.matchers.aggregate.algebra import matcher as algebra
from cepheid.matchers.aggregate.two_step import matcher as two_step
from cepheid.matchers.arrays import chained
from tests.cases import Case, random_aggregate_case
from tests.laws.differential import check_cases
from tests.laws.ways import WAYS

BINDING: dict[str, Any] = {"time": "time", "type": "type"}
SCHEMA = pa.schema([("time", pa.int64()), ("type", pa.string()), ("k", pa.int64()), ("s", pa.string())])
METHODS = ("inverse", "stacks", "aseq", "ordered", "two_step")


@pytest.fixture
def nothing_spare() -> Iterator[None]:
    """Every batch looks for what to forget."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (matcher, algebra, two_step):
            patch.setattr(module, "FEW", 1)
        yield


def grouped_cases(count: int) -> list[Case]:
    drawn = (random_aggregate_case(random.Random(f"forget-{number}")) for number in range(100_000))
    told = ("GROUP BY", "[k", "MIN(", "MAX(")
    found = (case for case in drawn if any(words in case.query_text for words in told))
    return [next(found) for _ in range(count)]


@pytest.mark.slow
def test_nothing_else_changes(nothing_spare: None) -> None:
    ways = [way for way in WAYS if way.name == "auto" or way.name.startswith("aggregate ")]
    assert check_cases(grouped_cases(60), ways) > 0


def rotating(first: int, size: int) -> pa.Table:
    """Each key has an A and then a B, and never returns."""
    numbers = np.arange(first, first + size)
    kinds = np.where(numbers % 2 == 0, "A", "B")
    return pa.table(
        [numbers, kinds, numbers // 2, pa.array([f"group {number // 2}" for number in numbers])],
        schema=SCHEMA,
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "clauses",
    [
        "[k] } WITHIN 50 AGG COUNT GROUP BY k",
        "[s] } WITHIN 50 AGG COUNT GROUP BY s EMIT EVERY 100",
        "[k] } WITHIN 5 AGG COUNT",
        "a.k = b.k } WITHIN 5 AGG COUNT GROUP BY s, k",
        "1 = 1 } WITHIN 10 AGG COUNT GROUP BY s",
    ],
)
def test_rotating_groups(nothing_spare: None, method: str, clauses: str) -> None:
    query = cepheid.query(f"PATTERN SEQ(A a, B b) WHERE skip_till_any_match {{ {clauses}")
    query = query.using("aggregate", method=method)
    try:
        session = query.session(SCHEMA, **BINDING)
    except cepheid.CepheidError:
        pytest.skip("the method does not count these")
    found = [session.push(rotating(first, 100)) for first in range(0, 1000, 100)]
    state = session._feed.matcher
    groups = state.events.groups if method == "two_step" else state.groups
    assert groups.count <= 160
    assert groups.rows.num_rows <= 160
    keys = state.events.keys if method == "two_step" else state.keys
    assert keys.count <= 160
    resumed = cepheid.resume(query, session.snapshot())
    rest = resumed.push(rotating(1000, 100))
    assert rest.equals(session.push(rotating(1000, 100)))
    whole = query.run(rotating(0, 1100), **BINDING).table
    pieces = pa.concat_tables([*found, rest, session.close()])
    keyed = [(name, "ascending") for name in whole.column_names if name != "count"]
    assert pieces.sort_by(keyed).equals(whole.cast(pieces.schema).sort_by(keyed))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "clauses",
    [
        "[k] } WITHIN 50 AGG MIN(a.s), MAX(b.s)",
        "[k] } WITHIN 5 AGG MAX(a.s) GROUP BY k EMIT EVERY 100",
        "1 = 1 } WITHIN 10 AGG COUNT, MIN(a.s), MIN(b.s), MAX(b.s), MAX(a.k)",
        "a.k < b.k } WITHIN 10 AGG MIN(a.s), MAX(b.s)",
        "1 = 1 } WITHIN 10 AGG MIN(a.s), MAX(b.s) EMIT ON CLOSE",
    ],
)
def test_texts_that_never_return(nothing_spare: None, method: str, clauses: str) -> None:
    query = cepheid.query(f"PATTERN SEQ(A a, B b) WHERE skip_till_any_match {{ {clauses}")
    query = query.using("aggregate", method=method)
    try:
        session = query.session(SCHEMA, **BINDING)
    except cepheid.CepheidError:
        pytest.skip("the method does not count these")
    found = [session.push(rotating(first, 100)) for first in range(0, 1000, 100)]
    state = session._feed.matcher
    texts = state.tally.texts if method == "two_step" else state._texts
    assert len(texts.texts) <= 160
    resumed = cepheid.resume(query, session.snapshot())
    rest = resumed.push(rotating(1000, 100))
    assert rest.equals(session.push(rotating(1000, 100)))
    pieces = pa.concat_tables([*found, rest, session.close()])
    whole = query.run(rotating(0, 1100), **BINDING).table.cast(pieces.schema)
    assert pieces.num_rows > 0
    assert pieces.equals(whole)


def test_a_list_in_rows() -> None:
    links = np.array([3, -1, 0, 1, -1])
    assert chained(2, links).tolist() == [True, True, True, True, False]
    assert chained(4, links).tolist() == [False, False, False, False, True]
    assert chained(-1, links).tolist() == [False] * 5
