"""Absences that a match may end in, and the windows that it then waits for."""

from cepheid.plan.nfa.plan import NfaPlan
from cepheid.plan.program import Absence
from cepheid.plan.states.automaton import may_trail


def trailing_absences(plan: NfaPlan) -> list[Absence]:
    """The absences that some match may end in."""
    return [absence for absence in plan.absences if may_trail(absence, plan.automaton)]


def enclosing_windows(absence: Absence, plan: NfaPlan) -> list[int]:
    """The windows around an absence: 0 is the query's, then those of sub-patterns."""
    return [*([0] if plan.window is not None else []), *(1 + w for w in absence.inner_windows)]


def waits_for_events(plan: NfaPlan) -> bool:
    """Whether a match that ends in an absence may wait for the n-th event of a window."""
    windows = (plan.window, *plan.inner_windows)
    return any(
        window is not None and window.counts_events
        for absence in trailing_absences(plan)
        for window in (windows[w] for w in enclosing_windows(absence, plan))
    )
