"""Lists of composites, the newest first: those of a node and a partition or, where a join looks equalities
up, those of a node whose values have one hash.

A list is in the order of completion. Besides the one before it, each composite knows another one further
back, so that all that completed too late is passed in a few jumps (the skew-binary lists of Myers, 1983). Of
all from itself to there it knows the latest beginning, and the least and greatest value that an inequality
looks at, so that a join passes over them together where none can fit. `jit` says what the letters mean; `n`
is a node, `x` a composite that starts a join and `o` one of the other side.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers import program as op
from cepheid.matchers.bits import HIGHEST, LOWEST, as_bits, as_real
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.match_identity import MIX, MIX_TOO
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.composites import began, ended, window
from cepheid.matchers.windows import REALS, REALS_OPEN, within


@kernel
def key_of(t, st, n, row):
    """What a composite of a node is found by: a hash of its partition and of the values that are compared."""
    key = np.uint64(st.rows[row, at.PARTITION]) * MIX_TOO
    for k in range(t.book[t.nodes + n, at.KEYS], t.book[t.nodes + n, at.KEYS_END]):
        value = st.rows[row, at.WIDTH + t.book[t.keys + k, 0]]
        if t.book[t.keys + k, 1] != 0:
            value = as_bits(as_real(value) + 0.0)  # -0.0 equals 0.0
        key = (key ^ np.uint64(value)) * MIX
        key ^= key >> np.uint64(29)
    return np.int64(key)


@inlined
def bucket_of(st, key):
    """Where a key stands among the buckets."""
    return (key ^ (key >> 32)) & (st.buckets.shape[1] - 1)


@kernel
def newest(t, st, n, p, key):
    """The newest composite of a node in a partition, among those of a key if the node is indexed."""
    index = t.book[t.nodes + n, at.INDEX]
    if index == at.NONE:
        return st.parts[p, at.HEADS + n]
    return st.buckets[index, bucket_of(st, key)]


@kernel
def put_in_list(t, st, row):
    """Let a composite be the newest of its list."""
    n, p = st.rows[row, at.OF_NODE], st.rows[row, at.PARTITION]
    index = t.book[t.nodes + n, at.INDEX]
    if index == at.NONE:
        before = st.parts[p, at.HEADS + n]
        st.parts[p, at.HEADS + n] = row
    else:
        st.rows[row, at.KEY] = key_of(t, st, n, row)
        bucket = bucket_of(st, st.rows[row, at.KEY])
        before = st.buckets[index, bucket]
        st.buckets[index, bucket] = row
    st.rows[row, at.PREVIOUS] = st.rows[row, at.JUMP] = before
    st.rows[row, at.DEPTH] = 0
    summarise(t, st, n, row)
    if before == at.NONE:
        return
    st.rows[row, at.DEPTH] = st.rows[before, at.DEPTH] + 1
    jump = st.rows[before, at.JUMP]
    if jump != at.NONE and st.rows[jump, at.JUMP] != at.NONE:
        further = st.rows[jump, at.JUMP]
        near, far = st.rows[jump, at.DEPTH], st.rows[further, at.DEPTH]
        if st.rows[before, at.DEPTH] - near == near - far:
            st.rows[row, at.JUMP] = further
            add_summary(t, st, row, before)
            add_summary(t, st, row, jump)


@inlined
def in_order(value, is_real):
    """A value as an integer that is in the order of the values; not for NaN."""
    if is_real == 0:
        return value
    bits = as_bits(as_real(value) + 0.0)  # -0.0 equals 0.0
    return bits if bits >= 0 else bits ^ HIGHEST


@inlined
def is_known(st, slot, is_real, row):
    """Whether a slot of a composite compares with anything: it is neither null nor NaN."""
    if (st.rows[row, at.VALID] >> slot) & 1 == 0:
        return False
    return is_real == 0 or not np.isnan(as_real(st.rows[row, at.WIDTH + slot]))


@kernel
def summarise(t, st, n, row):
    """What a composite knows of itself alone."""
    slot, is_real = t.book[t.nodes + n, at.SORTED], t.book[t.nodes + n, at.IS_REAL]
    st.rows[row, at.YOUNGEST] = in_order(began(t.book[t.windows, at.WINDOW_KIND], st, row), measures_reals(t))
    st.rows[row, at.LEAST_OF], st.rows[row, at.MOST_OF] = HIGHEST, LOWEST
    if slot != at.NONE and is_known(st, slot, is_real, row):
        value = in_order(st.rows[row, at.WIDTH + slot], is_real)
        st.rows[row, at.LEAST_OF] = st.rows[row, at.MOST_OF] = value


@inlined
def measures_reals(t):
    """Whether the query's window measures real numbers."""
    kind = t.book[t.windows, at.WINDOW_KIND]
    return np.int64(kind == REALS or kind == REALS_OPEN)


@kernel
def add_summary(t, st, row, other):
    """Let a composite know what another one knows."""
    st.rows[row, at.LEAST_OF] = min(st.rows[row, at.LEAST_OF], st.rows[other, at.LEAST_OF])
    for k in (at.MOST_OF, at.YOUNGEST):
        st.rows[row, k] = max(st.rows[row, k], st.rows[other, k])


@kernel
def none_fits(t, st, n, o, x, is_left):
    """Whether no composite from `o` to its JUMP can go together with `x`, a left or a right one."""
    kind, limit = window(t, 0)
    youngest = st.rows[o, at.YOUNGEST]
    if measures_reals(t) != 0 and youngest < 0:
        youngest ^= HIGHEST
    if not within(kind, limit, youngest, ended(kind, st, x)):
        return True
    return not may_compare(t, st, n, x, is_left, st.rows[o, at.LEAST_OF], st.rows[o, at.MOST_OF])


@kernel
def may_compare(t, st, n, x, is_left, least, most):
    """Whether the inequality of a join may hold of `x`, a left or a right composite, and of one of the other
    side whose value lies between the least and the greatest of some."""
    comparison = t.book[t.nodes + n, at.COMPARISON]
    if comparison == at.NONE:
        return True
    own = t.nodes + st.rows[x, at.OF_NODE]
    slot, is_real = t.book[own, at.SORTED], t.book[own, at.IS_REAL]
    if not is_known(st, slot, is_real, x):
        return False
    value = in_order(st.rows[x, at.WIDTH + slot], is_real)
    wants_most = (comparison == op.GT or comparison == op.GE) != is_left
    other = most if wants_most else least
    if is_left:
        return op.compared(comparison, value, other)
    return op.compared(comparison, other, value)


@kernel
def completed_before(st, row, event):
    """The newest composite of a list, from this one back, that completed before an event, or NONE."""
    while row != at.NONE and st.rows[row, at.LAST] >= event:
        jump = st.rows[row, at.JUMP]
        if jump != at.NONE and st.rows[jump, at.LAST] >= event:
            row = jump
        else:
            row = st.rows[row, at.PREVIOUS]
    return row


@inlined
def is_listed(t, st, row):
    """Whether a composite is looked for: not a whole match, nor an event by itself of a Kleene variable."""
    is_link_leaf = st.rows[row, at.PART_RIGHT] == at.NONE and st.rows[row, at.HIDDEN] != 0
    return t.book[t.nodes + st.rows[row, at.OF_NODE], at.LISTED] != 0 and not is_link_leaf


@kernel
def list_anew(t, st, cursor):
    """All lists from nothing: composites have moved, or their partitions and texts have other numbers."""
    for p in range(st.parts.shape[0]):
        for n in range(t.node_count):
            st.parts[p, at.HEADS + n] = at.NONE
    st.buckets[:] = at.NONE
    for row in range(cursor[at.ROWS]):
        if is_listed(t, st, row):
            put_in_list(t, st, row)
