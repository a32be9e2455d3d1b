"""Stack-based construction, then aggregation: the two-step baseline that A-Seq is measured against (5.1).

Each step has a stack of events, as in SASE, and an event knows the newest event of the stack before as it
came. At a completing event every match is built: depth first, down the stacks, its events written to a
buffer; whatever the buffer holds is then aggregated. Only first events leave by the window: another event
goes when all that it could follow are gone, so that each event on the stacks is in some match, and
building never turns back in vain.
"""

from __future__ import annotations

import numpy as np

from cepheid.matchers.aggregate.layout import (
    AT_EVENT,
    EVENTS,
    FINISHED,
    GROUP,
    HAS_ROW,
    MASK,
    NONE,
    PARTITION,
    ROWS,
    ROWS_FULL,
    STARTS_FULL,
    TEST,
    TIME,
    UNDONE,
    UNDONE_END,
    UNLIMITED,
)
from cepheid.matchers.aggregate.marking.kernel import inside
from cepheid.matchers.baselines.construction.layout import (
    BOTTOM,
    BUILT,
    EVENT_WIDTH,
    EVENTS_FULL,
    FIRSTS,
    HELD,
    IN_RING,
    MATCHES,
    MOMENT,
    NEWEST,
    OBJECTS,
    OF_GROUP,
    OFFSET,
    OLDEST,
    PLACE,
    PLACES,
    ROOM,
    SEEN_EVENTS,
    SHARE_WIDTH,
    SMALLEST,
    TOP,
    USED,
)
from cepheid.matchers.jit import inlined, kernel


@kernel
def construct(t, ev, st, matches, path, found, cells, cursor):
    """Events from the cursor on, until all are done or there is no more room."""
    rows = 0
    for e in range(cursor[AT_EVENT], ev.head.shape[1]):
        p, mask = ev.head[PARTITION, e], ev.head[MASK, e]
        if p == NONE:
            continue
        full = room_for(t, st, cursor, p, mask) if rows < found.shape[0] else ROWS_FULL
        if full != FINISHED:
            cursor[AT_EVENT], cursor[ROWS] = e, rows
            return full
        cursor[PLACES] += 1
        st.partitions[p, SEEN_EVENTS] += 1
        now = st.partitions[p, SEEN_EVENTS] if t.window[0] == EVENTS else ev.head[TIME, e]
        expire(t, st, cursor, p, now)
        if mask & t.all_tests:
            take(t, ev, st, matches, path, cursor, e, p, mask, now)
        if ev.head[HAS_ROW, e]:
            found[rows] = e
            cells[rows, 0] = st.closed[ev.head[GROUP, e], 0]
            rows += 1
    cursor[AT_EVENT], cursor[ROWS] = ev.head.shape[1], rows
    return FINISHED


@kernel
def room_for(t, st, cursor, p, mask):
    """Whether the next event finds room, whatever it does."""
    if cursor[IN_RING] == st.starts.shape[0]:
        return STARTS_FULL
    needed, count = 0, t.steps.shape[0]
    for q in range(count):
        s = p * count + q
        if (mask >> t.steps[q, TEST]) & 1 and st.stacks[s, TOP] - st.stacks[s, BOTTOM] == st.stacks[s, ROOM]:
            needed += max(SMALLEST, 2 * st.stacks[s, ROOM])
    return EVENTS_FULL if cursor[USED] + needed > st.events.shape[0] else FINISHED


# -- what leaves -----------------------------------------------------------------------------------


@kernel
def expire(t, st, cursor, p, now):
    """Drop the first events that the window has left; windows of events are each partition's own."""
    count = t.steps.shape[0]
    if t.window[0] == UNLIMITED:
        return
    if t.window[0] == EVENTS:
        s = p * count
        while st.stacks[s, BOTTOM] < st.stacks[s, TOP]:
            if inside(t, st.events[slot(st, s, st.stacks[s, BOTTOM]), MOMENT], now):
                return
            leave(t, st, cursor, p)
        return
    while cursor[IN_RING] > 0:
        oldest = st.starts[cursor[OLDEST]]
        s = oldest * count
        if inside(t, st.events[slot(st, s, st.stacks[s, BOTTOM]), MOMENT], now):
            return
        leave(t, st, cursor, oldest)
        cursor[OLDEST] = cursor[OLDEST] + 1 if cursor[OLDEST] + 1 < st.starts.shape[0] else 0
        cursor[IN_RING] -= 1


@kernel
def leave(t, st, cursor, p):
    """The oldest first event of a partition goes with its matches, and what could only follow it."""
    s = p * t.steps.shape[0]
    if not t.keeps_closed:
        gone = st.events[slot(st, s, st.stacks[s, BOTTOM]), MATCHES]
        st.closed[st.partitions[p, OF_GROUP], 0] -= np.uint64(gone)
    st.stacks[s, BOTTOM] += 1
    cursor[HELD] -= 1
    cursor[FIRSTS] -= 1
    for above in range(s + 1, s + t.steps.shape[0]):
        before, oldest = st.stacks[above, BOTTOM], st.stacks[above - 1, BOTTOM]
        while st.stacks[above, BOTTOM] < st.stacks[above, TOP]:
            if st.events[slot(st, above, st.stacks[above, BOTTOM]), NEWEST] >= oldest:
                break
            st.stacks[above, BOTTOM] += 1
            cursor[HELD] -= 1
        if st.stacks[above, BOTTOM] == before:
            return


@kernel
def expire_until(t, st, cursor, now):
    """Time passes: drop the first events that a window which ends now has left."""
    if t.window[0] != EVENTS:
        expire(t, st, cursor, 0, now)


# -- what comes ------------------------------------------------------------------------------------


@inlined
def slot(st, s, number):
    """Where a stack keeps an event."""
    return st.stacks[s, OFFSET] + (number & (st.stacks[s, ROOM] - 1))


@kernel
def take(t, ev, st, matches, path, cursor, e, p, mask, now):
    """From the last step to the first, so that an event never follows itself."""
    count = t.steps.shape[0]
    for q in range(count - 1, -1, -1):
        if (mask >> t.steps[q, TEST]) & 1 == 0:
            continue
        before = p * count + q - 1
        if q > 0 and st.stacks[before, BOTTOM] == st.stacks[before, TOP]:
            continue
        whole = 0
        if q == count - 1:
            st.partitions[p, OF_GROUP] = ev.head[GROUP, e]
            whole = build(t, st, matches, path, cursor, p) if q > 0 else 1
        if whole > 0:
            group = ev.head[GROUP, e]
            st.closed[group, 0] += np.uint64(whole)
            st.ended[group, 0] = 1
            st.ended[group, 1] = ev.head[TIME, e]
        if q < count - 1 or q == 0:
            push(t, st, cursor, p, q, now, whole)
    for number in range(t.absent.shape[0]):
        if (mask >> t.absent[number]) & 1:
            st.partitions[p, SHARE_WIDTH + number] = cursor[PLACES]


@kernel
def push(t, st, cursor, p, q, now, whole):
    """An event onto the stack of a step."""
    s = p * t.steps.shape[0] + q
    if st.stacks[s, TOP] - st.stacks[s, BOTTOM] == st.stacks[s, ROOM]:
        grow(st, cursor, s)
    i = slot(st, s, st.stacks[s, TOP])
    st.events[i, PLACE] = cursor[PLACES]
    st.events[i, NEWEST] = st.stacks[s - 1, TOP] - 1 if q > 0 else NONE
    st.events[i, MOMENT] = now
    st.events[i, MATCHES] = whole
    for number in range(t.absent.shape[0]):
        st.events[i, EVENT_WIDTH + number] = st.partitions[p, SHARE_WIDTH + number]
    st.stacks[s, TOP] += 1
    cursor[HELD] += 1
    if q == 0:
        cursor[FIRSTS] += 1
        if t.window[0] != UNLIMITED and t.window[0] != EVENTS:
            at = cursor[OLDEST] + cursor[IN_RING]
            st.starts[at if at < st.starts.shape[0] else at - st.starts.shape[0]] = p
            cursor[IN_RING] += 1


@kernel
def grow(st, cursor, s):
    """Twice the room for a stack, at the end of what is used."""
    room, start = max(SMALLEST, 2 * st.stacks[s, ROOM]), cursor[USED]
    for number in range(st.stacks[s, BOTTOM], st.stacks[s, TOP]):
        i, j = start + (number & (room - 1)), slot(st, s, number)
        for k in range(st.events.shape[1]):
            st.events[i, k] = st.events[j, k]
    st.stacks[s, OFFSET] = start
    st.stacks[s, ROOM] = room
    cursor[USED] += room


@kernel
def build(t, st, matches, path, cursor, p):
    """Every match that ends now, built and aggregated; how many there are."""
    last = t.steps.shape[0] - 1
    first = p * t.steps.shape[0]
    below, offset, wrap = st.stacks[first, BOTTOM], st.stacks[first, OFFSET], st.stacks[first, ROOM] - 1
    q, filled, built, whole = last - 1, 0, 0, 0
    place = cursor[PLACES]
    path[1, q] = st.stacks[first + q, TOP] - 1
    while q < last:
        if q > 0:
            path[0, q] = slot(st, first + q, path[1, q])
            path[1, q - 1] = st.events[path[0, q], NEWEST]
            q -= 1
            continue
        number = path[1, 0]
        while number >= below:
            if filled == matches.shape[1]:
                whole += aggregate(t, st, matches, filled, p)
                filled = 0
            more = min(number - below + 1, matches.shape[1] - filled)
            for m in range(more):
                matches[0, filled + m] = offset + ((number - m) & wrap)
            for k in range(1, last):
                event = path[0, k]
                for m in range(more):
                    matches[k, filled + m] = event
            for m in range(more):
                matches[last, filled + m] = place
            filled += more
            built += more
            number -= more
        q = 1
        while q < last:
            path[1, q] -= 1
            if path[1, q] >= st.stacks[first + q, BOTTOM]:
                break
            q += 1
    whole += aggregate(t, st, matches, filled, p)
    cursor[BUILT] += built
    # as the thesis counts them: events on stacks, their pointers, and the matches of this event
    cursor[OBJECTS] = max(cursor[OBJECTS], 2 * cursor[HELD] - cursor[FIRSTS] + built)
    return whole


@kernel
def aggregate(t, st, matches, filled, p):
    """The matches of the buffer to the totals of their first events, unless an absence forbids them."""
    absences, whole = t.absent.shape[0], 0
    for m in range(filled):
        if absences > 0 and is_forbidden(t, st, matches, m, p):
            continue
        st.events[matches[0, m], MATCHES] += 1
        whole += 1
    return whole


@kernel
def is_forbidden(t, st, matches, m, p):
    """Whether an event that should be absent lies between two events of a match."""
    last = t.steps.shape[0] - 1
    for q in range(last):
        for link in range(t.steps[q, UNDONE], t.steps[q, UNDONE_END]):
            number = t.links[link]
            if q + 1 < last:
                seen = st.events[matches[q + 1, m], EVENT_WIDTH + number]
            else:
                seen = st.partitions[p, SHARE_WIDTH + number]
            if seen > st.events[matches[q, m], PLACE]:
                return True
    return False


@kernel
def pack(stacks, events, packed):
    """The rings of all stacks one after the other, in other rows; how many these are."""
    used = 0
    for s in range(stacks.shape[0]):
        for k in range(stacks[s, ROOM]):
            for column in range(events.shape[1]):
                packed[used + k, column] = events[stacks[s, OFFSET] + k, column]
        stacks[s, OFFSET] = used
        used += stacks[s, ROOM]
    return used
