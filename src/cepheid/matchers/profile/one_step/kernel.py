"""The single step: each event is looked up among what is waited for, and meets just the profiles that do.

`jit` says what the letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.profile.one_step import layout as at
from cepheid.matchers.profile.one_step.absence import holds
from cepheid.matchers.profile.one_step.conditions import bind
from cepheid.matchers.profile.one_step.meeting import complete, meet
from cepheid.matchers.profile.one_step.members import (
    first_of,
    first_part_of,
    next_of,
    primitive_of,
    template_of,
)
from cepheid.matchers.profile.one_step.records import unmake
from cepheid.matchers.profile.one_step.telling import tell
from cepheid.matchers.profile.one_step.waiting import drop, leave
from cepheid.matchers.profile.pool import layout as pooled
from cepheid.matchers.profile.pool.kernel import find


@kernel
def advance(t, ev, st, m, pool, cursor):
    """Take in events from where the cursor stands; why it stopped."""
    while True:
        stopped = at.FINISHED
        if cursor[at.PHASE] == at.CLOSING:
            if cursor[at.DONE] > 0 or is_due(ev, st, cursor):  # else a call is spared
                stopped = close(t, ev, st, m, pool, cursor)
            if stopped == at.FINISHED:
                if cursor[at.EVENT] == ev.fresh:
                    return at.FINISHED
                cursor[at.PHASE] = at.FINDING
        elif cursor[at.PHASE] == at.FINDING:
            stopped = look_up(t, ev, st, m, pool, cursor)
        elif cursor[at.PHASE] == at.MEETING:
            stopped = meet(t, ev, st, m, pool, cursor)
            if stopped == at.FINISHED and cursor[at.DONE] == 0:
                cursor[at.EVENT] += 1
                cursor[at.PHASE] = at.CLOSING
            elif stopped == at.FINISHED:
                cursor[at.PHASE] = at.TELLING
                cursor[at.GROUP_CLOCK] = ev.clock[ev.kept + cursor[at.EVENT]]
                cursor[at.GROUP_FLAG] = 0
        else:
            stopped = tell_group(t, ev, st, m, pool, cursor)
            if stopped == at.FINISHED:
                cursor[at.EVENT] += 1
                cursor[at.PHASE] = at.CLOSING
        if stopped != at.FINISHED:
            return stopped


@inlined
def look_up(t, ev, st, m, pool, cursor):
    """Find the primitives that the event satisfies, and the profiles that wait for them. If there is no room
    for these, it is done again, and counted once."""
    if ev.made.size > 0 and ev.made[cursor[at.EVENT]] != at.NONE:
        return look_up_time(t, ev, st, m, cursor)
    tested, found = pool.state.counters[pooled.TESTED], pool.state.counters[pooled.FOUND]
    count = find(pool.tables, pool.state, pool.events, cursor[at.EVENT], st.hits)
    looked = np.int64(0)
    matched = 0
    for k in range(count):
        p = st.hits[k]
        if cursor[at.METHOD] == at.MARK and m.primitives[p, at.MARKS] == 0:
            continue
        ref = first_of(m, p)
        while ref != at.NONE:
            looked += 1
            if cursor[at.METHOD] != at.MARK or m.references[ref, at.WAITING] > 0:
                if matched < st.matched.size:
                    st.matched[matched] = ref
                matched += 1
            ref = next_of(m, ref)
    if matched > st.matched.size:
        cursor[at.MATCHED] = matched
        pool.state.counters[pooled.TESTED] = tested
        pool.state.counters[pooled.FOUND] = found
        return at.NO_MATCHED
    cursor[at.LOOKED_UP] += looked
    cursor[at.MATCHED] = matched
    cursor[at.PLACE] = 0
    cursor[at.MOVE] = at.NONE
    cursor[at.PHASE] = at.MEETING
    return at.FINISHED


@kernel
def look_up_time(t, ev, st, m, cursor):
    """The same for a time event, which satisfies the one primitive that it was made for."""
    p, owner = ev.made[cursor[at.EVENT]], ev.owner[cursor[at.EVENT]]
    looked, matched = np.int64(0), 0
    ref = first_of(m, p) if owner == at.NONE else first_part_of(m, owner)
    last = at.NONE if owner == at.NONE else ref + t.templates[template_of(m, owner), at.PART_COUNT]
    while ref != last:
        if primitive_of(m, ref) == p:
            looked += 1
            if cursor[at.METHOD] == at.TWO_STEP or m.references[ref, at.WAITING] > 0:
                if matched < st.matched.size:
                    st.matched[matched] = ref
                matched += 1
        ref = next_of(m, ref) if owner == at.NONE else ref + 1
    cursor[at.MATCHED] = matched
    if matched > st.matched.size:
        return at.NO_MATCHED
    cursor[at.LOOKED_UP] += looked
    cursor[at.PLACE] = 0
    cursor[at.MOVE] = at.NONE
    cursor[at.PHASE] = at.MEETING
    return at.FINISHED


@kernel
def tell_group(t, ev, st, m, pool, cursor):
    """Tell what is complete at one moment; first see that there is room for all of it."""
    count = cursor[at.DONE]
    if count == 0:
        return at.FINISHED
    if cursor[at.TOLD] + count > st.told.shape[0]:
        return at.NO_TOLD
    if cursor[at.FREE_COUNT] < count or cursor[at.FRESH] + count > st.fresh.size:
        return at.NO_RECORDS
    tell(t, ev, st, m, pool, cursor)
    return at.FINISHED


@inlined
def is_due(ev, st, cursor):
    """Whether the first deadline is over before the next event, or before what time has come to."""
    if cursor[at.HEAP_SIZE] == 0:
        return False
    clock, flag = cursor[at.LIMIT_CLOCK], cursor[at.LIMIT_FLAG]
    if cursor[at.EVENT] < ev.fresh:
        clock, flag = ev.clock[ev.kept + cursor[at.EVENT]], np.int64(0)
    r = st.heap[0]
    return st.rows[r, at.CLOCK] < clock or (st.rows[r, at.CLOCK] == clock and st.rows[r, at.FLAG] < flag)


@kernel
def close(t, ev, st, m, pool, cursor):
    """Give up what its window has left behind, and tell what has waited for a window to close."""
    while is_due(ev, st, cursor):
        r = st.heap[0]
        clock, flag = st.rows[r, at.CLOCK], st.rows[r, at.FLAG]
        if cursor[at.DONE] > 0 and (clock != cursor[at.GROUP_CLOCK] or flag != cursor[at.GROUP_FLAG]):
            stopped = tell_group(t, ev, st, m, pool, cursor)
            if stopped != at.FINISHED:
                return stopped
            continue  # what was told may have used up what came next
        profile, state = st.rows[r, at.PROFILE], st.rows[r, at.STATE]
        template = template_of(m, profile)
        s = t.templates[template, at.FIRST_STATE] + state
        if t.states[s, at.IS_COMPLETE] == 0:
            cursor[at.EXPIRED] += 1
            drop(t, st, m, pool, cursor, r)
            continue
        if cursor[at.DONE] == st.done.shape[0]:
            return at.NO_DONE
        bind(t, st, template, r)
        if holds(t, ev, st, (template, profile, st.rows[r, at.KEY]), t.states[s, at.FILLED], True):
            complete(t, st, cursor, template, profile, st.rows[r, at.KEY])
            cursor[at.GROUP_CLOCK] = clock
            cursor[at.GROUP_FLAG] = flag
        leave(t, m, pool, cursor, profile, state)
        unmake(st, m, cursor, r)
    return tell_group(t, ev, st, m, pool, cursor)
