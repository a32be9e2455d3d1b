"""Counters of many queries: prefix trees for each start, connected by snapshots (A-Seq 4.1 and 4.2).

All that an event reads is as it was before the event, so it never follows itself, whatever it is to how many
queries: first it takes snapshots (CNET), then it makes matches whole (TRIG), then it updates counts, from the
deepest to the first (UPD), and at last it becomes a start itself (START).
"""

from __future__ import annotations

from cepheid.matchers.aggregate.layout import EVENTS
from cepheid.matchers.aggregate.marking.kernel import inside
from cepheid.matchers.baselines.chop_connect.layout import (
    ACTS,
    ADDRESS,
    AT_EVENT,
    BEGIN_ROOT,
    BEGINS,
    BEGINS_END,
    BLOCK,
    CAPACITY,
    CONNECTED,
    CONNECTS,
    CONNECTS_END,
    CROWDED,
    EPOCH_BEFORE,
    EPOCH_NOW,
    EPOCH_SINCE,
    FINISHED,
    FINISHES,
    FINISHES_END,
    FIRST_NUMBER,
    FROM_COLUMN,
    FROM_LINK,
    FROM_ROOT,
    GROUP,
    HEAD,
    LOW,
    NODE_COLUMN,
    NODE_PARENT,
    NODE_ROOT,
    NODE_TOTAL,
    NONE,
    OLDEST,
    OPEN,
    ORDINAL,
    PARTITION,
    POOL_FULL,
    REPORT_QUERY,
    REPORT_TOTAL,
    REPORTS,
    REPORTS_END,
    RING_FULL,
    ROWS,
    ROWS_FULL,
    SINCE,
    SIZE,
    SNAPSHOTS,
    TAIL,
    TESTS_A_WORD,
    TIME,
    TO_COLUMN,
    TO_ROOT,
    TO_TOTAL,
    USED,
    VISITS,
    WANTED,
)
from cepheid.matchers.baselines.chop_connect.queues import (
    class_of,
    class_of_more,
    close_slot,
    drop_oldest,
    open_slot,
    take_block,
)
from cepheid.matchers.jit import inlined, kernel


@kernel
def count_together(t, ev, st, found, cursor):
    """Events from the cursor on, until all are done or there is no more room."""
    for e in range(cursor[AT_EVENT], ev.head.shape[1]):
        p, passes = ev.head[PARTITION, e], 0
        if p != NONE:
            passes = passed_tests(ev, found, e)
        if passes == 0:
            continue
        cursor[AT_EVENT] = e
        if cursor[ROWS] + t.queries > found.events.shape[0]:
            return ROWS_FULL
        now = cursor[ORDINAL] + e if t.window[0] == EVENTS else ev.head[TIME, e]
        while cursor[OPEN] > 0 and not inside(t, st.ring[cursor[OLDEST], SINCE], now):
            drop_oldest(t, st, cursor)
        if ev.head[ACTS, e]:
            full = room_for(t, st, found, cursor, passes, p)
            if full != FINISHED:
                return full
            if crowded(t, cursor, now):
                return CROWDED
            st.groups[p] = ev.head[GROUP, e]
            act(t, st, found, cursor, passes, p, now)
        report(t, ev, st, found, cursor, passes, e)
    cursor[AT_EVENT] = ev.head.shape[1]
    return FINISHED


@inlined
def passed_tests(ev, found, e):
    """The tests that an event passes, and how many they are."""
    passes = 0
    for word in range(ev.masks.shape[0]):
        mask, test = ev.masks[word, e], word * TESTS_A_WORD
        while mask:
            if mask & 1:
                found.passed[passes] = test
                passes += 1
            mask >>= 1
            test += 1
    return passes


@inlined
def crowded(t, cursor, now):
    """Whether the window may hold more events than the words of a count were chosen for.

    A window lies in two epochs of its own length, so the events of both are at least as many.
    """
    if cursor[EPOCH_NOW] == 0 or not inside(t, cursor[EPOCH_SINCE], now):
        cursor[EPOCH_SINCE] = now
        cursor[EPOCH_BEFORE] = cursor[EPOCH_NOW]
        cursor[EPOCH_NOW] = 0
    cursor[EPOCH_NOW] += 1
    return cursor[EPOCH_BEFORE] + cursor[EPOCH_NOW] > t.most_events


@kernel
def room_for(t, st, found, cursor, passes, p):
    """Whether an event finds room for its starts and snapshots."""
    starts, words, roots = 0, 0, t.roots.shape[0]
    for k in range(passes):
        test = found.passed[k]
        for place in range(t.tests[test, BEGINS], t.tests[test, BEGINS_END]):
            q = p * roots + t.begins[place]
            starts += 1
            if st.queues[q, TAIL] == st.queues[q, CAPACITY]:
                words += 1 << class_of_more(t, st, q)
        for f in range(t.tests[test, CONNECTS], t.tests[test, CONNECTS_END]):
            q = p * roots + t.flows[f, BEGIN_ROOT]
            words += 1 << class_of(st.queues[q, TAIL] - st.queues[q, HEAD])
    if cursor[OPEN] + starts > st.ring.shape[0]:
        return RING_FULL
    if cursor[USED] + words > st.pool.shape[0]:
        cursor[WANTED] = words
        return POOL_FULL
    return FINISHED


@kernel
def act(t, st, found, cursor, passes, p, now):
    """All that an event does, in the order in which it never meets itself."""
    roots = t.roots.shape[0]
    for k in range(passes):
        for place in range(t.tests[found.passed[k], BEGINS], t.tests[found.passed[k], BEGINS_END]):
            open_slot(t, st, cursor, p * roots + t.begins[place])
    for k in range(passes):
        for f in range(t.tests[found.passed[k], CONNECTS], t.tests[found.passed[k], CONNECTS_END]):
            connect(t, st, cursor, p, f)
    for k in range(passes):
        for f in range(t.tests[found.passed[k], FINISHES], t.tests[found.passed[k], FINISHES_END]):
            finish(t, st, cursor, p, f)
    for depth in range(t.depths.shape[1] - 1):
        for k in range(passes):
            for n in range(t.depths[found.passed[k], depth], t.depths[found.passed[k], depth + 1]):
                update(t, st, cursor, p, n)
    for k in range(passes):
        for place in range(t.tests[found.passed[k], BEGINS], t.tests[found.passed[k], BEGINS_END]):
            close_slot(t, st, cursor, p * roots + t.begins[place], now)


@kernel
def connect(t, st, cursor, p, f):
    """CNET: the start in the open slot takes a snapshot, a row for each active start of the query."""
    begin = p * t.roots.shape[0] + t.flows[f, BEGIN_ROOT]
    to = p * t.roots.shape[0] + t.flows[f, TO_ROOT]
    capacity, rows = st.queues[to, CAPACITY], st.queues[begin, TAIL] - st.queues[begin, HEAD]
    link = st.queues[to, BLOCK] + t.flows[f, TO_COLUMN] * capacity + st.queues[to, TAIL]
    st.pool[link + SIZE * capacity] = rows
    cursor[SNAPSHOTS] += 1
    if rows == 0:
        return
    at = take_block(st, cursor, class_of(rows))
    low = st.queues[begin, FIRST_NUMBER] + st.queues[begin, HEAD]
    st.pool[link + ADDRESS * capacity] = at
    st.pool[link + LOW * capacity] = low
    for row in range(rows):
        st.pool[at + row] = 0
    flow(t, st, cursor, p, f, at - low)


@kernel
def finish(t, st, cursor, p, f):
    """TRIG: the matches that become whole, to each start of the query and to the total of its group."""
    q = p * t.roots.shape[0] + t.flows[f, BEGIN_ROOT]
    if st.queues[q, TAIL] == st.queues[q, HEAD]:
        return
    column = st.queues[q, BLOCK] + t.flows[f, TO_COLUMN] * st.queues[q, CAPACITY]
    whole = flow(t, st, cursor, p, f, column - st.queues[q, FIRST_NUMBER])
    st.totals[st.groups[p], t.flows[f, TO_TOTAL]] += whole


@kernel
def flow(t, st, cursor, p, f, to):
    """Add what stands at a column of starts to the active starts of the query; their sum.

    `to` and the number of a start together are where it is added. Starts of the query itself have their
    counts; those of a later segment each multiply theirs with the rows of their snapshot, but for the rows
    that the window has left since.
    """
    begin = p * t.roots.shape[0] + t.flows[f, BEGIN_ROOT]
    q = p * t.roots.shape[0] + t.flows[f, FROM_ROOT]
    head, capacity = st.queues[q, HEAD], st.queues[q, CAPACITY]
    count = st.queues[q, TAIL] - head
    oldest = st.queues[begin, FIRST_NUMBER] + st.queues[begin, HEAD]
    column = st.queues[q, BLOCK] + t.flows[f, FROM_COLUMN] * capacity + head
    if t.flows[f, FROM_LINK] == NONE:
        cursor[CONNECTED] += count
        return add_rows(st.pool, column, to + oldest, count, 1)
    link = st.queues[q, BLOCK] + t.flows[f, FROM_LINK] * capacity + head
    added = 0
    for slot in range(count):
        ways, low = st.pool[column + slot], st.pool[link + LOW * capacity + slot]
        first = max(low, oldest)
        rows = low + st.pool[link + SIZE * capacity + slot] - first
        if ways == 0 or rows <= 0:
            continue
        cursor[CONNECTED] += rows
        added += add_rows(st.pool, st.pool[link + slot] + first - low, to + first, rows, ways)
    return added


@inlined
def add_rows(pool, source, target, count, times):
    """Rows of the pool, times a number, to as many others; their sum."""
    rows, others, added = pool[source : source + count], pool[target : target + count], 0
    for row in range(count):
        more = times * rows[row]
        others[row] += more
        added += more
    return added


@kernel
def update(t, st, cursor, p, n):
    """UPD: a count of each active start grows by that before it; once, however many queries have it."""
    q = p * t.roots.shape[0] + t.nodes[n, NODE_ROOT]
    count, capacity = st.queues[q, TAIL] - st.queues[q, HEAD], st.queues[q, CAPACITY]
    if count == 0:
        return
    at = st.queues[q, BLOCK] + st.queues[q, HEAD]
    source, target = at + t.nodes[n, NODE_PARENT] * capacity, at + t.nodes[n, NODE_COLUMN] * capacity
    cursor[VISITS] += count
    more = add_rows(st.pool, source, target, count, 1)
    if t.nodes[n, NODE_TOTAL] != NONE:
        st.totals[st.groups[p], t.nodes[n, NODE_TOTAL]] += more


@inlined
def report(t, ev, st, found, cursor, passes, e):
    """A row for each query that the event may be the last of."""
    for k in range(passes):
        for place in range(t.tests[found.passed[k], REPORTS], t.tests[found.passed[k], REPORTS_END]):
            row = cursor[ROWS]
            found.events[row] = e
            found.queries[row] = t.reports[place, REPORT_QUERY]
            found.counts[row] = st.totals[ev.head[GROUP, e], t.reports[place, REPORT_TOTAL]]
            cursor[ROWS] = row + 1
