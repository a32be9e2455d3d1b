"""`auto` lets a tree run a table in place of an automaton where that is clearly better, and says why."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import LimitError
from cepheid.matchers.tree import instead
from tests.conftest import COMPILED

BINDING: dict[str, Any] = {"time": "time", "type": "type"}
RARE_LAST = "PATTERN SEQ(A a, B b, C c) WHERE a.k = c.k AND b.v < a.v AND b.v + c.v < 9 WITHIN 60 {}"


@pytest.fixture(autouse=True)
def any_table_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instead, "_LEAST_EVENTS", 100)
    monkeypatch.setattr(instead, "_LEAST_STEPS", 1000)


@pytest.fixture
def tree_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instead, "_tried", lambda *_: (2.5, 6144))


def stream(size: int = 600) -> pa.Table:
    rng = random.Random(3)
    return pa.table(
        {
            "time": range(size),
            "type": rng.choices("ABCD", (49, 49, 1, 1), k=size),
            "v": [rng.randrange(10) for _ in range(size)],
            "k": [rng.randrange(50) for _ in range(size)],
        }
    )


@pytest.mark.usefixtures("tree_wins")
@pytest.mark.parametrize("emit", ["", "EMIT FIRST 2", "EMIT LONGEST", "EMIT NON OVERLAPPING", "EMIT COUNT"])
def test_the_answer_is_the_same(emit: str) -> None:
    events, query = stream(), cepheid.query(RARE_LAST.format(emit))
    found = query.run(events, **BINDING)
    assert found.stats["engine"] == "tree"
    assert found.table.num_rows > 0
    assert found.table == query.using("nfa").run(events, **BINDING).table


@pytest.mark.usefixtures("tree_wins")
def test_the_reason_has_numbers() -> None:
    query = cepheid.query(RARE_LAST.format(""))
    told = str(query.explain(stream(), **BINDING))
    assert "tree: it costs least over these events" in told
    assert "steps of runs expected" in told
    assert "of 6,144 events nfa took 2.5 times the time of a tree" in told
    assert "not nfa: each event visits the runs" in told
    assert "expected at SEQ(b, c): " in told
    assert "pairs in the window for which a condition holds: " in told
    assert "nfa: it costs least of those that run it" in str(query.explain(stream().schema, **BINDING))


def test_an_automaton_stays_where_a_tree_is_not_twice_as_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instead, "_tried", lambda *_: (1.9, 512))
    query = cepheid.query(RARE_LAST.format(""))
    assert query.run(stream(), **BINDING).stats["engine"] == "nfa"
    assert "of 512 events nfa took 1.9 times the time of a tree" in str(query.explain(stream(), **BINDING))


def test_an_automaton_stays_where_a_tree_needs_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise LimitError("too much")

    monkeypatch.setattr(instead, "_tried", refuse)
    assert cepheid.query(RARE_LAST.format("")).run(stream(), **BINDING).stats["engine"] == "nfa"


def test_an_automaton_stays_where_little_is_expected_of_a_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instead, "_tried", lambda *_: pytest.fail("it is tried"))
    query = cepheid.query("PATTERN SEQ(A a, B b) WHERE a.v < b.v WITHIN 60 EMIT COUNT")
    assert query.run(stream(), **BINDING).stats["engine"] == "nfa"


@pytest.mark.usefixtures("tree_wins")
def test_an_engine_that_is_asked_for_stays() -> None:
    query = cepheid.query(RARE_LAST.format("")).using("nfa")
    assert query.run(stream(), **BINDING).stats["engine"] == "nfa"


@COMPILED
def test_both_are_tried() -> None:
    query = cepheid.query(RARE_LAST.format(""))
    events = stream(4000)
    assert query.run(events, **BINDING).table == query.using("nfa").run(events, **BINDING).table
    assert "nfa took" in str(query.explain(events, **BINDING))
