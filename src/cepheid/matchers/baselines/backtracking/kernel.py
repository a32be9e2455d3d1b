"""The NFA^b, one run after another: the backtracking algorithm of the SASE+ paper (section 5.3).

Of what an event makes of a run, that which came furthest goes on and the rest is postponed on a stack,
with the place of the event to go on from. When the run has ended, the newest postponed one reads the events
of its partition from there once more. The events of the whole stream must be at hand. The stack is the
list of PENDING runs, which matches that end in an absence use otherwise. `jit` says what the letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from typing import NamedTuple

import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.absence import note_candidates
from cepheid.matchers.nfa.kernel import start_run, step_runs
from cepheid.matchers.nfa.layout import Ints
from cepheid.matchers.nfa.runs import append_run, begun, free_run, moment, window
from cepheid.matchers.windows import within

# where the search stands: which sequence, which place of it may start a run next, up to which place runs
# are followed, from where on found matches are of this search, up to where events have been read, and how
# often one was read again
SEQUENCE, START, UNTIL, BASE, READ, REREAD = 0, 1, 2, 3, 4, 5
SEARCH_WIDTH = 6


class EventOrder(NamedTuple):
    """The events to go through, sequence by sequence: one a partition, or one in all if other partitions
    break a run. A place is an index of `order`."""

    order: Ints  # the events
    ends: Ints  # where each sequence ends in it
    newest: Ints  # absence, event: the newest candidate that the event's partition has by then


@kernel
def number_events(t, ev, st, cursor, newest):
    """Count the events of each partition, and keep the candidates for absence of the whole stream."""
    for e in range(ev.head.shape[1]):
        p = ev.head[at.IN_PARTITION, e]
        if p == at.NONE:
            continue
        st.parts[p, at.COUNTED] += 1
        ev.head[at.ORDINAL, e] = st.parts[p, at.COUNTED]
        if t.absence_count > 0:
            note_candidates(t, ev, st, cursor, e)
            for a in range(t.absence_count):
                newest[a, e] = st.parts[p, t.candidate_heads + a]


@kernel
def backtrack(t, ev, st, found, cursor, stream, search, earliest):
    """Go through the stream from where the search stands; answer DONE or what is full.

    If only the `earliest` matches are wanted, a search ends with the first event that completes some, and
    the next one begins after it.
    """
    starting = np.int64(0)
    for k in range(t.first_count):
        starting |= t.book[t.positions + t.book[t.first + k, 0], at.BEGIN_BIT]
    while True:
        if cursor[at.PENDING] != at.NONE:
            full = resume_newest(t, ev, st, found, cursor, stream, search, earliest)
        elif search[START] < stream.ends[search[SEQUENCE]]:
            full = start_next(t, ev, st, found, cursor, stream, search, earliest, starting)
        elif search[SEQUENCE] + 1 < stream.ends.size:
            search[SEQUENCE] += 1
            begin_search(stream, cursor, search)
            full = at.DONE
        else:
            return at.DONE
        if full != at.DONE:
            return full


@inlined
def begin_search(stream, cursor, search):
    """Nothing is found yet: follow runs to the end of the sequence."""
    search[UNTIL] = stream.ends[search[SEQUENCE]]
    search[BASE] = cursor[at.FOUND]


@inlined
def start_next(t, ev, st, found, cursor, stream, search, earliest, starting):
    """Start runs at the next event that can start one."""
    for k in range(search[START], stream.ends[search[SEQUENCE]]):
        if k == search[UNTIL]:
            begin_search(stream, cursor, search)
        e = stream.order[k]
        mask = ev.head[at.MASK, e]
        if mask & starting == 0:
            continue
        full = room_for_one(t, st, found, cursor)
        if full != at.DONE:
            search[START] = k
            return full
        before = cursor[at.FOUND]
        look_back(t, ev, st, stream, e)
        for i in range(t.first_count):
            w = t.book[t.first + i, 0]
            if mask & t.book[t.positions + w, at.BEGIN_BIT] != 0:
                start_run(t, ev, st, found, cursor, e, w)
                r = postpone_all_but_last(st, cursor, ev.head[at.IN_PARTITION, e], w, at.NONE, k + 1)
                if r != at.NONE:
                    postpone(st, cursor, r, k + 1)
        if earliest and cursor[at.FOUND] > before:
            keep_earliest(found, cursor, search, before, k)
        search[START] = k + 1
        return at.DONE
    search[START] = stream.ends[search[SEQUENCE]]
    return at.DONE


@inlined
def resume_newest(t, ev, st, found, cursor, stream, search, earliest):
    """Follow the newest postponed run, and of what becomes of it that which came furthest, to the end."""
    r = cursor[at.PENDING]
    cursor[at.PENDING] = st.runs[r, at.RUN_NEXT]
    p, k = st.runs[r, at.RUN_PARTITION], st.runs[r, st.runs.shape[1] - 1]
    resumed, full = k, at.DONE
    while r != at.NONE:
        s = st.nodes[st.runs[r, at.RUN_NODE], at.LINK_POSITION]
        if t.strategy >= at.NEXT:
            k = next_relevant(t, ev, st, stream, k, search[UNTIL], r, s)
        if k >= search[UNTIL] or (t.strategy == at.STRICT and ev.head[at.IN_PARTITION, stream.order[k]] != p):
            free_run(st, cursor, r)
            break
        full = room_for_one(t, st, found, cursor)
        if full != at.DONE:
            postpone(st, cursor, r, k)
            break
        e, before = stream.order[k], cursor[at.FOUND]
        look_back(t, ev, st, stream, e)
        append_run(t, st, p, s, r)
        step_runs(t, ev, st, found, cursor, e, s)
        if earliest and cursor[at.FOUND] > before:
            keep_earliest(found, cursor, search, before, k)
        k += 1
        r = postpone_all_but_last(st, cursor, p, s, at.NONE, k)
        for i in range(t.book[t.positions + s, at.FOLLOW], t.book[t.positions + s, at.FOLLOW_END]):
            r = postpone_all_but_last(st, cursor, p, t.book[t.follow + i, 0], r, k)
    search[REREAD] += max(min(k, search[READ]) - resumed, 0)
    search[READ] = max(search[READ], k)
    return full


@inlined
def next_relevant(t, ev, st, stream, k, until, r, s):
    """The place, from `k` on, of the next event that a run in state `s` cannot just ignore."""
    relevant = t.book[t.positions + s, at.RELEVANT]
    (kind, limit), since = window(t, 0), begun(t, st, 0, r)
    while k < until:
        e = stream.order[k]
        if ev.head[at.MASK, e] & relevant != 0 or not within(kind, limit, since, moment(t, ev, 0, e)):
            break
        k += 1
    return k


@inlined
def room_for_one(t, st, found, cursor):
    """Whether whatever one event can make of one run fits; what is full otherwise."""
    cursor[at.NEEDED] = t.fan
    if cursor[at.FREE_RUNS] < t.fan:
        return at.RUNS_FULL
    if st.nodes.shape[0] - cursor[at.NODES] < t.fan:
        return at.NODES_FULL
    if found.shape[0] - cursor[at.FOUND] < t.fan:
        return at.FOUND_FULL
    return at.DONE


@inlined
def look_back(t, ev, st, stream, e):
    """Let the partition's lists of candidates for absence begin with the newest up to the event."""
    for a in range(t.absence_count):
        st.parts[ev.head[at.IN_PARTITION, e], t.candidate_heads + a] = stream.newest[a, e]


@inlined
def postpone(st, cursor, r, k):
    """Put a run on the stack, to go on from place `k`."""
    st.runs[r, st.runs.shape[1] - 1] = k
    st.runs[r, at.RUN_NEXT] = cursor[at.PENDING]
    cursor[at.PENDING] = r


@inlined
def postpone_all_but_last(st, cursor, p, s, last, k):
    """Take the runs that wait in state `s` off its list; all but the last are postponed, and so is `last`
    if there is one."""
    r = st.parts[p, at.HEADS + s]
    st.parts[p, at.HEADS + s] = at.NONE
    while r != at.NONE:
        if last != at.NONE:
            postpone(st, cursor, last, k)
        last = r
        r = st.runs[r, at.RUN_NEXT]
    return last


@kernel
def keep_earliest(found, cursor, search, before, k):
    """Of this search's matches keep those that the earliest event completes, and of them those of the
    fewest events that start first; the new ones are from `before` on, completed at place `k`."""
    kept, base = before, search[BASE]
    if k + 1 < search[UNTIL]:
        search[UNTIL] = k + 1
        kept = base
    for m in range(before, cursor[at.FOUND]):
        if kept > base:
            more = found[m, at.FOUND_EVENTS] - found[base, at.FOUND_EVENTS]
            later = found[m, at.FOUND_START] - found[base, at.FOUND_START]
            if more > 0 or (more == 0 and later > 0):
                continue
            if more < 0 or later < 0:
                kept = base
        for column in range(found.shape[1]):
            found[kept, column] = found[m, column]
        kept += 1
    cursor[at.FOUND] = kept
