"""Runs: their free list, what they carry, and the shared buffer that they write to."""

from __future__ import annotations

import numpy as np

from cepheid.matchers.bits import as_bits, as_real, sum_fits
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.nfa.layout import (
    CAPTURE,
    CAPTURE_COLUMN,
    CAPTURE_COUNT,
    CAPTURE_END,
    CAPTURE_KIND,
    CAPTURE_SLOT,
    CAPTURE_SUM,
    COUNT,
    EVENTS,
    FOUND,
    FOUND_CLOSED,
    FOUND_EVENT,
    FOUND_EVENTS,
    FOUND_LAST,
    FOUND_MEASURE,
    FOUND_NODE,
    FOUND_PARTITION,
    FOUND_START,
    FOUND_TIME,
    FREE_RUN,
    FREE_RUNS,
    HASH,
    HEADS,
    KEEP_FIRST,
    KEEP_LAST,
    LENGTH,
    LINK_FIRST,
    LINK_MANY,
    LINK_ORDINAL,
    LINK_PEER,
    LINK_POSITION,
    LINK_PREVIOUS,
    LINK_SIBLING,
    LIVE,
    MAX_INT,
    MAX_TEXT,
    MEAN_INT,
    MEAN_REAL,
    MIN_INT,
    MIN_REAL,
    MIN_TEXT,
    NEWEST,
    NODE_EVENT,
    NODE_HASH,
    NODE_LATEST,
    NODE_ROW,
    NODE_VALID,
    NODE_WIDTH,
    NODES,
    NONE,
    OFFSET,
    ORDINAL,
    REMEMBER,
    REMEMBER_END,
    ROWS,
    RUN_BOUND,
    RUN_BUCKET,
    RUN_EVENTS,
    RUN_KEY,
    RUN_LAST,
    RUN_NEXT,
    RUN_NODE,
    RUN_OVERFLOWN,
    RUN_PARTITION,
    RUN_READ,
    RUN_START,
    RUN_START_ORDINAL,
    RUN_START_TIME,
    RUN_TAKEN,
    RUN_VALID,
    RUN_WIDTH,
    SUM_INT,
    SUM_REAL,
    TIME,
    UNLISTED,
    WINDOW_KIND,
    WINDOW_MEMBERS,
)

MIX = np.uint64(0x9E3779B97F4A7C15)
MIX_TOO = np.uint64(0xC2B2AE3D27D4EB4F)


@inlined
def append_run(t, st, p, s, r):
    """Let a run wait in state `s` of its partition, behind those that are there."""
    st.runs[r, RUN_NEXT] = NONE
    if st.parts[p, HEADS + s] == NONE:
        st.parts[p, HEADS + s] = r
    else:
        st.runs[st.parts[p, HEADS + t.states + s], RUN_NEXT] = r
    st.parts[p, HEADS + t.states + s] = r


@inlined
def new_run(st, cursor, p):
    """A run from the free list."""
    r = cursor[FREE_RUN]
    cursor[FREE_RUN] = st.runs[r, RUN_NEXT]
    cursor[FREE_RUNS] -= 1
    st.parts[p, LIVE] += 1
    st.runs[r, RUN_PARTITION] = p
    st.runs[r, RUN_BUCKET] = UNLISTED
    return r


@kernel
def copy_run(st, cursor, r):
    """A run like `r`."""
    child = new_run(st, cursor, st.runs[r, RUN_PARTITION])
    for k in range(1, st.runs.shape[1]):
        st.runs[child, k] = st.runs[r, k]
    st.runs[child, RUN_BUCKET] = UNLISTED
    return child


@inlined
def free_run(st, cursor, r):
    """Give a run back to the free list."""
    if st.runs[r, RUN_BUCKET] != UNLISTED:
        unlist_run(st, r)
    st.parts[st.runs[r, RUN_PARTITION], LIVE] -= 1
    st.runs[r, RUN_NEXT] = cursor[FREE_RUN]
    cursor[FREE_RUN] = r
    cursor[FREE_RUNS] += 1


@kernel
def unlist_run(st, r):
    """Let a run be found no more by those that are like it: it is about to change."""
    bucket = st.runs[r, RUN_KEY] & (st.buckets.size - 1)
    if st.buckets[bucket] == r:
        st.buckets[bucket] = st.runs[r, RUN_BUCKET]
    else:
        before = st.buckets[bucket]
        while st.runs[before, RUN_BUCKET] != r:
            before = st.runs[before, RUN_BUCKET]
        st.runs[before, RUN_BUCKET] = st.runs[r, RUN_BUCKET]
    st.runs[r, RUN_BUCKET] = UNLISTED


@inlined
def start_measure(t, st, r):
    """When a run began, measured as the query's window is; that of the youngest, if it is merged."""
    counts = t.book[t.windows, WINDOW_KIND] == EVENTS
    return st.runs[r, RUN_START_ORDINAL] if counts else st.runs[r, RUN_START_TIME]


@kernel
def select(t, ev, st, cursor, e, s, r):
    """Write the event into the shared buffer after the run's last one, and into the run's values."""
    node = cursor[NODES]
    cursor[NODES] += 1
    previous, taken = st.runs[r, RUN_NODE], st.runs[r, RUN_TAKEN]
    st.nodes[node, LINK_PREVIOUS] = previous
    st.nodes[node, LINK_FIRST] = st.nodes[previous, LINK_FIRST] if taken > 0 else node
    st.nodes[node, LINK_POSITION] = s
    st.nodes[node, LINK_ORDINAL] = taken + 1
    st.nodes[node, NODE_EVENT] = cursor[OFFSET] + e
    st.nodes[node, NODE_ROW] = cursor[ROWS] + e
    st.nodes[node, LINK_SIBLING] = NONE
    st.nodes[node, LINK_MANY] = previous != NONE and (
        st.nodes[previous, LINK_MANY] != 0 or st.nodes[previous, LINK_SIBLING] != NONE
    )
    st.nodes[node, LINK_PEER] = st.parts[st.runs[r, RUN_PARTITION], NEWEST]
    st.nodes[node, NODE_LATEST] = start_measure(t, st, r)
    st.parts[st.runs[r, RUN_PARTITION], NEWEST] = node
    extend_hash(st, ev, e, node, previous, s)
    for k in range(t.book[t.positions + s, REMEMBER], t.book[t.positions + s, REMEMBER_END]):
        remember(t, ev, st, e, r, node, k)
    for w in range(1, t.window_count):
        members = t.book[t.windows + w, WINDOW_MEMBERS]
        if (members >> s) & 1 != 0:
            counts = t.book[t.windows + w, WINDOW_KIND] == EVENTS
            moment = ev.head[ORDINAL, e] if counts else ev.head[TIME, e]
            if st.runs[r, RUN_BOUND] & members == 0:
                st.runs[r, RUN_WIDTH + 2 * w - 2] = moment
            st.runs[r, RUN_WIDTH + 2 * w - 1] = moment
    for k in range(t.book[t.positions + s, CAPTURE], t.book[t.positions + s, CAPTURE_END]):
        capture(t, ev, st, e, r, k, taken == 0)
    st.runs[r, RUN_NODE] = node
    st.runs[r, RUN_TAKEN] = taken + 1
    st.runs[r, RUN_LAST] = st.runs[r, RUN_READ] = cursor[OFFSET] + e
    st.runs[r, RUN_BOUND] |= np.int64(1) << s
    st.runs[r, RUN_EVENTS] += 1


@inlined
def extend_hash(st, ev, e, node, previous, s):
    """The identity of a match so far: the sum of what tells an event at its variable from all others."""
    for lane in range(2):
        known = np.uint64(ev.head[HASH + lane, e]) ^ (np.uint64(s + 1) * MIX_TOO)
        known = (known ^ (known >> np.uint64(31))) * MIX
        known ^= known >> np.uint64(29)
        before = np.uint64(st.nodes[previous, NODE_HASH + lane]) if previous != NONE else np.uint64(0)
        st.nodes[node, NODE_HASH + lane] = np.int64(before + known)


@kernel
def remember(t, ev, st, e, r, node, k):
    """Keep a value with the buffered event, for conditions that range over a variable's events."""
    source, index = t.book[t.remembered + k, 0], t.book[t.remembered + k, 1]
    if source == 0:
        value, valid = ev.columns[index, e], ev.valid[index, e] != 0
    else:
        value = st.runs[r, t.slots + index]
        valid = (st.runs[r, RUN_VALID] >> index) & 1 != 0
    if k == t.book[t.positions + st.nodes[node, LINK_POSITION], REMEMBER]:
        st.nodes[node, NODE_VALID] = 0
    st.nodes[node, NODE_WIDTH + t.book[t.remembered + k, 2]] = value
    if valid:
        st.nodes[node, NODE_VALID] |= np.int64(1) << t.book[t.remembered + k, 2]


@inlined
def capture(t, ev, st, e, r, k, begins):
    """Bring one slot of a run up to date with the event it has selected."""
    slot, kind, column = (
        t.book[t.captures + k, CAPTURE_SLOT],
        t.book[t.captures + k, CAPTURE_KIND],
        t.book[t.captures + k, CAPTURE_COLUMN],
    )
    at = t.slots + slot
    bit = np.int64(1) << slot
    if kind == KEEP_LAST or kind == KEEP_FIRST:
        if kind == KEEP_LAST or begins:
            st.runs[r, at] = ev.columns[column, e]
            if ev.valid[column, e] != 0:
                st.runs[r, RUN_VALID] |= bit
            else:
                st.runs[r, RUN_VALID] &= ~bit
    else:
        aggregate(t, ev, st, e, r, k, begins)


@kernel
def aggregate(t, ev, st, e, r, k, begins):
    """Bring a running aggregate of a run up to date; nulls do not count."""
    row = t.captures + k
    slot, kind, column = t.book[row, CAPTURE_SLOT], t.book[row, CAPTURE_KIND], t.book[row, CAPTURE_COLUMN]
    at = t.slots + slot
    bit = np.int64(1) << slot
    if begins:
        st.runs[r, at] = 0
        st.runs[r, RUN_OVERFLOWN] &= ~bit
        st.runs[r, RUN_VALID] &= ~bit
        if kind == LENGTH or kind == COUNT:
            st.runs[r, RUN_VALID] |= bit
    if kind == LENGTH:
        st.runs[r, at] += 1
    elif kind == MEAN_INT or kind == MEAN_REAL:
        average(t, st, r, row, at, bit)
    elif ev.valid[column, e] != 0 and st.runs[r, RUN_OVERFLOWN] & bit == 0:
        known = st.runs[r, RUN_VALID] & bit != 0
        value, before = ev.columns[column, e], st.runs[r, at]
        st.runs[r, RUN_VALID] |= bit
        if kind == COUNT:
            st.runs[r, at] += 1
        elif kind == SUM_INT:
            if sum_fits(before, value):
                st.runs[r, at] += value
            else:
                st.runs[r, RUN_OVERFLOWN] |= bit
                st.runs[r, RUN_VALID] &= ~bit
        elif kind == SUM_REAL:
            st.runs[r, at] = as_bits(as_real(before) + as_real(value))
        elif not known or replaces(kind, value, before, ev.texts):
            st.runs[r, at] = value


@kernel
def average(t, st, r, row, at, bit):
    """A mean from its sum and its count, which stand before it."""
    total, count = t.book[row, CAPTURE_SUM], st.runs[r, t.slots + t.book[row, CAPTURE_COUNT]]
    if count > 0 and (st.runs[r, RUN_VALID] >> total) & 1 != 0:
        value = st.runs[r, t.slots + total]
        whole = t.book[row, CAPTURE_KIND] == MEAN_INT
        st.runs[r, at] = as_bits((np.float64(value) if whole else as_real(value)) / count)
        st.runs[r, RUN_VALID] |= bit
    else:
        st.runs[r, RUN_VALID] &= ~bit


@kernel
def replaces(kind, value, known, texts):
    """Whether a value takes the place of the least or greatest so far; NaN takes and keeps it."""
    if kind == MIN_INT:
        return value < known
    if kind == MAX_INT:
        return value > known
    if kind == MIN_TEXT:
        return texts[0, value] < texts[0, known]
    if kind == MAX_TEXT:
        return texts[0, value] > texts[0, known]
    if np.isnan(as_real(known)):
        return False
    if kind == MIN_REAL:
        return not as_real(value) >= as_real(known)
    return not as_real(value) <= as_real(known)


@inlined
def report(st, found, cursor, r, event, time, closed, measure):
    """Write down the matches of a run, and when they completed: everything else follows from their last
    node, and from the moment, measured as the window is, from which their starts must not be too far."""
    m = cursor[FOUND]
    cursor[FOUND] += 1
    found[m, FOUND_NODE] = st.runs[r, RUN_NODE]
    found[m, FOUND_EVENT] = event
    found[m, FOUND_TIME] = time
    found[m, FOUND_CLOSED] = closed
    found[m, FOUND_PARTITION] = st.runs[r, RUN_PARTITION]
    found[m, FOUND_START] = st.runs[r, RUN_START]
    found[m, FOUND_EVENTS] = st.runs[r, RUN_EVENTS]
    found[m, FOUND_LAST] = st.runs[r, RUN_LAST]
    found[m, FOUND_MEASURE] = measure
