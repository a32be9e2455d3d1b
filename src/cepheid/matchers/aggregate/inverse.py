"""Counting by a matrix and its inverse: an event costs the length of the pattern, whatever the window.

An event multiplies the ways through the pattern by I + N, where N has a one for each step that the event
may take from another. Let P be the product over the events so far, and Q its inverse; both are
unitriangular, hence exact in whole numbers, also modulo 2^64. A start takes its row of Q as it comes: that
row times P, at any later time, is what has become of it since. So what stands at each step is kept for all
starts together, as if there were no window, and a start that the window leaves is taken off by its row
times P.
"""

from __future__ import annotations

import numpy as np

from cepheid.matchers.aggregate.inverse_layout import CURRENT, MOST, OLDEST, PREVIOUS, SINCE
from cepheid.matchers.aggregate.layout import (
    AT_EVENT,
    EVENTS,
    FINISHED,
    GROUP,
    HAS_ROW,
    MASK,
    NONE,
    OPEN,
    PARTITION,
    REALS,
    ROWS,
    ROWS_FULL,
    STARTS_FULL,
    TIME,
    TOO_NARROW,
    UNLIMITED,
)
from cepheid.matchers.jit import inlined, kernel

ZERO = np.uint64(0)


@kernel
def invert(t, ev, st, found, cells, cursor):
    """Events from the cursor on, until all are done or there is no more room."""
    room, rows = st.since.shape[0], 0
    for e in range(cursor[AT_EVENT], ev.head.shape[1]):
        p, mask = ev.head[PARTITION, e], ev.head[MASK, e]
        if p == NONE:
            continue
        if cursor[OPEN] == room or rows == found.shape[0]:
            cursor[AT_EVENT], cursor[ROWS] = e, rows
            return STARTS_FULL if cursor[OPEN] == room else ROWS_FULL
        now = moment(t, ev, st, e)
        if cursor[OPEN] > 0 and not inside(t, st.since[cursor[OLDEST]], now):
            leave(t, st, cursor, now)
        if mask != 0:
            if crowded(t, st.epoch, now):
                cursor[AT_EVENT], cursor[ROWS] = e, rows
                return TOO_NARROW
            if t.completes[mask]:
                st.groups[p] = ev.head[GROUP, e]
                count = whole(t, st, p)
                multiply(t, st, p, mask)
                begin(t, st, cursor, p, mask, now)
                st.totals[ev.head[GROUP, e]] += whole(t, st, p) - count
            else:
                multiply(t, st, p, mask)
                begin(t, st, cursor, p, mask, now)
        if ev.head[HAS_ROW, e]:
            found[rows] = e
            cells[rows, 0] = st.totals[ev.head[GROUP, e]]
            rows += 1
    cursor[AT_EVENT], cursor[ROWS] = ev.head.shape[1], rows
    return FINISHED


@inlined
def moment(t, ev, st, e):
    """Now, as the window measures it."""
    if t.window[0] != EVENTS:
        return ev.head[TIME, e]
    st.ordinal[0] += 1
    return st.ordinal[0]


@inlined
def crowded(t, epoch, now):
    """Whether the window may hold more events than the words of a count were chosen for.

    A window lies in two epochs of its own length, so the events of both are at least as many.
    """
    if epoch[CURRENT] == 0 or not inside(t, epoch[SINCE], now):
        epoch[SINCE] = now
        epoch[PREVIOUS] = epoch[CURRENT]
        epoch[CURRENT] = 0
    epoch[CURRENT] += 1
    return epoch[PREVIOUS] + epoch[CURRENT] > epoch[MOST]


@inlined
def inside(t, since, now):
    """Whether the window that ends now reaches back so far."""
    kind, limit = t.window[0], t.window[1]
    if kind >= REALS and kind != EVENTS:
        span = np.int64(now).view(np.float64) - np.int64(since).view(np.float64)
        most = np.int64(limit).view(np.float64)
        return span <= most if kind == REALS else span < most
    return kind == UNLIMITED or now - since <= limit


@kernel
def leave(t, st, cursor, now):
    """Take off the starts that the window has left."""
    first, left = cursor[OLDEST], cursor[OPEN]
    while left > 0 and not inside(t, st.since[first], now):
        p = st.partition[first]
        count = whole(t, st, p)
        for c in range(t.size):
            gone = ZERO
            for r in range(c + 1):
                gone += st.rows[first, r] * st.products[p, r, c]
            st.standing[p, c] -= gone
        st.totals[st.groups[p]] -= count - whole(t, st, p)
        first = first + 1 if first + 1 < st.since.shape[0] else 0
        left -= 1
    cursor[OLDEST], cursor[OPEN] = first, left


@inlined
def multiply(t, st, p, mask):
    """P times I + N by columns, and the inverse of I + N times Q by rows: from the last step to the first."""
    for link in range(t.taken[mask, 0], t.taken[mask, 1]):
        before, q = t.moves[link, 0], t.moves[link, 1]
        for r in range(before + 1):
            st.products[p, r, q] += st.products[p, r, before]
        st.standing[p, q] += st.standing[p, before]
    for link in range(t.taken[mask, 1], t.taken[mask, 2]):
        before, q = t.moves[link, 0], t.moves[link, 1]
        for c in range(q, t.size):
            st.inverses[p, before, c] -= st.inverses[p, q, c]


@inlined
def begin(t, st, cursor, p, mask, now):
    """A start takes the rows of the steps that it begins with."""
    if t.taken[mask, 3] == t.taken[mask, 2]:
        return
    s = cursor[OLDEST] + cursor[OPEN]
    if s >= st.since.shape[0]:
        s -= st.since.shape[0]
    st.since[s] = now
    st.partition[s] = p
    for r in range(t.size):
        st.rows[s, r] = ZERO
    for link in range(t.taken[mask, 2], t.taken[mask, 3]):
        q = t.moves[link, 1]
        st.standing[p, q] += np.uint64(1)
        for r in range(q, t.size):
            st.rows[s, r] += st.inverses[p, q, r]
    cursor[OPEN] += 1


@inlined
def whole(t, st, p):
    """The whole matches of a partition."""
    count = ZERO
    for k in range(t.ends.shape[0]):
        count += st.standing[p, t.ends[k]]
    return count
