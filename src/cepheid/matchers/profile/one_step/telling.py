"""Which complete matches are told: select, then consume, then once. `jit` says what the letters mean.

`d` is a complete match, and `key` the number of its partition.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.bits import as_real
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.profile.one_step import layout as at
from cepheid.matchers.profile.one_step.conditions import all_true_at, first_bound, is_bound, last_bound
from cepheid.matchers.profile.one_step.members import is_alive, template_of
from cepheid.matchers.profile.one_step.records import first_in, list_of, make, next_in
from cepheid.matchers.profile.one_step.waiting import drop, end
from cepheid.matchers.windows import closes_at, within


@inlined
def comes_before(st, one, other):
    """Whether a complete match comes before another: by profile, partition, then by the events."""
    for k in range(st.done.shape[1]):
        if k != at.IS_USED and st.done[one, k] != st.done[other, k]:
            return st.done[one, k] < st.done[other, k]
    return False


@kernel
def put_in_order(st, count):
    """The order of output of the complete matches. They come newest first, so they are turned around."""
    is_sorted = True
    for i in range(count):
        st.order[i] = count - 1 - i
        if i > 0 and comes_before(st, st.order[i], st.order[i - 1]):
            is_sorted = False
    if is_sorted:
        return
    for i in range(count // 2 - 1, -1, -1):
        sift(st, i, count)
    for size in range(count - 1, 0, -1):
        st.order[0], st.order[size] = st.order[size], st.order[0]
        sift(st, 0, size)


@kernel
def sift(st, i, size):
    """Heapsort's step: the last in order stands at the top."""
    while 2 * i + 1 < size:
        k = 2 * i + 1
        if k + 1 < size and comes_before(st, st.order[k], st.order[k + 1]):
            k += 1
        if not comes_before(st, st.order[i], st.order[k]):
            return
        st.order[i], st.order[k] = st.order[k], st.order[i]
        i = k


# -- select --------------------------------------------------------------------------------------------


@kernel
def is_selected(t, ev, st, c, whose, filled):
    """Whether the event of a chosen position is the one wanted among those that qualify in its place."""
    template, profile, key = whose
    part, positions = t.choices[c, at.CHOSEN], t.templates[template, at.POSITIONS]
    if (filled >> part) & 1 == 0:
        return True
    own, last = st.bound[part], last_bound(st, filled)
    low = last_bound(st, t.choices[c, at.CHOSEN_BEFORE])
    after = first_bound(st, t.choices[c, at.CHOSEN_AFTER])
    earlier, later = 0, 0
    known = filled & ((np.int64(1) << part) - 1)
    r = first_in(st, list_of(profile, at.PART_LIST + part), key)
    while r != at.NONE:
        e = st.rows[r, at.EVENTS]
        if e <= low or (low == at.NONE and not in_window(t, ev, template, e, last)):
            break
        if e <= last and (after == at.NONE or e < after) and not is_bound(st, positions, e):
            st.bound[part] = e
            if all_true_at(t, ev, st, template, part, known):
                if e < own:
                    earlier += 1
                else:
                    later += 1
            st.bound[part] = own
        r = next_in(st, r)
    wanted = t.choices[c, at.WANTED]
    return later == 0 if wanted == 0 else earlier == wanted - 1


@inlined
def in_window(t, ev, template, e, last):
    """Whether the query's window that ends at the last event holds an event."""
    w = t.templates[template, at.WINDOWS]
    if t.templates[template, at.EXPIRES] == 0:
        return True
    return within(t.windows[w, at.WINDOW_KIND], t.windows[w, at.WINDOW_LIMIT], ev.time[e], ev.time[last])


# -- consume and once ----------------------------------------------------------------------------------


@inlined
def overlaps(st, d, r, count):
    """Whether a record has an event of a complete match."""
    for i in range(count):
        e = st.rows[r, at.EVENTS + i]
        if e != at.NONE:
            for k in range(at.DONE_EVENTS, st.done.shape[1]):
                if st.done[d, k] == e:
                    return True
    return False


@kernel
def is_used_up(t, st, start, i, template):
    """Whether a match told before it at the same moment, from `start` on, has used up one of its events."""
    d = st.order[i]
    for k in range(start, i):
        other = st.order[k]
        if st.done[other, at.IS_USED] == 0:
            continue
        if t.templates[template, at.CONSUME] == at.CONSUME_REAPPLY or shares(st, d, other):
            return True
    return False


@inlined
def shares(st, one, other):
    """Whether two complete matches have an event in common."""
    for x in range(at.DONE_EVENTS, st.done.shape[1]):
        for y in range(at.DONE_EVENTS, st.done.shape[1]):
            if st.done[one, x] != at.NONE and st.done[one, x] == st.done[other, y]:
                return True
    return False


@kernel
def use_up(t, st, m, pool, cursor, d):
    """Give up what has an event that a match has used up; `reapply` uses up all events so far."""
    profile = st.done[d, at.DONE_PROFILE]
    template = template_of(m, profile)
    everything = t.templates[template, at.CONSUME] == at.CONSUME_REAPPLY
    for state in range(t.templates[template, at.STATE_COUNT]):
        use_up_list(t, st, m, pool, cursor, (d, list_of(profile, state), everything))
    for c in range(t.templates[template, at.CHOICES], t.templates[template, at.CHOICES_END]):
        listed = list_of(profile, at.PART_LIST + t.choices[c, at.CHOSEN])
        use_up_list(t, st, m, pool, cursor, (d, listed, everything))


@kernel
def use_up_list(t, st, m, pool, cursor, what):
    """The same in one list: `what` is the match, the list, and whether all of it is used up."""
    d, listed, everything = what
    key, count = st.done[d, at.DONE_KEY], st.rows.shape[1] - at.EVENTS
    r = first_in(st, listed, key)
    while r != at.NONE:
        following = next_in(st, r)
        if everything or overlaps(st, d, r, count):
            drop(t, st, m, pool, cursor, r)
        r = following


@kernel
def is_held_back(t, st, m, cursor, d, time):
    """Whether the period that runs from the last match told is not over; else it begins anew."""
    profile, key = st.done[d, at.DONE_PROFILE], st.done[d, at.DONE_KEY]
    template = template_of(m, profile)
    once = t.templates[template, at.ONCE]
    r = first_in(st, list_of(profile, at.MEMORY_LIST), key)
    if r != at.NONE:
        last, period = st.rows[r, at.EVENTS], t.templates[template, at.PERIOD]
        if once == at.ONCE_EVER or time == last:
            return True
        if t.is_real:
            if as_real(time) < as_real(last) + as_real(period):
                return True
        elif time < closes_at(last, period):
            return True
    else:
        r = make(st, m, cursor, profile, list_of(profile, at.MEMORY_LIST), key)
        st.rows[r, at.STATE] = at.MEMORY
    st.rows[r, at.EVENTS] = time
    return False


@kernel
def filled_by(st, d):
    """The bits of the positions that a complete match has; they are bound."""
    filled = np.int64(0)
    for k in range(st.done.shape[1] - at.DONE_EVENTS):
        st.bound[k] = st.done[d, at.DONE_EVENTS + k]
        if st.bound[k] != at.NONE:
            filled |= np.int64(1) << k
    return filled


@inlined
def tell(t, ev, st, m, pool, cursor):
    """Tell some of the matches that are complete at one moment."""
    count, start = cursor[at.DONE], 0
    st.order[0] = 0
    if count > 1:
        put_in_order(st, count)
    for i in range(count):
        d = st.order[i]
        if not is_alike(st, st.order[start], d):
            start = i
        profile, key = st.done[d, at.DONE_PROFILE], st.done[d, at.DONE_KEY]
        template = template_of(m, profile)
        if not is_alive(m, profile):
            continue
        consumes = t.templates[template, at.CONSUME] != at.CONSUME_ALL
        if consumes and is_used_up(t, st, start, i, template):
            continue
        if has_choices(t, template) and not all_selected(t, ev, st, (template, profile, key), d):
            continue
        if consumes:
            st.done[d, at.IS_USED] = 1
            use_up(t, st, m, pool, cursor, d)
        once = t.templates[template, at.ONCE]
        if once != at.ONCE_NEVER and is_held_back(t, st, m, cursor, d, time_of(t, cursor[at.GROUP_CLOCK])):
            continue
        write(st, cursor, d)
        if once == at.ONCE_EVER and t.templates[template, at.KEYS] == at.NONE:
            end(t, st, m, pool, cursor, profile)
    cursor[at.DONE] = 0


@inlined
def has_choices(t, template):
    """Whether some position may not have any event."""
    return t.templates[template, at.CHOICES] < t.templates[template, at.CHOICES_END]


@inlined
def is_alike(st, one, other):
    """Whether two complete matches are of one profile and one partition."""
    same = st.done[one, at.DONE_PROFILE] == st.done[other, at.DONE_PROFILE]
    return same and st.done[one, at.DONE_KEY] == st.done[other, at.DONE_KEY]


@inlined
def time_of(t, clock):
    """The time that a clock shows."""
    if t.is_real and clock < 0:
        return clock ^ np.int64(2**63 - 1)
    return clock


@kernel
def all_selected(t, ev, st, whose, d):
    """Whether each chosen position has the event that is wanted."""
    template = whose[0]
    begin, stop = t.templates[template, at.CHOICES], t.templates[template, at.CHOICES_END]
    for part in range(t.templates[template, at.PART_COUNT]):
        st.bound[part] = at.NONE
    filled = filled_by(st, d)
    for c in range(begin, stop):
        if not is_selected(t, ev, st, c, whose, filled):
            return False
    return True


@inlined
def write(st, cursor, d):
    """Write down a match that is told."""
    k = cursor[at.TOLD]
    cursor[at.TOLD] += 1
    st.told[k, at.TOLD_PROFILE] = st.done[d, at.DONE_PROFILE]
    st.told[k, at.TOLD_CLOCK] = cursor[at.GROUP_CLOCK]
    st.told[k, at.TOLD_FLAG] = cursor[at.GROUP_FLAG]
    for i in range(st.done.shape[1] - at.DONE_EVENTS):
        st.told[k, at.TOLD_EVENTS + i] = st.done[d, at.DONE_EVENTS + i]
