"""Matches that end in an absence wait until their window has closed.

`jit` says what the letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import kernel
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.absence import absent_to_the_close, is_closed, last_closing
from cepheid.matchers.nfa.runs import begun, copy_run, free_run, report
from cepheid.matchers.windows import FAR


@kernel
def wait_for_close(t, st, cursor, r):
    """Keep a copy of a complete run: by partition if a window of events may close it, else in one list."""
    waiting = copy_run(st, cursor, r)
    p = st.runs[r, at.RUN_PARTITION]
    st.parts[p, at.LIVE] -= 1
    cursor[at.PENDING_COUNT] += 1
    if t.waits_for_events:
        st.runs[waiting, at.RUN_NEXT] = st.parts[p, at.WAITING]
        st.parts[p, at.WAITING] = waiting
    else:
        st.runs[waiting, at.RUN_NEXT] = cursor[at.PENDING]
        cursor[at.PENDING] = waiting


@kernel
def release(st, cursor, r):
    """Free a run that waited."""
    st.parts[st.runs[r, at.RUN_PARTITION], at.LIVE] += 1
    cursor[at.PENDING_COUNT] -= 1
    free_run(st, cursor, r)


@kernel
def close_counted(t, ev, st, found, cursor, e):
    """Judge what waits in the event's partition and is closed by the event, or was by its time."""
    p = ev.head[at.IN_PARTITION, e]
    time, ordinal = ev.head[at.TIME, e], ev.head[at.ORDINAL, e]
    r = st.parts[p, at.WAITING]
    st.parts[p, at.WAITING] = at.NONE
    while r != at.NONE:
        following = st.runs[r, at.RUN_NEXT]
        if is_closed(t, st, r, time, ordinal + 1):
            if absent_to_the_close(t, ev, st, r):
                if is_closed(t, st, r, time, ordinal):
                    report_closed(t, st, found, cursor, r, ordinal)
                else:
                    report(st, found, cursor, r, cursor[at.OFFSET] + e, time, 0, begun(t, st, 0, r))
            release(st, cursor, r)
        else:
            st.runs[r, at.RUN_NEXT] = st.parts[p, at.WAITING]
            st.parts[p, at.WAITING] = r
        r = following


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
def close_list(t, ev, st, found, cursor, r, now, at_end):
    """Judge one list of waiting runs; what goes on waiting."""
    kept = np.int64(at.NONE)
    while r != at.NONE:
        following = st.runs[r, at.RUN_NEXT]
        counted = st.parts[st.runs[r, at.RUN_PARTITION], at.COUNTED]
        if at_end or is_closed(t, st, r, now, counted + 1):
            if absent_to_the_close(t, ev, st, r):
                report_closed(t, st, found, cursor, r, counted + 1)
            release(st, cursor, r)
        else:
            st.runs[r, at.RUN_NEXT] = kept
            kept = r
        r = following
    return kept


@kernel
def report_closed(t, st, found, cursor, r, ordinal):
    """Write down a match completed by time alone, before the event of this ordinal."""
    time, side = last_closing(t, st, r, ordinal)
    report(st, found, cursor, r, FAR, time, side, begun(t, st, 0, r))
