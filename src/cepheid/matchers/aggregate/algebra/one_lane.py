"""The same as `advance` for queries of one window that merely count: the common case.

What does not change from event to event is held in variables of the kernel, and places in arrays are
unsigned, so that none is looked at twice for being counted from the end.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.aggregate import layout as agg
from cepheid.matchers.aggregate.algebra import layout as at
from cepheid.matchers.aggregate.algebra.words import (
    add_number,
    add_product,
    enter,
    keep,
    leave_number,
    place,
    take_number,
)
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.windows import EVENTS, UNLIMITED, within

ZERO = np.uint64(0)


@kernel
def advance_lane(t, ev, st, found, cells, cursor):
    """Events from the cursor on, until all are done or there is no more room."""
    numbers, rows, entries, changes, starts = st.numbers, st.rows, st.entries, t.changes, t.starts
    kind, limit = t.lanes[0, at.KIND], t.lanes[0, at.LIMIT]
    oldest, count, room = st.rings[0, at.OLDEST], st.rings[0, at.OPEN], entries.shape[1]
    since, current, previous = st.rings[0, at.SINCE], st.rings[0, at.CURRENT], st.rings[0, at.PREVIOUS]
    most, before, keyed = st.rings[0, at.MOST], cursor[at.BEFORE], ev.partitions.shape[0] > 0
    first, row, p, full = entries[0, oldest, at.ENTERED], 0, 0, agg.FINISHED
    e = cursor[at.AT_EVENT]
    while e < cursor[at.STOP]:
        k = place(ev.classes[e])
        if t.kinds[k] == at.IDLE:
            e += 1
            continue
        is_tick = t.kinds[k] == at.TICK
        if keyed:
            p = ev.partitions[e]
            if p == agg.NONE:
                e += 1
                continue
        reports, reports_end = t.classes[k, at.REPORTS], t.classes[k, at.REPORTS_END]
        each = st.groups.shape[0] if is_tick and t.grouped else 1
        if row + each * (reports_end - reports) > found.shape[0]:
            full = agg.ROWS_FULL
            break
        now = before + e if kind == EVENTS else ev.time[e]
        while count > 0 and not within(kind, limit, first, now):
            take_out(numbers, rows, entries, changes, starts, st.starts, place(oldest))
            oldest = oldest + 1 if oldest + 1 < room else 0
            count -= 1
            first = entries[0, place(oldest), at.ENTERED]
        if is_tick:
            for i in range(place(reports), place(reports_end)):
                if t.grouped:
                    row = tell_groups(t, st, found, cells, e, t.lists[i], row)
                else:
                    tell(t, numbers, place(0), found, cells, e, t.lists[i], row)
                    row += 1
            e += 1
            continue
        begun, begun_end = starts[k, 0, at.BEGUN], starts[k, 0, at.BEGUN_END]
        if begun < begun_end and count == room:
            full = agg.STARTS_FULL
            break
        if current == 0 or not within(kind, limit, since, now):
            since, previous, current = now, current, 0
        current += 1
        if previous + current > most:
            full = agg.TOO_NARROW
            break
        here = place(p)
        for i in range(place(t.classes[k, at.PRODUCTS]), place(t.classes[k, at.INVERSES])):
            add_number(numbers, here, place(changes[i, at.TARGET]), place(changes[i, at.SOURCE]))
        for i in range(place(t.classes[k, at.INVERSES]), place(t.classes[k, at.INVERSES_END])):
            take_number(numbers, here, place(changes[i, at.TARGET]), place(changes[i, at.SOURCE]))
        if begun < begun_end:
            newest = oldest + count
            s = place(newest - room if newest >= room else newest)
            entries[0, s, at.ENTERED] = now
            entries[0, s, at.OF_PARTITION] = p
            entries[0, s, at.OF_CLASS] = ev.classes[e]
            entries[0, s, at.BLOCKED] = 0
            st.starts[here] += 1
            if count == 0:
                first = now
            if kind != UNLIMITED:  # where a start never leaves, its row is not kept
                count += 1
            j = place(0)
            for i in range(place(begun), place(begun_end)):
                keep(numbers, here, place(changes[i, at.SOURCE]), 1, rows, s, j)
                enter(numbers, here, place(changes[i, at.TARGET]), rows, s, j)
                j += place(1)
        for i in range(place(reports), place(reports_end)):
            tell(t, numbers, here, found, cells, e, t.lists[i], row)
            row += 1
        e += 1
    st.rings[0, at.OLDEST], st.rings[0, at.OPEN] = oldest, count
    st.rings[0, at.SINCE], st.rings[0, at.CURRENT], st.rings[0, at.PREVIOUS] = since, current, previous
    cursor[at.AT_EVENT], cursor[at.ROWS] = e, row
    return full


@inlined
def tell(t, numbers, p, found, cells, e, query, row):
    """What a query has in a partition, as a row."""
    into, output = place(row), place(query)  # each has one
    found[into, at.EVENT], found[into, at.QUERY] = e, query
    for word in range(place(cells.shape[1])):
        cells[into, word] = ZERO
    for term in range(place(t.outputs[output, at.TERMS]), place(t.outputs[output, at.TERMS_END])):
        add_product(numbers, p, place(t.terms[term, 0]), place(t.terms[term, 1]), cells, into, 0)


@inlined
def tell_groups(t, st, found, cells, e, query, row):
    """The same for each partition that has a match, each of which is a group; the next row."""
    for p in range(st.groups.shape[0]):
        if st.groups[p] != agg.NONE and st.starts[p] > 0:
            tell(t, st.numbers, place(p), found, cells, e, query, row)
            if has_match(cells, row, t.limbs):
                found[row, at.GROUP] = st.groups[p]
                row += 1
    return row


@inlined
def has_match(cells, row, limbs):
    """Whether a cell, which begins with the number of matches, counts any."""
    for word in range(limbs):
        if cells[row, word] != ZERO:
            return True
    return False


@inlined
def take_out(numbers, rows, entries, changes, starts, open_starts, s):
    """A start that the window has left takes its row out of the sums."""
    p, k = place(entries[0, s, at.OF_PARTITION]), place(entries[0, s, at.OF_CLASS])
    j = place(0)
    for i in range(place(starts[k, 0, at.BEGUN]), place(starts[k, 0, at.BEGUN_END])):
        leave_number(numbers, p, place(changes[i, at.TARGET]), rows, s, j)
        j += place(1)
    open_starts[p] -= 1
