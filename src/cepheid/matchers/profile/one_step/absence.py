"""Absence, judged on the events that are bound: does an event there qualify? And until when is it open?

`jit` says what the letters mean; `key` is the number of a partition.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.bits import as_bits, as_real
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.profile.one_step import layout as at
from cepheid.matchers.profile.one_step.conditions import all_true, first_bound, is_bound, last_bound
from cepheid.matchers.profile.one_step.records import first_in, list_of, next_in
from cepheid.matchers.windows import FAR, closes_at, within


@inlined
def as_clock(is_real, time):
    """A time as a whole number that stands in the same order."""
    if is_real and time < 0:
        return time ^ FAR
    return time


@kernel
def counts_in(t, a, filled):
    """Whether the OR branches around an absence were taken."""
    for k in range(t.absences[a, at.BRANCHES], t.absences[a, at.BRANCHES_END]):
        if filled & t.branches[k] == 0:
            return False
    return True


@inlined
def is_open(t, a, filled):
    """Whether an absence counts, and no event of the match comes after it."""
    return filled & t.absences[a, at.AFTER] == 0 and counts_in(t, a, filled)


@kernel
def reaches_back(t, ev, st, a, e):
    """Whether the windows around an absence that end at the last event still hold an event."""
    for k in range(t.absences[a, at.ENCLOSED], t.absences[a, at.ENCLOSED_END]):
        w = t.enclosed[k]
        last = last_bound(st, t.windows[w, at.MEMBERS])
        if last != at.NONE and not within(
            t.windows[w, at.WINDOW_KIND], t.windows[w, at.WINDOW_LIMIT], ev.time[e], ev.time[last]
        ):
            return False
    return True


@kernel
def reaches_on(t, ev, st, a, e):
    """Whether all windows around an absence are still open at an event."""
    for k in range(t.absences[a, at.ENCLOSED], t.absences[a, at.ENCLOSED_END]):
        w = t.enclosed[k]
        first = first_bound(st, t.windows[w, at.MEMBERS])
        if first != at.NONE and not within(
            t.windows[w, at.WINDOW_KIND], t.windows[w, at.WINDOW_LIMIT], ev.time[first], ev.time[e]
        ):
            return False
    return True


@kernel
def is_spoiled(t, ev, st, a, whose, filled):
    """Whether an event where it should be absent qualifies; `whose` is template, profile and key."""
    template, profile, key = whose
    part, positions = t.absences[a, at.ABSENT_PART], t.templates[template, at.POSITIONS]
    low = last_bound(st, t.absences[a, at.BEFORE])
    after = first_bound(st, t.absences[a, at.AFTER])
    r = first_in(st, list_of(profile, at.PART_LIST + part), key)
    while r != at.NONE:
        e = st.rows[r, at.EVENTS]
        if e <= low:
            return False
        if after == at.NONE or e < after:
            if low == at.NONE and not reaches_back(t, ev, st, a, e):
                return False
            if after != at.NONE or reaches_on(t, ev, st, a, e):
                if not is_bound(st, positions, e):
                    st.bound[part] = e
                    qualifies = all_true(t, ev, st, template, part, filled)
                    st.bound[part] = at.NONE
                    if qualifies:
                        return True
        r = next_in(st, r)
    return False


@kernel
def holds(t, ev, st, whose, filled, opened):
    """Whether nothing spoils the absences that are (or are not) open at the end."""
    template = whose[0]
    for a in range(t.templates[template, at.ABSENCES], t.templates[template, at.ABSENCES_END]):
        if counts_in(t, a, filled) and is_open(t, a, filled) == opened:
            if is_spoiled(t, ev, st, a, whose, filled):
                return False
    return True


@kernel
def close_of(t, ev, st, a):
    """When the first of the windows closes that an absence waits for: its clock, and 1 if that is after the
    events of that time, -1 if it is before them."""
    clock, flag = FAR, np.int64(1)
    for k in range(t.absences[a, at.CLOSINGS], t.absences[a, at.CLOSINGS_END]):
        first = first_bound(st, t.closings[k, at.CLOSE_MEMBERS])
        if first == at.NONE:
            continue
        length = t.closings[k, at.CLOSE_LENGTH]
        if t.is_real:
            closes = as_clock(True, as_bits(as_real(ev.time[first]) + as_real(length) + 0.0))
        else:
            closes = closes_at(ev.time[first], length)
        own = np.int64(-1) if t.closings[k, at.HALF_OPEN] != 0 else np.int64(1)
        if closes < clock or (closes == clock and own < flag):
            clock, flag = closes, own
    return clock, flag


@kernel
def completion(t, ev, st, template, filled, clock):
    """When a match is complete whose last event was at a clock: then, or as the last window closes."""
    latest, flag = clock, np.int64(0)
    for a in range(t.templates[template, at.ABSENCES], t.templates[template, at.ABSENCES_END]):
        if is_open(t, a, filled):
            closes, own = close_of(t, ev, st, a)
            if closes > latest or (closes == latest and own > flag):
                latest, flag = closes, own
    return latest, flag
