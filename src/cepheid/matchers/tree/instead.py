"""Whether a tree should run a table in place of an automaton that could run it too.

An automaton reads the pattern from the left, and each event visits all runs that wait for it. A tree may
begin with what is rare, and looks equalities up. That is compared by what both are expected to do; where it
may be worth it, both run some events. The automaton stays unless the tree is clearly better.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from cepheid.errors import LimitError
from cepheid.events import EventBatch
from cepheid.matchers.allowance import Allowance
from cepheid.matchers.engines import matcher_for
from cepheid.matchers.known import KnownEvents
from cepheid.matchers.tree.stretch import Stretch, some_events, stretch_of, window_events
from cepheid.plan.plan import EngineChoice, QueryPlan
from cepheid.plan.tree.automaton_cost import run_steps
from cepheid.plan.tree.plan import TreePlan
from cepheid.plan.tree.statistics import Statistics, join_conditions

_LEAST_EVENTS = 100_000
_LEAST_STEPS = 20_000_000
"""How many steps an automaton is expected to take at least: half a second, beside which a look is little."""
_CLEARLY = 16.0
"""How many times the pairs and composites of a tree these are: one of them costs about eight steps."""
_TWICE = 2.0
"""How many times the processor time of a tree an automaton needs for the same events."""
_TRIED, _BEGUN, _PIECE = 12_288, 6_144, 2_048
"""How many events both run, and how many of them are not counted: the automaton learns to share work. They
are run in pieces, to stop where it is clear."""
_LONG, _LONGER, _NOTICED = 3.0, 10.0, 0.02
"""How many times as long, and how many seconds more, one takes than the other where it is clear: after the
first events, and before."""
_MOST_MATCHES, _MOST_STATE = 10_000_000, 128 * 2**20


def instead(plan: QueryPlan, other: Callable[[], TreePlan], known: KnownEvents) -> QueryPlan:
    """The plan for a table: the one at hand, or that of a tree if it is clearly better; with the reason."""
    if known.ordered.num_rows < _LEAST_EVENTS:
        return plan
    tree = other()
    steps = _most_steps(tree, known)
    if steps < _LEAST_STEPS:
        return plan
    from cepheid.matchers.tree import choosing  # it has kernels, and takes long to import

    held = window_events(tree, known)
    tree = choosing.expected_shape(tree, known.ordered, held)
    if tree.shape_choice is None:
        return plan
    steps = run_steps(tree, tree.shape_choice.statistics)
    work = sum(cost.total for cost in tree.shape_choice.nodes)
    told = f"{steps:,.0f} steps of runs expected, {work:,.0f} pairs and composites in a tree {tree.shape}"
    if steps < _LEAST_STEPS or steps < _CLEARLY * work:
        return _staying(plan, tree, told)
    try:
        times, events = _tried(plan, tree, known)
    except LimitError:
        return _staying(
            plan, tree, f"{told}; some events have more matches, or need more memory, than are tried"
        )
    told = f"{told}; of {events:,} events {plan.engine.name} took {times:.1f} times the time of a tree"
    if times < _TWICE:
        return _staying(plan, tree, told)
    others = tuple(item for item in plan.choice.others if item[0] != tree.engine.name)
    beside = ((plan.engine.name, plan.choice.cost), *others)
    tree = choosing.chosen_shape(tree, known.ordered, held)
    if known.fitted(tree).output_schema != known.fitted(plan).output_schema:
        return _staying(plan, tree, f"{told}, but its numbers would have another type")
    return replace(tree, choice=EngineChoice("it costs least over these events", told, beside))


def _staying(plan: QueryPlan, tree: TreePlan, told: str) -> QueryPlan:
    others = tuple((name, told if name == tree.engine.name else why) for name, why in plan.choice.others)
    return replace(plan, choice=replace(plan.choice, others=others))


def _most_steps(tree: TreePlan, known: KnownEvents) -> float:
    """The steps of an automaton if every condition between two events held."""
    events, held = known.ordered.num_rows, window_events(tree, known)
    stretch = Stretch(tree, stretch_of(tree, known.ordered, min(_TRIED, events)))
    share = held / stretch.size
    partitions = max(np.unique(stretch.partition).size, 1)
    statistics = Statistics(
        events=stretch.size,
        windows=events / max(held, 1),
        counts=tuple(stretch.leaf(p).size * share for p in range(len(tree.positions))),
        sizes=(1.0,) * len(tree.positions),
        spread=float(partitions),
        holds=(1.0,) * len(join_conditions(tree)),
        survives=(1.0,) * len(tree.absences),
        spans=(1.0,) * len(tree.inner_windows),
    )
    return run_steps(tree, statistics)


def _tried(plan: QueryPlan, tree: TreePlan, known: KnownEvents) -> tuple[float, int]:
    """How many times the processor time of a tree another plan takes for some events, and how many these are.
    Both run the same pieces by turns, until one of them is far behind."""
    events = stretch_of(tree, known.ordered, min(_TRIED, known.ordered.num_rows // 8))
    here, there = _Timed(plan), _Timed(tree)
    first, done, skipped = min(_BEGUN, events.count // 2), 0, 0
    while done < events.count and not _is_clear(here.spent, there.spent, _LONG if skipped else _LONGER):
        piece = some_events(events, done, min(done + _PIECE, events.count))
        for each in (here, there):
            each.run(piece)
        done += piece.count
        if skipped == 0 and done >= first:
            here.spent = there.spent = 0.0
            skipped = done
    if done == skipped:
        return 1.0, 0
    return here.spent / max(there.spent, 1e-9), done - skipped


def _is_clear(one: float, other: float, times: float) -> bool:
    return max(one, other) > times * min(one, other) + _NOTICED


class _Timed:
    """A matcher, and the processor time that it has taken."""

    def __init__(self, plan: QueryPlan) -> None:
        self.matcher = matcher_for(plan, Allowance(_MOST_MATCHES, _MOST_STATE))
        self.spent = 0.0

    def run(self, piece: EventBatch) -> None:
        """Give it some events."""
        began = clock.process_time()
        self.matcher.process(piece)
        self.spent += clock.process_time() - began
