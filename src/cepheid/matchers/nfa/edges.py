"""What lets a run go on with an event: its windows, and the conditions on the edges of its state."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

from cepheid.matchers.bits import as_real
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.conditions import all_hold, all_hold_here


@inlined
def inside(t, ev, st, e, r):
    """Whether event `e` lies in the query's window of run `r`."""
    kind = t.book[t.windows + 0, at.WINDOW_KIND]
    if kind == at.UNLIMITED:
        return True
    if kind == at.TICKS:
        return ev.head[at.TIME, e] - st.runs[r, at.RUN_START_TIME] <= t.book[t.windows + 0, at.WINDOW_LIMIT]
    if kind == at.EVENTS:
        return (
            ev.head[at.ORDINAL, e] - st.runs[r, at.RUN_START_ORDINAL]
            <= t.book[t.windows + 0, at.WINDOW_LIMIT]
        )
    span = as_real(ev.head[at.TIME, e]) - as_real(st.runs[r, at.RUN_START_TIME])
    limit = as_real(t.book[t.windows + 0, at.WINDOW_LIMIT])
    return span <= limit if kind == at.REALS else span < limit


@kernel
def inside_inner(t, ev, st, e, r, position):
    """Whether event `e`, bound at `position`, lies in the windows of the sub-patterns around it."""
    for w in range(1, t.window_count):
        members = t.book[t.windows + w, at.WINDOW_MEMBERS]
        if (members >> position) & 1 == 0 or st.runs[r, at.RUN_BOUND] & members == 0:
            continue
        kind, begun = t.book[t.windows + w, at.WINDOW_KIND], at.RUN_WIDTH + 2 * (w - 1)
        if kind == at.TICKS:
            if ev.head[at.TIME, e] - st.runs[r, begun] > t.book[t.windows + w, at.WINDOW_LIMIT]:
                return False
        elif kind == at.EVENTS:
            if ev.head[at.ORDINAL, e] - st.runs[r, begun] > t.book[t.windows + w, at.WINDOW_LIMIT]:
                return False
        else:
            span = as_real(ev.head[at.TIME, e]) - as_real(st.runs[r, begun])
            limit = as_real(t.book[t.windows + w, at.WINDOW_LIMIT])
            if span > limit or (kind == at.REALS_OPEN and span >= limit):
                return False
    return True


@inlined
def is_over(t, ev, st, cursor, e, r):
    """Whether a run can never complete: out of its window, overlapped, or its contiguity broken."""
    if not inside(t, ev, st, e, r):
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
