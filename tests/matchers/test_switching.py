"""Merging may be switched on and off at any event: no answer changes, and the switch finds where it helps."""

from __future__ import annotations

import random
from typing import Any

import numba
import pyarrow as pa
import pytest

import cepheid
from cepheid.errors import LimitError
from cepheid.matchers.engines import matcher_for
from cepheid.matchers.nfa.matcher import NfaMatcher
from cepheid.matchers.nfa.sharing import STRETCH, Switch, Work
from cepheid.plan.nodes import NfaPlan
from cepheid.runners.embedded.intake import take_in
from cepheid.runners.embedded.order import in_order
from cepheid.runners.embedded.run import good_events, matches_in
from cepheid.runners.embedded.side import SideOutput
from tests.differential import shared
from tests.strategies import Case, random_case

BINDING = {"time": "t", "type": "k"}
TREND = "PATTERN SEQ(A+ a[], B b) WHERE skip_till_next_match { a[i].x >= a[i-1].x } WITHIN 100"


compiled_only = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="needs a stream of many events")


class Restless(Switch):
    """Looks after every few events, and decides by chance."""

    rng = random.Random(5)

    @property
    def next_look(self) -> int | None:
        return self._since.events + self._wait

    def look(self, work: Work) -> bool:
        self._since, self._wait = work, self.rng.randrange(1, 4)
        self.merging = self.rng.random() < 0.5
        return self.merging


def plan_of(text: str, table: Any, **binding: Any) -> NfaPlan:
    plan = cepheid.query(text).plan(take_in(table).schema, **binding)
    assert isinstance(plan, NfaPlan)
    return plan


@pytest.mark.parametrize("seed", range(120))
def test_switching_at_any_event_changes_nothing(seed: int) -> None:
    case: Case = random_case(random.Random(f"switch-{seed}"))
    apart = shared(cepheid.query(case.query_text), "basic").run(case.table, **case.binding)
    plan = plan_of(case.query_text, case.table, **case.binding)
    matcher = matcher_for(plan, max_matches=10**6, max_state=2**30)
    assert isinstance(matcher, NfaMatcher)
    matcher.switch = Restless(plan, _wait=1)
    good = good_events(plan, case.table, SideOutput("bad", "drop", case.table.schema))
    found = [plan.output_schema.empty_table(), *matches_in(matcher, plan, in_order(good, plan.schema))]
    assert (
        pa.concat_tables(found).column("match_id").to_pylist() == apart.table.column("match_id").to_pylist()
    )


def crowd(count: int) -> list[dict[str, Any]]:
    """Many runs that are alike, and a match from time to time."""
    return [{"t": i, "k": "A" if i % 50 else "B", "x": i % 3} for i in range(count)]


@compiled_only
def test_the_switch_merges_where_that_saves_steps() -> None:
    events = crowd(20 * STRETCH)
    apart = cepheid.query(TREND).using("nfa", sharing="basic").run(events, **BINDING)
    chosen = cepheid.query(TREND).run(events, **BINDING)
    assert chosen.stats["run_sharing"] == "merging"
    assert chosen.stats["run_steps"] < apart.stats["run_steps"] / 2
    assert chosen.table.equals(apart.table)


@compiled_only
def test_the_switch_leaves_alone_what_cannot_gain() -> None:
    events = [{"t": i, "k": "A" if i % 2 else "B", "x": i} for i in range(4 * STRETCH)]
    found = cepheid.query("PATTERN SEQ(A a, B b) WHERE skip_till_next_match { 1 = 1 } WITHIN 1").run(
        events, **BINDING
    )
    assert found.stats["run_sharing"] == "basic"
    assert found.stats["runs_merged"] == 0


@compiled_only
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
