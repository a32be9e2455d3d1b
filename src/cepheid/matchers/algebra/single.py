"""The same as `advance` for one query that merely counts, in numbers of one word: the common case.

What does not change from event to event is held in variables of the kernel, and places in arrays are
unsigned, so that none is looked at twice for being counted from the end.
"""

from __future__ import annotations

import numpy as np

from cepheid.matchers.aggregate.layout import (
    EVENTS,
    FINISHED,
    NONE,
    REALS,
    ROWS_FULL,
    STARTS_FULL,
    TICKS,
    TOO_NARROW,
    UNLIMITED,
)
from cepheid.matchers.algebra.layout import (
    AT_EVENT,
    BEFORE,
    BEGUN,
    BEGUN_END,
    BLOCKED,
    CURRENT,
    ENTERED,
    EVENT,
    INVERSES,
    INVERSES_END,
    KIND,
    LIMIT,
    MOST,
    OF_CLASS,
    OF_PARTITION,
    OLDEST,
    OPEN,
    PREVIOUS,
    PRODUCTS,
    QUERY,
    REPORTS,
    REPORTS_END,
    ROWS,
    SINCE,
    SOURCE,
    STOP,
    TARGET,
)
from cepheid.matchers.jit import inlined, kernel

ZERO = np.uint64(0)


@kernel
def advance_single(t, ev, st, found, cells, cursor):
    """Events from the cursor on, until all are done or there is no more room."""
    numbers, rows, entries, changes, starts = st.numbers, st.rows, st.entries, t.changes, t.starts
    kind, limit = t.lanes[0, KIND], t.lanes[0, LIMIT]
    oldest, count, room = st.rings[0, OLDEST], st.rings[0, OPEN], entries.shape[1]
    since, current, previous = st.rings[0, SINCE], st.rings[0, CURRENT], st.rings[0, PREVIOUS]
    most, before, keyed = st.rings[0, MOST], cursor[BEFORE], ev.partitions.shape[0] > 0
    first, row, p, full = entries[0, oldest, ENTERED], 0, 0, FINISHED
    e = cursor[AT_EVENT]
    while e < cursor[STOP]:
        k = np.uint64(ev.classes[e])
        if t.idle[k]:
            e += 1
            continue
        if keyed:
            p = ev.partitions[e]
            if p == NONE:
                e += 1
                continue
        if row == found.shape[0]:
            full = ROWS_FULL
            break
        now = before + e if kind == EVENTS else ev.time[e]
        while count > 0 and not within(kind, limit, first, now):
            take_out(numbers, rows, entries, changes, starts, st.starts, np.uint64(oldest))
            oldest = oldest + 1 if oldest + 1 < room else 0
            count -= 1
            first = entries[0, np.uint64(oldest), ENTERED]
        begun, begun_end = starts[k, 0, BEGUN], starts[k, 0, BEGUN_END]
        if begun < begun_end and count == room:
            full = STARTS_FULL
            break
        if current == 0 or not within(kind, limit, since, now):
            since, previous, current = now, current, 0
        current += 1
        if previous + current > most:
            full = TOO_NARROW
            break
        at = np.uint64(p)
        for i in range(np.uint64(t.classes[k, PRODUCTS]), np.uint64(t.classes[k, INVERSES])):
            numbers[at, np.uint64(changes[i, TARGET])] += numbers[at, np.uint64(changes[i, SOURCE])]
        for i in range(np.uint64(t.classes[k, INVERSES]), np.uint64(t.classes[k, INVERSES_END])):
            numbers[at, np.uint64(changes[i, TARGET])] -= numbers[at, np.uint64(changes[i, SOURCE])]
        if begun < begun_end:
            place = oldest + count
            s = np.uint64(place - room if place >= room else place)
            entries[0, s, ENTERED] = now
            entries[0, s, OF_PARTITION] = p
            entries[0, s, OF_CLASS] = ev.classes[e]
            entries[0, s, BLOCKED] = 0
            st.starts[at] += 1
            if count == 0:
                first = now
            count += 1
            j = np.uint64(0)
            for i in range(np.uint64(begun), np.uint64(begun_end)):
                value = numbers[at, np.uint64(changes[i, SOURCE])]
                rows[s, j] = value
                numbers[at, np.uint64(changes[i, TARGET])] += value
                j += np.uint64(1)
        if t.classes[k, REPORTS] < t.classes[k, REPORTS_END]:
            total = ZERO
            for i in range(t.terms.shape[0]):
                total += numbers[at, np.uint64(t.terms[i, 0])] * numbers[at, np.uint64(t.terms[i, 1])]
            found[row, EVENT], found[row, QUERY] = e, 0
            cells[row, 0] = total
            row += 1
        e += 1
    st.rings[0, OLDEST], st.rings[0, OPEN] = oldest, count
    st.rings[0, SINCE], st.rings[0, CURRENT], st.rings[0, PREVIOUS] = since, current, previous
    cursor[AT_EVENT], cursor[ROWS] = e, row
    return full


@inlined
def within(kind, limit, since, now):
    """Whether the window that ends now reaches back so far."""
    if kind == TICKS or kind == EVENTS:
        return now - since <= limit
    if kind == UNLIMITED:
        return True
    span = np.int64(now).view(np.float64) - np.int64(since).view(np.float64)
    most = np.int64(limit).view(np.float64)
    return span <= most if kind == REALS else span < most


@inlined
def take_out(numbers, rows, entries, changes, starts, open_starts, s):
    """A start that the window has left takes its row out of the sums."""
    p, k = np.uint64(entries[0, s, OF_PARTITION]), np.uint64(entries[0, s, OF_CLASS])
    j = np.uint64(0)
    for i in range(np.uint64(starts[k, 0, BEGUN]), np.uint64(starts[k, 0, BEGUN_END])):
        numbers[p, np.uint64(changes[i, TARGET])] -= rows[s, j]
        j += np.uint64(1)
    open_starts[p] -= 1
