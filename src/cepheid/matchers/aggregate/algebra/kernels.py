"""Events change numbers, starts enter and leave, and outputs are read.

`cepheid.plan.aggregate.algebra` says what the numbers are. An event costs the changes of its class,
whatever the window holds; idle events cost a look at their class. `jit` says what the letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.aggregate import layout as agg
from cepheid.matchers.aggregate.algebra import layout as at
from cepheid.matchers.aggregate.algebra.words import (
    add_cell,
    add_product,
    change,
    change_back,
    enter,
    keep,
    leave_number,
    set_negative,
    sign_of,
    take_off,
    take_words,
)
from cepheid.matchers.aggregate.cells import add_words
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.windows import EVENTS, measured, within

ZERO = np.uint64(0)


@kernel
def advance(t, ev, st, found, cells, cursor):
    """Events from the cursor on, until all are done or there is no more room."""
    rows, p, group = 0, 0, 0
    for e in range(cursor[at.AT_EVENT], cursor[at.STOP]):
        k = ev.classes[e]
        if t.kinds[k] == at.IDLE:
            continue
        if ev.partitions.shape[0]:
            p = ev.partitions[e]
            if p == agg.NONE or (
                p == at.NOWHERE and t.classes[k, at.REPORTS] == t.classes[k, at.REPORTS_END]
            ):
                continue
        if ev.groups.shape[0]:
            group = ev.groups[e]
        full, is_tick = agg.ROWS_FULL, t.kinds[k] == at.TICK
        each = most_groups(t, st) if is_tick and t.grouped else 1
        if rows + each * (t.classes[k, at.REPORTS_END] - t.classes[k, at.REPORTS]) <= found.shape[0]:
            full = room_for(t, ev, st, cursor, k, e)
        if full != agg.FINISHED:
            cursor[at.AT_EVENT], cursor[at.ROWS] = e, rows
            return full
        if is_tick and t.grouped:
            for place in range(t.classes[k, at.REPORTS], t.classes[k, at.REPORTS_END]):
                rows = tell_groups(t, st, found, cells, e, t.lists[place], rows)
            continue
        if p != at.NOWHERE:
            if t.summed:
                st.groups[p] = group
            for place in range(t.classes[k, at.LANES], t.classes[k, at.LANES_END]):
                lane = t.lists[place]
                if t.lanes[lane, at.FORBIDS]:
                    release(t, st, p, lane, moment(t, ev, cursor, lane, e))
            multiply(t, ev, st, p, k, e)
            for place in range(t.classes[k, at.LANES], t.classes[k, at.LANES_END]):
                lane = t.lists[place]
                begin(t, ev, st, p, k, lane, moment(t, ev, cursor, lane, e), e)
            if t.summed:
                for place in range(t.classes[k, at.MOVED], t.classes[k, at.MOVED_END]):
                    move_total(t, st, p, t.lists[place])
        for place in range(t.classes[k, at.REPORTS], t.classes[k, at.REPORTS_END]):
            found[rows, at.EVENT] = e
            found[rows, at.QUERY] = t.lists[place]
            report(t, st, p, group, t.lists[place], cells, rows)
            rows += 1
    cursor[at.AT_EVENT], cursor[at.ROWS] = cursor[at.STOP], rows
    return agg.FINISHED


@inlined
def moment(t, ev, cursor, lane, e):
    """Now, as the window of a lane measures it."""
    return measured(t.lanes[lane, at.KIND], ev.time[e], cursor[at.BEFORE] + e)


@inlined
def room_for(t, ev, st, cursor, k, e):
    """Let the starts leave that the windows have left, and see whether the event finds room."""
    for place in range(t.classes[k, at.LANES], t.classes[k, at.LANES_END]):
        lane = t.lists[place]
        now = moment(t, ev, cursor, lane, e)
        if st.rings[lane, at.OPEN] > 0 and not inside(t, lane, oldest(st, lane), now):
            leave(t, st, lane, now)
        begins = t.starts[k, lane, at.BEGUN_END] > t.starts[k, lane, at.BEGUN]
        if begins and st.rings[lane, at.OPEN] == st.entries.shape[1]:
            return agg.STARTS_FULL
    if t.kinds[k] == at.TICK:
        return agg.FINISHED
    for place in range(t.classes[k, at.LANES], t.classes[k, at.LANES_END]):
        lane = t.lists[place]
        if crowded(t, st, lane, moment(t, ev, cursor, lane, e)):
            return agg.TOO_NARROW
    return agg.FINISHED


@inlined
def oldest(st, lane):
    """When the first of a lane's starts has come."""
    return st.entries[lane, st.rings[lane, at.OLDEST], at.ENTERED]


@inlined
def crowded(t, st, lane, now):
    """Whether the window may hold more events than the words of a number were chosen for.

    A window lies in two epochs of its own length, so the events of both are at least as many.
    """
    if st.rings[lane, at.CURRENT] == 0 or not inside(t, lane, st.rings[lane, at.SINCE], now):
        st.rings[lane, at.SINCE] = now
        st.rings[lane, at.PREVIOUS] = st.rings[lane, at.CURRENT]
        st.rings[lane, at.CURRENT] = 0
    st.rings[lane, at.CURRENT] += 1
    return st.rings[lane, at.PREVIOUS] + st.rings[lane, at.CURRENT] > st.rings[lane, at.MOST]


@inlined
def inside(t, lane, since, now):
    """Whether the window of a lane that ends now reaches back so far."""
    return within(t.lanes[lane, at.KIND], t.lanes[lane, at.LIMIT], since, now)


@inlined
def multiply(t, ev, st, p, k, e):
    """P by the event, from the right, the longest first; Q by its inverse, from the left, the shortest."""
    for i in range(t.classes[k, at.PRODUCTS], t.classes[k, at.INVERSES]):
        change(st.numbers, p, t.changes[i, at.TARGET], t.changes[i, at.SOURCE], weight_of(t, ev, i, e))
    for i in range(t.classes[k, at.INVERSES], t.classes[k, at.INVERSES_END]):
        change_back(st.numbers, p, t.changes[i, at.TARGET], t.changes[i, at.SOURCE], weight_of(t, ev, i, e))


@inlined
def weight_of(t, ev, i, e):
    """What an event gives each way that it changes."""
    weight = t.changes[i, at.WEIGHT]
    if weight == agg.NONE:
        return 1
    column = t.weights[weight, 0]
    if not ev.valid[column, e]:
        return 0
    return ev.columns[column, e] if t.weights[weight, 1] else 1


@inlined
def begin(t, ev, st, p, k, lane, now, e):
    """A start enters the sums of its lane, or waits while something forbids it."""
    first, end = t.starts[k, lane, at.BEGUN], t.starts[k, lane, at.BEGUN_END]
    if first < end:
        s = st.rings[lane, at.OLDEST] + st.rings[lane, at.OPEN]
        if s >= st.entries.shape[1]:
            s -= st.entries.shape[1]
        st.rings[lane, at.OPEN] += 1
        st.starts[p] += 1
        st.entries[lane, s, at.ENTERED] = now
        st.entries[lane, s, at.OF_PARTITION] = p
        st.entries[lane, s, at.OF_CLASS] = k
        st.entries[lane, s, at.BLOCKED] = 0
        i = lane * st.entries.shape[1] + s
        if t.lanes[lane, at.FORBIDS] and is_forbidden(t, st, p, lane, now):
            block(st, p, lane, s)
            for j in range(first, end):
                keep(st.numbers, p, t.changes[j, at.SOURCE], weight_of(t, ev, j, e), st.rows, i, j - first)
        else:
            for j in range(first, end):
                keep(st.numbers, p, t.changes[j, at.SOURCE], weight_of(t, ev, j, e), st.rows, i, j - first)
                enter(st.numbers, p, t.changes[j, at.TARGET], st.rows, i, j - first)
            if t.lanes[lane, at.FORBIDS]:
                for j in range(t.starts[k, lane, at.READ], t.starts[k, lane, at.READ_END]):
                    keep(st.numbers, p, 0, 0, st.rows, i, end - first + j - t.starts[k, lane, at.READ])
    if t.starts[k, lane, at.FORBIDDEN]:
        st.sights[p, lane, at.SEEN] = 1
        st.sights[p, lane, at.SEEN_AT] = now


@inlined
def is_forbidden(t, st, p, lane, now):
    """Whether the window that ends now holds what may not stand before a start."""
    return st.sights[p, lane, at.SEEN] and inside(t, lane, st.sights[p, lane, at.SEEN_AT], now)


@inlined
def block(st, p, lane, s):
    """A start waits behind those of its partition that wait already."""
    st.entries[lane, s, at.BLOCKED] = 1
    st.entries[lane, s, at.BLOCKED_SINCE] = st.sights[p, lane, at.SEEN_AT]
    st.entries[lane, s, at.NEXT_BLOCKED] = agg.NONE
    last = st.sights[p, lane, at.LAST_BLOCKED]
    if last == agg.NONE:
        st.sights[p, lane, at.FIRST_BLOCKED] = s
    else:
        st.entries[lane, last, at.NEXT_BLOCKED] = s
    st.sights[p, lane, at.LAST_BLOCKED] = s


@inlined
def unblock_first(st, p, lane):
    """The first of the starts that wait does so no more."""
    s = st.sights[p, lane, at.FIRST_BLOCKED]
    st.entries[lane, s, at.BLOCKED] = 0
    st.sights[p, lane, at.FIRST_BLOCKED] = st.entries[lane, s, at.NEXT_BLOCKED]
    if st.entries[lane, s, at.NEXT_BLOCKED] == agg.NONE:
        st.sights[p, lane, at.LAST_BLOCKED] = agg.NONE


@kernel
def release(t, st, p, lane, now):
    """Let starts in that are forbidden no more: what they have counted so far is taken off for good."""
    s = st.sights[p, lane, at.FIRST_BLOCKED]
    while s != agg.NONE and not inside(t, lane, st.entries[lane, s, at.BLOCKED_SINCE], now):
        unblock_first(st, p, lane)
        k, i = st.entries[lane, s, at.OF_CLASS], lane * st.entries.shape[1] + s
        first, end = t.starts[k, lane, at.BEGUN], t.starts[k, lane, at.BEGUN_END]
        for j in range(t.starts[k, lane, at.READ], t.starts[k, lane, at.READ_END]):
            read(t, st.numbers, p, t.lists[j], st.scratch, 0, 0)
            set_negative(st.rows, i, end - first + j - t.starts[k, lane, at.READ], st.scratch)
        for j in range(first, end):
            enter(st.numbers, p, t.changes[j, at.TARGET], st.rows, i, j - first)
        for j in range(t.starts[k, lane, at.READ], t.starts[k, lane, at.READ_END]):
            read(t, st.numbers, p, t.lists[j], st.scratch, 0, 0)
            place = end - first + j - t.starts[k, lane, at.READ]
            add_cell(st.rows, i, place, st.scratch)
            enter(st.numbers, p, t.outputs[t.lists[j], at.OFFSET], st.rows, i, place)
        s = st.sights[p, lane, at.FIRST_BLOCKED]


@kernel
def leave(t, st, lane, now):
    """Take out the starts that the window has left."""
    while st.rings[lane, at.OPEN] > 0 and not inside(t, lane, oldest(st, lane), now):
        s = st.rings[lane, at.OLDEST]
        i = lane * st.entries.shape[1] + s
        p, k = st.entries[lane, s, at.OF_PARTITION], st.entries[lane, s, at.OF_CLASS]
        first, end = t.starts[k, lane, at.BEGUN], t.starts[k, lane, at.BEGUN_END]
        if st.entries[lane, s, at.BLOCKED]:
            unblock_first(st, p, lane)
        else:
            for j in range(first, end):
                leave_number(st.numbers, p, t.changes[j, at.TARGET], st.rows, i, j - first)
            take_out_outputs(t, st, p, k, lane, i, end - first)
        st.rings[lane, at.OLDEST] = s + 1 if s + 1 < st.entries.shape[1] else 0
        st.rings[lane, at.OPEN] -= 1
        st.starts[p] -= 1


@inlined
def take_out_outputs(t, st, p, k, lane, i, width):
    """The outputs that have read a start's row do so no more."""
    first = t.starts[k, lane, at.READ]
    for place in range(first, t.starts[k, lane, at.READ_END]):
        output = t.lists[place]
        if t.lanes[lane, at.FORBIDS]:
            leave_number(st.numbers, p, t.outputs[output, at.OFFSET], st.rows, i, width + place - first)
        if t.summed:
            move_total(t, st, p, output)


@inlined
def read(t, numbers, p, output, to, i, place):
    """What an output shows in a partition."""
    for k in range(t.limbs):
        to[i, place + k] = ZERO
    for term in range(t.outputs[output, at.TERMS], t.outputs[output, at.TERMS_END]):
        add_product(numbers, p, t.terms[term, 0], t.terms[term, 1], to, i, place)
    if t.outputs[output, at.OFFSET] != agg.NONE:
        take_off(numbers, p, t.outputs[output, at.OFFSET], to, i, place)


@kernel
def move_total(t, st, p, output):
    """An output of a partition has changed, and with it that of its group."""
    group, place = st.groups[p], output * t.limbs
    read(t, st.numbers, p, output, st.scratch, 0, 0)
    add_words(st.totals, group, place, st.scratch, 0, 0, t.limbs)
    take_words(st.totals, group, place, st.own, p, place, t.limbs)
    for k in range(t.limbs):
        st.own[p, place + k] = st.scratch[0, k]


@kernel
def report(t, st, p, group, query, cells, row):
    """The outputs of a query as a cell; a sum has one more word, of its sign."""
    for output in range(t.queries[query, 0], t.queries[query, 1]):
        place, words = t.outputs[output, at.PLACE], t.outputs[output, at.WORDS]
        if t.summed:
            for k in range(t.limbs):
                cells[row, place + k] = st.totals[group, output * t.limbs + k]
        elif p >= 0:
            read(t, st.numbers, p, output, cells, row, place)
        else:
            for k in range(t.limbs):
                cells[row, place + k] = ZERO
        for k in range(t.limbs, words):
            cells[row, place + k] = sign_of(cells[row, place + t.limbs - 1])


@inlined
def most_groups(t, st):
    """How many groups may have a row at the end of a period."""
    return st.totals.shape[0] if t.summed else st.groups.shape[0]


@kernel
def tell_groups(t, st, found, cells, e, query, row):
    """A row for each group that has a match; the next row."""
    for i in range(most_groups(t, st)):
        p, group = (at.NOWHERE, i) if t.summed else (i, st.groups[i])
        if group == agg.NONE:
            continue
        report(t, st, p, group, query, cells, row)
        for word in range(t.limbs):
            if cells[row, word] != ZERO:
                found[row, at.EVENT], found[row, at.QUERY], found[row, at.GROUP] = e, query, group
                row += 1
                break
    return row


@kernel
def report_groups(t, st, query, partitions, cells):
    """The outputs of a query for each group."""
    if t.summed:
        for group in range(cells.shape[0]):
            report(t, st, at.NOWHERE, group, query, cells, group)
        return
    for p in range(partitions):
        if st.groups[p] == agg.NONE:
            continue
        report(t, st, p, st.groups[p], query, cells, st.groups[p])


@kernel
def pass_time(t, st, cursor, now):
    """Take out the starts that windows have left which end now, or at the last event."""
    for lane in range(t.lanes.shape[0]):
        is_count = t.lanes[lane, at.KIND] == EVENTS
        leave(t, st, lane, cursor[at.BEFORE] + cursor[at.AT_EVENT] - 1 if is_count else now)
