"""The same as `advance` for queries of one window that merely count: the common case.

What does not change from event to event is held in variables of the kernel, and places in arrays are
unsigned, so that none is looked at twice for being counted from the end.
"""

from __future__ import annotations

import numpy as np

from cepheid.matchers.aggregate.algebra.layout import (
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
    TERMS,
    TERMS_END,
)
from cepheid.matchers.aggregate.algebra.windows import within
from cepheid.matchers.aggregate.algebra.words import (
    add_number,
    add_product,
    enter,
    keep,
    leave_number,
    place,
    take_number,
)
from cepheid.matchers.aggregate.layout import (
    EVENTS,
    FINISHED,
    NONE,
    ROWS_FULL,
    STARTS_FULL,
    TOO_NARROW,
)
from cepheid.matchers.jit import inlined, kernel

ZERO = np.uint64(0)


@kernel
def advance_lane(t, ev, st, found, cells, cursor):
    """Events from the cursor on, until all are done or there is no more room."""
    numbers, rows, entries, changes, starts = st.numbers, st.rows, st.entries, t.changes, t.starts
    kind, limit = t.lanes[0, KIND], t.lanes[0, LIMIT]
    oldest, count, room = st.rings[0, OLDEST], st.rings[0, OPEN], entries.shape[1]
    since, current, previous = st.rings[0, SINCE], st.rings[0, CURRENT], st.rings[0, PREVIOUS]
    most, before, keyed = st.rings[0, MOST], cursor[BEFORE], ev.partitions.shape[0] > 0
    first, row, p, full = entries[0, oldest, ENTERED], 0, 0, FINISHED
    e = cursor[AT_EVENT]
    while e < cursor[STOP]:
        k = place(ev.classes[e])
        if t.idle[k]:
            e += 1
            continue
        if keyed:
            p = ev.partitions[e]
            if p == NONE:
                e += 1
                continue
        reports, reports_end = t.classes[k, REPORTS], t.classes[k, REPORTS_END]
        if row + reports_end - reports > found.shape[0]:
            full = ROWS_FULL
            break
        now = before + e if kind == EVENTS else ev.time[e]
        while count > 0 and not within(kind, limit, first, now):
            take_out(numbers, rows, entries, changes, starts, st.starts, place(oldest))
            oldest = oldest + 1 if oldest + 1 < room else 0
            count -= 1
            first = entries[0, place(oldest), ENTERED]
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
        at = place(p)
        for i in range(place(t.classes[k, PRODUCTS]), place(t.classes[k, INVERSES])):
            add_number(numbers, at, place(changes[i, TARGET]), place(changes[i, SOURCE]))
        for i in range(place(t.classes[k, INVERSES]), place(t.classes[k, INVERSES_END])):
            take_number(numbers, at, place(changes[i, TARGET]), place(changes[i, SOURCE]))
        if begun < begun_end:
            newest = oldest + count
            s = place(newest - room if newest >= room else newest)
            entries[0, s, ENTERED] = now
            entries[0, s, OF_PARTITION] = p
            entries[0, s, OF_CLASS] = ev.classes[e]
            entries[0, s, BLOCKED] = 0
            st.starts[at] += 1
            if count == 0:
                first = now
            count += 1
            j = place(0)
            for i in range(place(begun), place(begun_end)):
                keep(numbers, at, place(changes[i, SOURCE]), 1, rows, s, j)
                enter(numbers, at, place(changes[i, TARGET]), rows, s, j)
                j += place(1)
        for i in range(place(reports), place(reports_end)):
            query = t.lists[i]
            into, output = place(row), place(query)  # each has one
            found[into, EVENT], found[into, QUERY] = e, query
            for word in range(place(cells.shape[1])):
                cells[into, word] = ZERO
            for term in range(place(t.outputs[output, TERMS]), place(t.outputs[output, TERMS_END])):
                add_product(numbers, at, place(t.terms[term, 0]), place(t.terms[term, 1]), cells, into, 0)
            row += 1
        e += 1
    st.rings[0, OLDEST], st.rings[0, OPEN] = oldest, count
    st.rings[0, SINCE], st.rings[0, CURRENT], st.rings[0, PREVIOUS] = since, current, previous
    cursor[AT_EVENT], cursor[ROWS] = e, row
    return full


@inlined
def take_out(numbers, rows, entries, changes, starts, open_starts, s):
    """A start that the window has left takes its row out of the sums."""
    p, k = place(entries[0, s, OF_PARTITION]), place(entries[0, s, OF_CLASS])
    j = place(0)
    for i in range(place(starts[k, 0, BEGUN]), place(starts[k, 0, BEGUN_END])):
        leave_number(numbers, p, place(changes[i, TARGET]), rows, s, j)
        j += place(1)
    open_starts[p] -= 1
