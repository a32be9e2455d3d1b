"""Matches that end in an absence wait until their window has closed."""

from __future__ import annotations

import numpy as np

from cepheid.matchers.jit import kernel
from cepheid.matchers.nfa.absence import FAR, absent_to_the_close, closing_time, is_closed
from cepheid.matchers.nfa.layout import (
    COUNTED,
    IN_PARTITION,
    LIVE,
    NONE,
    OFFSET,
    ORDINAL,
    PENDING,
    PENDING_COUNT,
    REALS_OPEN,
    RUN_NEXT,
    RUN_PARTITION,
    TIME,
    WAITING,
    WINDOW_KIND,
)
from cepheid.matchers.nfa.runs import copy_run, free_run, report, start_measure


@kernel
def wait_for_close(t, st, cursor, r):
    """Keep a copy of a complete run: by partition if a window of events may close it, else in one list."""
    waiting = copy_run(st, cursor, r)
    p = st.runs[r, RUN_PARTITION]
    st.parts[p, LIVE] -= 1
    cursor[PENDING_COUNT] += 1
    if t.waits_for_events:
        st.runs[waiting, RUN_NEXT] = st.parts[p, WAITING]
        st.parts[p, WAITING] = waiting
    else:
        st.runs[waiting, RUN_NEXT] = cursor[PENDING]
        cursor[PENDING] = waiting


@kernel
def release(st, cursor, r):
    """Free a run that waited."""
    st.parts[st.runs[r, RUN_PARTITION], LIVE] += 1
    cursor[PENDING_COUNT] -= 1
    free_run(st, cursor, r)


@kernel
def close_counted(t, ev, st, found, cursor, e):
    """Judge what waits in the event's partition and is closed by the event, or was by its time."""
    p = ev.head[IN_PARTITION, e]
    time, ordinal = ev.head[TIME, e], ev.head[ORDINAL, e]
    r = st.parts[p, WAITING]
    st.parts[p, WAITING] = NONE
    while r != NONE:
        following = st.runs[r, RUN_NEXT]
        if is_closed(t, st, r, time, ordinal, 1):
            if absent_to_the_close(t, ev, st, r):
                if is_closed(t, st, r, time, ordinal, 0):
                    report_closed(t, st, found, cursor, r)
                else:
                    report(st, found, cursor, r, cursor[OFFSET] + e, time, 0, start_measure(t, st, r))
            release(st, cursor, r)
        else:
            st.runs[r, RUN_NEXT] = st.parts[p, WAITING]
            st.parts[p, WAITING] = r
        r = following


@kernel
def close_until(t, ev, st, found, cursor, now, at_end):
    """Judge what waits for windows that have closed before the watermark, or by the end of all."""
    if t.waits_for_events:
        for p in range(st.parts.shape[0]):
            if st.parts[p, WAITING] != NONE:
                kept = close_list(t, ev, st, found, cursor, st.parts[p, WAITING], now, at_end)
                st.parts[p, WAITING] = kept
    cursor[PENDING] = close_list(t, ev, st, found, cursor, cursor[PENDING], now, at_end)


@kernel
def close_list(t, ev, st, found, cursor, r, now, at_end):
    """Judge one list of waiting runs; what goes on waiting."""
    kept = np.int64(NONE)
    while r != NONE:
        following = st.runs[r, RUN_NEXT]
        counted = st.parts[st.runs[r, RUN_PARTITION], COUNTED]
        if at_end or is_closed(t, st, r, now, counted, 1):
            if absent_to_the_close(t, ev, st, r):
                report_closed(t, st, found, cursor, r)
            release(st, cursor, r)
        else:
            st.runs[r, RUN_NEXT] = kept
            kept = r
        r = following
    return kept


@kernel
def report_closed(t, st, found, cursor, r):
    """Write down a match completed by time alone."""
    closed = -1 if t.book[t.windows, WINDOW_KIND] == REALS_OPEN else 1
    report(st, found, cursor, r, FAR, closing_time(t, st, r), closed, start_measure(t, st, r))
