"""Absence, judged on positive matches: is there an event, in the stretch of the stream that the
negated variable stands for, that qualifies as it?"""

# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

import numpy as np

from cepheid.matchers.bits import as_bits, as_real
from cepheid.matchers.jit import kernel
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.conditions import all_hold

BROKEN, HOLDS, OPEN = 0, 1, 2
FAR = np.int64(2**63 - 1)


@kernel
def note_candidates(t, ev, st, cursor, e):
    """Keep the event for each negated variable that it may qualify as."""
    p, mask = ev.head[at.IN_PARTITION, e], ev.head[at.MASK, e]
    for a in range(t.absence_count):
        if mask & t.book[t.absences + a, at.ABSENT_BIT] == 0:
            continue
        c = cursor[at.CANDIDATES]
        cursor[at.CANDIDATES] += 1
        st.candidates[c, at.CANDIDATE_EVENT] = cursor[at.OFFSET] + e
        st.candidates[c, at.CANDIDATE_TIME] = ev.head[at.TIME, e]
        st.candidates[c, at.CANDIDATE_ORDINAL] = ev.head[at.ORDINAL, e]
        st.candidates[c, at.CANDIDATE_PREVIOUS] = st.parts[p, t.candidate_heads + a]
        st.candidates[c, at.CANDIDATE_PARTITION] = p
        st.candidates[c, at.CANDIDATE_ABSENCE] = a
        valid = np.int64(0)
        for k in range(t.candidate_count):
            column = t.book[t.candidate_columns + k, 0]
            st.candidates[c, at.CANDIDATE_WIDTH + k] = ev.columns[column, e]
            if ev.valid[column, e] != 0:
                valid |= np.int64(1) << k
        st.candidates[c, at.CANDIDATE_VALID] = valid
        st.parts[p, t.candidate_heads + a] = c


@kernel
def spans(t, later, later_ordinal, earlier, earlier_ordinal):
    """Whether two moments lie within the query's window."""
    if t.book[t.windows, at.WINDOW_KIND] == at.EVENTS:
        return within(t, 0, later_ordinal, earlier_ordinal)
    return within(t, 0, later, earlier)


@kernel
def within(t, w, later, earlier):
    """Whether two moments, measured as window `w` is, lie within it."""
    kind, limit = t.book[t.windows + w, at.WINDOW_KIND], t.book[t.windows + w, at.WINDOW_LIMIT]
    if kind == at.UNLIMITED:
        return True
    if kind == at.TICKS or kind == at.EVENTS:
        return later - earlier <= limit
    span = as_real(later) - as_real(earlier)
    return span <= as_real(limit) if kind == at.REALS else span < as_real(limit)


@kernel
def is_anchored(t, st, w, r):
    """Whether a window spans any event of a run: a sub-pattern may have none."""
    return w == 0 or st.runs[r, at.RUN_BOUND] & t.book[t.windows + w, at.WINDOW_MEMBERS] != 0


@kernel
def begun(t, st, w, r):
    """Where window `w` began in a run, measured as the window is."""
    if w > 0:
        return st.runs[r, at.RUN_WIDTH + 2 * w - 2]
    counts = t.book[t.windows, at.WINDOW_KIND] == at.EVENTS
    return st.runs[r, at.RUN_START_ORDINAL] if counts else st.runs[r, at.RUN_START_TIME]


@kernel
def may_count(t, st, a, bound):
    """Whether the OR branches around an absence were taken."""
    for k in range(t.book[t.absences + a, at.BRANCHES], t.book[t.absences + a, at.BRANCHES_END]):
        if bound & t.book[t.branches + k, 0] == 0:
            return False
    return True


@kernel
def present_between(t, ev, st, e, a, low, high, r):
    """Whether an event between two stream positions qualifies as the absent variable."""
    c = st.parts[st.runs[r, at.RUN_PARTITION], t.candidate_heads + a]
    while c != at.NONE and st.candidates[c, at.CANDIDATE_EVENT] > low:
        if st.candidates[c, at.CANDIDATE_EVENT] < high and all_hold(
            t.book[t.absences + a, at.CHECKS], t.book[t.absences + a, at.CHECKS_END], t, ev, st, e, r, c
        ):
            return True
        c = st.candidates[c, at.CANDIDATE_PREVIOUS]
    return False


@kernel
def present_before(t, ev, st, e, a, r):
    """Whether an event before the first, in the windows that end at the last, qualifies."""
    c = st.parts[st.runs[r, at.RUN_PARTITION], t.candidate_heads + a]
    while c != at.NONE and reaches_back(t, ev, st, e, a, r, c):
        if st.candidates[c, at.CANDIDATE_EVENT] < st.runs[r, at.RUN_START] and all_hold(
            t.book[t.absences + a, at.CHECKS], t.book[t.absences + a, at.CHECKS_END], t, ev, st, e, r, c
        ):
            return True
        c = st.candidates[c, at.CANDIDATE_PREVIOUS]
    return False


@kernel
def reaches_back(t, ev, st, e, a, r, c):
    """Whether the windows around an absence that end at the last event still hold candidate `c`."""
    for k in range(t.book[t.absences + a, at.ENCLOSED], t.book[t.absences + a, at.ENCLOSED_END]):
        w = t.book[t.enclosures + k, 0]
        if not is_anchored(t, st, w, r):
            continue
        counts = t.book[t.windows + w, at.WINDOW_KIND] == at.EVENTS
        if w > 0:
            last = st.runs[r, at.RUN_WIDTH + 2 * w - 1]
        else:
            last = ev.head[at.ORDINAL, e] if counts else ev.head[at.TIME, e]
        if not within(t, w, last, st.candidates[c, at.CANDIDATE_ORDINAL if counts else at.CANDIDATE_TIME]):
            return False
    return True


@kernel
def present_after(t, ev, st, a, r):
    """Whether an event after the last, in the windows that began at the first, qualifies."""
    c = st.parts[st.runs[r, at.RUN_PARTITION], t.candidate_heads + a]
    while c != at.NONE and st.candidates[c, at.CANDIDATE_EVENT] > st.runs[r, at.RUN_LAST]:
        if reaches_on(
            t, st, a, r, st.candidates[c, at.CANDIDATE_TIME], st.candidates[c, at.CANDIDATE_ORDINAL], 0
        ):
            if all_hold(
                t.book[t.absences + a, at.CHECKS], t.book[t.absences + a, at.CHECKS_END], t, ev, st, 0, r, c
            ):
                return True
        c = st.candidates[c, at.CANDIDATE_PREVIOUS]
    return False


@kernel
def reaches_on(t, st, a, r, time, ordinal, more):
    """Whether all windows around an absence are open at a moment, with `more` events to come in each."""
    for k in range(t.book[t.absences + a, at.ENCLOSED], t.book[t.absences + a, at.ENCLOSED_END]):
        w = t.book[t.enclosures + k, 0]
        if not is_anchored(t, st, w, r):
            continue
        counts = t.book[t.windows + w, at.WINDOW_KIND] == at.EVENTS
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
            if reaches_on(t, st, a, r, ev.head[at.TIME, e], ev.head[at.ORDINAL, e], 1):
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
        for k in range(t.book[t.absences + a, at.ENCLOSED], t.book[t.absences + a, at.ENCLOSED_END]):
            w = t.book[t.enclosures + k, 0]
            if t.book[t.windows + w, at.WINDOW_KIND] == at.EVENTS or not is_anchored(t, st, w, r):
                continue
            limit = t.book[t.windows + w, at.WINDOW_LIMIT]
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
