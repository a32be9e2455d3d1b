"""Conditions tried on combinations of events that were drawn by chance. `jit` says what the letters mean."""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import kernel
from cepheid.matchers.tree.conditions import all_hold


@kernel
def try_conditions(t, ev, st, begin, end, taken, holds):
    """Whether the conditions begin … end hold for each row, which has all events of its combination; `taken`
    is the event that a chain would go on with."""
    for row in range(taken.size):
        holds[row] = all_hold(begin, end, t, ev, st, taken[row], row, row, 0)
