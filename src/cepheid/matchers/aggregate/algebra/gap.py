"""Counting with an absence in one gap of a sequence: two invertible halves, joined where nothing forbids it.

Of a partition are kept, besides the numbers of the halves: B, the ways to the last step before the gap as
they were when something forbidden was last seen; V, the rows of the starts; M and N, what has been joined
so far, by step before and behind the gap; K, what M was as each start came; G and H, the same for starts
since the last forbidden event, which B does not concern; and F, what of that is settled. See
docs/papers/aseq-algebra.md.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.aggregate import layout as agg
from cepheid.matchers.aggregate.algebra import layout as at
from cepheid.matchers.aggregate.algebra.kernels import crowded, inside, moment, oldest
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.windows import EVENTS

ZERO = np.uint64(0)
ONE = np.uint64(1)


@kernel
def advance_gap(t, g, ev, st, found, cells, cursor):
    """Events from the cursor on, until all are done or there is no more room."""
    rows, p = 0, 0
    for e in range(cursor[at.AT_EVENT], cursor[at.STOP]):
        k = np.uint64(ev.classes[e])
        if t.kinds[k] == at.IDLE:
            continue
        if ev.partitions.shape[0]:
            p = ev.partitions[e]
            if p == agg.NONE:
                continue
        now = moment(t, ev, cursor, 0, e)
        if st.rings[0, at.OPEN] > 0 and not inside(t, 0, oldest(st, 0), now):
            leave_gap(t, g, st, now)
        does, full = g.does[k], agg.FINISHED
        if rows == found.shape[0]:
            full = agg.ROWS_FULL
        elif does & at.BEGINS and st.rings[0, at.OPEN] == st.entries.shape[1]:
            full = agg.STARTS_FULL
        elif crowded(t, st, 0, now):
            full = agg.TOO_NARROW
        if full != agg.FINISHED:
            cursor[at.AT_EVENT], cursor[at.ROWS] = e, rows
            return full
        if ev.groups.shape[0]:
            st.groups[p] = ev.groups[e]
        act(t, g, st, np.uint64(p), k, does, now)
        if t.classes[k, at.REPORTS] < t.classes[k, at.REPORTS_END]:
            found[rows, at.EVENT], found[rows, at.QUERY] = e, 0
            cells[rows, 0] = whole(g, st, np.uint64(p))
            rows += 1
    cursor[at.AT_EVENT], cursor[at.ROWS] = cursor[at.STOP], rows
    return agg.FINISHED


@inlined
def act(t, g, st, p, k, does, now):
    """What an event reads, it reads before it changes anything; a start comes last."""
    numbers, gaps, scratch = st.numbers, st.gaps, st.scratch
    if does & (at.JOINS | at.FORBIDS_GAP):
        for r in range(np.uint64(g.left.shape[0])):
            scratch[0, r] = numbers[p, np.uint64(g.left[r])]
    for i in range(np.uint64(t.classes[k, at.PRODUCTS]), np.uint64(t.classes[k, at.INVERSES])):
        numbers[p, np.uint64(t.changes[i, at.TARGET])] += numbers[p, np.uint64(t.changes[i, at.SOURCE])]
    for i in range(np.uint64(t.classes[k, at.INVERSES]), np.uint64(t.classes[k, at.INVERSES_END])):
        numbers[p, np.uint64(t.changes[i, at.TARGET])] -= numbers[p, np.uint64(t.changes[i, at.SOURCE])]
    if does & at.JOINS:
        join(g, numbers, gaps, scratch, p)
    if does & at.FORBIDS_GAP:
        settle(g, st, p)
        for r in range(np.uint64(g.left.shape[0])):
            gaps[p, g.at_b + r] = scratch[0, r]
    if does & at.BEGINS:
        enter_gap(g, st, p, now)


@inlined
def join(g, numbers, gaps, scratch, p):
    """Ways that stand before the gap go on behind it: M and N grow."""
    width = np.uint64(g.right.shape[0])
    for c in range(width):
        behind = numbers[p, np.uint64(g.joined[c])]
        gaps[p, g.at_n + c] += behind
        for r in range(np.uint64(g.left.shape[0])):
            gaps[p, g.at_m + r * width + c] += (scratch[0, r] - gaps[p, g.at_b + r]) * behind


@kernel
def settle(g, st, p):
    """Something forbidden comes: what the starts since the last time had besides M is settled."""
    gaps, rows, width = st.gaps, st.rows, np.uint64(g.right.shape[0])
    s = st.sights[p, 0, at.FIRST_BLOCKED]
    while s != agg.NONE:
        i = np.uint64(s)
        for c in range(width):
            settled = rows[i, g.own_g] * gaps[p, g.at_n + c] - rows[i, g.own_h + c]
            rows[i, g.own_h + c] = settled
            gaps[p, g.at_f + c] += settled
        st.entries[0, i, at.BLOCKED] = 0
        s = st.entries[0, i, at.NEXT_BLOCKED]
    st.sights[p, 0, at.FIRST_BLOCKED] = agg.NONE
    st.sights[p, 0, at.LAST_BLOCKED] = agg.NONE
    gaps[p, g.at_g] = ZERO
    for c in range(width):
        gaps[p, g.at_h + c] = ZERO


@inlined
def enter_gap(g, st, p, now):
    """A start comes: its row, and what M and N are before it."""
    numbers, gaps, rows, width = st.numbers, st.gaps, st.rows, np.uint64(g.right.shape[0])
    place = st.rings[0, at.OLDEST] + st.rings[0, at.OPEN]
    slot = place - st.entries.shape[1] if place >= st.entries.shape[1] else place
    s = np.uint64(slot)
    st.rings[0, at.OPEN] += 1
    st.starts[p] += 1
    st.entries[0, s, at.ENTERED] = now
    st.entries[0, s, at.OF_PARTITION] = np.int64(p)
    st.entries[0, s, at.BLOCKED] = 1
    st.entries[0, s, at.NEXT_BLOCKED] = agg.NONE
    last = st.sights[p, 0, at.LAST_BLOCKED]
    if last == agg.NONE:
        st.sights[p, 0, at.FIRST_BLOCKED] = slot
    else:
        st.entries[0, last, at.NEXT_BLOCKED] = slot
    st.sights[p, 0, at.LAST_BLOCKED] = slot
    before = ZERO
    for c in range(width):
        rows[s, g.own_k + c] = ZERO
    for r in range(np.uint64(g.left.shape[0])):
        own = numbers[p, np.uint64(g.first[r])]
        rows[s, r] = own
        gaps[p, g.at_v + r] += own
        before += own * gaps[p, g.at_b + r]
        for c in range(width):
            rows[s, g.own_k + c] += own * gaps[p, g.at_m + r * width + c]
    rows[s, g.own_g] = before
    gaps[p, g.at_g] += before
    for c in range(width):
        rows[s, g.own_h + c] = before * gaps[p, g.at_n + c]
        gaps[p, g.at_k + c] += rows[s, g.own_k + c]
        gaps[p, g.at_h + c] += rows[s, g.own_h + c]


@kernel
def leave_gap(t, g, st, now):
    """Take out the starts that the window has left."""
    gaps, rows, width = st.gaps, st.rows, np.uint64(g.right.shape[0])
    while st.rings[0, at.OPEN] > 0 and not inside(t, 0, oldest(st, 0), now):
        slot = st.rings[0, at.OLDEST]
        s = np.uint64(slot)
        p = np.uint64(st.entries[0, s, at.OF_PARTITION])
        for r in range(np.uint64(g.left.shape[0])):
            gaps[p, g.at_v + r] -= rows[s, r]
        is_unsettled = st.entries[0, s, at.BLOCKED] != 0
        if is_unsettled:  # it is the first of them
            gaps[p, g.at_g] -= rows[s, g.own_g]
            st.sights[p, 0, at.FIRST_BLOCKED] = st.entries[0, s, at.NEXT_BLOCKED]
            if st.entries[0, s, at.NEXT_BLOCKED] == agg.NONE:
                st.sights[p, 0, at.LAST_BLOCKED] = agg.NONE
        for c in range(width):
            gaps[p, g.at_k + c] -= rows[s, g.own_k + c]
            kept = g.at_h if is_unsettled else g.at_f
            gaps[p, kept + c] -= rows[s, g.own_h + c]
        st.rings[0, at.OLDEST] = slot + 1 if slot + 1 < st.entries.shape[1] else 0
        st.rings[0, at.OPEN] -= 1
        st.starts[p] -= 1


@inlined
def whole(g, st, p):
    """The matches of a partition."""
    numbers, gaps, width = st.numbers, st.gaps, np.uint64(g.right.shape[0])
    total = ZERO
    if width == ZERO:
        total = gaps[p, g.at_g]
        for r in range(np.uint64(g.left.shape[0])):
            total += gaps[p, g.at_v + r] * (numbers[p, np.uint64(g.left[r])] - gaps[p, g.at_b + r])
        return total
    for c in range(width):
        joined = gaps[p, g.at_g] * gaps[p, g.at_n + c] - gaps[p, g.at_h + c] + gaps[p, g.at_f + c]
        joined -= gaps[p, g.at_k + c]
        for r in range(np.uint64(g.left.shape[0])):
            joined += gaps[p, g.at_v + r] * gaps[p, g.at_m + r * width + c]
        total += joined * numbers[p, np.uint64(g.right[c])]
    return total


@kernel
def pass_time_gap(t, g, st, cursor, now):
    """Take out the starts that windows have left which end now, or at the last event."""
    is_count = t.lanes[0, at.KIND] == EVENTS
    leave_gap(t, g, st, cursor[at.BEFORE] + cursor[at.AT_EVENT] - 1 if is_count else now)


@kernel
def report_groups_gap(g, st, partitions, cells):
    """The matches of each group."""
    for p in range(partitions):
        if st.groups[p] != agg.NONE or partitions == 1:
            cells[max(0, st.groups[p]), 0] = whole(g, st, np.uint64(p))
