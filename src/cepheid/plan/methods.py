"""Which method of the aggregate engine counts a plan's matches."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from cepheid.errors import UnsupportedError
from cepheid.pattern.query import EmitMode
from cepheid.plan.magnitude import repeats
from cepheid.plan.nodes import AggregatePlan

MOST_TESTS = 12
"""What an event does to a matrix and its inverse is looked up by all of its tests together."""


def method_for(plan: AggregatePlan, asked: str) -> str:
    """The method that was asked for, or the quickest that can count a plan's matches."""
    refusals = {name: refuses(plan) for name, refuses in REFUSALS.items()}
    if asked == "auto":
        return next(name for name, reason in refusals.items() if reason is None)
    reason = refusals[asked]
    if reason is not None:
        raise UnsupportedError(
            f"the method '{asked}' does not count matches {reason}", hint="the method 'aseq' does"
        )
    return asked


def inverse_refusal(plan: AggregatePlan) -> str | None:
    """What has no inverse in a word, or None."""
    if plan.absences:
        return "with an absence"
    if repeats(plan.steps):
        return "with a variable that repeats"
    if plan.values or any(not pa.types.is_int64(item.type) for item in plan.items):
        return "but to give their number, in 64 bits"
    if plan.query.emit.mode is EmitMode.ON_CLOSE:
        return "under EMIT ON CLOSE"
    if plan.window is not None and plan.window.counts_events and plan.query.keys:
        return "in windows of the events of each partition"
    if max(step.test for step in plan.steps) >= MOST_TESTS:
        return f"of more than {MOST_TESTS} variables"
    return _other_groups(plan)


def stacks_refusal(plan: AggregatePlan) -> str | None:
    """What two stacks cannot count, or None: they know a window's matches only all together."""
    closes = plan.query.emit.mode is EmitMode.ON_CLOSE
    if any(step.begins and step.looks_back for step in plan.steps):
        return "with an absence at the start"
    if closes and any(step.ends and step.undone_by for step in plan.steps):
        return "with an absence at the end under EMIT ON CLOSE"
    return None if closes else _other_groups(plan)


def _other_groups(plan: AggregatePlan) -> str | None:
    others = set(plan.group) - {*plan.query.keys, *plan.alike}
    return f"by '{sorted(others)[0]}', which is no equivalence test" if others else None


REFUSALS: dict[str, Callable[[AggregatePlan], str | None]] = {
    "inverse": inverse_refusal,
    "stacks": stacks_refusal,
    "aseq": lambda plan: None,
}
"""The methods that count, the quickest first, and why one would not."""

METHODS = ("auto", *REFUSALS, "two_step")

COSTS = {
    "inverse": "an event costs the steps of the pattern, whatever the window holds",
    "stacks": "an event costs the steps of the pattern, amortised, whatever the window holds",
    "aseq": "an event visits the open first events of its partition",
}
