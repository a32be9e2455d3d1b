"""The NFA^b, one event after another: begin, take, proceed and ignore for all runs of a partition.

One loop serves every strategy. It works on arrays of given capacity: before an event is
touched it makes sure that whatever the event can produce fits, else it answers which
array is full, and goes on from that event when called again. `jit` says what the letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.absence import HOLDS, OPEN, absent_in_gap, judge, note_candidates
from cepheid.matchers.nfa.closing import close_counted, wait_for_close
from cepheid.matchers.nfa.edges import edge_holds, inside_inner, is_over, may_leave, takes
from cepheid.matchers.nfa.merging import keeps_place, settle_fresh, wait_afresh, wait_merged
from cepheid.matchers.nfa.runs import (
    append_run,
    copy_run,
    free_run,
    moment,
    new_run,
    report,
    select,
    window_ending,
)


@kernel
def advance(t, ev, st, found, cursor):
    """Process the batch from the cursor's event up to UNTIL; answer DONE or what is full."""
    lazy = t.strategy >= at.NEXT
    starting = starting_bits(t)
    for e in range(cursor[at.AT_EVENT], cursor[at.UNTIL]):
        mask, p = ev.head[at.MASK, e], ev.head[at.IN_PARTITION, e]
        if p == at.NONE:
            continue
        ev.head[at.ORDINAL, e] = st.parts[p, at.COUNTED] + 1
        if mask == 0 and lazy and not t.waits_for_events:
            st.parts[p, at.COUNTED] += 1
            continue
        full = room_for(t, st, found, cursor, p)
        if full != at.DONE:
            cursor[at.AT_EVENT] = e
            return full
        found_before = cursor[at.FOUND]
        count_event(t, ev, st, found, cursor, e, p)
        if st.parts[p, at.LIVE] > 0:
            for s in range(t.states - 1, -1, -1):
                if st.parts[p, at.HEADS + s] != at.NONE and (
                    not lazy or mask & t.book[t.positions + s, at.RELEVANT] != 0
                ):
                    step_runs(t, ev, st, found, cursor, e, s)
        if mask & starting != 0:
            start_runs(t, ev, st, found, cursor, e, mask)
        if t.prunes and cursor[at.FOUND] > found_before:
            prune(t, st, cursor, e, p)
    cursor[at.AT_EVENT] = cursor[at.UNTIL]
    return at.DONE


@inlined
def starting_bits(t):
    """The bits of events that may start a run."""
    bits = np.int64(0)
    for k in range(t.first_count):
        bits |= t.book[t.positions + t.book[t.first + k, 0], at.BEGIN_BIT]
    return bits


@inlined
def count_event(t, ev, st, found, cursor, e, p):
    """Count an event, note what it may be absent for, and close the windows of events that it ends."""
    st.parts[p, at.COUNTED] += 1
    if t.absence_count > 0:
        note_candidates(t, ev, st, cursor, e)
        if t.waits_for_events and st.parts[p, at.WAITING] != at.NONE:
            close_counted(t, ev, st, found, cursor, e)


@inlined
def start_runs(t, ev, st, found, cursor, e, mask):
    """Start a run for each variable that the event may begin a match with."""
    for k in range(t.first_count):
        if mask & t.book[t.positions + t.book[t.first + k, 0], at.BEGIN_BIT] != 0:
            start_run(t, ev, st, found, cursor, e, t.book[t.first + k, 0])


@kernel
def prune(t, st, cursor, e, p):
    """A match ends all runs of its partition: whatever they find would overlap it."""
    st.parts[p, at.FLOOR] = cursor[at.OFFSET] + e
    for s in range(t.states):
        r = st.parts[p, at.HEADS + s]
        st.parts[p, at.HEADS + s] = at.NONE
        while r != at.NONE:
            following = st.runs[r, at.RUN_NEXT]
            cursor[at.PRUNED] += 1
            free_run(st, cursor, r)
            r = following


@inlined
def room_for(t, st, found, cursor, p):
    """Whether whatever one event can produce in partition `p` fits; what is full otherwise."""
    live = st.parts[p, at.LIVE]
    if live > cursor[at.MOST_RUNS]:
        cursor[at.MOST_RUNS] = live
    need = (live + 1) * t.fan
    cursor[at.NEEDED] = need
    if cursor[at.FREE_RUNS] < need:
        return at.RUNS_FULL
    if st.nodes.shape[0] - cursor[at.NODES] < need:
        return at.NODES_FULL
    if st.candidates.shape[0] - cursor[at.CANDIDATES] < t.absence_count:
        return at.CANDIDATES_FULL
    if found.shape[0] - cursor[at.FOUND] < need + cursor[at.PENDING_COUNT] * t.trailing:
        cursor[at.NEEDED] = need + cursor[at.PENDING_COUNT] * t.trailing
        return at.FOUND_FULL
    return at.DONE


@inlined
def step_runs(t, ev, st, found, cursor, e, s):
    """Let each run that waits in state `s` of the event's partition read the event."""
    p, mask = ev.head[at.IN_PARTITION, e], ev.head[at.MASK, e]
    r = st.parts[p, at.HEADS + s]
    st.parts[p, at.HEADS + s] = at.NONE
    can_take = mask & t.book[t.positions + s, at.TAKE_BIT] != 0
    can_begin = mask & t.book[t.positions + s, at.RELEVANT] & ~t.book[t.positions + s, at.TAKE_BIT] != 0
    ending = window_ending(t, ev, e)
    steps_before = cursor[at.STEPS]
    while r != at.NONE:
        following = st.runs[r, at.RUN_NEXT]
        cursor[at.STEPS] += 1
        if is_over(t, st, cursor, e, r, ending):
            st.tally[s, at.OVER] += 1
            free_run(st, cursor, r)
            r = following
            continue
        began = can_begin and begin_followers(t, ev, st, found, cursor, e, s, r)
        taken = can_take and takes(t, ev, st, e, r, s)
        ignores = t.strategy == at.ANY or (
            t.strategy == at.NEXT and not (taken if t.book[t.positions + s, at.KLEENE] != 0 else began)
        )
        if ignores:
            st.runs[r, at.RUN_READ] = cursor[at.OFFSET] + e
            append_run(t, st, p, s, r)
        if taken:
            st.tally[s, at.TAKEN] += 1
            child = copy_run(st, cursor, r) if ignores else r
            select(t, ev, st, cursor, e, s, child)
            complete(t, ev, st, found, cursor, e, s, child)
            if not t.merges or keeps_place(t, st, s, child):
                append_run(t, st, p, s, child)
            else:
                wait_afresh(st, cursor, child)
        elif not ignores:
            st.tally[s, at.LEFT] += 1
            free_run(st, cursor, r)
        r = following
    st.tally[s, at.READ] += cursor[at.STEPS] - steps_before
    if t.merges and can_take:
        settle_fresh(t, st, cursor, p, s)


@inlined
def begin_followers(t, ev, st, found, cursor, e, s, r):
    """Proceed to every state that the event begins; whether there is one."""
    began = False
    mask = ev.head[at.MASK, e]
    for k in range(t.book[t.positions + s, at.FOLLOW], t.book[t.positions + s, at.FOLLOW_END]):
        w = t.book[t.follow + k, 0]
        if mask & t.book[t.positions + w, at.BEGIN_BIT] == 0:
            continue
        if not may_leave(t, ev, st, e, r, s):
            break
        if (t.window_count == 1 or inside_inner(t, ev, st, e, r, w)) and edge_holds(
            t, ev, st, e, r, w, at.ON_BEGIN
        ):
            began = True
            st.tally[k, at.BEGUN] += 1
            begin_child(t, ev, st, found, cursor, e, s, r, w)
    return began


@kernel
def begin_child(t, ev, st, found, cursor, e, s, r, w):
    """A copy of run `r`, gone on from state `s` to begin `w` with the event."""
    p = ev.head[at.IN_PARTITION, e]
    child = copy_run(st, cursor, r)
    st.runs[child, at.RUN_TAKEN] = 0
    select(t, ev, st, cursor, e, w, child)
    if t.absence_count > 0 and not absent_in_gap(t, ev, st, cursor, e, s, w, r, child):
        st.tally[w, at.SPOILT] += 1
        free_run(st, cursor, child)
        return
    complete(t, ev, st, found, cursor, e, w, child)
    keep_or_free(t, st, cursor, p, w, child)


@kernel
def start_run(t, ev, st, found, cursor, e, w):
    """A new run that begins `w` with the event."""
    p = ev.head[at.IN_PARTITION, e]
    st.tally[w, at.STARTED] += 1
    r = new_run(st, cursor, p)
    st.runs[r, at.RUN_NODE] = at.NONE
    st.runs[r, at.RUN_TAKEN] = 0
    st.runs[r, at.RUN_START] = cursor[at.OFFSET] + e
    st.runs[r, at.RUN_START_TIME] = ev.head[at.TIME, e]
    st.runs[r, at.RUN_START_ORDINAL] = ev.head[at.ORDINAL, e]
    st.runs[r, at.RUN_BOUND] = 0
    st.runs[r, at.RUN_EVENTS] = 0
    st.runs[r, at.RUN_VALID] = 0
    st.runs[r, at.RUN_OVERFLOWN] = 0
    select(t, ev, st, cursor, e, w, r)
    complete(t, ev, st, found, cursor, e, w, r)
    keep_or_free(t, st, cursor, p, w, r)


@inlined
def keep_or_free(t, st, cursor, p, s, r):
    """Let a run wait in state `s`, unless nothing can come after it."""
    waits = t.book[t.positions + s, at.FOLLOW] < t.book[t.positions + s, at.FOLLOW_END]
    if waits or (t.book[t.positions + s, at.KLEENE] != 0 and t.book[t.positions + s, at.MOST] > 1):
        if t.merges:
            wait_merged(t, st, cursor, p, s, r)
        else:
            append_run(t, st, p, s, r)
    else:
        free_run(st, cursor, r)


@inlined
def complete(t, ev, st, found, cursor, e, s, r):
    """Report the run's match if the pattern may end here, or let it wait for its window to close."""
    if t.book[t.positions + s, at.ACCEPTS] == 0 or not may_leave(t, ev, st, e, r, s):
        return
    verdict = judge(t, ev, st, cursor, e, r) if t.absence_count > 0 else HOLDS
    if verdict == HOLDS:
        st.tally[s, at.COMPLETED] += 1
        now = moment(t, ev, 0, e)
        report(st, found, cursor, r, cursor[at.OFFSET] + e, ev.head[at.TIME, e], 0, now)
    elif verdict == OPEN:
        st.tally[s, at.COMPLETED] += 1
        wait_for_close(t, st, cursor, r)
