"""Conditions on two composites that may be joined: where their values lie, and which events they range over.

`l` is the left composite and `r` the right one; where there is only one it is both. `jit` says what the other
letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers import candidates as kept
from cepheid.matchers import program as op
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.tree import layout as at
from cepheid.plan.program import Source

COLUMN, SLOT, CONSTANT, NODE, CANDIDATE = (int(source) for source in Source)
RIGHT_SLOT = CANDIDATE + 1
"""A slot of the right composite; a SLOT is one of the left."""


@inlined
def fetch(source, index, t, ev, st, e, l, r, candidate):  # noqa: E741
    """A value's 64 bits, and whether it is not null."""
    if source == SLOT:
        return st.rows[l, at.WIDTH + index], (st.rows[l, at.VALID] >> index) & 1 != 0
    if source == RIGHT_SLOT:
        return st.rows[r, at.WIDTH + index], (st.rows[r, at.VALID] >> index) & 1 != 0
    if source == COLUMN:
        return ev.columns[index, e], ev.valid[index, e] != 0
    if source == CONSTANT:
        return t.book[t.constants + index, 0], t.book[t.constants + index, 1] != 0
    if source == NODE:
        row = st.scratch[t.book[t.node_positions + index, 0], at.RANGING]
        return st.rows[row, t.kept + index], (st.rows[row, at.KEPT_VALID] >> index) & 1 != 0
    known = (st.candidates[candidate, kept.VALID] >> index) & 1 != 0
    return st.candidates[candidate, kept.WIDTH + index], known


@kernel
def true_for(c, t, ev, st, e, l, r, candidate):  # noqa: E741
    """Whether condition `c` is true of an event, two composites, the events ranged over, and a candidate."""
    row = t.conditions + c
    operation = t.book[row, op.OPERATION]
    if operation == op.RUN_PROGRAM:
        first = t.loads + t.book[row, op.LOADS]
        for k in range(t.book[row, op.LOADS_END] - t.book[row, op.LOADS]):
            value, known = fetch(t.book[first + k, 0], t.book[first + k, 1], t, ev, st, e, l, r, candidate)
            st.scratch[k, at.REGISTER] = value
            st.scratch[k, at.REGISTER_VALID] = known
        begin, end = t.program + t.book[row, op.PROGRAM], t.program + t.book[row, op.PROGRAM_END]
        return op.execute(t.book, begin, end, st.scratch, ev.texts)
    left, known = fetch(t.book[row, op.LEFT_SOURCE], t.book[row, op.LEFT], t, ev, st, e, l, r, candidate)
    if not known or operation == op.IS_TRUE:
        return known and left != 0
    right, known = fetch(t.book[row, op.RIGHT_SOURCE], t.book[row, op.RIGHT], t, ev, st, e, l, r, candidate)
    return known and op.compares(operation, left, right, ev.texts)


@kernel
def true_for_every(c, t, ev, st, e, l, r, candidate):  # noqa: E741
    """Whether condition `c` is true with each event of the variables that it ranges over."""
    ranged = t.book[t.conditions + c, op.RANGES_OVER]
    for position in range(t.position_count):
        if (ranged >> position) & 1 != 0:
            side = l if (st.rows[l, at.BOUND] >> position) & 1 != 0 else r
            if not start_ranging(c, t, st, side, position):
                return True
    while True:
        if not true_for(c, t, ev, st, e, l, r, candidate):
            return False
        moved = False
        for position in range(t.position_count):
            if (ranged >> position) & 1 != 0:
                moved = range_on(c, t, st, position)
                if moved:
                    break
        if not moved:
            return True


@kernel
def least_taken(c, t, position):
    """The first event of a variable that a condition ranges over."""
    return 2 if (t.book[t.conditions + c, op.FROM_SECOND] >> position) & 1 != 0 else 1


@kernel
def start_ranging(c, t, st, row, position):
    """Go to the last event of a variable; whether there is one to range over."""
    row = chain_of(st, row, position)
    st.scratch[position, at.RANGING] = row
    st.scratch[position, at.RANGING_FROM] = row
    return row != at.NONE and st.rows[row, at.TAKEN] >= least_taken(c, t, position)


@kernel
def chain_of(st, row, position):
    """The chain of a variable in a composite; NONE if it has none."""
    bit = np.int64(1) << position
    while row != at.NONE and st.rows[row, at.BOUND] & bit != 0:
        if st.rows[row, at.TAKEN] > 0:
            return row
        left = st.rows[row, at.PART_LEFT]
        row = left if left != at.NONE and st.rows[left, at.BOUND] & bit != 0 else st.rows[row, at.PART_RIGHT]
    return np.int64(at.NONE)


@kernel
def range_on(c, t, st, position):
    """Go to the event before; back to the last, answering no, if there is none."""
    row = st.scratch[position, at.RANGING]
    if st.rows[row, at.TAKEN] > least_taken(c, t, position):
        st.scratch[position, at.RANGING] = st.rows[row, at.PART_LEFT]
        return True
    st.scratch[position, at.RANGING] = st.scratch[position, at.RANGING_FROM]
    return False


@kernel
def all_hold(begin, end, t, ev, st, e, l, r, candidate):  # noqa: E741
    """Whether the conditions begin … end hold; one that names an absent variable does."""
    bound = st.rows[l, at.BOUND] | st.rows[r, at.BOUND]
    for c in range(begin, end):
        required = t.book[t.conditions + c, op.REQUIRES]
        if bound & required != required:
            continue
        if t.book[t.conditions + c, op.RANGES_OVER] == 0:
            if not true_for(c, t, ev, st, e, l, r, candidate):
                return False
        elif not true_for_every(c, t, ev, st, e, l, r, candidate):
            return False
    return True
