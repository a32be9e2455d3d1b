"""Which method of the aggregate engine counts a plan's matches."""

from collections.abc import Callable

from cepheid.errors import UnsupportedError
from cepheid.pattern.query import EmitMode
from cepheid.pattern.types import ValueType
from cepheid.plan.aggregate.closing import closing_refusal
from cepheid.plan.aggregate.gap import gap_refusal
from cepheid.plan.aggregate.neighbours import ORDERED
from cepheid.plan.aggregate.plan import Countable
from cepheid.plan.magnitude import repeats
from cepheid.plan.states.steps import is_plain_sequence


def method_for(plan: Countable, bits: int, *, is_known: bool) -> str:
    """The method that was asked for, or the quickest that can count a plan's matches in so many bits;
    `is_known`: how many events there are."""
    if plan.compared:
        return ORDERED
    refusals = {name: refuses(plan, bits, is_known) for name, refuses in REFUSALS.items()}
    if plan.asked == "auto":
        return next(name for name, reason in refusals.items() if reason is None)
    reason = refusals[plan.asked]
    if reason is not None:
        raise UnsupportedError(
            f"the method '{plan.asked}' does not count matches {reason}", hint="the method 'aseq' does"
        )
    return plan.asked


def inverse_refusal(plan: Countable, bits: int, is_known: bool) -> str | None:
    """What has no inverse in whole numbers, or None."""
    begun = [step for step in plan.steps if step.begins]
    if any(step.undone_by for step in plan.steps) and (refused := gap_refusal(plan, bits)) is not None:
        return refused
    if any(step.looks_back != begun[0].looks_back for step in begun):
        return "with absences before some of their first events"
    if repeats(plan.steps):
        return "with a variable that repeats"
    for item in plan.items:
        if item.function in ("min", "max"):
            return f"to give their {item.function.upper()}"
        if item.value is not None and plan.columns[plan.values[item.value].column].type is ValueType.FLOAT:
            return f"to give the {item.function.upper()} of real numbers"
    if plan.query.emit.mode is EmitMode.ON_CLOSE and (refused := closing_refusal(plan, is_known)) is not None:
        return refused
    if plan.window is not None and plan.window.counts_events and plan.query.keys:
        return "in windows of the events of each partition"
    return None if plan.query.emit.mode is EmitMode.ON_CLOSE else _other_groups(plan)


def stacks_refusal(plan: Countable, bits: int, is_known: bool) -> str | None:
    """What two stacks cannot count, or None: they know a window's matches only all together."""
    closes = plan.query.emit.mode is EmitMode.ON_CLOSE
    if any(step.begins and step.looks_back for step in plan.steps):
        return "with an absence at the start"
    if closes and any(step.ends and step.undone_by for step in plan.steps):
        return "with an absence at the end under EMIT ON CLOSE"
    return None if closes else _other_groups(plan)


def construction_refusal(plan: Countable, bits: int, is_known: bool) -> str | None:
    """What building every match is not made for, or None: it is there to be compared with."""
    if not is_plain_sequence(plan.steps):
        return "of a pattern that is more than a sequence of single events"
    if plan.steps[0].looks_back or plan.steps[-1].undone_by:
        return "with an absence at the start or at the end"
    return "but to give their number" if plan.values else _other_groups(plan)


def _other_groups(plan: Countable) -> str | None:
    others = set(plan.group) - {*plan.query.keys, *plan.alike}
    return f"by '{sorted(others)[0]}', which is no equivalence test" if others else None


REFUSALS: dict[str, Callable[[Countable, int, bool], str | None]] = {
    "inverse": inverse_refusal,
    "stacks": stacks_refusal,
    "aseq": lambda plan, bits, is_known: None,
    ORDERED: lambda plan, bits, is_known: None,
    "construction": construction_refusal,
}
"""The methods that count, the quickest first, and why one would not; what stands behind one that never
refuses is only there to be asked for."""

METHODS = ("auto", *REFUSALS, "two_step")

COSTS = {
    "inverse": "an event costs the steps of the pattern, whatever the window holds",
    "stacks": "an event costs the steps of the pattern, amortised, whatever the window holds",
    "aseq": "an event visits the open first events of its partition",
    ORDERED: "an event visits the open first events of its partition, and in each an index of the values "
    "that it is compared with",
    "construction": "an event costs the matches that it completes, each of which is built",
}
