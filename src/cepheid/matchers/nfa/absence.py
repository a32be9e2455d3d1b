"""Absence, judged when the other events of a match are known: does an event between them qualify as the
negated variable? `jit` says what the letters mean."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers import candidates as kept
from cepheid.matchers.bits import as_bits
from cepheid.matchers.candidates import add, keep_value, newest_before
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.conditions import all_hold
from cepheid.matchers.nfa.runs import begun, moment, window
from cepheid.matchers.windows import (
    AFTER_EVENTS,
    BEFORE_EVENTS,
    EVENTS,
    FAR,
    UNLIMITED,
    closing_moment,
    is_sooner,
    measured,
    within,
)

BROKEN, HOLDS, OPEN = 0, 1, 2


@kernel
def note_candidates(t, ev, st, cursor, e):
    """Keep the event for each negated variable that it may qualify as."""
    p, mask = ev.head[at.IN_PARTITION, e], ev.head[at.MASK, e]
    for a in range(t.absence_count):
        if mask & t.book[t.absences + a, at.ABSENT_BIT] == 0:
            continue
        c = cursor[at.CANDIDATES]
        cursor[at.CANDIDATES] += 1
        add(st.candidates, st.parts[:, t.candidate_heads :], c, p, a)
        st.candidates[c, kept.EVENT] = cursor[at.OFFSET] + e
        st.candidates[c, kept.TIME] = ev.head[at.TIME, e]
        st.candidates[c, kept.ORDINAL] = ev.head[at.ORDINAL, e]
        for k in range(t.candidate_count):
            column = t.book[t.candidate_columns + k, 0]
            keep_value(st.candidates, c, k, ev.columns[column, e], ev.valid[column, e] != 0)


@kernel
def is_anchored(t, st, w, r):
    """Whether a window spans any event of a run: a sub-pattern may have none."""
    return w == 0 or st.runs[r, at.RUN_BOUND] & t.book[t.windows + w, at.WINDOW_MEMBERS] != 0


@kernel
def may_count(t, st, a, bound):
    """Whether the OR branches around an absence were taken."""
    for k in range(t.book[t.absences + a, at.BRANCHES], t.book[t.absences + a, at.BRANCHES_END]):
        if bound & t.book[t.branches + k, 0] == 0:
            return False
    return True


@inlined
def newest_of(t, st, a, r):
    """The newest candidate for an absence in the partition of a run."""
    return st.parts[st.runs[r, at.RUN_PARTITION], t.candidate_heads + a]


@inlined
def qualifies(t, ev, st, e, a, r, c):
    """Whether candidate `c` is what should be absent from run `r`."""
    begin, end = t.book[t.absences + a, at.CHECKS], t.book[t.absences + a, at.CHECKS_END]
    return all_hold(begin, end, t, ev, st, e, r, c)


@kernel
def present_between(t, ev, st, e, a, low, high, r):
    """Whether an event between two stream positions qualifies as the absent variable."""
    c = newest_before(st.candidates, newest_of(t, st, a, r), high)
    while c != at.NONE and st.candidates[c, kept.EVENT] > low:
        if qualifies(t, ev, st, e, a, r, c):
            return True
        c = st.candidates[c, kept.PREVIOUS]
    return False


@kernel
def present_before(t, ev, st, e, a, r):
    """Whether an event before the first, in the windows that end at the last, qualifies."""
    c = newest_before(st.candidates, newest_of(t, st, a, r), st.runs[r, at.RUN_START])
    while c != at.NONE and reaches_back(t, ev, st, e, a, r, c):
        if qualifies(t, ev, st, e, a, r, c):
            return True
        c = st.candidates[c, kept.PREVIOUS]
    return False


@kernel
def reaches_back(t, ev, st, e, a, r, c):
    """Whether the windows around an absence that end at the last event still hold candidate `c`."""
    for k in range(t.book[t.absences + a, at.ENCLOSED], t.book[t.absences + a, at.ENCLOSED_END]):
        w = t.book[t.enclosures + k, 0]
        if not is_anchored(t, st, w, r):
            continue
        kind, limit = window(t, w)
        last = st.runs[r, at.RUN_WIDTH + 2 * w - 1] if w > 0 else moment(t, ev, w, e)
        came = measured(kind, st.candidates[c, kept.TIME], st.candidates[c, kept.ORDINAL])
        if not within(kind, limit, came, last):
            return False
    return True


@kernel
def present_after(t, ev, st, a, r):
    """Whether an event after the last, in the windows that began at the first, qualifies."""
    c = newest_of(t, st, a, r)
    while c != at.NONE and st.candidates[c, kept.EVENT] > st.runs[r, at.RUN_LAST]:
        time, ordinal = st.candidates[c, kept.TIME], st.candidates[c, kept.ORDINAL]
        if reaches_on(t, st, a, r, time, ordinal) and qualifies(t, ev, st, 0, a, r, c):
            return True
        c = st.candidates[c, kept.PREVIOUS]
    return False


@kernel
def reaches_on(t, st, a, r, time, ordinal):
    """Whether all windows around an absence are still open at a moment."""
    for k in range(t.book[t.absences + a, at.ENCLOSED], t.book[t.absences + a, at.ENCLOSED_END]):
        w = t.book[t.enclosures + k, 0]
        kind, limit = window(t, w)
        if is_anchored(t, st, w, r) and not within(
            kind, limit, begun(t, st, w, r), measured(kind, time, ordinal)
        ):
            return False
    return True


@kernel
def absent_in_gap(t, ev, st, cursor, e, s, w, r, child):
    """Whether the absences between states `s` and `w` hold, as far as they can be told already."""
    width = t.states + 1
    gap = (s + 1) * width + w
    for k in range(t.book[t.gaps + gap, 0], t.book[t.gaps + gap, 1]):
        if present_between(
            t, ev, st, e, t.book[t.gap_absences + k, 0], st.runs[r, at.RUN_LAST], cursor[at.OFFSET] + e, child
        ):
            return False
    return True


@kernel
def judge(t, ev, st, cursor, e, r):
    """What the absences make of a positive match that completes at event `e`."""
    verdict = HOLDS
    bound = st.runs[r, at.RUN_BOUND]
    for a in range(t.absence_count):
        if not may_count(t, st, a, bound):
            continue
        before = (np.int64(1) << t.book[t.absences + a, at.PLACE]) - 1
        if bound & before == 0:
            if present_before(t, ev, st, e, a, r):
                return BROKEN
        elif bound & ~before == 0:
            if reaches_on(t, st, a, r, ev.head[at.TIME, e], ev.head[at.ORDINAL, e] + 1):
                verdict = OPEN
        elif t.book[t.absences + a, at.AT_COMPLETION] != 0 and present_inside(t, ev, st, e, a, r):
            return BROKEN
    return verdict


@kernel
def present_inside(t, ev, st, e, a, r):
    """Whether an event between the nearest selected neighbours of an absence qualifies."""
    node = st.runs[r, at.RUN_NODE]
    high = FAR
    while st.nodes[node, at.LINK_POSITION] >= t.book[t.absences + a, at.PLACE]:
        first = st.nodes[node, at.LINK_FIRST]
        high = st.nodes[first, at.NODE_EVENT]
        node = st.nodes[first, at.LINK_PREVIOUS]
    return present_between(t, ev, st, e, a, st.nodes[node, at.NODE_EVENT], high, r)


@kernel
def is_trailing(t, st, a, r):
    """Whether an absence stands at the end of a match."""
    bound = st.runs[r, at.RUN_BOUND]
    before = (np.int64(1) << t.book[t.absences + a, at.PLACE]) - 1
    return bound & before != 0 and bound & ~before == 0 and may_count(t, st, a, bound)


@kernel
def absent_to_the_close(t, ev, st, r):
    """Whether the absences at the end of a match held until their windows closed."""
    for a in range(t.absence_count):
        if is_trailing(t, st, a, r) and present_after(t, ev, st, a, r):
            return False
    return True


@kernel
def is_closed(t, st, r, time, ordinal):
    """Whether no event from this moment on can break an absence at the end of a match."""
    for a in range(t.absence_count):
        if is_trailing(t, st, a, r) and reaches_on(t, st, a, r, time, ordinal):
            return False
    return True


@kernel
def closing(t, st, a, r, ordinal):
    """When time alone made an absence at the end of a match certain: the time at which the first window
    around it closed, and the side of its events; by the end of all if none did. Where events before this
    ordinal had closed one, that came before all that time closed: nothing says when, and nothing asks."""
    earliest, side = as_bits(np.inf) if t.real_time else FAR, np.int64(AFTER_EVENTS)
    for k in range(t.book[t.absences + a, at.ENCLOSED], t.book[t.absences + a, at.ENCLOSED_END]):
        w = t.book[t.enclosures + k, 0]
        kind, limit = window(t, w)
        if kind == UNLIMITED or not is_anchored(t, st, w, r):
            continue
        since = begun(t, st, w, r)
        if kind == EVENTS:
            if not within(kind, limit, since, ordinal):
                return as_bits(-np.inf) if t.real_time else -FAR, side
            continue
        time, here = closing_moment(kind, limit, t.book[t.windows + w, at.WINDOW_HALF_OPEN], since)
        if is_sooner(t.real_time, time, here, earliest, side):
            earliest, side = time, here
    return earliest, side


@kernel
def last_closing(t, st, r, ordinal):
    """When the last of the absences at the end of a match was certain, as `closing` tells it."""
    latest, side = as_bits(-np.inf) if t.real_time else -FAR, np.int64(BEFORE_EVENTS)
    for a in range(t.absence_count):
        if is_trailing(t, st, a, r):
            time, here = closing(t, st, a, r, ordinal)
            if is_sooner(t.real_time, latest, side, time, here):
                latest, side = time, here
    return latest, side
