"""Matches: those that are certain are written down, those with nothing after an absence wait for a window.

`jit` says what the letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.absence import find_ends, held, is_closed, last_closing
from cepheid.matchers.tree.composites import began
from cepheid.matchers.windows import FAR


@inlined
def report(t, st, found, cursor, row, event, time, closed):
    """Write down a match, and when it completed."""
    m = cursor[at.FOUND]
    cursor[at.FOUND] += 1
    found[m, at.FOUND_ROW] = row
    found[m, at.FOUND_EVENT] = event
    found[m, at.FOUND_TIME] = time
    found[m, at.FOUND_CLOSED] = closed
    found[m, at.FOUND_PARTITION] = st.rows[row, at.PARTITION]
    found[m, at.FOUND_START] = st.rows[row, at.FIRST]
    found[m, at.FOUND_EVENTS] = st.rows[row, at.EVENTS]
    found[m, at.FOUND_LAST] = st.rows[row, at.LAST]
    found[m, at.FOUND_MEASURE] = began(t.book[t.windows, at.WINDOW_KIND], st, row)
    leaf = st.rows[row, at.LAST_LEAF]
    found[m, at.FOUND_STORED] = st.rows[leaf, at.STORED]
    found[m, at.FOUND_POSITION] = t.book[t.nodes + st.rows[leaf, at.OF_NODE], at.POSITION]
    for lane in range(2):
        found[m, at.FOUND_IDENTITY + lane] = st.rows[leaf, at.IDENTITY + lane]


@kernel
def wait_for_close(t, st, cursor, row):
    """Let a match wait: by partition if a window of events may close it, else in one list."""
    k = cursor[at.FREE_PENDING]
    cursor[at.FREE_PENDING] = st.pending[k, at.NEXT]
    cursor[at.PENDING_COUNT] += 1
    st.pending[k, at.WAITS] = row
    if t.waits_for_events:
        p = st.rows[row, at.PARTITION]
        st.pending[k, at.NEXT] = st.parts[p, at.WAITING]
        st.parts[p, at.WAITING] = k
    else:
        st.pending[k, at.NEXT] = cursor[at.PENDING]
        cursor[at.PENDING] = k


@inlined
def release(st, cursor, k):
    """It waits no more."""
    st.pending[k, at.NEXT] = cursor[at.FREE_PENDING]
    cursor[at.FREE_PENDING] = k
    cursor[at.PENDING_COUNT] -= 1


@kernel
def close_counted(t, ev, st, found, cursor, e):
    """Judge what waits in the event's partition and is closed by the event, or was by its time."""
    p = ev.head[at.IN_PARTITION, e]
    time, ordinal = ev.head[at.TIME, e], ev.head[at.ORDINAL, e]
    k = st.parts[p, at.WAITING]
    st.parts[p, at.WAITING] = at.NONE
    while k != at.NONE:
        following, row = st.pending[k, at.NEXT], st.pending[k, at.WAITS]
        find_ends(t, st, row)
        if is_closed(t, st, row, time, ordinal + 1):
            if held(t, ev, st, row):
                if is_closed(t, st, row, time, ordinal):
                    report_closed(t, st, found, cursor, row, ordinal)
                else:
                    report(t, st, found, cursor, row, cursor[at.OFFSET] + e, time, 0)
            release(st, cursor, k)
        else:
            st.pending[k, at.NEXT] = st.parts[p, at.WAITING]
            st.parts[p, at.WAITING] = k
        k = following


@kernel
def close_until(t, ev, st, found, cursor, now, at_end):
    """Judge what waits for windows that have closed before the watermark, or by the end of all."""
    if t.waits_for_events:
        for p in range(st.parts.shape[0]):
            if st.parts[p, at.WAITING] != at.NONE:
                kept = close_list(t, ev, st, found, cursor, st.parts[p, at.WAITING], now, at_end)
                st.parts[p, at.WAITING] = kept
    cursor[at.PENDING] = close_list(t, ev, st, found, cursor, cursor[at.PENDING], now, at_end)


@kernel
def close_list(t, ev, st, found, cursor, k, now, at_end):
    """Judge one list of what waits; what goes on waiting."""
    kept = np.int64(at.NONE)
    while k != at.NONE:
        following, row = st.pending[k, at.NEXT], st.pending[k, at.WAITS]
        find_ends(t, st, row)
        counted = st.parts[st.rows[row, at.PARTITION], at.COUNTED]
        if at_end or is_closed(t, st, row, now, counted + 1):
            if held(t, ev, st, row):
                report_closed(t, st, found, cursor, row, counted + 1)
            release(st, cursor, k)
        else:
            st.pending[k, at.NEXT] = kept
            kept = k
        k = following
    return kept


@kernel
def report_closed(t, st, found, cursor, row, ordinal):
    """Write down a match completed by time alone, before the event of this ordinal."""
    time, side = last_closing(t, st, row, ordinal)
    report(t, st, found, cursor, row, FAR, time, side)
