"""Records in lists by hash, each in a chain of its profile; those with a deadline also in a heap by time.

A list is of one profile, one state (or watched part) and one partition; the newest comes first. `jit` says
what the letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.profile.one_step import layout as at


@inlined
def list_of(profile, place):
    """The number of a profile's list."""
    return (np.int64(profile) << at.LIST_BITS) + place


@inlined
def bucket_of(buckets, listed, key):
    """Where a list begins. Lists of neighbours begin side by side: one event often meets many of them."""
    place = np.uint64(listed) & np.uint64((1 << at.LIST_BITS) - 1)
    mixed = place * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(key) * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed ^= mixed >> np.uint64(29)
    mixed += np.uint64(listed) >> np.uint64(at.LIST_BITS)
    return np.int64(mixed & np.uint64(buckets.size - 1))


@inlined
def from_here(st, r, listed, key):
    """The first record of a list from `r` on."""
    while r != at.NONE and (st.rows[r, at.LIST] != listed or st.rows[r, at.KEY] != key):
        r = st.rows[r, at.NEXT]
    return r


@inlined
def first_in(st, listed, key):
    """The newest record of a list."""
    return from_here(st, st.buckets[bucket_of(st.buckets, listed, key)], listed, key)


@inlined
def next_in(st, r):
    """The one of the same list that is older."""
    return from_here(st, st.rows[r, at.NEXT], st.rows[r, at.LIST], st.rows[r, at.KEY])


@inlined
def has_room(st, cursor):
    """Whether another record may be made."""
    return cursor[at.FREE_COUNT] > 0 and cursor[at.FRESH] < st.fresh.size


@kernel
def make(st, m, cursor, profile, listed, key):
    """A record in front of its list."""
    r = cursor[at.FREE]
    cursor[at.FREE] = st.rows[r, at.NEXT]
    cursor[at.FREE_COUNT] -= 1
    b = bucket_of(st.buckets, listed, key)
    st.rows[r, at.NEXT] = st.buckets[b]
    st.rows[r, at.PREVIOUS] = at.NONE
    if st.buckets[b] != at.NONE:
        st.rows[st.buckets[b], at.PREVIOUS] = r
    st.buckets[b] = r
    st.rows[r, at.LIST] = listed
    st.rows[r, at.KEY] = key
    st.rows[r, at.PROFILE] = profile
    st.rows[r, at.OWN_NEXT] = m.records[profile]
    st.rows[r, at.OWN_PREVIOUS] = at.NONE
    if m.records[profile] != at.NONE:
        st.rows[m.records[profile], at.OWN_PREVIOUS] = r
    m.records[profile] = r
    st.rows[r, at.HEAP] = at.NONE
    st.rows[r, at.FLAG] = 0
    for k in range(at.EVENTS, st.rows.shape[1]):
        st.rows[r, k] = at.NONE
    st.fresh[cursor[at.FRESH]] = r
    cursor[at.FRESH] += 1
    return r


@kernel
def unmake(st, m, cursor, r):
    """Take a record out of all lists."""
    following, before = st.rows[r, at.NEXT], st.rows[r, at.PREVIOUS]
    if before != at.NONE:
        st.rows[before, at.NEXT] = following
    else:
        st.buckets[bucket_of(st.buckets, st.rows[r, at.LIST], st.rows[r, at.KEY])] = following
    if following != at.NONE:
        st.rows[following, at.PREVIOUS] = before
    following, before = st.rows[r, at.OWN_NEXT], st.rows[r, at.OWN_PREVIOUS]
    if before != at.NONE:
        st.rows[before, at.OWN_NEXT] = following
    else:
        m.records[st.rows[r, at.PROFILE]] = following
    if following != at.NONE:
        st.rows[following, at.OWN_PREVIOUS] = before
    if st.rows[r, at.HEAP] != at.NONE:
        take_from_heap(st, cursor, st.rows[r, at.HEAP])
    st.rows[r, at.PROFILE] = at.NONE
    st.rows[r, at.NEXT] = cursor[at.FREE]
    cursor[at.FREE] = r
    cursor[at.FREE_COUNT] += 1


@kernel
def relink(rows, old, buckets):
    """Put all records into other buckets; each list stays in its order."""
    buckets[:] = at.NONE
    for b in range(old.size):
        r = old[b]
        while r != at.NONE and rows[r, at.NEXT] != at.NONE:
            r = rows[r, at.NEXT]
        while r != at.NONE:
            before = rows[r, at.PREVIOUS]
            place = bucket_of(buckets, rows[r, at.LIST], rows[r, at.KEY])
            rows[r, at.PREVIOUS] = at.NONE
            rows[r, at.NEXT] = buckets[place]
            if buckets[place] != at.NONE:
                rows[buckets[place], at.PREVIOUS] = r
            buckets[place] = r
            r = before


# -- the heap ------------------------------------------------------------------------------------------


@inlined
def is_sooner(st, one, other):
    """Whether a record is due before another."""
    if st.rows[one, at.CLOCK] != st.rows[other, at.CLOCK]:
        return st.rows[one, at.CLOCK] < st.rows[other, at.CLOCK]
    return st.rows[one, at.FLAG] < st.rows[other, at.FLAG]


@inlined
def put(st, i, r):
    """Let a record stand at a place of the heap."""
    st.heap[i] = r
    st.rows[r, at.HEAP] = i


@kernel
def rise(st, i):
    """Let what stands here rise to its place."""
    r = st.heap[i]
    while i > 0 and is_sooner(st, r, st.heap[(i - 1) >> 1]):
        put(st, i, st.heap[(i - 1) >> 1])
        i = (i - 1) >> 1
    put(st, i, r)


@kernel
def sink(st, size, i):
    """Let what stands here sink to its place."""
    r = st.heap[i]
    while 2 * i + 1 < size:
        k = 2 * i + 1
        if k + 1 < size and is_sooner(st, st.heap[k + 1], st.heap[k]):
            k += 1
        if not is_sooner(st, st.heap[k], r):
            break
        put(st, i, st.heap[k])
        i = k
    put(st, i, r)


@kernel
def await_until(st, cursor, r, clock, flag):
    """Give a record a deadline: the temporal pool."""
    st.rows[r, at.CLOCK] = clock
    st.rows[r, at.FLAG] = flag
    i = cursor[at.HEAP_SIZE]
    cursor[at.HEAP_SIZE] += 1
    st.heap[i] = r
    rise(st, i)


@kernel
def take_from_heap(st, cursor, i):
    """Take out what stands here."""
    st.rows[st.heap[i], at.HEAP] = at.NONE
    last = cursor[at.HEAP_SIZE] - 1
    cursor[at.HEAP_SIZE] = last
    if i != last:
        st.heap[i] = st.heap[last]
        st.rows[st.heap[i], at.HEAP] = i
        rise(st, i)
        sink(st, last, i)
