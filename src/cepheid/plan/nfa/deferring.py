"""Which states of an automaton may leave events unread until a run can go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cepheid.pattern.query import EmitMode, Strategy

if TYPE_CHECKING:
    from cepheid.plan.nfa.plan import NfaPlan


def deferring(plan: NfaPlan) -> frozenset[int]:
    """The Kleene states in which taking one more event, under skip-till-next-match, changes nothing but the
    run itself: no match ends there.

    Runs then write to the buffer when they catch up, not as events come, so its order is no longer that of
    events. Listing every match does not need that order; other ways of output do.
    """
    wanted = plan.method == "auto" and plan.query.emit.mode is EmitMode.ALL
    if not wanted or plan.query.strategy is not Strategy.NEXT:
        return frozenset()
    automaton = plan.automaton
    return frozenset(
        state
        for state, position in enumerate(automaton.positions)
        if position.kleene and state not in automaton.last
    )
