"""Trees of ranges: which of the stretches that are waited for a key lies in.

Stretches stand in the order of their least keys. A node has 8 entries, each with the least key below it
and, of those that are waited for, the greatest, its peak. So a key is looked for only where a
stretch begins before it and another, or the same, ends behind it: below an entry of which both is true and
all begin before the key, one is found; of the others there is one at each level.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.profile.pool import layout as at
from cepheid.matchers.profile.pool.checks import passes

LEAST = -(2**63)


@inlined
def raise_peak(t, st, leaf):
    """A stretch is waited for."""
    high = t.highs[leaf]
    node = leaf
    while node != at.NONE and st.entries[node, at.PEAK] < high:
        st.entries[node, at.PEAK] = high
        node = np.int64(t.parents[node])


@inlined
def lower_peak(t, st, leaf):
    """A stretch is not waited for any more."""
    gone = st.entries[leaf, at.PEAK]
    st.entries[leaf, at.PEAK] = LEAST
    node = np.int64(t.parents[leaf])
    while node != at.NONE and st.entries[node, at.PEAK] == gone:
        peak = LEAST
        below = st.entries[node, at.LEADS_TO]
        for k in range(below, below + at.FANOUT):
            peak = max(peak, st.entries[k, at.PEAK])
        if peak == gone:
            return
        st.entries[node, at.PEAK] = peak
        node = np.int64(t.parents[node])


@kernel
def find_around(t, st, ev, e, tree, hits):
    """Write the primitives of a tree that an event satisfies: its key lies in their stretch."""
    column = t.trees[tree, at.TREE_COLUMN]
    if ev.states[column, e] != at.VALUE:
        return 0
    key = ev.keys[column, e]
    stack, depth, n, tested = st.stack, 1, 0, 0
    stack[0] = t.trees[tree, at.ROOT]
    while depth > 0:
        depth -= 1
        node = np.int64(stack[depth])
        for k in range(node, node + at.FANOUT):
            if st.entries[k, at.LOW] > key:
                break
            if st.entries[k, at.PEAK] < key:
                continue
            leads_to = st.entries[k, at.LEADS_TO]
            if leads_to >= 0:
                stack[depth] = leads_to
                depth += 1
                continue
            primitive = ~leads_to >> 1
            if key == LEAST and st.waited[primitive, at.TIMES] == 0:
                continue
            tested += 1
            if ~leads_to & 1 == 0 or passes(t, ev, e, primitive):
                hits[n] = primitive
                n += 1
    st.counters[at.TESTED] += tested
    return n


@kernel
def restore_peaks(t, st, leaves):
    """Wait for those leaves whose primitives are waited for."""
    for i in range(leaves.size):
        leaf = np.int64(leaves[i])
        if st.waited[~st.entries[leaf, at.LEADS_TO] >> 1, at.TIMES] > 0:
            raise_peak(t, st, leaf)
