"""Counters of many queries: prefix trees for each start, connected by snapshots (A-Seq 4.1 and 4.2).

All that an event reads is as it was before the event, so it never follows itself, whatever it is to how many
queries: first it takes snapshots (CNET), then it makes matches whole (TRIG), then it updates counts, from the
deepest to the first (UPD), and at last it becomes a start itself (START). `jit` says what the letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.baselines.chop_connect import layout as at
from cepheid.matchers.baselines.chop_connect.queues import (
    class_of,
    class_of_more,
    close_slot,
    drop_oldest,
    open_slot,
    take_block,
)
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.windows import inside, measured


@kernel
def count_together(t, ev, st, found, cursor):
    """Events from the cursor on, until all are done or there is no more room."""
    for e in range(cursor[at.AT_EVENT], ev.head.shape[1]):
        p, passes = ev.head[at.PARTITION, e], 0
        if p != at.NONE:
            passes = passed_tests(ev, found, e)
        if passes == 0:
            continue
        cursor[at.AT_EVENT] = e
        if cursor[at.ROWS] + t.queries > found.events.shape[0]:
            return at.ROWS_FULL
        now = measured(t.window[0], ev.head[at.TIME, e], cursor[at.ORDINAL] + e)
        while cursor[at.OPEN] > 0 and not inside(t.window, st.ring[cursor[at.OLDEST], at.SINCE], now):
            drop_oldest(t, st, cursor)
        if ev.head[at.ACTS, e]:
            full = room_for(t, st, found, cursor, passes, p)
            if full != at.FINISHED:
                return full
            if crowded(t, cursor, now):
                return at.CROWDED
            st.groups[p] = ev.head[at.GROUP, e]
            act(t, st, found, cursor, passes, p, now)
        report(t, ev, st, found, cursor, passes, e)
    cursor[at.AT_EVENT] = ev.head.shape[1]
    return at.FINISHED


@inlined
def passed_tests(ev, found, e):
    """The tests that an event passes, and how many they are."""
    passes = 0
    for word in range(ev.masks.shape[0]):
        mask, test = ev.masks[word, e], word * at.TESTS_A_WORD
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
    if cursor[at.EPOCH_NOW] == 0 or not inside(t.window, cursor[at.EPOCH_SINCE], now):
        cursor[at.EPOCH_SINCE] = now
        cursor[at.EPOCH_BEFORE] = cursor[at.EPOCH_NOW]
        cursor[at.EPOCH_NOW] = 0
    cursor[at.EPOCH_NOW] += 1
    return cursor[at.EPOCH_BEFORE] + cursor[at.EPOCH_NOW] > t.most_events


@kernel
def room_for(t, st, found, cursor, passes, p):
    """Whether an event finds room for its starts and snapshots."""
    starts, words, roots = 0, 0, t.roots.shape[0]
    for k in range(passes):
        test = found.passed[k]
        for place in range(t.tests[test, at.BEGINS], t.tests[test, at.BEGINS_END]):
            q = p * roots + t.begins[place]
            starts += 1
            if st.queues[q, at.TAIL] == st.queues[q, at.CAPACITY]:
                words += 1 << class_of_more(t, st, q)
        for f in range(t.tests[test, at.CONNECTS], t.tests[test, at.CONNECTS_END]):
            q = p * roots + t.flows[f, at.BEGIN_ROOT]
            words += 1 << class_of(st.queues[q, at.TAIL] - st.queues[q, at.HEAD])
    if cursor[at.OPEN] + starts > st.ring.shape[0]:
        return at.RING_FULL
    if cursor[at.USED] + words > st.pool.shape[0]:
        cursor[at.WANTED] = words
        return at.POOL_FULL
    return at.FINISHED


@kernel
def act(t, st, found, cursor, passes, p, now):
    """All that an event does, in the order in which it never meets itself."""
    roots = t.roots.shape[0]
    for k in range(passes):
        for place in range(t.tests[found.passed[k], at.BEGINS], t.tests[found.passed[k], at.BEGINS_END]):
            open_slot(t, st, cursor, p * roots + t.begins[place])
    for k in range(passes):
        for f in range(t.tests[found.passed[k], at.CONNECTS], t.tests[found.passed[k], at.CONNECTS_END]):
            connect(t, st, cursor, p, f)
    for k in range(passes):
        for f in range(t.tests[found.passed[k], at.FINISHES], t.tests[found.passed[k], at.FINISHES_END]):
            finish(t, st, cursor, p, f)
    for depth in range(t.depths.shape[1] - 1):
        for k in range(passes):
            for n in range(t.depths[found.passed[k], depth], t.depths[found.passed[k], depth + 1]):
                update(t, st, cursor, p, n)
    for k in range(passes):
        for place in range(t.tests[found.passed[k], at.BEGINS], t.tests[found.passed[k], at.BEGINS_END]):
            close_slot(t, st, cursor, p * roots + t.begins[place], now)


@kernel
def connect(t, st, cursor, p, f):
    """CNET: the start in the open slot takes a snapshot, a row for each active start of the query."""
    begin = p * t.roots.shape[0] + t.flows[f, at.BEGIN_ROOT]
    to = p * t.roots.shape[0] + t.flows[f, at.TO_ROOT]
    capacity, rows = st.queues[to, at.CAPACITY], st.queues[begin, at.TAIL] - st.queues[begin, at.HEAD]
    link = st.queues[to, at.BLOCK] + t.flows[f, at.TO_COLUMN] * capacity + st.queues[to, at.TAIL]
    st.pool[link + at.SIZE * capacity] = rows
    cursor[at.SNAPSHOTS] += 1
    if rows == 0:
        return
    place = take_block(st, cursor, class_of(rows))
    low = st.queues[begin, at.FIRST_NUMBER] + st.queues[begin, at.HEAD]
    st.pool[link + at.ADDRESS * capacity] = place
    st.pool[link + at.LOW * capacity] = low
    for row in range(rows):
        st.pool[place + row] = 0
    flow(t, st, cursor, p, f, place - low)


@kernel
def finish(t, st, cursor, p, f):
    """TRIG: the matches that become whole, to each start of the query and to the total of its group."""
    q = p * t.roots.shape[0] + t.flows[f, at.BEGIN_ROOT]
    if st.queues[q, at.TAIL] == st.queues[q, at.HEAD]:
        return
    column = st.queues[q, at.BLOCK] + t.flows[f, at.TO_COLUMN] * st.queues[q, at.CAPACITY]
    whole = flow(t, st, cursor, p, f, column - st.queues[q, at.FIRST_NUMBER])
    st.totals[st.groups[p], t.flows[f, at.TO_TOTAL]] += whole


@kernel
def flow(t, st, cursor, p, f, to):
    """Add what stands at a column of starts to the active starts of the query; their sum.

    `to` and the number of a start together are where it is added. Starts of the query itself have their
    counts; those of a later segment each multiply theirs with the rows of their snapshot, but for the rows
    that the window has left since.
    """
    begin = p * t.roots.shape[0] + t.flows[f, at.BEGIN_ROOT]
    q = p * t.roots.shape[0] + t.flows[f, at.FROM_ROOT]
    head, capacity = st.queues[q, at.HEAD], st.queues[q, at.CAPACITY]
    count = st.queues[q, at.TAIL] - head
    oldest = st.queues[begin, at.FIRST_NUMBER] + st.queues[begin, at.HEAD]
    column = st.queues[q, at.BLOCK] + t.flows[f, at.FROM_COLUMN] * capacity + head
    if t.flows[f, at.FROM_LINK] == at.NONE:
        cursor[at.CONNECTED] += count
        return add_rows(st.pool, column, to + oldest, count, 1)
    link = st.queues[q, at.BLOCK] + t.flows[f, at.FROM_LINK] * capacity + head
    added = 0
    for slot in range(count):
        ways, low = st.pool[column + slot], st.pool[link + at.LOW * capacity + slot]
        first = max(low, oldest)
        rows = low + st.pool[link + at.SIZE * capacity + slot] - first
        if ways == 0 or rows <= 0:
            continue
        cursor[at.CONNECTED] += rows
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
    q = p * t.roots.shape[0] + t.nodes[n, at.NODE_ROOT]
    count, capacity = st.queues[q, at.TAIL] - st.queues[q, at.HEAD], st.queues[q, at.CAPACITY]
    if count == 0:
        return
    place = st.queues[q, at.BLOCK] + st.queues[q, at.HEAD]
    source, target = (
        place + t.nodes[n, at.NODE_PARENT] * capacity,
        place + t.nodes[n, at.NODE_COLUMN] * capacity,
    )
    cursor[at.VISITS] += count
    more = add_rows(st.pool, source, target, count, 1)
    if t.nodes[n, at.NODE_TOTAL] != at.NONE:
        st.totals[st.groups[p], t.nodes[n, at.NODE_TOTAL]] += more


@inlined
def report(t, ev, st, found, cursor, passes, e):
    """A row for each query that the event may be the last of."""
    for k in range(passes):
        for place in range(t.tests[found.passed[k], at.REPORTS], t.tests[found.passed[k], at.REPORTS_END]):
            row = cursor[at.ROWS]
            found.events[row] = e
            found.queries[row] = t.reports[place, at.REPORT_QUERY]
            found.counts[row] = st.totals[ev.head[at.GROUP, e], t.reports[place, at.REPORT_TOTAL]]
            cursor[at.ROWS] = row + 1
