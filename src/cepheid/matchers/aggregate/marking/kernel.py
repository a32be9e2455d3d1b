"""Start event marking: prefix counters for each start that is in the window (A-Seq 3.2).

Every event visits the open starts of its partition, so an event costs as much as the window holds
starts. In return each start is by itself, and nothing need be taken back: any aggregate, any
absence, repetition and grouping can be counted this way. `jit` says what the letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.aggregate.cells import (
    add,
    begin,
    clear,
    is_narrow,
    is_zero,
    real,
    take,
)
from cepheid.matchers.aggregate.marking.counts import tally_counts, visit_counts
from cepheid.matchers.aggregate.marking.done import done_of, forget_done, is_undone
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.windows import EVENTS, UNLIMITED, inside, measured


@kernel
def mark(t, ev, st, stop, found, found_rows, scratch, cursor):
    """Events from the cursor on, until `stop`, or until there is no more room."""
    for e in range(cursor[at.AT_EVENT], stop):
        cursor[at.AT_EVENT] = e
        p = ev.head[at.PARTITION, e]
        mask = ev.head[at.MASK, e]
        if p == at.NONE:
            continue
        full = room_for(t, st, found, cursor)
        if full != at.FINISHED:
            return full
        st.partitions[p, at.ORDINAL] += 1
        now = moment(t, ev, st, e, p)
        expire(t, ev.ranks, st, cursor, p, now)
        narrow = False
        if mask & t.all_tests:
            narrow = visit_starts(t, ev, st, scratch, cursor, e, p, mask, now)
            begin_starts(t, ev, st, cursor, e, p, mask, now)
            note_absences(t, st, p, mask, now)
        if ev.head[at.HAS_ROW, e]:
            row = cursor[at.ROWS]
            found[row] = e
            clear(found_rows, row)
            tally(t, ev.ranks, st, cursor, ev.head[at.GROUP, e], found_rows, row)
            cursor[at.ROWS] += 1
        if narrow:
            cursor[at.AT_EVENT] = e + 1
            return at.TOO_NARROW
    cursor[at.AT_EVENT] = stop
    return at.FINISHED


@inlined
def room_for(t, st, found, cursor):
    """Whether the next event finds room, whatever it does."""
    if cursor[at.ROWS] >= found.shape[0]:
        return at.ROWS_FULL
    if cursor[at.FREE_STARTS] < t.steps.shape[0]:
        return at.STARTS_FULL
    if cursor[at.FREE_DONES] < (cursor[at.OPEN] + 1) * t.steps.shape[0]:
        return at.DONES_FULL
    return at.FINISHED


@inlined
def moment(t, ev, st, e, p):
    """Now, as windows measure it."""
    return measured(t.window[0], ev.head[at.TIME, e], st.partitions[p, at.ORDINAL])


@kernel
def expire(t, ranks, st, cursor, p, now):
    """Drop the starts that the window has left; windows of events are each partition's own."""
    if t.window[0] == UNLIMITED:
        return
    own = t.window[0] == EVENTS
    s = st.partitions[p, at.FIRST] if own else cursor[at.ALL_FIRST]
    while s != at.NONE and not inside(t.window, st.starts[s, at.SINCE], now):
        following = st.starts[s, at.NEXT if own else at.ALL_NEXT]
        close_start(t, ranks, st, cursor, s)
        s = following


@kernel
def close_start(t, ranks, st, cursor, s):
    """The window of a start, the first of its partition, is over."""
    p = st.starts[s, at.OF_PARTITION]
    st.partitions[p, at.FIRST] = st.starts[s, at.NEXT]
    if st.starts[s, at.NEXT] == at.NONE:
        st.partitions[p, at.FINAL] = at.NONE
    before, after = st.starts[s, at.ALL_BEFORE], st.starts[s, at.ALL_NEXT]
    if before == at.NONE:
        cursor[at.ALL_FIRST] = after
    else:
        st.starts[before, at.ALL_NEXT] = after
    if after == at.NONE:
        cursor[at.ALL_FINAL] = before
    else:
        st.starts[after, at.ALL_BEFORE] = before
    d = st.starts[s, at.DONE]
    while d != at.NONE:
        following = st.done[d, at.DONE_NEXT]
        if t.keeps_closed and not st.starts[s, at.BLOCKED]:
            add(t, ranks, st.closed, st.done[d, at.DONE_GROUP], st.totals, d)
            note_end(t, st.ended, st.done, d)
        st.done[d, at.DONE_NEXT] = cursor[at.FREE_DONE]
        cursor[at.FREE_DONE] = d
        cursor[at.FREE_DONES] += 1
        d = following
    st.starts[s, at.NEXT] = cursor[at.FREE_START]
    cursor[at.FREE_START] = s
    cursor[at.FREE_STARTS] += 1
    cursor[at.OPEN] -= 1


@kernel
def visit_starts(t, ev, st, scratch, cursor, e, p, mask, now):
    """An event to the counters of every open start of its partition; whether one grows out of its words."""
    if t.values.shape[0] == 0 and not looks_back(t):
        return visit_counts(t, ev, st, scratch, cursor, e, p, mask)
    s, narrow = st.partitions[p, at.FIRST], False
    while s != at.NONE:
        cursor[at.VISITS] += 1
        if st.starts[s, at.BLOCKED] and not inside(t.window, st.starts[s, at.BLOCKED_SINCE], now):
            st.starts[s, at.BLOCKED] = 0
            forget_done(t, st, s, at.NONE)  # they ended while an absent event was in their window
        narrow = visit_start(t, ev, st, scratch, cursor, e, mask, s) or narrow
        s = st.starts[s, at.NEXT]
    return narrow


@kernel
def looks_back(t):
    """Whether an absence stands at the start."""
    for q in range(t.steps.shape[0]):
        if t.steps[q, at.BACK] < t.steps[q, at.BACK_END]:
            return True
    return False


@kernel
def visit_start(t, ev, st, scratch, cursor, e, mask, s):
    """From the last step to the first: each adds what stood at the steps before it."""
    count, narrow = t.steps.shape[0], False
    for q in range(count - 1, -1, -1):
        i = s * count + q
        undone = is_undone(t, q, mask)
        if (mask >> t.steps[q, at.TEST]) & 1 == 0:
            if undone and t.steps[q, at.ENDS]:
                forget_done(t, st, s, q)
            elif undone:
                clear(st.cells, i)
            continue
        if t.steps[q, at.ENDS]:
            if undone:
                forget_done(t, st, s, q)
            narrow = end_ways(t, ev, st, cursor, e, s, q) or narrow
            continue
        clear(scratch, 0)
        for link in range(t.steps[q, at.AFTER], t.steps[q, at.AFTER_END]):
            take(t, ev, scratch, 0, st.cells, s * count + t.links[link], e, q)
        if undone:
            clear(st.cells, i)
        add(t, ev.ranks, st.cells, i, scratch, 0)
        narrow = narrow or is_narrow(t, st.cells, i)
    return narrow


@kernel
def end_ways(t, ev, st, cursor, e, s, q):
    """The ways that event `e` makes whole."""
    count, d = t.steps.shape[0], at.NONE
    for link in range(t.steps[q, at.AFTER], t.steps[q, at.AFTER_END]):
        source = s * count + t.links[link]
        if d == at.NONE:
            d = done_of(st, cursor, s, q, ev.head[at.GROUP, e])
        if not is_zero(st.cells, source, 0, t.limbs):
            take(t, ev, st.totals, d, st.cells, source, e, q)
            st.done[d, at.DONE_SEEN] = 1
            st.done[d, at.DONE_TIME] = ev.head[at.TIME, e]
    return d != at.NONE and is_narrow(t, st.totals, d)


@kernel
def begin_starts(t, ev, st, cursor, e, p, mask, now):
    """A start for each step that the event may begin a match with."""
    count = t.steps.shape[0]
    for q in range(count):
        if not t.steps[q, at.BEGINS] or (mask >> t.steps[q, at.TEST]) & 1 == 0:
            continue
        s = cursor[at.FREE_START]
        cursor[at.FREE_START] = st.starts[s, at.NEXT]
        cursor[at.FREE_STARTS] -= 1
        cursor[at.OPEN] += 1
        for step in range(count):
            clear(st.cells, s * count + step)
        st.starts[s, at.SINCE] = now
        st.starts[s, at.OF_PARTITION] = p
        st.starts[s, at.DONE] = at.NONE
        block(t, st, s, p, q, now)
        append_start(st, cursor, s, p)
        if t.steps[q, at.ENDS]:
            d = done_of(st, cursor, s, q, ev.head[at.GROUP, e])
            begin(t, ev, st.totals, d, e, q)
            st.done[d, at.DONE_SEEN] = 1
            st.done[d, at.DONE_TIME] = ev.head[at.TIME, e]
        else:
            begin(t, ev, st.cells, s * count + q, e, q)


@kernel
def append_start(st, cursor, s, p):
    """The newest start of its partition, and of all."""
    st.starts[s, at.NEXT] = at.NONE
    final = st.partitions[p, at.FINAL]
    if final == at.NONE:
        st.partitions[p, at.FIRST] = s
    else:
        st.starts[final, at.NEXT] = s
    st.partitions[p, at.FINAL] = s
    newest = cursor[at.ALL_FINAL]
    st.starts[s, at.ALL_NEXT] = at.NONE
    st.starts[s, at.ALL_BEFORE] = newest
    if newest == at.NONE:
        cursor[at.ALL_FIRST] = s
    else:
        st.starts[newest, at.ALL_NEXT] = s
    cursor[at.ALL_FINAL] = s


@kernel
def block(t, st, s, p, q, now):
    """A start with an absent event in the window before it: matches that end in that window do not count."""
    st.starts[s, at.BLOCKED] = 0
    for link in range(t.steps[q, at.BACK], t.steps[q, at.BACK_END]):
        place = at.PARTITION_WIDTH + 2 * t.links[link]
        seen, since = st.partitions[p, place], st.partitions[p, place + 1]
        if not seen or not inside(t.window, since, now):
            continue
        if not st.starts[s, at.BLOCKED] or is_later(t, since, st.starts[s, at.BLOCKED_SINCE]):
            st.starts[s, at.BLOCKED] = 1
            st.starts[s, at.BLOCKED_SINCE] = since


@kernel
def is_later(t, left, right):
    """Whether one moment is after another."""
    return real(np.uint64(left)) > real(np.uint64(right)) if t.real_time else left > right


@kernel
def note_absences(t, st, p, mask, now):
    """When a partition last saw what should be absent."""
    for number in range(t.absent.shape[0]):
        if (mask >> t.absent[number]) & 1:
            st.partitions[p, at.PARTITION_WIDTH + 2 * number] = 1
            st.partitions[p, at.PARTITION_WIDTH + 2 * number + 1] = now


@kernel
def tally(t, ranks, st, cursor, group, to, row):
    """The whole matches of a group, of all open starts."""
    if t.values.shape[0] == 0:
        tally_counts(t, st, cursor, group, to, row)
        return
    s = cursor[at.ALL_FIRST]
    while s != at.NONE:
        d = at.NONE if st.starts[s, at.BLOCKED] else st.starts[s, at.DONE]
        while d != at.NONE:
            if st.done[d, at.DONE_GROUP] == group:
                add(t, ranks, to, row, st.totals, d)
            d = st.done[d, at.DONE_NEXT]
        s = st.starts[s, at.ALL_NEXT]


@kernel
def note_end(t, ended, done, d):
    """When the last whole match of a group was complete."""
    group, time = done[d, at.DONE_GROUP], done[d, at.DONE_TIME]
    if done[d, at.DONE_SEEN] and (not ended[group, 0] or is_later(t, time, ended[group, 1])):
        ended[group, 0] = 1
        ended[group, 1] = time


@kernel
def expire_until(t, ranks, st, cursor, now):
    """Time passes: drop the starts that a window which ends now has left."""
    if t.window[0] != EVENTS:
        expire(t, ranks, st, cursor, 0, now)


@kernel
def tally_groups(t, ranks, st, cursor, to, ended):
    """The whole matches of all open starts, by group, and when the last of them was complete."""
    s = cursor[at.ALL_FIRST]
    while s != at.NONE:
        d = at.NONE if st.starts[s, at.BLOCKED] else st.starts[s, at.DONE]
        while d != at.NONE:
            add(t, ranks, to, st.done[d, at.DONE_GROUP], st.totals, d)
            note_end(t, ended, st.done, d)
            d = st.done[d, at.DONE_NEXT]
        s = st.starts[s, at.ALL_NEXT]
