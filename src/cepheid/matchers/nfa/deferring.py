"""Events that runs can only take are read later: when a run may go on, and only if it still can.

Under skip-till-next-match such an event changes nothing but the run itself. So a partition chains the
events that it defers, and a run reads its part of the chain when an event comes that may begin what follows
its variable. A run whose window ends before has read none of it. A batch ends with nothing deferred.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.edges import is_over, takes
from cepheid.matchers.nfa.kernel import (
    count_event,
    room_for,
    start_runs,
    starting_bits,
    step_runs,
)
from cepheid.matchers.nfa.runs import free_run, select, window_ending

BEFORE, TURNED = 0, 1  # the rows of `NfaEvents.deferred`
ANY_EVENT = np.int64(-1)


@kernel
def advance_deferring(t, ev, st, found, cursor):
    """As `advance`, with runs apart under skip-till-next-match; a kernel of its own, since merely asking
    whether to defer would slow that one down. Stops early when more than MOST_PUT_OFF is deferred."""
    starting = starting_bits(t)
    for e in range(cursor[at.AT_EVENT], cursor[at.UNTIL]):
        mask, p = ev.head[at.MASK, e], ev.head[at.IN_PARTITION, e]
        if p == at.NONE:
            continue
        ev.head[at.ORDINAL, e] = st.parts[p, at.COUNTED] + 1
        if mask == 0 and not t.waits_for_events:
            st.parts[p, at.COUNTED] += 1
            continue
        full = catch_up(t, ev, st, cursor, p, e, mask)
        if full == at.DONE:
            full = room_for(t, st, found, cursor, p)
        if full != at.DONE:
            cursor[at.AT_EVENT] = e
            return full
        count_event(t, ev, st, found, cursor, e, p)
        for s in range(t.states - 1, -1, -1):
            if st.parts[p, at.HEADS + s] != at.NONE and mask & t.book[t.positions + s, at.RELEVANT] != 0:
                if not defer(t, ev, st, cursor, e, s):
                    step_runs(t, ev, st, found, cursor, e, s)
        if mask & starting != 0:
            start_runs(t, ev, st, found, cursor, e, mask)
        if cursor[at.PUT_OFF] > cursor[at.MOST_PUT_OFF]:
            cursor[at.UNTIL] = e + 1
            break
    cursor[at.AT_EVENT] = cursor[at.UNTIL]
    return at.DONE


@inlined
def may_go_on(t, s, mask):
    """Whether an event may begin what follows state `s`."""
    return mask & t.book[t.positions + s, at.RELEVANT] & ~t.book[t.positions + s, at.TAKE_BIT] != 0


@kernel
def defer(t, ev, st, cursor, e, s):
    """Let the runs of state `s`, to which an event is relevant, read it later, if they can only take it;
    whether that is so. The event is chained to those that its partition has deferred."""
    p = ev.head[at.IN_PARTITION, e]
    if t.book[t.positions + s, at.CAN_DEFER] == 0 or may_go_on(t, s, ev.head[at.MASK, e]):
        return False
    if st.parts[p, at.DEFERRED] != cursor[at.OFFSET] + e:
        ev.deferred[BEFORE, e] = st.parts[p, at.DEFERRED] - cursor[at.OFFSET]
        st.parts[p, at.DEFERRED] = cursor[at.OFFSET] + e
        cursor[at.DEFERRALS] += 1
        cursor[at.PUT_OFF] += st.parts[p, at.LIVE]
    r, ending = st.parts[p, at.HEADS + s], window_ending(t, ev, e)
    while r != at.NONE and is_over(t, st, cursor, e, r, ending):
        following = st.runs[r, at.RUN_NEXT]
        free_run(st, cursor, r)
        r = following
    st.parts[p, at.HEADS + s] = r
    return True


@kernel
def catch_up(t, ev, st, cursor, p, e, mask):
    """Let runs that may go on with an event read what was deferred before it; DONE or what is full."""
    ending = window_ending(t, ev, e)
    for s in range(t.states):
        if t.book[t.positions + s, at.CAN_DEFER] != 0 and may_go_on(t, s, mask):
            r = st.parts[p, at.HEADS + s]
            while r != at.NONE:
                if st.runs[r, at.RUN_READ] < st.parts[p, at.DEFERRED] and not is_over(
                    t, st, cursor, e, r, ending
                ):
                    full = read_deferred(t, ev, st, cursor, p, s, r)
                    if full != at.DONE:
                        return full
                r = st.runs[r, at.RUN_NEXT]
    return at.DONE


@kernel
def read_deferred(t, ev, st, cursor, p, s, r):
    """Let a run read what its partition has deferred since it last did."""
    read = max(st.runs[r, at.RUN_READ] - cursor[at.OFFSET], -1)
    unread = 0
    e = st.parts[p, at.DEFERRED] - cursor[at.OFFSET]
    while e > read:
        ev.deferred[TURNED, unread] = e
        unread += 1
        e = ev.deferred[BEFORE, e]
    if st.nodes.shape[0] - cursor[at.NODES] < unread:
        cursor[at.NEEDED] = unread
        return at.NODES_FULL
    made_up_before, taken = cursor[at.MADE_UP], 0
    for k in range(unread - 1, -1, -1):
        e = ev.deferred[TURNED, k]
        if ev.head[at.MASK, e] & t.book[t.positions + s, at.TAKE_BIT] != 0:
            cursor[at.MADE_UP] += 1
            if takes(t, ev, st, e, r, s):
                taken += 1
                select(t, ev, st, cursor, e, s, r)
    st.tally[s, at.READ] += cursor[at.MADE_UP] - made_up_before
    st.tally[s, at.TAKEN] += taken
    st.runs[r, at.RUN_READ] = st.parts[p, at.DEFERRED]
    return at.DONE


@kernel
def catch_up_all(t, ev, st, found, cursor):
    """Let all runs read what was deferred up to UNTIL; DONE or what is full. Takes what `advance` does."""
    for e in range(cursor[at.ALL_READ], cursor[at.UNTIL]):
        p = ev.head[at.IN_PARTITION, e]
        if p != at.NONE and st.parts[p, at.DEFERRED] == cursor[at.OFFSET] + e:
            full = catch_up(t, ev, st, cursor, p, e, ANY_EVENT)
            if full != at.DONE:
                cursor[at.ALL_READ] = e
                return full
    cursor[at.ALL_READ] = cursor[at.UNTIL]
    return at.DONE
