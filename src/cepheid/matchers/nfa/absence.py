"""Absence, judged on positive matches: is there an event, in the stretch of the stream that the
negated variable stands for, that qualifies as it?"""

from __future__ import annotations

import numpy as np

from cepheid.matchers.bits import as_bits, as_real
from cepheid.matchers.jit import kernel
from cepheid.matchers.nfa.conditions import all_hold
from cepheid.matchers.nfa.layout import (
    ABSENT_BIT,
    AT_COMPLETION,
    BRANCHES,
    BRANCHES_END,
    CANDIDATE_ABSENCE,
    CANDIDATE_EVENT,
    CANDIDATE_ORDINAL,
    CANDIDATE_PARTITION,
    CANDIDATE_PREVIOUS,
    CANDIDATE_TIME,
    CANDIDATE_VALID,
    CANDIDATE_WIDTH,
    CANDIDATES,
    CHECKS,
    CHECKS_END,
    ENCLOSED,
    ENCLOSED_END,
    EVENTS,
    IN_PARTITION,
    LINK_FIRST,
    LINK_POSITION,
    LINK_PREVIOUS,
    MASK,
    NODE_EVENT,
    NONE,
    OFFSET,
    ORDINAL,
    PLACE,
    REALS,
    RUN_BOUND,
    RUN_LAST,
    RUN_NODE,
    RUN_PARTITION,
    RUN_START,
    RUN_START_ORDINAL,
    RUN_START_TIME,
    RUN_WIDTH,
    TICKS,
    TIME,
    UNLIMITED,
    WINDOW_KIND,
    WINDOW_LIMIT,
    WINDOW_MEMBERS,
)

BROKEN, HOLDS, OPEN = 0, 1, 2
FAR = np.int64(2**63 - 1)


@kernel
def note_candidates(t, ev, st, cursor, e):
    """Keep the event for each negated variable that it may qualify as."""
    p, mask = ev.head[IN_PARTITION, e], ev.head[MASK, e]
    for a in range(t.absence_count):
        if mask & t.book[t.absences + a, ABSENT_BIT] == 0:
            continue
        c = cursor[CANDIDATES]
        cursor[CANDIDATES] += 1
        st.candidates[c, CANDIDATE_EVENT] = cursor[OFFSET] + e
        st.candidates[c, CANDIDATE_TIME] = ev.head[TIME, e]
        st.candidates[c, CANDIDATE_ORDINAL] = ev.head[ORDINAL, e]
        st.candidates[c, CANDIDATE_PREVIOUS] = st.parts[p, t.candidate_heads + a]
        st.candidates[c, CANDIDATE_PARTITION] = p
        st.candidates[c, CANDIDATE_ABSENCE] = a
        valid = np.int64(0)
        for k in range(t.candidate_count):
            column = t.book[t.candidate_columns + k, 0]
            st.candidates[c, CANDIDATE_WIDTH + k] = ev.columns[column, e]
            if ev.valid[column, e] != 0:
                valid |= np.int64(1) << k
        st.candidates[c, CANDIDATE_VALID] = valid
        st.parts[p, t.candidate_heads + a] = c


@kernel
def spans(t, later, later_ordinal, earlier, earlier_ordinal):
    """Whether two moments lie within the query's window."""
    if t.book[t.windows, WINDOW_KIND] == EVENTS:
        return within(t, 0, later_ordinal, earlier_ordinal)
    return within(t, 0, later, earlier)


@kernel
def within(t, w, later, earlier):
    """Whether two moments, measured as window `w` is, lie within it."""
    kind, limit = t.book[t.windows + w, WINDOW_KIND], t.book[t.windows + w, WINDOW_LIMIT]
    if kind == UNLIMITED:
        return True
    if kind == TICKS or kind == EVENTS:
        return later - earlier <= limit
    span = as_real(later) - as_real(earlier)
    return span <= as_real(limit) if kind == REALS else span < as_real(limit)


@kernel
def is_anchored(t, st, w, r):
    """Whether a window spans any event of a run: a sub-pattern may have none."""
    return w == 0 or st.runs[r, RUN_BOUND] & t.book[t.windows + w, WINDOW_MEMBERS] != 0


@kernel
def begun(t, st, w, r):
    """Where window `w` began in a run, measured as the window is."""
    if w > 0:
        return st.runs[r, RUN_WIDTH + 2 * w - 2]
    counts = t.book[t.windows, WINDOW_KIND] == EVENTS
    return st.runs[r, RUN_START_ORDINAL] if counts else st.runs[r, RUN_START_TIME]


@kernel
def may_count(t, st, a, bound):
    """Whether the OR branches around an absence were taken."""
    for k in range(t.book[t.absences + a, BRANCHES], t.book[t.absences + a, BRANCHES_END]):
        if bound & t.book[t.branches + k, 0] == 0:
            return False
    return True


@kernel
def present_between(t, ev, st, e, a, low, high, r):
    """Whether an event between two stream positions qualifies as the absent variable."""
    c = st.parts[st.runs[r, RUN_PARTITION], t.candidate_heads + a]
    while c != NONE and st.candidates[c, CANDIDATE_EVENT] > low:
        if st.candidates[c, CANDIDATE_EVENT] < high and all_hold(
            t.book[t.absences + a, CHECKS], t.book[t.absences + a, CHECKS_END], t, ev, st, e, r, c
        ):
            return True
        c = st.candidates[c, CANDIDATE_PREVIOUS]
    return False


@kernel
def present_before(t, ev, st, e, a, r):
    """Whether an event before the first, in the windows that end at the last, qualifies."""
    c = st.parts[st.runs[r, RUN_PARTITION], t.candidate_heads + a]
    while c != NONE and reaches_back(t, ev, st, e, a, r, c):
        if st.candidates[c, CANDIDATE_EVENT] < st.runs[r, RUN_START] and all_hold(
            t.book[t.absences + a, CHECKS], t.book[t.absences + a, CHECKS_END], t, ev, st, e, r, c
        ):
            return True
        c = st.candidates[c, CANDIDATE_PREVIOUS]
    return False


@kernel
def reaches_back(t, ev, st, e, a, r, c):
    """Whether the windows around an absence that end at the last event still hold candidate `c`."""
    for k in range(t.book[t.absences + a, ENCLOSED], t.book[t.absences + a, ENCLOSED_END]):
        w = t.book[t.enclosures + k, 0]
        if not is_anchored(t, st, w, r):
            continue
        counts = t.book[t.windows + w, WINDOW_KIND] == EVENTS
        if w > 0:
            last = st.runs[r, RUN_WIDTH + 2 * w - 1]
        else:
            last = ev.head[ORDINAL, e] if counts else ev.head[TIME, e]
        if not within(t, w, last, st.candidates[c, CANDIDATE_ORDINAL if counts else CANDIDATE_TIME]):
            return False
    return True


@kernel
def present_after(t, ev, st, a, r):
    """Whether an event after the last, in the windows that began at the first, qualifies."""
    c = st.parts[st.runs[r, RUN_PARTITION], t.candidate_heads + a]
    while c != NONE and st.candidates[c, CANDIDATE_EVENT] > st.runs[r, RUN_LAST]:
        if reaches_on(t, st, a, r, st.candidates[c, CANDIDATE_TIME], st.candidates[c, CANDIDATE_ORDINAL], 0):
            if all_hold(
                t.book[t.absences + a, CHECKS], t.book[t.absences + a, CHECKS_END], t, ev, st, 0, r, c
            ):
                return True
        c = st.candidates[c, CANDIDATE_PREVIOUS]
    return False


@kernel
def reaches_on(t, st, a, r, time, ordinal, more):
    """Whether all windows around an absence are open at a moment, with `more` events to come in each."""
    for k in range(t.book[t.absences + a, ENCLOSED], t.book[t.absences + a, ENCLOSED_END]):
        w = t.book[t.enclosures + k, 0]
        if not is_anchored(t, st, w, r):
            continue
        counts = t.book[t.windows + w, WINDOW_KIND] == EVENTS
        if not within(t, w, ordinal + more if counts else time, begun(t, st, w, r)):
            return False
    return True


@kernel
def absent_in_gap(t, ev, st, cursor, e, s, w, r, child):
    """Whether the absences between states `s` and `w` hold, as far as they can be told already."""
    width = t.states + 1
    gap = (s + 1) * width + w
    for k in range(t.book[t.gaps + gap, 0], t.book[t.gaps + gap, 1]):
        if present_between(
            t, ev, st, e, t.book[t.gap_absences + k, 0], st.runs[r, RUN_LAST], cursor[OFFSET] + e, child
        ):
            return False
    return True


@kernel
def judge(t, ev, st, cursor, e, r):
    """What the absences make of a positive match that completes at event `e`."""
    verdict = HOLDS
    bound = st.runs[r, RUN_BOUND]
    for a in range(t.absence_count):
        if not may_count(t, st, a, bound):
            continue
        before = (np.int64(1) << t.book[t.absences + a, PLACE]) - 1
        if bound & before == 0:
            if present_before(t, ev, st, e, a, r):
                return BROKEN
        elif bound & ~before == 0:
            if reaches_on(t, st, a, r, ev.head[TIME, e], ev.head[ORDINAL, e], 1):
                verdict = OPEN
        elif t.book[t.absences + a, AT_COMPLETION] != 0 and present_inside(t, ev, st, e, a, r):
            return BROKEN
    return verdict


@kernel
def present_inside(t, ev, st, e, a, r):
    """Whether an event between the nearest selected neighbours of an absence qualifies."""
    node = st.runs[r, RUN_NODE]
    high = FAR
    while st.nodes[node, LINK_POSITION] >= t.book[t.absences + a, PLACE]:
        first = st.nodes[node, LINK_FIRST]
        high = st.nodes[first, NODE_EVENT]
        node = st.nodes[first, LINK_PREVIOUS]
    return present_between(t, ev, st, e, a, st.nodes[node, NODE_EVENT], high, r)


@kernel
def is_trailing(t, st, a, r):
    """Whether an absence stands at the end of a match."""
    bound = st.runs[r, RUN_BOUND]
    before = (np.int64(1) << t.book[t.absences + a, PLACE]) - 1
    return bound & before != 0 and bound & ~before == 0 and may_count(t, st, a, bound)


@kernel
def absent_to_the_close(t, ev, st, r):
    """Whether the absences at the end of a match held until their windows closed."""
    for a in range(t.absence_count):
        if is_trailing(t, st, a, r) and present_after(t, ev, st, a, r):
            return False
    return True


@kernel
def is_closed(t, st, r, time, ordinal, more):
    """Whether no later event can break an absence at the end of a match."""
    for a in range(t.absence_count):
        if is_trailing(t, st, a, r) and reaches_on(t, st, a, r, time, ordinal, more):
            return False
    return True


@kernel
def closing_time(t, st, r):
    """When the last of the absences at the end of a match was certain: by time, or by the end of all."""
    never = as_bits(np.inf) if t.real_time else FAR
    latest = as_bits(-np.inf) if t.real_time else -FAR
    for a in range(t.absence_count):
        if not is_trailing(t, st, a, r):
            continue
        earliest = never
        for k in range(t.book[t.absences + a, ENCLOSED], t.book[t.absences + a, ENCLOSED_END]):
            w = t.book[t.enclosures + k, 0]
            if t.book[t.windows + w, WINDOW_KIND] == EVENTS or not is_anchored(t, st, w, r):
                continue
            limit = t.book[t.windows + w, WINDOW_LIMIT]
            if t.real_time:
                closes = as_bits(as_real(begun(t, st, w, r)) + as_real(limit))
                earliest = closes if as_real(closes) < as_real(earliest) else earliest
            else:
                earliest = min(earliest, begun(t, st, w, r) + limit)
        if t.real_time:
            latest = earliest if as_real(earliest) > as_real(latest) else latest
        else:
            latest = max(latest, earliest)
    return latest
