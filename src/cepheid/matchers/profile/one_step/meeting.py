"""An event meets the profiles that wait for it: instances grow, begin, or are complete.

`jit` says what the letters mean; `ref` is a part of a profile, and `r` the record of an instance.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.bits import as_bits, as_real
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.profile.one_step import layout as at
from cepheid.matchers.profile.one_step.absence import as_clock, completion, holds
from cepheid.matchers.profile.one_step.conditions import all_true, bind, first_bound, fits_windows
from cepheid.matchers.profile.one_step.members import first_part_of, is_alive, profile_of, template_of
from cepheid.matchers.profile.one_step.records import await_until, first_in, has_room, list_of, make, next_in
from cepheid.matchers.profile.one_step.waiting import wait_in
from cepheid.matchers.windows import closes_at

ROUNDING = 4
"""A sum of reals and a difference may differ in their last digits."""


@inlined
def key_of(t, ev, template, e):
    """The partition of an event of the batch; NONE if it has none."""
    group = t.templates[template, at.KEYS]
    return np.int64(0) if group == at.NONE else ev.keys[group, e]


@inlined
def is_hidden(ev, m, profile, e):
    """Whether a profile does not see an event, since it was accepted before."""
    veil = m.profiles[profile, at.VEIL]
    return veil != at.NONE and ev.veils[veil, e] != 0


@kernel
def meet(t, ev, st, m, pool, cursor):
    """Let the event at hand meet all that was found to wait for it; why it stopped, if it did."""
    e = cursor[at.EVENT]
    while cursor[at.PLACE] < cursor[at.MATCHED]:
        ref = st.matched[cursor[at.PLACE]]
        profile = profile_of(m, ref)
        template = template_of(m, profile)
        key = key_of(t, ev, template, e)
        if is_alive(m, profile) and key != at.NONE and not is_hidden(ev, m, profile, e):
            stopped = meet_one(t, ev, st, m, pool, cursor)
            if stopped != at.FINISHED:
                return stopped
        cursor[at.PLACE] += 1
        cursor[at.MOVE] = at.NONE
        cursor[at.RECORD] = at.NONE
    return at.FINISHED


@kernel
def meet_one(t, ev, st, m, pool, cursor):
    """The same for one part of one profile. The cursor has the next move, and the next record of its list;
    after the last move comes the beginning. All that grows does so in one place, which spares a call."""
    e, ref = cursor[at.EVENT], st.matched[cursor[at.PLACE]]
    profile = profile_of(m, ref)
    template = template_of(m, profile)
    part, key = ref - first_part_of(m, profile), key_of(t, ev, template, e)
    if t.templates[template, at.IS_LONE] != 0:
        return tell_lone(ev, st, cursor, profile)
    row = t.templates[template, at.FIRST_PART] + part
    if t.parts[row, at.IS_LAST] != 0:
        return tell_completed(t, ev, st, m, cursor, row)
    if cursor[at.MOVE] == at.NONE:
        if not has_room(st, cursor):
            return at.NO_RECORDS
        if t.parts[row, at.IS_WATCHED] != 0:
            watch(ev, st, m, cursor, profile, (part, key))
        cursor[at.MOVE] = t.parts[row, at.MOVES]
        cursor[at.RECORD] = at.NONE
        if cursor[at.MOVE] < t.parts[row, at.MOVES_END]:
            cursor[at.RECORD] = first_in(st, source_list(t, profile, cursor[at.MOVE]), key)
    last = t.parts[row, at.MOVES_END]  # instead of a move, the beginning
    while cursor[at.MOVE] < last or (cursor[at.MOVE] == last and t.parts[row, at.START] != at.NONE):
        r = cursor[at.RECORD]
        if cursor[at.MOVE] < last and r == at.NONE:
            cursor[at.MOVE] += 1
            if cursor[at.MOVE] < last:
                cursor[at.RECORD] = first_in(st, source_list(t, profile, cursor[at.MOVE]), key)
            continue
        if not has_room(st, cursor):
            return at.NO_RECORDS
        if cursor[at.DONE] == st.done.shape[0]:
            return at.NO_DONE
        if r == at.NONE or is_older(t, st, template, r, ev.kept + e):
            bind(t, st, template, r)
            is_begun = cursor[at.MOVE] < last
            cursor[at.GOAL] = t.moves[cursor[at.MOVE], at.TARGET] if is_begun else t.parts[row, at.START]
            grow(t, ev, st, m, pool, cursor)
        if r == at.NONE:
            cursor[at.MOVE] += 1
        else:
            cursor[at.RECORD] = next_in(st, r)
    return at.FINISHED


@inlined
def source_list(t, profile, move):
    """The list of the instances that a move starts from."""
    return list_of(profile, t.moves[move, at.SOURCE])


@inlined
def is_older(t, st, template, r, e):
    """Whether an instance was there before an event: what an event makes it does not meet."""
    for k in range(t.templates[template, at.POSITIONS]):
        if st.rows[r, at.EVENTS + k] == e:
            return False
    return True


@inlined
def tell_lone(ev, st, cursor, profile):
    """An event that is all of a match."""
    if cursor[at.TOLD] == st.told.shape[0]:
        return at.NO_TOLD
    k, e = cursor[at.TOLD], ev.kept + cursor[at.EVENT]
    cursor[at.TOLD] += 1
    st.told[k, at.TOLD_PROFILE] = profile
    st.told[k, at.TOLD_CLOCK] = ev.clock[e]
    st.told[k, at.TOLD_FLAG] = 0
    st.told[k, at.TOLD_EVENTS] = e
    for i in range(at.TOLD_EVENTS + 1, st.told.shape[1]):
        st.told[k, i] = at.NONE
    return at.FINISHED


@inlined
def tell_completed(t, ev, st, m, cursor, row):
    """Tell what the last part of a pattern completes, if nothing can hold it back: instances come newest
    first, and what they make is turned around. If there is no room, it is done again from the first one."""
    e, ref = ev.kept + cursor[at.EVENT], st.matched[cursor[at.PLACE]]
    profile = profile_of(m, ref)
    template = template_of(m, profile)
    part, key = ref - first_part_of(m, profile), key_of(t, ev, template, cursor[at.EVENT])
    move = t.parts[row, at.MOVES]
    state = t.templates[template, at.FIRST_STATE] + t.moves[move, at.TARGET]
    what = (template, part, t.states[state, at.FILLED])
    first = cursor[at.TOLD]
    n = first
    r = first_in(st, source_list(t, profile, move), key)
    while r != at.NONE:
        if n == st.told.shape[0]:
            return at.NO_TOLD
        if fits(t, ev, st, what, r, e):
            write_told(ev, st, n, (profile, part, r, e))
            n += 1
        r = next_in(st, r)
    cursor[at.TOLD] = n
    if n - first > 1:
        turn_around(st.told, first, n)
    return at.FINISHED


@inlined
def fits(t, ev, st, what, r, e):
    """Whether an instance may take an event for a part: it is older, and no window or condition is against
    it."""
    template, part, filled = what
    if not is_older(t, st, template, r, e):
        return False
    if has_windows(t, template) or has_conditions(t, template):
        bind(t, st, template, r)
        st.bound[part] = e
        if has_windows(t, template) and not fits_windows(t, ev, st, template, part):
            return False
        if has_conditions(t, template) and not all_true(t, ev, st, template, part, filled):
            return False
    return True


@inlined
def write_told(ev, st, n, what):
    """Write down the match that an instance and the event of its last part are."""
    profile, part, r, e = what
    st.told[n, at.TOLD_PROFILE] = profile
    st.told[n, at.TOLD_CLOCK] = ev.clock[e]
    st.told[n, at.TOLD_FLAG] = 0
    for k in range(st.told.shape[1] - at.TOLD_EVENTS):
        st.told[n, at.TOLD_EVENTS + k] = st.rows[r, at.EVENTS + k]
    st.told[n, at.TOLD_EVENTS + part] = e


@kernel
def turn_around(told, first, end):
    """Let rows stand in the opposite order."""
    while first < end - 1:
        end -= 1
        for k in range(told.shape[1]):
            told[first, k], told[end, k] = told[end, k], told[first, k]
        first += 1


@kernel
def watch(ev, st, m, cursor, profile, what):
    """Keep an event for a part that is watched: an absence, or a place from which one is selected."""
    part, key = what
    r = make(st, m, cursor, profile, list_of(profile, at.PART_LIST + part), key)
    st.rows[r, at.STATE] = at.WATCHED
    st.rows[r, at.EVENTS] = ev.kept + cursor[at.EVENT]


@inlined
def grow(t, ev, st, m, pool, cursor):
    """Let what is bound take the event at hand, if nothing is against it: it comes to the state that is the
    cursor's goal."""
    ref, target = st.matched[cursor[at.PLACE]], cursor[at.GOAL]
    profile = profile_of(m, ref)
    template, part = template_of(m, profile), ref - first_part_of(m, profile)
    key, e = key_of(t, ev, template, cursor[at.EVENT]), ev.kept + cursor[at.EVENT]
    st.bound[part] = e
    s = t.templates[template, at.FIRST_STATE] + target
    filled = t.states[s, at.FILLED]
    if has_windows(t, template) and not fits_windows(t, ev, st, template, part):
        return
    if has_conditions(t, template) and not all_true(t, ev, st, template, part, filled):
        return
    if t.states[s, at.IS_COMPLETE] == 0:
        r = record_of(t, st, m, cursor, profile, (target, key))
        if t.templates[template, at.EXPIRES] != 0:
            await_until(st, cursor, r, deadline(t, ev, st, template), np.int64(1))
        wait_in(t, m, pool, cursor, profile, target)
        return
    whose = (template, profile, key)
    if t.templates[template, at.ABSENCES] < t.templates[template, at.ABSENCES_END]:
        if not holds(t, ev, st, whose, filled, False):
            return
        clock, flag = completion(t, ev, st, template, filled, ev.clock[e])
        if clock > ev.clock[e] or flag > 0:
            r = record_of(t, st, m, cursor, profile, (target, key))
            await_until(st, cursor, r, clock, flag)
            wait_in(t, m, pool, cursor, profile, target)
            return
        if not holds(t, ev, st, whose, filled, True):
            return
    complete(t, st, cursor, template, profile, key)


@inlined
def has_windows(t, template):
    """Whether anything is to be asked of windows: a call takes longer than to see that there are none."""
    return t.templates[template, at.WINDOWS] < t.templates[template, at.WINDOWS_END]


@inlined
def has_conditions(t, template):
    """The same of conditions over several events."""
    return t.templates[template, at.CONDITIONS] < t.templates[template, at.CONDITIONS_END]


@inlined
def complete(t, st, cursor, template, profile, key):
    """Write down a match that is complete."""
    d = cursor[at.DONE]
    cursor[at.DONE] += 1
    st.done[d, at.DONE_PROFILE] = profile
    st.done[d, at.DONE_KEY] = key
    st.done[d, at.IS_USED] = 0
    positions = t.templates[template, at.POSITIONS]
    for k in range(st.done.shape[1] - at.DONE_EVENTS):
        st.done[d, at.DONE_EVENTS + k] = st.bound[k] if k < positions else at.NONE


@kernel
def record_of(t, st, m, cursor, profile, what):
    """The record of an instance with what is bound."""
    state, key = what
    r = make(st, m, cursor, profile, list_of(profile, state), key)
    st.rows[r, at.STATE] = state
    for k in range(t.templates[template_of(m, profile), at.POSITIONS]):
        st.rows[r, at.EVENTS + k] = st.bound[k]
    cursor[at.MADE] += 1
    return r


@kernel
def deadline(t, ev, st, template):
    """The clock after which no event can be in the query's window; for reals, surely after it."""
    w = t.templates[template, at.WINDOWS]
    first = ev.time[first_bound(st, (np.int64(1) << t.templates[template, at.POSITIONS]) - 1)]
    if t.is_real:
        closes = as_bits(as_real(first) + as_real(t.windows[w, at.WINDOW_LIMIT]) + 0.0)
        return as_clock(True, closes) + ROUNDING
    return closes_at(first, t.windows[w, at.WINDOW_LIMIT])
