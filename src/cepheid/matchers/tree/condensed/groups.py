"""Groups: composites that agree on all that may be asked of them. `g` is a group, `n` a node."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.match_identity import MIX, MIX_TOO
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.condensed import layout as of
from cepheid.matchers.tree.condensed.counting import begin_counts
from cepheid.matchers.tree.lists import put_in_list


@inlined
def mixed(key, value):
    """A hash with one more value in it."""
    key = (key ^ np.uint64(value)) * MIX
    return key ^ (key >> np.uint64(29))


@kernel
def hash_of(t, st, n, row):
    """A hash of what a row has to agree on with the others of its group."""
    node = t.nodes + n
    key = mixed(np.uint64(n) * MIX_TOO, st.rows[row, at.PARTITION])
    key = mixed(key, st.rows[row, at.BOUND])
    if t.book[node, at.BY_FIRST] != 0:
        key = mixed(key, st.rows[row, at.FIRST])
    if t.book[node, at.KIND] == at.CHAIN:
        key = mixed(key, st.rows[row, at.TAKEN])
    for k in range(t.book[node, at.TERMS], t.book[node, at.TERMS_END]):
        slot = t.book[t.terms + k, 0]
        if (st.rows[row, at.VALID] >> slot) & 1 != 0:
            key = mixed(key, st.rows[row, at.WIDTH + slot])
    return np.int64(key)


@kernel
def agree(t, st, n, row, g):
    """Whether a row belongs to a group."""
    for k in (at.OF_NODE, at.PARTITION, at.BOUND):
        if st.rows[row, k] != st.rows[g, k]:
            return False
    node = t.nodes + n
    if t.book[node, at.BY_FIRST] != 0 and st.rows[row, at.FIRST] != st.rows[g, at.FIRST]:
        return False
    if t.book[node, at.KIND] == at.CHAIN:
        for k in (at.TAKEN, at.HIDDEN, at.OVERFLOWN):
            if st.rows[row, k] != st.rows[g, k]:
                return False
    for k in range(t.book[node, at.TERMS], t.book[node, at.TERMS_END]):
        slot = t.book[t.terms + k, 0]
        known = (st.rows[row, at.VALID] >> slot) & 1
        if known != (st.rows[g, at.VALID] >> slot) & 1:
            return False
        if known != 0 and st.rows[row, at.WIDTH + slot] != st.rows[g, at.WIDTH + slot]:
            return False
    return True


@inlined
def home_of(st, key):
    """Where a hash stands."""
    return (key ^ (key >> 32)) & (st.homes.shape[0] - 1)


@kernel
def settle(t, st, cursor, n, row):
    """The group of a new row, the last one of all: one that is there, so that the row is not needed, or a new
    one that the row itself becomes."""
    st.groups[row, of.NEWEST] = of.NONE
    if t.book[t.nodes + n, at.ALONE] == 0:
        key = hash_of(t, st, n, row)
        g = st.homes[home_of(st, key)]
        while g != of.NONE:
            if st.groups[g, of.HASH] == key and agree(t, st, n, row, g):
                cursor[at.ROWS] = row
                return g
            g = st.groups[g, of.NEXT]
        st.rows[row, at.PART_LEFT] = st.rows[row, at.PART_RIGHT] = st.rows[row, at.LAST_LEAF] = at.NONE
        st.groups[row, of.HASH] = key
        put_in_home(st, row)
    begin_counts(st, row)
    st.tally[n, at.GROUPS_MADE] += 1
    if t.book[t.nodes + n, at.LISTED] != 0:
        put_in_list(t, st, row)
    return row


@inlined
def put_in_home(st, g):
    """Let a group be found by its hash."""
    home = home_of(st, st.groups[g, of.HASH])
    st.groups[g, of.NEXT] = st.homes[home]
    st.homes[home] = g


@kernel
def list_groups_anew(t, st, cursor):
    """All lists of groups from nothing: they have moved, or their partitions and texts have other numbers."""
    for p in range(st.parts.shape[0]):
        for n in range(t.node_count):
            st.parts[p, at.HEADS + n] = at.NONE
    st.buckets[:] = at.NONE
    st.homes[:] = at.NONE
    for g in range(t.node_count, cursor[at.ROWS]):
        if st.groups[g, of.NEWEST] == of.NONE:
            continue  # an event of a chain whose composites are groups by themselves
        n = st.rows[g, at.OF_NODE]
        if t.book[t.nodes + n, at.ALONE] == 0:
            st.groups[g, of.HASH] = hash_of(t, st, n, g)
            put_in_home(st, g)
        if t.book[t.nodes + n, at.LISTED] != 0:
            put_in_list(t, st, g)
