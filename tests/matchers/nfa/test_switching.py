"""The switch finds where merging helps, and where deferring does; that neither changes an answer, whenever
it is switched, is told by random cases."""

from __future__ import annotations

from typing import Any

import pytest

import cepheid
from cepheid.errors import LimitError
from cepheid.matchers.nfa.sharing import MEET, STRETCH

BINDING = {"time": "t", "type": "k"}
TREND = "PATTERN SEQ(A+ a[], B b) WHERE skip_till_next_match { a[i].x >= a[i-1].x } WITHIN 100"


def crowd(count: int) -> list[dict[str, Any]]:
    """Many runs that are alike, and a match from time to time."""
    return [{"t": i, "k": "A" if i % 50 else "B", "x": i % 3} for i in range(count)]


@pytest.mark.compiled
def test_the_switch_merges_where_that_saves_steps() -> None:
    events = crowd(20 * STRETCH)
    apart = cepheid.query(TREND).using("nfa", sharing="basic").run(events, **BINDING)
    chosen = cepheid.query(TREND).run(events, **BINDING)
    assert chosen.stats["run_sharing"] == "merging"
    assert chosen.stats["run_steps"] < apart.stats["run_steps"] / 2
    assert chosen.table.equals(apart.table)


@pytest.mark.compiled
def test_a_trial_is_as_long_as_many_partitions_need() -> None:
    """Runs meet where they have events in common, however many of other partitions lie between."""
    events = [{**event, "key": k} for event in crowd(5 * MEET) for k in range(40)]
    query = cepheid.query(TREND.replace("{ ", "{ [key] AND "))
    apart = query.using("nfa", sharing="basic").run(events, **BINDING)
    chosen = query.run(events, **BINDING)
    assert chosen.stats["run_sharing"] == "merging"
    assert chosen.table.equals(apart.table)


@pytest.mark.compiled
def test_the_switch_leaves_alone_what_cannot_gain() -> None:
    events = [{"t": i, "k": "A" if i % 2 else "B", "x": i} for i in range(4 * STRETCH)]
    found = cepheid.query("PATTERN SEQ(A a, B b) WHERE skip_till_next_match { 1 = 1 } WITHIN 1").run(
        events, **BINDING
    )
    assert found.stats["run_sharing"] == "basic"
    assert found.stats["runs_merged"] == 0


@pytest.mark.compiled
def test_runs_are_merged_before_a_limit_is_passed() -> None:
    """Apart they need more than max_state; at half of it the switch merges them, and says so."""
    query = cepheid.query("PATTERN SEQ(A+ a[], B b) WHERE skip_till_next_match { 1 = 1 } WITHIN 5000")
    events = [{"t": i, "k": "A", "x": 1} for i in range(2000)]
    with pytest.raises(LimitError, match="max_state"):
        query.using("nfa", sharing="basic").run(events, **BINDING, max_state=4 * 2**20)
    found = query.run(events, **BINDING, max_state=4 * 2**20)
    assert found.stats["merged_for_room"] == 1
    assert found.stats["run_sharing"] == "merging"
    assert found.stats["most_runs"] < 1000


RARELY = "PATTERN SEQ(A+ a[], B b) WHERE skip_till_next_match { a[i].x > a[1].x } WITHIN 100"


def climbers(count: int, ends: int) -> list[dict[str, Any]]:
    """Runs of which no two are alike, and an event that may end them, one in so many."""
    return [{"t": i, "k": "A" if i % ends else "B", "x": i * 37 % 1009} for i in range(count)]


@pytest.mark.compiled
def test_runs_that_are_over_in_time_never_read_what_they_deferred() -> None:
    events = climbers(4 * STRETCH, 1000)
    at_once = cepheid.query(RARELY).using("nfa", sharing="basic").run(events, **BINDING)
    found = cepheid.query(RARELY).run(events, **BINDING)
    assert at_once.stats["events_deferred"] == 0
    assert found.stats["events_deferred"] > 3 * STRETCH
    assert found.stats["run_steps"] < at_once.stats["run_steps"] / 4
    assert found.table.equals(at_once.table)


@pytest.mark.slow
@pytest.mark.compiled
def test_a_window_longer_than_the_first_looks_does_not_hide_what_deferring_saves() -> None:
    """Before a window is over no run is; to look at what is still put off must not make up for it."""
    query = cepheid.query(
        "PATTERN SEQ(A+ a[], B b) WHERE skip_till_next_match { a[1].x < 20 AND a[i].x > a[1].x } "
        f"WITHIN {STRETCH}"
    )
    events = climbers(20 * STRETCH, STRETCH)
    at_once = query.using("nfa", sharing="basic").run(events, **BINDING)
    found = query.run(events, **BINDING)
    assert found.stats["run_steps"] < 0.8 * at_once.stats["run_steps"]
    assert found.table.equals(at_once.table)


@pytest.mark.slow
@pytest.mark.compiled
def test_deferring_is_tried_again_where_it_has_not_paid() -> None:
    """The stream changes: at first every other event may end a run, then hardly any."""
    late = [{**event, "t": event["t"] + 8 * STRETCH} for event in climbers(20 * STRETCH, 1000)]
    events = climbers(8 * STRETCH, 2) + late
    at_once = cepheid.query(RARELY).using("nfa", sharing="basic").run(events, **BINDING)
    found = cepheid.query(RARELY).run(events, **BINDING)
    assert found.stats["events_deferred"] > 4 * STRETCH
    assert found.table.equals(at_once.table)


@pytest.mark.compiled
def test_nothing_is_deferred_where_runs_may_go_on_all_the_time() -> None:
    events = climbers(8 * STRETCH, 2)
    found = cepheid.query(RARELY).run(events, **BINDING)
    assert 0 < found.stats["events_deferred"] < STRETCH


@pytest.mark.compiled
def test_what_is_deferred_takes_no_more_room_than_there_is() -> None:
    """What runs would write if they read all of it at once is a small part of max_state at any time."""
    events = [{"t": i, "k": "A", "x": i} for i in range(3000)]
    found = cepheid.query(RARELY).run(events, **BINDING, max_state=4 * 2**20)
    assert found.stats["events_deferred"] > 2000
    assert found.stats["peak_state_bytes"] < 4 * 2**20
