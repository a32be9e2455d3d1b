"""A query that would take all memory, or find all there is, is stopped soon and says how to bound it."""

from __future__ import annotations

import time
import tracemalloc
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import CepheidError, LimitError
from tests.runners.streams import BINDING

MEGABYTE = 2**20
CROWD = pa.table({"time": np.arange(400), "type": ["A"] * 400})
EXPLOSIVE = cepheid.query("PATTERN SEQ(A+ a[], B b) WITHIN 1000").using("nfa", sharing="basic")
GENEROUS = cepheid.query("PATTERN A+ a[] WITHIN 1000")


@pytest.mark.compiled
def test_too_much_state() -> None:
    started = time.perf_counter()
    with pytest.raises(LimitError, match=r"max_state = 33,554,432 bytes") as caught:
        EXPLOSIVE.run(CROWD, **BINDING, max_state=32 * MEGABYTE)
    assert time.perf_counter() - started < 20
    for advice in ("shorter WITHIN", "skip_till_next_match", "[key]", "larger max_state="):
        assert advice in str(caught.value)


def test_too_much_state_in_a_session() -> None:
    session = EXPLOSIVE.session(CROWD.schema, **BINDING, max_state=4 * MEGABYTE)
    with pytest.raises(LimitError, match="max_state"):
        for place in range(400):
            session.push(CROWD.slice(place, 1))
    with pytest.raises(CepheidError, match="an error has stopped it"):
        session.push(CROWD)


@pytest.mark.compiled
def test_too_many_matches() -> None:
    started = time.perf_counter()
    with pytest.raises(LimitError, match=r"more than max_matches = 1,000 matches") as caught:
        GENEROUS.run(CROWD, **BINDING, max_matches=1000, max_state=64 * MEGABYTE)
    assert time.perf_counter() - started < 20
    for advice in ("shorter WITHIN", "skip_till_next_match", "EMIT NON OVERLAPPING", "larger max_matches="):
        assert advice in str(caught.value)


@pytest.mark.compiled
def test_memory_stays_small() -> None:
    EXPLOSIVE.run(CROWD.slice(0, 5), **BINDING)
    tracemalloc.start()
    try:
        for query, limit in ((EXPLOSIVE, "max_state"), (GENEROUS, "max_matches")):
            with pytest.raises(LimitError, match=limit):
                query.run(CROWD, **BINDING, max_state=16 * MEGABYTE, max_matches=10_000)
        assert tracemalloc.get_traced_memory()[1] < 100 * MEGABYTE
    finally:
        tracemalloc.stop()


def test_exactly_as_many_matches_as_may_be() -> None:
    few = CROWD.slice(0, 4)  # 2 ** 4 - 1 matches
    assert len(GENEROUS.run(few, **BINDING, max_matches=15)) == 15
    with pytest.raises(LimitError):
        GENEROUS.run(few, **BINDING, max_matches=14)


def test_a_session_hands_its_matches_out() -> None:
    session = cepheid.query("PATTERN A a").session(CROWD.schema, **BINDING, max_matches=10)
    for place in range(0, 400, 10):
        assert len(session.push(CROWD.slice(place, 10))) == 10
    with pytest.raises(LimitError):
        session.push(pa.concat_tables([CROWD.slice(399)] * 11))


def test_bounding_it_helps() -> None:
    for text in (
        "PATTERN SEQ(A+ a[], B b) WITHIN 5",
        "PATTERN SEQ(A+ a[], B b) WHERE skip_till_next_match {} WITHIN 1000",
        "PATTERN SEQ(A{1,2} a[], B b) WITHIN 1000",
    ):
        cepheid.query(text).run(CROWD, **BINDING, max_state=64 * MEGABYTE)


@pytest.mark.parametrize("limit", ["max_matches", "max_state"])
@pytest.mark.parametrize("value", [0, -1, 1.5, "10", True, [1]])
def test_no_limit(limit: str, value: Any) -> None:
    with pytest.raises(CepheidError, match=f"{limit}= should be a positive whole number"):
        GENEROUS.run(CROWD, **BINDING, **{limit: value})
    with pytest.raises(CepheidError, match=f"{limit}= should be a positive whole number"):
        GENEROUS.session(CROWD.schema, **BINDING, **{limit: value})


def test_too_many_variables() -> None:
    for count, kind in ((64, "A a{}"), (32, "A+ a{}[]")):
        parts = ", ".join(kind.format(place) for place in range(count))
        with pytest.raises(LimitError, match=f"{count} variables"):
            cepheid.query(f"PATTERN SEQ({parts}) WITHIN 10").run(CROWD, **BINDING)
    absences = ", ".join(f"~B b{place}" for place in range(63))
    with pytest.raises(LimitError, match="63 absences"):
        cepheid.query(f"PATTERN SEQ({absences}, A a) WITHIN 10").run(CROWD, **BINDING)


@pytest.mark.parametrize("clause", ["", " AGG COUNT"])
def test_keys_that_never_return(clause: str) -> None:
    """Their windows of events never end: explain() says so, and so does the limit that bounds them."""
    query = cepheid.query(f"PATTERN SEQ(A a, B b) WHERE [k] WITHIN 5 EVENTS{clause}")
    schema = pa.schema([("time", pa.int64()), ("type", pa.string()), ("k", pa.int64())])
    said = "counts the events of each k: one that never returns keeps what is open for ever, up to max_state"
    assert said in str(query.explain(schema, **BINDING))
    session = query.session(schema, **BINDING, max_state=MEGABYTE)
    with pytest.raises(LimitError, match=said):
        for first in range(0, 2**20, 4096):
            keys = np.arange(first, first + 4096)
            session.push(pa.table({"time": keys, "type": pa.repeat("A", 4096), "k": keys}))


@pytest.mark.parametrize("text", ["WITHIN 5 EVENTS", "WHERE [k] WITHIN 5"])
def test_other_windows_end_by_themselves(text: str) -> None:
    assert "never returns" not in str(cepheid.query(f"PATTERN SEQ(A a, B b) {text}").explain())
