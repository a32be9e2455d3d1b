"""What lets a run go on with an event: its windows, and the conditions on the edges of its state.

`jit` says what the letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import inlined
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.conditions import all_hold, all_hold_here
from cepheid.matchers.nfa.runs import begun, moment, started, window
from cepheid.matchers.windows import within


@inlined
def inside_inner(t, ev, st, e, r, position):
    """Whether event `e`, bound at `position`, lies in the windows of the sub-patterns around it."""
    for w in range(1, t.window_count):
        members = t.book[t.windows + w, at.WINDOW_MEMBERS]
        if (members >> position) & 1 == 0 or st.runs[r, at.RUN_BOUND] & members == 0:
            continue
        kind, limit = window(t, w)
        if not within(kind, limit, begun(t, st, w, r), moment(t, ev, w, e)):
            return False
    return True


@inlined
def is_over(t, st, cursor, e, r, ending):
    """Whether a run can never complete: out of the window that ends with event `e`, overlapped, or its
    contiguity broken."""
    kind, limit, now = ending
    if not within(kind, limit, started(kind, st, r), now):
        return True
    if st.runs[r, at.RUN_START] <= st.parts[st.runs[r, at.RUN_PARTITION], at.FLOOR]:
        return True
    return t.strategy == at.STRICT and st.runs[r, at.RUN_LAST] != cursor[at.OFFSET] + e - 1


@inlined
def edge_holds(t, ev, st, e, r, s, edge):
    """Whether the conditions on an edge of state `s` hold."""
    row = t.positions + s
    return all_hold_here(t.book[row, edge], t.book[row, edge + 1], t, ev, st, e, r, at.NONE)


@inlined
def takes(t, ev, st, e, r, s):
    """Whether a run selects one more event for the Kleene variable of its state."""
    return (
        st.runs[r, at.RUN_TAKEN] < t.book[t.positions + s, at.MOST]
        and (t.window_count == 1 or inside_inner(t, ev, st, e, r, s))
        and edge_holds(t, ev, st, e, r, s, at.ON_TAKE)
    )


@inlined
def may_leave(t, ev, st, e, r, s):
    """Whether a run has enough events in state `s`, and the conditions over the whole of them hold."""
    row = t.positions + s
    if st.runs[r, at.RUN_TAKEN] < t.book[row, at.LEAST]:
        return False
    begin, end = t.book[row, at.ON_LEAVE], t.book[row, at.ON_LEAVE_END]
    return begin == end or all_hold(begin, end, t, ev, st, e, r, at.NONE)
