"""What lets a run go on with an event: its windows, and the conditions on the edges of its state."""

from __future__ import annotations

from cepheid.matchers.bits import as_real
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.nfa.conditions import all_hold, all_hold_here
from cepheid.matchers.nfa.layout import (
    EVENTS,
    FLOOR,
    LEAST,
    MOST,
    NONE,
    OFFSET,
    ON_LEAVE,
    ON_LEAVE_END,
    ON_TAKE,
    ORDINAL,
    REALS,
    REALS_OPEN,
    RUN_BOUND,
    RUN_LAST,
    RUN_PARTITION,
    RUN_START,
    RUN_START_ORDINAL,
    RUN_START_TIME,
    RUN_TAKEN,
    RUN_WIDTH,
    STRICT,
    TICKS,
    TIME,
    UNLIMITED,
    WINDOW_KIND,
    WINDOW_LIMIT,
    WINDOW_MEMBERS,
)


@inlined
def inside(t, ev, st, e, r):
    """Whether event `e` lies in the query's window of run `r`."""
    kind = t.book[t.windows + 0, WINDOW_KIND]
    if kind == UNLIMITED:
        return True
    if kind == TICKS:
        return ev.head[TIME, e] - st.runs[r, RUN_START_TIME] <= t.book[t.windows + 0, WINDOW_LIMIT]
    if kind == EVENTS:
        return ev.head[ORDINAL, e] - st.runs[r, RUN_START_ORDINAL] <= t.book[t.windows + 0, WINDOW_LIMIT]
    span = as_real(ev.head[TIME, e]) - as_real(st.runs[r, RUN_START_TIME])
    limit = as_real(t.book[t.windows + 0, WINDOW_LIMIT])
    return span <= limit if kind == REALS else span < limit


@kernel
def inside_inner(t, ev, st, e, r, position):
    """Whether event `e`, bound at `position`, lies in the windows of the sub-patterns around it."""
    for w in range(1, t.window_count):
        members = t.book[t.windows + w, WINDOW_MEMBERS]
        if (members >> position) & 1 == 0 or st.runs[r, RUN_BOUND] & members == 0:
            continue
        kind, begun = t.book[t.windows + w, WINDOW_KIND], RUN_WIDTH + 2 * (w - 1)
        if kind == TICKS:
            if ev.head[TIME, e] - st.runs[r, begun] > t.book[t.windows + w, WINDOW_LIMIT]:
                return False
        elif kind == EVENTS:
            if ev.head[ORDINAL, e] - st.runs[r, begun] > t.book[t.windows + w, WINDOW_LIMIT]:
                return False
        else:
            span = as_real(ev.head[TIME, e]) - as_real(st.runs[r, begun])
            limit = as_real(t.book[t.windows + w, WINDOW_LIMIT])
            if span > limit or (kind == REALS_OPEN and span >= limit):
                return False
    return True


@inlined
def is_over(t, ev, st, cursor, e, r):
    """Whether a run can never complete: out of its window, overlapped, or its contiguity broken."""
    if not inside(t, ev, st, e, r):
        return True
    if st.runs[r, RUN_START] <= st.parts[st.runs[r, RUN_PARTITION], FLOOR]:
        return True
    return t.strategy == STRICT and st.runs[r, RUN_LAST] != cursor[OFFSET] + e - 1


@inlined
def edge_holds(t, ev, st, e, r, s, edge):
    """Whether the conditions on an edge of state `s` hold."""
    row = t.positions + s
    return all_hold_here(t.book[row, edge], t.book[row, edge + 1], t, ev, st, e, r, NONE)


@inlined
def takes(t, ev, st, e, r, s):
    """Whether a run selects one more event for the Kleene variable of its state."""
    return (
        st.runs[r, RUN_TAKEN] < t.book[t.positions + s, MOST]
        and (t.window_count == 1 or inside_inner(t, ev, st, e, r, s))
        and edge_holds(t, ev, st, e, r, s, ON_TAKE)
    )


@inlined
def may_leave(t, ev, st, e, r, s):
    """Whether a run has enough events in state `s`, and the conditions over the whole of them hold."""
    row = t.positions + s
    if st.runs[r, RUN_TAKEN] < t.book[row, LEAST]:
        return False
    begin, end = t.book[row, ON_LEAVE], t.book[row, ON_LEAVE_END]
    return begin == end or all_hold(begin, end, t, ev, st, e, r, NONE)
