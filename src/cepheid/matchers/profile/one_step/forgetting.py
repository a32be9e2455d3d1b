"""What no later match can have to do with is given up, and what is left is saved and revived.

`jit` says what the letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.bits import as_real
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.profile.one_step import layout as at
from cepheid.matchers.profile.one_step.members import template_of
from cepheid.matchers.profile.one_step.records import await_until, list_of, make, unmake
from cepheid.matchers.profile.one_step.waiting import wait_in
from cepheid.matchers.windows import closes_at, reach_back

LIST_MASK = (1 << at.LIST_BITS) - 1


@inlined
def is_far_back(t, template, time, now):
    """Whether an event is more than two windows ago: a match may begin a window ago, and look as far back."""
    if t.templates[template, at.EXPIRES] == 0:
        return False
    limit = t.windows[t.templates[template, at.WINDOWS], at.WINDOW_LIMIT]
    if t.is_real:
        return as_real(now) - as_real(time) > 2.001 * as_real(limit)
    return time < reach_back(reach_back(now, limit), limit)


@inlined
def is_over(t, template, time, now):
    """Whether the period of `once` that began at a time has passed."""
    if t.templates[template, at.ONCE] != at.ONCE_PERIOD:
        return False
    period = t.templates[template, at.PERIOD]
    if t.is_real:
        return as_real(time) + as_real(period) < as_real(now)
    return closes_at(time, period) < now


@kernel
def forget(t, ev, st, m, cursor, now):
    """Give up watched events that are far back, and periods that are over."""
    for r in range(st.rows.shape[0]):
        profile = st.rows[r, at.PROFILE]
        if profile == at.NONE:
            continue
        template = template_of(m, profile)
        if st.rows[r, at.STATE] == at.WATCHED:
            if is_far_back(t, template, ev.time[st.rows[r, at.EVENTS]], now):
                unmake(st, m, cursor, r)
        elif st.rows[r, at.STATE] == at.MEMORY:
            if is_over(t, template, st.rows[r, at.EVENTS], now):
                unmake(st, m, cursor, r)


@kernel
def list_records(st, numbers):
    """The records, each list from its oldest on; how many."""
    count = 0
    for b in range(st.buckets.size):
        r = st.buckets[b]
        while r != at.NONE and st.rows[r, at.NEXT] != at.NONE:
            r = st.rows[r, at.NEXT]
        while r != at.NONE:
            numbers[count] = r
            count += 1
            r = st.rows[r, at.PREVIOUS]
    return count


@kernel
def revive(t, st, m, pool, cursor, saved):
    """Make records anew that were saved, in the order in which `list_records` has them. There is room."""
    for k in range(saved.shape[0]):
        profile, state = saved[k, at.PROFILE], saved[k, at.STATE]
        listed = list_of(profile, saved[k, at.LIST] & LIST_MASK)
        r = make(st, m, cursor, profile, listed, saved[k, at.KEY])
        st.rows[r, at.STATE] = state
        for i in range(at.EVENTS, saved.shape[1]):
            st.rows[r, i] = saved[k, i]
        if saved[k, at.HEAP] != at.NONE:
            await_until(st, cursor, r, saved[k, at.CLOCK], saved[k, at.FLAG])
        if state >= 0:
            wait_in(t, m, pool, cursor, profile, state)
