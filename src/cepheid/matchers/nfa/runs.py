"""Runs: their free list, what they carry, and the shared buffer that they write to.

`jit` says what the letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers import captures as slot
from cepheid.matchers.captures import SlotPlaces
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.match_identity import at_variable
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.conditions import COLUMN
from cepheid.matchers.windows import EVENTS


@inlined
def append_run(t, st, p, s, r):
    """Let a run wait in state `s` of its partition, behind those that are there."""
    st.runs[r, at.RUN_NEXT] = at.NONE
    if st.parts[p, at.HEADS + s] == at.NONE:
        st.parts[p, at.HEADS + s] = r
    else:
        st.runs[st.parts[p, at.HEADS + t.states + s], at.RUN_NEXT] = r
    st.parts[p, at.HEADS + t.states + s] = r


@inlined
def new_run(st, cursor, p):
    """A run from the free list."""
    r = cursor[at.FREE_RUN]
    cursor[at.FREE_RUN] = st.runs[r, at.RUN_NEXT]
    cursor[at.FREE_RUNS] -= 1
    st.parts[p, at.LIVE] += 1
    st.runs[r, at.RUN_PARTITION] = p
    st.runs[r, at.RUN_BUCKET] = at.UNLISTED
    return r


@kernel
def copy_run(st, cursor, r):
    """A run like `r`."""
    child = new_run(st, cursor, st.runs[r, at.RUN_PARTITION])
    for k in range(1, st.runs.shape[1]):
        st.runs[child, k] = st.runs[r, k]
    st.runs[child, at.RUN_BUCKET] = at.UNLISTED
    return child


@inlined
def free_run(st, cursor, r):
    """Give a run back to the free list."""
    if st.runs[r, at.RUN_BUCKET] != at.UNLISTED:
        unlist_run(st, r)
    st.parts[st.runs[r, at.RUN_PARTITION], at.LIVE] -= 1
    st.runs[r, at.RUN_NEXT] = cursor[at.FREE_RUN]
    cursor[at.FREE_RUN] = r
    cursor[at.FREE_RUNS] += 1


@kernel
def unlist_run(st, r):
    """Let a run be found no more by those that are like it: it is about to change."""
    bucket = st.runs[r, at.RUN_KEY] & (st.buckets.size - 1)
    if st.buckets[bucket] == r:
        st.buckets[bucket] = st.runs[r, at.RUN_BUCKET]
    else:
        before = st.buckets[bucket]
        while st.runs[before, at.RUN_BUCKET] != r:
            before = st.runs[before, at.RUN_BUCKET]
        st.runs[before, at.RUN_BUCKET] = st.runs[r, at.RUN_BUCKET]
    st.runs[r, at.RUN_BUCKET] = at.UNLISTED


@inlined
def window(t, w):
    """The kind and the limit of a window: 0 is the query's own, then those of sub-patterns."""
    return t.book[t.windows + w, at.WINDOW_KIND], t.book[t.windows + w, at.WINDOW_LIMIT]


@inlined
def moment(t, ev, w, e):
    """When an event came, as window `w` measures it."""
    return ev.head[at.ORDINAL if t.book[t.windows + w, at.WINDOW_KIND] == EVENTS else at.TIME, e]


@inlined
def window_ending(t, ev, e):
    """The query's window that ends with an event: its kind, its limit, and when the event came."""
    kind, limit = window(t, 0)
    return kind, limit, moment(t, ev, 0, e)


@inlined
def started(kind, st, r):
    """When a run began, as a window of this kind measures it; of a merged run, the youngest of it."""
    return st.runs[r, at.RUN_START_ORDINAL if kind == EVENTS else at.RUN_START_TIME]


@inlined
def begun(t, st, w, r):
    """When window `w` of a run began."""
    if w > 0:
        return st.runs[r, at.RUN_WIDTH + 2 * w - 2]
    return started(t.book[t.windows, at.WINDOW_KIND], st, r)


@kernel
def select(t, ev, st, cursor, e, s, r):
    """Write the event into the shared buffer after the run's last one, and into the run's values."""
    node = cursor[at.NODES]
    cursor[at.NODES] += 1
    previous, taken = st.runs[r, at.RUN_NODE], st.runs[r, at.RUN_TAKEN]
    st.nodes[node, at.LINK_PREVIOUS] = previous
    st.nodes[node, at.LINK_FIRST] = st.nodes[previous, at.LINK_FIRST] if taken > 0 else node
    st.nodes[node, at.LINK_POSITION] = s
    st.nodes[node, at.LINK_ORDINAL] = taken + 1
    st.nodes[node, at.NODE_EVENT] = cursor[at.OFFSET] + e
    st.nodes[node, at.NODE_ROW] = cursor[at.ROWS] + e
    st.nodes[node, at.LINK_SIBLING] = at.NONE
    st.nodes[node, at.LINK_MANY] = previous != at.NONE and (
        st.nodes[previous, at.LINK_MANY] != 0 or st.nodes[previous, at.LINK_SIBLING] != at.NONE
    )
    st.nodes[node, at.LINK_PEER] = st.parts[st.runs[r, at.RUN_PARTITION], at.NEWEST]
    st.nodes[node, at.NODE_LATEST] = begun(t, st, 0, r)
    st.parts[st.runs[r, at.RUN_PARTITION], at.NEWEST] = node
    extend_hash(st, ev, e, node, previous, s)
    for k in range(t.book[t.positions + s, at.REMEMBER], t.book[t.positions + s, at.REMEMBER_END]):
        remember(t, ev, st, e, r, node, k)
    for w in range(1, t.window_count):
        members = t.book[t.windows + w, at.WINDOW_MEMBERS]
        if (members >> s) & 1 != 0:
            now = moment(t, ev, w, e)
            if st.runs[r, at.RUN_BOUND] & members == 0:
                st.runs[r, at.RUN_WIDTH + 2 * w - 2] = now
            st.runs[r, at.RUN_WIDTH + 2 * w - 1] = now
    places = SlotPlaces(t.slots, at.RUN_VALID, at.RUN_OVERFLOWN)
    for k in range(t.book[t.positions + s, at.CAPTURE], t.book[t.positions + s, at.CAPTURE_END]):
        c = t.captures + k
        is_new = not slot.is_distinct(t.book[c, slot.KIND]) or is_new_value(t, ev, st, e, r, c, taken)
        slot.capture(t.book, c, ev, e, st.runs, r, places, taken, is_new)
    st.runs[r, at.RUN_NODE] = node
    st.runs[r, at.RUN_TAKEN] = taken + 1
    st.runs[r, at.RUN_LAST] = st.runs[r, at.RUN_READ] = cursor[at.OFFSET] + e
    st.runs[r, at.RUN_BOUND] |= np.int64(1) << s
    st.runs[r, at.RUN_EVENTS] += 1


@inlined
def extend_hash(st, ev, e, node, previous, s):
    """The identity of a match so far."""
    for lane in range(2):
        known = at_variable(ev.head[at.HASH + lane, e], s)
        before = np.uint64(st.nodes[previous, at.NODE_HASH + lane]) if previous != at.NONE else np.uint64(0)
        st.nodes[node, at.NODE_HASH + lane] = np.int64(before + known)


@kernel
def remember(t, ev, st, e, r, node, k):
    """Keep a value with the buffered event, for conditions that range over a variable's events."""
    source, index = t.book[t.remembered + k, 0], t.book[t.remembered + k, 1]
    if source == COLUMN:
        value, valid = ev.columns[index, e], ev.valid[index, e] != 0
    else:
        value = st.runs[r, t.slots + index]
        valid = (st.runs[r, at.RUN_VALID] >> index) & 1 != 0
    if k == t.book[t.positions + st.nodes[node, at.LINK_POSITION], at.REMEMBER]:
        st.nodes[node, at.NODE_VALID] = 0
    st.nodes[node, at.NODE_WIDTH + t.book[t.remembered + k, 2]] = value
    if valid:
        st.nodes[node, at.NODE_VALID] |= np.int64(1) << t.book[t.remembered + k, 2]


@kernel
def is_new_value(t, ev, st, e, r, c, taken):
    """Whether none of the events that the variable has taken before has the value that an event brings."""
    kept, column = t.book[c, slot.REMEMBERED], t.book[c, slot.COLUMN]
    is_real = t.book[c, slot.KIND] == slot.DISTINCT_REAL
    node = st.runs[r, at.RUN_NODE]
    for _ in range(taken):
        if (st.nodes[node, at.NODE_VALID] >> kept) & 1 != 0:
            if slot.same_value(is_real, st.nodes[node, at.NODE_WIDTH + kept], ev.columns[column, e]):
                return False
        node = st.nodes[node, at.LINK_PREVIOUS]
    return True


@inlined
def report(st, found, cursor, r, event, time, closed, measure):
    """Write down the matches of a run, and when they completed: everything else follows from their last
    node, and from the moment, measured as the window is, from which their starts must not be too far."""
    m = cursor[at.FOUND]
    cursor[at.FOUND] += 1
    found[m, at.FOUND_NODE] = st.runs[r, at.RUN_NODE]
    found[m, at.FOUND_EVENT] = event
    found[m, at.FOUND_TIME] = time
    found[m, at.FOUND_CLOSED] = closed
    found[m, at.FOUND_PARTITION] = st.runs[r, at.RUN_PARTITION]
    found[m, at.FOUND_START] = st.runs[r, at.RUN_START]
    found[m, at.FOUND_EVENTS] = st.runs[r, at.RUN_EVENTS]
    found[m, at.FOUND_LAST] = st.runs[r, at.RUN_LAST]
    found[m, at.FOUND_MEASURE] = measure
