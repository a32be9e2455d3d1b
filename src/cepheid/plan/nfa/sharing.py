"""How runs share their work, in words."""

from collections.abc import Iterator

from cepheid.pattern.render import render_expression
from cepheid.plan.nfa.likeness import Likeness, may_explode, may_merge
from cepheid.plan.nfa.plan import NfaPlan
from cepheid.plan.program import Capture, Condition, Slot


def sharing_lines(plan: NfaPlan) -> list[str]:
    """Whether runs are merged, when, and what they must agree on."""
    if plan.method == "backtracking":
        return ["backtracking: one run at a time, and events are read again; a baseline"]
    if plan.method == "basic":
        return ["basic: runs are apart, and share the buffer of events"]
    if not may_merge(plan):
        return [f"basic: {_why_never(plan)}", *_deferrals(plan)]
    return [_when(plan), *_agreements(plan), *_deferrals(plan)]


def _when(plan: NfaPlan) -> str:
    if plan.method == "merging":
        return "merging, as asked: runs that are alike become one"
    if may_explode(plan):
        return "merging: runs that are alike become one, from the first event on"
    return "auto: runs that are alike become one where that is measured to save steps (m.stats tells)"


def _why_never(plan: NfaPlan) -> str:
    if not any(plan.automaton.follow) and not any(p.kleene for p in plan.automaton.positions):
        return "no run waits for another event"
    if any(c.ranges_over for c in _conditions(plan)):
        return "a condition looks back at every event of a variable, so that no two runs are alike"
    if any(slot.capture is Capture.DISTINCT for slot in plan.slots):
        return "different values are counted, so that no two runs are alike"
    return "an absence is judged over the whole match, so that no two runs are alike"


def _conditions(plan: NfaPlan) -> Iterator[Condition]:
    automaton = plan.automaton
    for conditions in (*automaton.on_begin, *automaton.on_take, *automaton.on_leave):
        yield from conditions
    for absence in plan.absences:
        yield from absence.conditions


def _agreements(plan: NfaPlan) -> list[str]:
    lines = []
    for position, follow, likeness in zip(
        plan.automaton.positions, plan.automaton.follow, plan.likenesses, strict=True
    ):
        if not follow and not position.kleene:
            continue
        state = f"{position.variable}[]" if position.kleene else position.variable
        if likeness is None:
            lines.append(f"at {state}: never, a condition ahead looks back at every event")
        else:
            lines.append(f"at {state}: those that agree on {_agreed(plan, likeness, position.kleene)}")
    return lines


def _deferrals(plan: NfaPlan) -> list[str]:
    positions = plan.automaton.positions
    return [
        f"apart, at {positions[state].variable}[]: what a run can only take it reads when it may go on, "
        "where that is measured to save steps"
        for state in sorted(plan.deferring)
    ]


def _agreed(plan: NfaPlan, likeness: Likeness, kleene: bool) -> str:
    parts = [_slot_text(plan, plan.slots[slot]) for slot in likeness.slots]
    parts += ["their last event"] if likeness.last else []
    parts += ["their first event"] if likeness.start else []
    parts += ["where inner windows begin"] if likeness.windows else []
    parts += [f"how many events they took, up to {likeness.taken:,}"] if kleene and likeness.taken > 1 else []
    return ", ".join(parts) or "nothing: all of a partition"


def _slot_text(plan: NfaPlan, slot: Slot) -> str:
    variable = plan.automaton.positions[slot.position].variable
    if slot.capture is Capture.LENGTH:
        return f"{variable}.len"
    if slot.column is None:
        return f"{slot.capture.value}({variable})"
    value = render_expression(plan.columns[slot.column].expression)
    if slot.capture is Capture.NTH:
        return f"{value} of {variable}[{slot.ordinal}]"
    return f"{slot.capture.value} {value} of {variable}"
