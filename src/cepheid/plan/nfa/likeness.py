"""When two runs of one state will do the same from now on: what they must agree on to be merged.

A run's past matters only through the values that a condition ahead of it reads (the masks over the
computation vector in the SASE+ paper), and through what an absence or an inner window is measured from.
Starts may differ: a merged run goes on as long as its youngest, and a match is told by its own start.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cepheid.pattern.query import EmitMode, Strategy
from cepheid.plan.program import Absence, Apply, Capture, Condition, Load, Slot, Source
from cepheid.plan.states.automaton import Automaton

if TYPE_CHECKING:
    from cepheid.plan.nfa.plan import NfaPlan


@dataclass(frozen=True, slots=True)
class Likeness:
    """What runs that wait in one state must agree on, besides the variables that they have bound."""

    slots: tuple[int, ...]
    last: bool  # the event selected last: an absence is looked for after it
    start: bool  # the first event: an absence before it, or up to the end of its window
    windows: tuple[int, ...]  # where inner windows began
    taken: int  # the number of events in the state, as far as it counts


def likenesses(plan: NfaPlan) -> tuple[Likeness | None, ...]:
    """For each state what its runs must agree on; None where they are never alike."""
    return tuple(_likeness(plan, state) for state in range(len(plan.automaton.positions)))


def may_merge(plan: NfaPlan) -> bool:
    """Whether runs of some state in which they can wait may be alike."""
    waits = (
        bool(follow) or position.kleene
        for follow, position in zip(plan.automaton.follow, plan.automaton.positions, strict=True)
    )
    return any(likeness is not None for likeness, can in zip(plan.likenesses, waits, strict=True) if can)


def _likeness(plan: NfaPlan, state: int) -> Likeness | None:
    if any(absence_looks_ahead(plan, absence) for absence in plan.absences):
        return None
    ahead = [*_ahead(plan.automaton, state), *(c for a in plan.absences for c in a.conditions)]
    if any(position <= state for condition in ahead for position in condition.ranges_over):
        return None
    position = plan.automaton.positions[state]
    read = _read(ahead, plan.slots)
    here = [plan.slots[slot] for slot in read if plan.slots[slot].position == state]
    if any(slot.capture is Capture.DISTINCT for slot in here):
        return None  # the next value is looked for among those of the run's own events
    counted = max([position.least, *(slot.ordinal for slot in here)])
    return Likeness(
        slots=tuple(sorted(slot for slot in read if plan.slots[slot].position <= state)),
        last=any(
            state < absence.place <= after
            for absence in plan.absences
            for after in plan.automaton.follow[state]
        ),
        start=not all(_is_inside(plan.automaton, absence) for absence in plan.absences),
        windows=tuple(
            number for number, window in enumerate(plan.inner_windows) if min(window.members) <= state
        ),
        taken=position.most if position.most is not None else counted,
    )


def absence_looks_ahead(plan: NfaPlan, absence: Absence) -> bool:
    """Whether its conditions name a variable after it, so that it is judged over the whole match."""
    return last_named(plan, absence) >= absence.place


def last_named(plan: NfaPlan, absence: Absence) -> int:
    """The last position that an absence's conditions look at, or -1."""
    read = _loads(absence.conditions)
    named = [plan.slots[load.index].position for load in read if load.source is Source.SLOT]
    named += [plan.remembered[load.index].position for load in read if load.source is Source.NODE]
    return max(named, default=-1)


def _ahead(automaton: Automaton, state: int) -> Iterator[Condition]:
    """The conditions that a run of a state may still have to meet."""
    yield from (*automaton.on_take[state], *automaton.on_leave[state])
    for later in sorted(_reachable(automaton, state)):
        yield from (*automaton.on_begin[later], *automaton.on_take[later], *automaton.on_leave[later])


def _reachable(automaton: Automaton, state: int) -> set[int]:
    reached: set[int] = set()
    following = set(automaton.follow[state])
    while following:
        reached |= following
        following = {after for place in following for after in automaton.follow[place]} - reached
    return reached


def _read(conditions: Iterable[Condition], slots: tuple[Slot, ...]) -> set[int]:
    """The slots that conditions read, and those from which these are kept up to date."""
    read = {load.index for load in _loads(conditions) if load.source is Source.SLOT}
    return read | {source for slot in read for source in slots[slot].inputs or ()}


def _loads(conditions: Iterable[Condition]) -> list[Load]:
    stack: list[Load | Apply] = [condition.value for condition in conditions]
    found: list[Load] = []
    while stack:
        value = stack.pop()
        if isinstance(value, Apply):
            stack.extend(value.arguments)
        else:
            found.append(value)
    return found


def _is_inside(automaton: Automaton, absence: Absence) -> bool:
    """Whether every match has an event before an absence, and one after it."""
    sides = automaton.positions[: absence.place], automaton.positions[absence.place :]
    return all(any(not position.optional for position in side) for side in sides)


def may_explode(plan: NfaPlan) -> bool:
    """Whether runs may double with every event, or matches need not be listed one by one: then runs are
    merged from the start."""
    repeats = any(position.kleene for position in plan.automaton.positions)
    listed = plan.query.emit.mode in (EmitMode.ALL, EmitMode.NON_OVERLAPPING)
    return (repeats and plan.query.strategy is Strategy.ANY) or not listed
