"""SILENCE in the temporal pool: a timer for each profile and partition, set anew by events that qualify.

A timer is a record in a memory of its own, in the list of its profile, kind and partition, and in the heap by
when it is over. `jit` says what the letters mean; `m` has the timers of each profile as its records.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.bits import as_bits, as_real
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.profile.one_step import layout as at
from cepheid.matchers.profile.one_step.absence import as_clock
from cepheid.matchers.profile.one_step.meeting import is_hidden, key_of
from cepheid.matchers.profile.one_step.members import is_alive, template_of
from cepheid.matchers.profile.one_step.records import await_until, first_in, list_of, make, unmake
from cepheid.matchers.profile.pool import layout as pooled
from cepheid.matchers.profile.pool.kernel import find
from cepheid.matchers.windows import closes_at


@kernel
def watch_events(t, ev, st, m, pool, cursor):
    """Let the events of a batch set timers, from where the cursor stands; why it stopped."""
    while cursor[at.EVENT] < ev.fresh:
        tested, found = pool.state.counters[pooled.TESTED], pool.state.counters[pooled.FOUND]
        count = find(pool.tables, pool.state, pool.events, cursor[at.EVENT], pool.hits)
        stopped = room_for(st, cursor, timers_of(pool, count))
        if stopped != at.FINISHED:
            pool.state.counters[pooled.TESTED] = tested
            pool.state.counters[pooled.FOUND] = found
            return stopped
        for k in range(count):
            i = pool.first[pool.hits[k]]
            while i != at.NONE:
                cursor[at.PLACE] = i
                set_anew(t, ev, st, m, pool, cursor)
                i = pool.next[i]
        cursor[at.EVENT] += 1
    return at.FINISHED


@inlined
def timers_of(pool, count):
    """How many timers the primitives that were found have."""
    n = 0
    for k in range(count):
        i = pool.first[pool.hits[k]]
        while i != at.NONE:
            n += 1
            i = pool.next[i]
    return n


@inlined
def room_for(st, cursor, count):
    """Whether so many timers may be set, and as many silences noted; else what there is no room for."""
    if cursor[at.FREE_COUNT] < count or cursor[at.FRESH] + count > st.fresh.size:
        return at.NO_RECORDS
    return at.NO_TOLD if cursor[at.TOLD] + count > st.told.shape[0] else at.FINISHED


@kernel
def set_anew(t, ev, st, m, pool, cursor):
    """Set the timer at the cursor's place anew, by the event at hand; a silence that was over is noted."""
    i, e = cursor[at.PLACE], cursor[at.EVENT]
    profile = pool.profile[i]
    key = key_of(t, ev, template_of(m, profile), e)
    if not is_alive(m, profile) or key == at.NONE or is_hidden(ev, m, profile, e):
        return
    r = first_in(st, list_of(profile, at.PART_LIST + pool.rank[i]), key)
    if r != at.NONE:
        if st.rows[r, at.CLOCK] < ev.clock[ev.kept + e]:
            note(st, cursor, r)
        unmake(st, m, cursor, r)
    set_timer(t, st, m, pool, cursor, (i, key, ev.time[ev.kept + e], ev.kept + e))


@kernel
def set_timer(t, st, m, pool, cursor, what):
    """Set a timer: its number, its partition, from when on, and the last event, if there was one."""
    i, key, since, e = what
    profile = pool.profile[i]
    r = make(st, m, cursor, profile, list_of(profile, at.PART_LIST + pool.rank[i]), key)
    st.rows[r, at.STATE] = at.TIMER
    st.rows[r, at.EVENTS] = e
    if t.is_real:
        over = as_clock(True, as_bits(as_real(since) + as_real(pool.length[i]) + 0.0))
    else:
        over = closes_at(since, pool.length[i])
    await_until(st, cursor, r, over, np.int64(1))


@kernel
def set_from(t, st, m, pool, cursor, numbers):
    """Set timers by no event: silence begins now, which is the cursor's clock. There is room for them."""
    for k in range(numbers.size):
        what = (numbers[k], np.int64(0), cursor[at.GROUP_CLOCK], np.int64(at.NONE))
        set_timer(t, st, m, pool, cursor, what)


@inlined
def note(st, cursor, r):
    """Write down that a timer was over."""
    k = cursor[at.TOLD]
    cursor[at.TOLD] += 1
    st.told[k, at.SILENT_PROFILE] = st.rows[r, at.PROFILE]
    st.told[k, at.SILENT_CLOCK] = st.rows[r, at.CLOCK]
    st.told[k, at.SILENT_RANK] = (st.rows[r, at.LIST] & ((1 << at.LIST_BITS) - 1)) - at.PART_LIST
    st.told[k, at.SILENT_SINCE] = st.rows[r, at.EVENTS]
    st.told[k, at.SILENT_KEY] = st.rows[r, at.KEY]


@kernel
def fall_silent(st, m, cursor):
    """Note the timers that are over before what time has come to; why it stopped."""
    while cursor[at.HEAP_SIZE] > 0 and st.rows[st.heap[0], at.CLOCK] < cursor[at.LIMIT_CLOCK]:
        if cursor[at.TOLD] == st.told.shape[0]:
            return at.NO_TOLD
        r = st.heap[0]
        if is_alive(m, st.rows[r, at.PROFILE]):
            note(st, cursor, r)
        unmake(st, m, cursor, r)
    return at.FINISHED


@kernel
def stop_timers(st, m, cursor, profile):
    """Take off all timers of a profile."""
    while m.records[profile] != at.NONE:
        unmake(st, m, cursor, m.records[profile])
