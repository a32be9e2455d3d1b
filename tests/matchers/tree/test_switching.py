"""Whether composites are condensed is decided by benefit and cost, on some events of a table."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

import cepheid
from cepheid.bench.condensed.queries import random_walk, sequence_below
from cepheid.matchers.tree import fit, racing, switching
from cepheid.plan.tree.switch import CondenseChoice, SideWork

MANY_ALIKE = "PATTERN SEQ(A a, B b, C c) WHERE a.k < c.k WITHIN 60 EMIT {}"


@pytest.fixture(autouse=True)
def small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small tables are worth a look too."""
    monkeypatch.setattr(fit, "_MANY_PAIRS", 1)
    monkeypatch.setattr(fit, "_MANY_TO_CONDENSE", 1)
    monkeypatch.setattr(fit, "_MANY_IF_CONDENSED", 1)
    monkeypatch.setattr(switching, "_SHARE", 0.9)
    monkeypatch.setattr(racing, "_SHARE", 100.0)


def stream(size: int = 400) -> pa.Table:
    rng = random.Random(3)
    kinds = [rng.choice("ABC") for _ in range(size)]
    return pa.table({"time": range(size), "type": kinds, "k": [rng.randrange(3) for _ in range(size)]})


@pytest.mark.parametrize("emit", ["ALL", "COUNT", "FIRST 3", "LONGEST", "COMPRESSED"])
@pytest.mark.parametrize("shape", ["auto", "left"])
def test_whatever_is_decided_the_rows_are_the_same(emit: str, shape: str) -> None:
    query, events = cepheid.query(MANY_ALIKE.format(emit)), stream(200)
    found = {
        way: query.using("tree", condense=way, shape=shape).run(events, time="time", type="type")
        for way in ("auto", "always", "never")
    }
    ids = {way: m.table["match_id"].to_pylist() for way, m in found.items()}
    assert ids["auto"] == ids["always"] == ids["never"]
    assert ids["auto"]


def test_the_decision_is_told_with_its_numbers() -> None:
    query, events = cepheid.query(MANY_ALIKE.format("COUNT")).using("tree", shape="left"), stream()
    stats = query.run(events, time="time", type="type").stats["condensing"]
    assert stats["work_without_groups"] > stats["work_with_groups"] > 0
    text = str(query.explain(events, time="time", type="type"))
    assert "pairs and composites at" in text and "the benefit" in text and "the cost" in text


def test_what_was_asked_for_is_not_decided_again() -> None:
    for way in ("always", "never"):
        query = cepheid.query(MANY_ALIKE.format("COUNT")).using("tree", condense=way)
        stats = query.run(stream(), time="time", type="type").stats
        assert stats["condensed"] is (way == "always")
        assert "condensing" not in stats


def test_events_in_which_nothing_happens_do_not_decide() -> None:
    """The first class is never dearer: no pair is made, so the sample says nothing of the rest."""
    walk = random_walk(3, 200, 1)
    dear = pa.array(
        [price + (0 if row % 3 == 0 else 1000) for row, price in enumerate(walk["price"].to_pylist())]
    )
    events = walk.set_column(2, "price", dear)
    for emit, condensed in (("COUNT", True), ("ALL", False)):
        query = cepheid.query(sequence_below(3, 20, emit)).using("tree")
        assert query.run(events, time="time").stats["condensed"] is condensed
        assert "too little happens" in str(query.explain(events, time="time"))


def test_nodes_tell_what_they_did() -> None:
    query = cepheid.query(MANY_ALIKE.format("COUNT")).using("tree", condense="never", shape="left")
    stats = query.run(stream(), time="time", type="type").stats
    assert list(stats["nodes"]) == ["a", "b", "c", "a b", "a b c"]
    assert sum(node["composites"] for node in stats["nodes"].values()) == stats["composites"]
    assert sum(node["pairs_tested"] for node in stats["nodes"].values()) == stats["pairs_tested"]


def test_benefit_and_cost_are_the_difference_of_the_times() -> None:
    choice = CondenseChoice(10, SideWork("s", 60, 40, 2.0), SideWork("s", 6, 4, 1.0))
    assert choice.benefit == pytest.approx(0.02 * 90)
    assert choice.cost == pytest.approx((0.1 - 0.02) * 10)
    assert choice.benefit - choice.cost == pytest.approx(2.0 - 1.0)
    assert choice.pays


def test_a_race_ends_when_the_tree_that_is_expected_is_not_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    query, events = cepheid.query(MANY_ALIKE.format("COUNT")).using("tree", shape="left"), stream()

    def run() -> tuple[int, bool]:
        stats = query.run(events, time="time", type="type").stats
        return stats["condensing"]["events"], stats["condensed"]

    monkeypatch.setattr(
        racing, "_NOTICED", 1e9
    )  # however slow kernels are as plain Python, no tree is stopped
    monkeypatch.setattr(racing, "ALIKE", 1e9)
    assert run() == (64, True)  # the first piece is longer than the window
    monkeypatch.setattr(racing, "ALIKE", 0.0)
    assert run()[0] > 64


@pytest.mark.parametrize("way", ["always", "auto"])
def test_a_race_over_events_where_nothing_happens_changes_no_shape(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def won_by_another(*given: Any) -> tuple[list[racing.Runner], int]:
        runners, events = racing.raced(*given)
        return sorted(runners, key=lambda each: each.plan.shape, reverse=True), events

    monkeypatch.setattr(switching, "_SHARE", 0.25)
    monkeypatch.setattr(switching, "raced", won_by_another)
    kinds = [*"A" * 100, *"B" * 100, *"C" * 100, "D"]
    events = pa.table({"time": range(len(kinds)), "type": kinds})
    query = cepheid.query("PATTERN SEQ(A a, B b, C c, D d) WITHIN 400 EMIT COUNT").using("tree", condense=way)
    found = query.run(events, time="time", type="type")
    assert found.table["count"].to_pylist() == [100**3]
    assert found.stats["composites"] < 20 * len(kinds)
