"""Runs that will do the same from now on become one.

Runs that wait are listed by a key of all that their future depends on. A run that comes to wait and is
like one that is listed joins it: its last event becomes one more of the chain of events that the other
goes on from, and the run itself is free again. The merged run lives as long as its youngest.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.runs import append_run, free_run, unlist_run

MIX = np.uint64(0x9E3779B97F4A7C15)


@inlined
def mixed(key, value):
    """One more value in a key."""
    key = (key ^ np.uint64(value)) * MIX
    return key ^ (key >> np.uint64(29))


@inlined
def taken_so_far(t, st, s, r):
    """How many events a run has in its state, as far as it matters."""
    return min(st.runs[r, at.RUN_TAKEN], t.book[t.positions + s, at.LIKE_TAKEN])


@kernel
def key_of(t, st, s, r):
    """A key of all that the future of a run in state `s` depends on."""
    row = t.positions + s
    values = t.book[row, at.LIKE_VALUES]
    key = mixed(np.uint64(s + 1), st.runs[r, at.RUN_PARTITION])
    key = mixed(key, taken_so_far(t, st, s, r))
    key = mixed(key, st.runs[r, at.RUN_VALID] & values)
    for k in range(t.book[row, at.LIKENESS], t.book[row, at.LIKENESS_END]):
        key = mixed(key, st.runs[r, t.book[t.likenesses + k, 0]])
    return np.int64(key)


@kernel
def alike(t, st, s, one, other):
    """Whether two runs with one key will do the same in state `s` and after."""
    runs, row = st.runs, t.positions + s
    values = t.book[row, at.LIKE_VALUES]
    if runs[one, at.RUN_STATE] != s or runs[one, at.RUN_PARTITION] != runs[other, at.RUN_PARTITION]:
        return False
    if taken_so_far(t, st, s, one) != taken_so_far(t, st, s, other):
        return False
    if (runs[one, at.RUN_VALID] ^ runs[other, at.RUN_VALID]) & values != 0:
        return False
    if (runs[one, at.RUN_OVERFLOWN] ^ runs[other, at.RUN_OVERFLOWN]) & values != 0:
        return False
    for k in range(t.book[row, at.LIKENESS], t.book[row, at.LIKENESS_END]):
        column = t.book[t.likenesses + k, 0]
        if runs[one, column] != runs[other, column]:
            return False
    return True


@kernel
def list_run(t, st, s, r):
    """List a run of state `s` by its key, unless one that is like it is listed: that one, or NONE."""
    key = key_of(t, st, s, r)
    bucket = key & (st.buckets.size - 1)
    other = st.buckets[bucket]
    while other != at.NONE:
        if st.runs[other, at.RUN_KEY] == key and alike(t, st, s, other, r):
            return other
        other = st.runs[other, at.RUN_BUCKET]
    st.runs[r, at.RUN_STATE] = s
    st.runs[r, at.RUN_KEY] = key
    st.runs[r, at.RUN_BUCKET] = st.buckets[bucket]
    st.buckets[bucket] = r
    return np.int64(at.NONE)


@kernel
def keeps_place(t, st, s, r):
    """Whether a run that has just selected an event is to be found where it was. If not, it is nowhere."""
    if st.runs[r, at.RUN_BUCKET] == at.UNLISTED:
        return False
    if key_of(t, st, s, r) == st.runs[r, at.RUN_KEY]:
        return True
    unlist_run(st, r)
    return False


@kernel
def join(st, cursor, run, other):
    """Let a run take in another one that is like it and has just selected an event. In a chain newer nodes
    come first; those of this event have nothing behind them yet, so another may go between them."""
    node, newer = st.runs[other, at.RUN_NODE], st.runs[run, at.RUN_NODE]
    if node > newer:
        st.nodes[node, at.LINK_SIBLING] = newer
        st.runs[run, at.RUN_NODE] = node
    else:
        while st.nodes[newer, at.LINK_SIBLING] > node:
            newer = st.nodes[newer, at.LINK_SIBLING]
        st.nodes[node, at.LINK_SIBLING] = st.nodes[newer, at.LINK_SIBLING]
        st.nodes[newer, at.LINK_SIBLING] = node
    st.runs[run, at.RUN_LAST] = st.runs[other, at.RUN_LAST]
    if st.runs[other, at.RUN_START] > st.runs[run, at.RUN_START]:
        st.runs[run, at.RUN_START] = st.runs[other, at.RUN_START]
        st.runs[run, at.RUN_START_TIME] = st.runs[other, at.RUN_START_TIME]
        st.runs[run, at.RUN_START_ORDINAL] = st.runs[other, at.RUN_START_ORDINAL]
    cursor[at.MERGED] += 1
    free_run(st, cursor, other)


@kernel
def wait_merged(t, st, cursor, p, s, r):
    """Let a run that has just selected an event wait in state `s`, or join the one that is like it."""
    if t.book[t.positions + s, at.LIKENESS] != at.NEVER:
        other = list_run(t, st, s, r)
        if other != at.NONE:
            join(st, cursor, other, r)
            return
    append_run(t, st, p, s, r)


@kernel
def wait_afresh(st, cursor, r):
    """Keep a run aside until all runs of its state have read the event: it has."""
    st.runs[r, at.RUN_NEXT] = cursor[at.FRESH]
    cursor[at.FRESH] = r


@kernel
def settle_fresh(t, st, cursor, p, s):
    """Let the runs that were kept aside wait in state `s`, oldest first."""
    r, oldest = cursor[at.FRESH], np.int64(at.NONE)
    cursor[at.FRESH] = at.NONE
    while r != at.NONE:
        following = st.runs[r, at.RUN_NEXT]
        st.runs[r, at.RUN_NEXT] = oldest
        oldest, r = r, following
    while oldest != at.NONE:
        following = st.runs[oldest, at.RUN_NEXT]
        wait_merged(t, st, cursor, p, s, oldest)
        oldest = following


@kernel
def list_all(t, st):
    """List all runs that wait anew. One that is like another is left out: events that follow its last one
    know no other before them, so the two are merged only as they select their next events."""
    for bucket in range(st.buckets.size):
        st.buckets[bucket] = at.NONE
    for r in range(st.runs.shape[0]):
        st.runs[r, at.RUN_BUCKET] = at.UNLISTED
    if not t.merges:
        return
    for p in range(st.parts.shape[0]):
        for s in range(t.states if st.parts[p, at.LIVE] > 0 else 0):
            if t.book[t.positions + s, at.LIKENESS] != at.NEVER:
                r = st.parts[p, at.HEADS + s]
                while r != at.NONE:
                    list_run(t, st, s, r)
                    r = st.runs[r, at.RUN_NEXT]
