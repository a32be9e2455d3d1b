"""Stack-based construction, then aggregation: the two-step baseline that A-Seq is measured against (5.1).

Each step has a stack of events, as in SASE, and an event knows the newest event of the stack before as it
came. At a completing event every match is built: depth first, down the stacks, its events written to a
buffer; whatever the buffer holds is then aggregated. Only first events leave by the window: another event
goes when all that it could follow are gone, so that each event on the stacks is in some match, and
building never turns back in vain. `jit` says what the letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.aggregate import layout as agg
from cepheid.matchers.baselines.construction import layout as at
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.windows import EVENTS, UNLIMITED, inside, measured


@kernel
def construct(t, ev, st, matches, path, found, cells, cursor):
    """Events from the cursor on, until all are done or there is no more room."""
    rows = 0
    for e in range(cursor[agg.AT_EVENT], ev.head.shape[1]):
        p, mask = ev.head[agg.PARTITION, e], ev.head[agg.MASK, e]
        if p == agg.NONE:
            continue
        full = room_for(t, st, cursor, p, mask) if rows < found.shape[0] else agg.ROWS_FULL
        if full != agg.FINISHED:
            cursor[agg.AT_EVENT], cursor[agg.ROWS] = e, rows
            return full
        cursor[at.PLACES] += 1
        st.partitions[p, at.SEEN_EVENTS] += 1
        now = measured(t.window[0], ev.head[agg.TIME, e], st.partitions[p, at.SEEN_EVENTS])
        expire(t, st, cursor, p, now)
        if mask & t.all_tests:
            take(t, ev, st, matches, path, cursor, e, p, mask, now)
        if ev.head[agg.HAS_ROW, e]:
            found[rows] = e
            cells[rows, 0] = st.closed[ev.head[agg.GROUP, e], 0]
            rows += 1
    cursor[agg.AT_EVENT], cursor[agg.ROWS] = ev.head.shape[1], rows
    return agg.FINISHED


@kernel
def room_for(t, st, cursor, p, mask):
    """Whether the next event finds room, whatever it does."""
    if cursor[at.IN_RING] == st.starts.shape[0]:
        return agg.STARTS_FULL
    needed, count = 0, t.steps.shape[0]
    for q in range(count):
        s = p * count + q
        if (mask >> t.steps[q, agg.TEST]) & 1 and st.stacks[s, at.TOP] - st.stacks[s, at.BOTTOM] == st.stacks[
            s, at.ROOM
        ]:
            needed += max(at.SMALLEST, 2 * st.stacks[s, at.ROOM])
    return at.EVENTS_FULL if cursor[at.USED] + needed > st.events.shape[0] else agg.FINISHED


# -- what leaves -----------------------------------------------------------------------------------


@kernel
def expire(t, st, cursor, p, now):
    """Drop the first events that the window has left; windows of events are each partition's own."""
    count = t.steps.shape[0]
    if t.window[0] == UNLIMITED:
        return
    if t.window[0] == EVENTS:
        s = p * count
        while st.stacks[s, at.BOTTOM] < st.stacks[s, at.TOP]:
            if inside(t.window, st.events[slot(st, s, st.stacks[s, at.BOTTOM]), at.MOMENT], now):
                return
            leave(t, st, cursor, p)
        return
    while cursor[at.IN_RING] > 0:
        oldest = st.starts[cursor[at.OLDEST]]
        s = oldest * count
        if inside(t.window, st.events[slot(st, s, st.stacks[s, at.BOTTOM]), at.MOMENT], now):
            return
        leave(t, st, cursor, oldest)
        cursor[at.OLDEST] = cursor[at.OLDEST] + 1 if cursor[at.OLDEST] + 1 < st.starts.shape[0] else 0
        cursor[at.IN_RING] -= 1


@kernel
def leave(t, st, cursor, p):
    """The oldest first event of a partition goes with its matches, and what could only follow it."""
    s = p * t.steps.shape[0]
    if not t.keeps_closed:
        gone = st.events[slot(st, s, st.stacks[s, at.BOTTOM]), at.MATCHES]
        st.closed[st.partitions[p, at.OF_GROUP], 0] -= np.uint64(gone)
    st.stacks[s, at.BOTTOM] += 1
    cursor[at.HELD] -= 1
    cursor[at.FIRSTS] -= 1
    for above in range(s + 1, s + t.steps.shape[0]):
        before, oldest = st.stacks[above, at.BOTTOM], st.stacks[above - 1, at.BOTTOM]
        while st.stacks[above, at.BOTTOM] < st.stacks[above, at.TOP]:
            if st.events[slot(st, above, st.stacks[above, at.BOTTOM]), at.NEWEST] >= oldest:
                break
            st.stacks[above, at.BOTTOM] += 1
            cursor[at.HELD] -= 1
        if st.stacks[above, at.BOTTOM] == before:
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
    return st.stacks[s, at.OFFSET] + (number & (st.stacks[s, at.ROOM] - 1))


@kernel
def take(t, ev, st, matches, path, cursor, e, p, mask, now):
    """From the last step to the first, so that an event never follows itself."""
    count = t.steps.shape[0]
    for q in range(count - 1, -1, -1):
        if (mask >> t.steps[q, agg.TEST]) & 1 == 0:
            continue
        before = p * count + q - 1
        if q > 0 and st.stacks[before, at.BOTTOM] == st.stacks[before, at.TOP]:
            continue
        whole = 0
        if q == count - 1:
            st.partitions[p, at.OF_GROUP] = ev.head[agg.GROUP, e]
            whole = build(t, st, matches, path, cursor, p) if q > 0 else 1
        if whole > 0:
            group = ev.head[agg.GROUP, e]
            st.closed[group, 0] += np.uint64(whole)
            st.ended[group, 0] = 1
            st.ended[group, 1] = ev.head[agg.TIME, e]
        if q < count - 1 or q == 0:
            push(t, st, cursor, p, q, now, whole)
    for number in range(t.absent.shape[0]):
        if (mask >> t.absent[number]) & 1:
            st.partitions[p, at.SHARE_WIDTH + number] = cursor[at.PLACES]


@kernel
def push(t, st, cursor, p, q, now, whole):
    """An event onto the stack of a step."""
    s = p * t.steps.shape[0] + q
    if st.stacks[s, at.TOP] - st.stacks[s, at.BOTTOM] == st.stacks[s, at.ROOM]:
        grow(st, cursor, s)
    i = slot(st, s, st.stacks[s, at.TOP])
    st.events[i, at.PLACE] = cursor[at.PLACES]
    st.events[i, at.NEWEST] = st.stacks[s - 1, at.TOP] - 1 if q > 0 else agg.NONE
    st.events[i, at.MOMENT] = now
    st.events[i, at.MATCHES] = whole
    for number in range(t.absent.shape[0]):
        st.events[i, at.EVENT_WIDTH + number] = st.partitions[p, at.SHARE_WIDTH + number]
    st.stacks[s, at.TOP] += 1
    cursor[at.HELD] += 1
    if q == 0:
        cursor[at.FIRSTS] += 1
        if t.window[0] != UNLIMITED and t.window[0] != EVENTS:
            place = cursor[at.OLDEST] + cursor[at.IN_RING]
            st.starts[place if place < st.starts.shape[0] else place - st.starts.shape[0]] = p
            cursor[at.IN_RING] += 1


@kernel
def grow(st, cursor, s):
    """Twice the room for a stack, at the end of what is used."""
    room, start = max(at.SMALLEST, 2 * st.stacks[s, at.ROOM]), cursor[at.USED]
    for number in range(st.stacks[s, at.BOTTOM], st.stacks[s, at.TOP]):
        i, j = start + (number & (room - 1)), slot(st, s, number)
        for k in range(st.events.shape[1]):
            st.events[i, k] = st.events[j, k]
    st.stacks[s, at.OFFSET] = start
    st.stacks[s, at.ROOM] = room
    cursor[at.USED] += room


@kernel
def build(t, st, matches, path, cursor, p):
    """Every match that ends now, built and aggregated; how many there are."""
    last = t.steps.shape[0] - 1
    first = p * t.steps.shape[0]
    below, offset, wrap = (
        st.stacks[first, at.BOTTOM],
        st.stacks[first, at.OFFSET],
        st.stacks[first, at.ROOM] - 1,
    )
    q, filled, built, whole = last - 1, 0, 0, 0
    place = cursor[at.PLACES]
    path[1, q] = st.stacks[first + q, at.TOP] - 1
    while q < last:
        if q > 0:
            path[0, q] = slot(st, first + q, path[1, q])
            path[1, q - 1] = st.events[path[0, q], at.NEWEST]
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
            if path[1, q] >= st.stacks[first + q, at.BOTTOM]:
                break
            q += 1
    whole += aggregate(t, st, matches, filled, p)
    cursor[at.BUILT] += built
    # as the thesis counts them: events on stacks, their pointers, and the matches of this event
    cursor[at.OBJECTS] = max(cursor[at.OBJECTS], 2 * cursor[at.HELD] - cursor[at.FIRSTS] + built)
    return whole


@kernel
def aggregate(t, st, matches, filled, p):
    """The matches of the buffer to the totals of their first events, unless an absence forbids them."""
    absences, whole = t.absent.shape[0], 0
    for m in range(filled):
        if absences > 0 and is_forbidden(t, st, matches, m, p):
            continue
        st.events[matches[0, m], at.MATCHES] += 1
        whole += 1
    return whole


@kernel
def is_forbidden(t, st, matches, m, p):
    """Whether an event that should be absent lies between two events of a match."""
    last = t.steps.shape[0] - 1
    for q in range(last):
        for link in range(t.steps[q, agg.UNDONE], t.steps[q, agg.UNDONE_END]):
            number = t.links[link]
            if q + 1 < last:
                seen = st.events[matches[q + 1, m], at.EVENT_WIDTH + number]
            else:
                seen = st.partitions[p, at.SHARE_WIDTH + number]
            if seen > st.events[matches[q, m], at.PLACE]:
                return True
    return False


@kernel
def pack(stacks, events, packed):
    """The rings of all stacks one after the other, in other rows; how many these are."""
    used = 0
    for s in range(stacks.shape[0]):
        for k in range(stacks[s, at.ROOM]):
            for column in range(events.shape[1]):
                packed[used + k, column] = events[stacks[s, at.OFFSET] + k, column]
        stacks[s, at.OFFSET] = used
        used += stacks[s, at.ROOM]
    return used
