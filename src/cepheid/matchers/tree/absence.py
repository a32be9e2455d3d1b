"""Absence, judged on composites that hold the events around it: does another event there qualify?

`jit` says what the letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers import candidates as kept
from cepheid.matchers.bits import as_bits
from cepheid.matchers.candidates import add, keep_value, newest_before
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.composites import has_event, window
from cepheid.matchers.tree.conditions import all_hold
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
def find_ends(t, st, row):
    """Note the first and the last leaf of each position in a composite."""
    for v in range(t.position_count):
        st.scratch[v, at.FIRST_OF] = st.scratch[v, at.LAST_OF] = at.NONE
    depth = 0
    while True:
        if st.rows[row, at.PART_RIGHT] == at.NONE:
            v = t.book[t.nodes + st.rows[row, at.OF_NODE], at.POSITION]
            if st.scratch[v, at.LAST_OF] == at.NONE:
                st.scratch[v, at.LAST_OF] = row  # of a chain, the last event comes first
            st.scratch[v, at.FIRST_OF] = row
            if depth == 0:
                return
            depth -= 1
            row = st.scratch[depth, at.STACK]
        else:
            if st.rows[row, at.PART_LEFT] != at.NONE:
                st.scratch[depth, at.STACK] = st.rows[row, at.PART_LEFT]
                depth += 1
            row = st.rows[row, at.PART_RIGHT]


@kernel
def last_of(t, st, positions):
    """The leaf that comes last of some positions, NONE if none is bound; `find_ends` was called."""
    found = np.int64(at.NONE)
    for v in range(t.position_count):
        row = st.scratch[v, at.LAST_OF]
        if (positions >> v) & 1 != 0 and row != at.NONE:
            if found == at.NONE or st.rows[row, at.LAST] > st.rows[found, at.LAST]:
                found = row
    return found


@kernel
def first_of(t, st, positions):
    """The leaf that comes first of some positions, NONE if none is bound; `find_ends` was called."""
    found = np.int64(at.NONE)
    for v in range(t.position_count):
        row = st.scratch[v, at.FIRST_OF]
        if (positions >> v) & 1 != 0 and row != at.NONE:
            if found == at.NONE or st.rows[row, at.FIRST] < st.rows[found, at.FIRST]:
                found = row
    return found


@inlined
def moment(kind, st, leaf):
    """When an event came, as a window of this kind measures it."""
    return st.rows[leaf, at.LAST_ORDINAL if kind == EVENTS else at.LAST_TIME]


@kernel
def counts_in(t, st, a, row):
    """Whether the OR branches around an absence were taken."""
    for k in range(t.book[t.absences + a, at.BRANCHES], t.book[t.absences + a, at.BRANCHES_END]):
        if st.rows[row, at.BOUND] & t.book[t.branches + k, 0] == 0:
            return False
    return True


@kernel
def reaches_back(t, st, a, c):
    """Whether the windows around an absence that end at the last event still hold candidate `c`."""
    for k in range(t.book[t.absences + a, at.ENCLOSED], t.book[t.absences + a, at.ENCLOSED_END]):
        w = t.book[t.enclosures + k, 0]
        kind, limit = window(t, w)
        last = last_of(t, st, t.book[t.windows + w, at.WINDOW_MEMBERS])
        came = measured(kind, st.candidates[c, kept.TIME], st.candidates[c, kept.ORDINAL])
        if last != at.NONE and not within(kind, limit, came, moment(kind, st, last)):
            return False
    return True


@kernel
def reaches_on(t, st, a, time, ordinal):
    """Whether all windows around an absence are still open at a moment."""
    for k in range(t.book[t.absences + a, at.ENCLOSED], t.book[t.absences + a, at.ENCLOSED_END]):
        w = t.book[t.enclosures + k, 0]
        kind, limit = window(t, w)
        first = first_of(t, st, t.book[t.windows + w, at.WINDOW_MEMBERS])
        if first != at.NONE and not within(
            kind, limit, moment(kind, st, first), measured(kind, time, ordinal)
        ):
            return False
    return True


@kernel
def is_spoiled(t, ev, st, a, row):
    """Whether an event where it should be absent qualifies; an event of the match never does."""
    before = last_of(t, st, t.book[t.absences + a, at.BEFORE])
    after = first_of(t, st, t.book[t.absences + a, at.AFTER])
    low = st.rows[before, at.LAST] if before != at.NONE else np.int64(-1)
    high = st.rows[after, at.FIRST] if after != at.NONE else FAR
    begin, end = t.book[t.absences + a, at.CHECKS], t.book[t.absences + a, at.CHECKS_END]
    c = newest_before(st.candidates, st.parts[st.rows[row, at.PARTITION], t.candidate_heads + a], high)
    while c != kept.NONE and st.candidates[c, kept.EVENT] > low:
        if before == at.NONE and not reaches_back(t, st, a, c):
            return False
        time, ordinal = st.candidates[c, kept.TIME], st.candidates[c, kept.ORDINAL]
        if after != at.NONE or reaches_on(t, st, a, time, ordinal):
            if not has_event(st, row, st.candidates[c, kept.EVENT], 0):
                if all_hold(begin, end, t, ev, st, 0, row, row, c):
                    return True
        c = st.candidates[c, kept.PREVIOUS]
    return False


@kernel
def is_open(t, st, a, row):
    """Whether a match has no event after an absence that counts in it; `find_ends` was called."""
    return counts_in(t, st, a, row) and first_of(t, st, t.book[t.absences + a, at.AFTER]) == at.NONE


@kernel
def judge(t, ev, st, n, row):
    """What the absences that a node judges make of a composite."""
    begin, end = t.book[t.nodes + n, at.JUDGES], t.book[t.nodes + n, at.JUDGES_END]
    if begin == end:
        return HOLDS
    verdict = HOLDS
    find_ends(t, st, row)
    for k in range(begin, end):
        a = t.book[t.judged + k, 0]
        if not counts_in(t, st, a, row):
            continue
        if is_spoiled(t, ev, st, a, row):
            return BROKEN
        if is_open(t, st, a, row) and reaches_on(
            t, st, a, st.rows[row, at.LAST_TIME], st.rows[row, at.LAST_ORDINAL] + 1
        ):
            verdict = OPEN
    return verdict


@kernel
def held(t, ev, st, row):
    """Whether the absences at the end of a match held until their windows closed; `find_ends` was called."""
    for a in range(t.absence_count):
        if is_open(t, st, a, row) and is_spoiled(t, ev, st, a, row):
            return False
    return True


@kernel
def is_closed(t, st, row, time, ordinal):
    """Whether no event from this moment on can break an absence at the end of a match; `find_ends` was
    called."""
    for a in range(t.absence_count):
        if is_open(t, st, a, row) and reaches_on(t, st, a, time, ordinal):
            return False
    return True


@kernel
def closing(t, st, a, row, ordinal):
    """When time alone made an absence at the end of a match certain: the time at which the first window
    around it closed, and the side of its events; by the end of all if none did. Where events before this
    ordinal had closed one, that came before all that time closed: nothing says when, and nothing asks."""
    earliest, side = as_bits(np.inf) if t.real_time else FAR, np.int64(AFTER_EVENTS)
    for k in range(t.book[t.absences + a, at.ENCLOSED], t.book[t.absences + a, at.ENCLOSED_END]):
        w = t.book[t.enclosures + k, 0]
        kind, limit = window(t, w)
        first = first_of(t, st, t.book[t.windows + w, at.WINDOW_MEMBERS])
        if first == at.NONE or kind == UNLIMITED:
            continue
        begun = moment(kind, st, first)
        if kind == EVENTS:
            if not within(kind, limit, begun, ordinal):
                return as_bits(-np.inf) if t.real_time else -FAR, side
            continue
        time, here = closing_moment(kind, limit, t.book[t.windows + w, at.WINDOW_HALF_OPEN], begun)
        if is_sooner(t.real_time, time, here, earliest, side):
            earliest, side = time, here
    return earliest, side


@kernel
def last_closing(t, st, row, ordinal):
    """When the last of the absences at the end of a match was certain, as `closing` tells it."""
    latest, side = as_bits(-np.inf) if t.real_time else -FAR, np.int64(BEFORE_EVENTS)
    for a in range(t.absence_count):
        if is_open(t, st, a, row):
            time, here = closing(t, st, a, row, ordinal)
            if is_sooner(t.real_time, latest, side, time, here):
                latest, side = time, here
    return latest, side
