"""The pool: which of the primitives that are waited for an event satisfies."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.profile.pool import layout as at
from cepheid.matchers.profile.pool.checks import passes
from cepheid.matchers.profile.pool.ranges import find_around, lower_peak, raise_peak


@kernel
def find(t, st, ev, e, hits):
    """Write the primitives that an event satisfies, and return how many they are; `hits` has room for all."""
    n = 0
    for k in range(ev.found_starts[e], ev.found_starts[e + 1]):
        n += _find_listed(t, st, ev, e, st.heads[ev.found[k]], hits[n:])
    for tree in range(t.tree_starts[0], t.tree_starts[1]):  # of any type
        n += find_around(t, st, ev, e, tree, hits[n:])
    of_type = ev.types[e]
    if of_type != at.NONE:
        for tree in range(t.tree_starts[of_type], t.tree_starts[of_type + 1]):
            n += find_around(t, st, ev, e, tree, hits[n:])
    st.counters[at.FOUND] += n
    return n


@inlined
def _find_listed(t, st, ev, e, place, hits):
    """Those of a list whose other tests the event passes."""
    n, tested = 0, 0
    while place != at.NONE:
        tested += 1
        owner, has_tests = st.links[place, at.OWNER] >> 1, st.links[place, at.OWNER] & 1
        if has_tests == 0 or passes(t, ev, e, owner):
            hits[n] = owner
            n += 1
        place = st.links[place, at.NEXT]
    st.counters[at.TESTED] += tested
    return n


@inlined
def insert(t, st, primitive):
    """Wait for a primitive; as often as it is inserted, it has to be removed."""
    st.waited[primitive, at.TIMES] += 1
    if st.waited[primitive, at.TIMES] > 1:
        return
    st.counters[at.SIZE] += 1
    st.counters[at.INSERTED] += 1
    for place in range(st.waited[primitive, at.FIRST_PLACE], st.waited[primitive, at.END_PLACE]):
        slot = np.int64(st.links[place, at.SLOT])
        if slot < 0:
            raise_peak(t, st, ~slot)
        else:
            _link(st, slot, place)


@inlined
def _link(st, slot, place):
    """Put a place at the head of the list of a slot."""
    head = st.heads[slot]
    st.links[place, at.NEXT] = head
    st.links[place, at.BEFORE] = at.NONE
    if head != at.NONE:
        st.links[head, at.BEFORE] = place
    st.heads[slot] = place


@inlined
def remove(t, st, primitive):
    """Wait for a primitive once less."""
    st.waited[primitive, at.TIMES] -= 1
    if st.waited[primitive, at.TIMES] > 0:
        return
    st.counters[at.SIZE] -= 1
    st.counters[at.REMOVED] += 1
    for place in range(st.waited[primitive, at.FIRST_PLACE], st.waited[primitive, at.END_PLACE]):
        slot = np.int64(st.links[place, at.SLOT])
        if slot < 0:
            lower_peak(t, st, ~slot)
        else:
            _unlink(st, slot, place)


@inlined
def _unlink(st, slot, place):
    """Take a place out of the list of a slot."""
    after, before = st.links[place, at.NEXT], st.links[place, at.BEFORE]
    if after != at.NONE:
        st.links[after, at.BEFORE] = before
    if before != at.NONE:
        st.links[before, at.NEXT] = after
    else:
        st.heads[slot] = after


@kernel
def insert_many(t, st, primitives):
    """Wait for several."""
    for k in range(primitives.size):
        insert(t, st, primitives[k])


@kernel
def find_all(t, st, ev, first, hits):
    """The primitives of one event after the other, while `hits`, which has rows of event and primitive, has
    room for all that one may satisfy; the next event, and how many rows there are."""
    n = 0
    scratch = hits[1]
    count = ev.found_starts.size - 1
    for e in range(first, count):
        if n + t.primitives.shape[0] > hits.shape[1]:
            return e, n
        found = find(t, st, ev, e, scratch[n:])
        for k in range(n, n + found):
            hits[0, k] = e
        n += found
    return count, n
