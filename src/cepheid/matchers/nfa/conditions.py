"""Conditions on the events of a run: where their values lie, and which events they range over.

`jit` says what the letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers import candidates as kept
from cepheid.matchers import program as op
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.nfa import layout as at
from cepheid.plan.program import Source

COLUMN, SLOT, CONSTANT, NODE = (
    int(source) for source in (Source.COLUMN, Source.SLOT, Source.CONSTANT, Source.NODE)
)


@inlined
def fetch(source, index, t, ev, st, e, r, candidate):
    """A value's 64 bits, and whether it is not null."""
    if source == COLUMN:
        return ev.columns[index, e], ev.valid[index, e] != 0
    if source == SLOT:
        return st.runs[r, t.slots + index], (st.runs[r, at.RUN_VALID] >> index) & 1 != 0
    if source == CONSTANT:
        return t.book[t.constants + index, 0], t.book[t.constants + index, 1] != 0
    if source == NODE:
        node = st.registers[t.book[t.node_positions + index, 0], at.RANGING]
        return st.nodes[node, at.NODE_WIDTH + index], (st.nodes[node, at.NODE_VALID] >> index) & 1 != 0
    known = (st.candidates[candidate, kept.VALID] >> index) & 1 != 0
    return st.candidates[candidate, kept.WIDTH + index], known


@inlined
def true_for(c, t, ev, st, e, r, candidate):
    """Whether condition `c` is true of event `e`, run `r`, the events ranged over, and a candidate."""
    row = t.conditions + c
    operation = t.book[row, op.OPERATION]
    if operation == op.RUN_PROGRAM:
        return run_program(c, t, ev, st, e, r, candidate)
    left, known = fetch(t.book[row, op.LEFT_SOURCE], t.book[row, op.LEFT], t, ev, st, e, r, candidate)
    if not known or operation == op.IS_TRUE:
        return known and left != 0
    right, known = fetch(t.book[row, op.RIGHT_SOURCE], t.book[row, op.RIGHT], t, ev, st, e, r, candidate)
    return known and op.compares(operation, left, right, ev.texts)


@kernel
def run_program(c, t, ev, st, e, r, candidate):
    """Load the values of a condition, and run its program."""
    row = t.conditions + c
    first = t.loads + t.book[row, op.LOADS]
    for k in range(t.book[row, op.LOADS_END] - t.book[row, op.LOADS]):
        value, known = fetch(t.book[first + k, 0], t.book[first + k, 1], t, ev, st, e, r, candidate)
        st.registers[k, at.REGISTER] = value
        st.registers[k, at.REGISTER_VALID] = known
    begin, end = t.program + t.book[row, op.PROGRAM], t.program + t.book[row, op.PROGRAM_END]
    return op.execute(t.book, begin, end, st.registers, ev.texts)


@kernel
def true_for_every(c, t, ev, st, e, r, candidate):
    """Whether condition `c` is true with each event of the variables that it ranges over."""
    ranged = t.book[t.conditions + c, op.RANGES_OVER]
    for position in range(t.states):
        if (ranged >> position) & 1 != 0 and not start_ranging(c, t, st, r, position):
            return True
    while True:
        if not true_for(c, t, ev, st, e, r, candidate):
            return False
        moved = False
        for position in range(t.states):
            if (ranged >> position) & 1 != 0:
                moved = range_on(c, t, st, position)
                if moved:
                    break
        if not moved:
            return True


@kernel
def least_ordinal(c, t, position):
    """The first event of a variable that a condition ranges over."""
    return 2 if (t.book[t.conditions + c, op.FROM_SECOND] >> position) & 1 != 0 else 1


@kernel
def start_ranging(c, t, st, r, position):
    """Go to the last event of a variable; whether there is one to range over."""
    node = st.runs[r, at.RUN_NODE]
    while node != at.NONE and st.nodes[node, at.LINK_POSITION] != position:
        node = st.nodes[st.nodes[node, at.LINK_FIRST], at.LINK_PREVIOUS]
    st.registers[position, at.RANGING] = node
    st.registers[position, at.RANGING_FROM] = node
    return node != at.NONE and st.nodes[node, at.LINK_ORDINAL] >= least_ordinal(c, t, position)


@kernel
def range_on(c, t, st, position):
    """Go to the event before; back to the last, answering no, if there is none."""
    node = st.registers[position, at.RANGING]
    if st.nodes[node, at.LINK_ORDINAL] > least_ordinal(c, t, position):
        st.registers[position, at.RANGING] = st.nodes[node, at.LINK_PREVIOUS]
        return True
    st.registers[position, at.RANGING] = st.registers[position, at.RANGING_FROM]
    return False


@inlined
def all_hold_here(begin, end, t, ev, st, e, r, candidate):
    """The same, compiled into the caller: for the edges that most events try."""
    for c in range(begin, end):
        required = t.book[t.conditions + c, op.REQUIRES]
        if st.runs[r, at.RUN_BOUND] & required != required:
            continue
        if t.book[t.conditions + c, op.RANGES_OVER] == 0:
            if not true_for(c, t, ev, st, e, r, candidate):
                return False
        elif not true_for_every(c, t, ev, st, e, r, candidate):
            return False
    return True


@kernel
def all_hold(begin, end, t, ev, st, e, r, candidate):
    """Whether the conditions begin … end hold; one that names an absent variable does."""
    return all_hold_here(begin, end, t, ev, st, e, r, candidate)
