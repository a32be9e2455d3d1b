"""Start event marking where nothing but the number of matches is asked for: its counters are plain numbers.

Steps are taken one after the other, from the last to the first, and each visits all starts: a start is by
itself, so it makes no difference, and most events take one step.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.aggregate.cells import NARROW, ONE, ZERO
from cepheid.matchers.aggregate.marking.done import done_of, forget_done, is_undone
from cepheid.matchers.jit import inlined, kernel


@kernel
def visit_counts(t, ev, st, scratch, cursor, e, p, mask):
    """An event to the counters of every open start of its partition; whether one grows out of its words."""
    narrow = False
    for q in range(t.steps.shape[0] - 1, -1, -1):
        taken, undone = (mask >> t.steps[q, at.TEST]) & 1, is_undone(t, q, mask)
        if t.steps[q, at.ENDS] and undone:
            forget_counts(t, st, p, q)
        if t.steps[q, at.ENDS] and taken:
            narrow = end_counts(t, ev, st, cursor, e, q) or narrow
        elif not t.steps[q, at.ENDS] and (taken or undone):
            narrow = step_counts(t, st, scratch, cursor, p, q, taken, undone) or narrow
    return narrow


@kernel
def step_counts(t, st, scratch, cursor, p, q, taken, undone):
    """To a step what stood at the steps before it, of each start."""
    count, limbs, narrow = t.steps.shape[0], t.limbs, False
    first, stop = t.steps[q, at.AFTER] if taken else 0, t.steps[q, at.AFTER_END] if taken else 0
    s, visits = st.partitions[p, at.FIRST], 0
    while s != at.NONE:
        visits += 1
        i = s * count + q
        for k in range(limbs):
            scratch[0, k] = ZERO
        for link in range(first, stop):
            add_count(scratch, 0, st.cells, s * count + t.links[link], limbs)
        if undone:
            for k in range(limbs):
                st.cells[i, k] = ZERO
        add_count(st.cells, i, scratch, 0, limbs)
        narrow = narrow or st.cells[i, limbs - 1] >= NARROW
        s = st.starts[s, at.NEXT]
    cursor[at.VISITS] += visits
    return narrow


@kernel
def end_counts(t, ev, st, cursor, e, q):
    """The ways that event `e` makes whole, of each start."""
    count, limbs, narrow = t.steps.shape[0], t.limbs, False
    group, time = ev.head[at.GROUP, e], ev.head[at.TIME, e]
    first, stop = t.steps[q, at.AFTER], t.steps[q, at.AFTER_END]
    s, visits = st.partitions[ev.head[at.PARTITION, e], at.FIRST], 0
    while s != at.NONE:
        visits += 1
        for link in range(first, stop):
            source = s * count + t.links[link]
            if is_nothing(st.cells, source, limbs):
                continue
            d = st.starts[s, at.DONE]
            if d == at.NONE or st.done[d, at.DONE_STEP] != q or st.done[d, at.DONE_GROUP] != group:
                d = done_of(st, cursor, s, q, group)
            add_count(st.totals, d, st.cells, source, limbs)
            st.done[d, at.DONE_SEEN] = 1
            st.done[d, at.DONE_TIME] = time
            narrow = narrow or st.totals[d, limbs - 1] >= NARROW
        s = st.starts[s, at.NEXT]
    cursor[at.VISITS] += visits
    return narrow


@kernel
def forget_counts(t, st, p, q):
    """The whole matches that end at a step count no more."""
    s = st.partitions[p, at.FIRST]
    while s != at.NONE:
        forget_done(t, st, s, q)
        s = st.starts[s, at.NEXT]


@kernel
def tally_counts(t, st, cursor, group, to, row):
    """The whole matches of a group, of all open starts."""
    s, limbs = cursor[at.ALL_FIRST], t.limbs
    while s != at.NONE:
        d = at.NONE if st.starts[s, at.BLOCKED] else st.starts[s, at.DONE]
        while d != at.NONE:
            if st.done[d, at.DONE_GROUP] == group:
                add_count(to, row, st.totals, d, limbs)
            d = st.done[d, at.DONE_NEXT]
        s = st.starts[s, at.ALL_NEXT]


@inlined
def is_nothing(cells, i, limbs):
    """Whether a count is zero."""
    for k in range(limbs):
        if cells[i, k] != ZERO:
            return False
    return True


@inlined
def add_count(to, i, other, j, limbs):
    """A count to a count; what leaves the highest word is lost."""
    carry = ZERO
    for k in range(limbs):
        with_carry = to[i, k] + carry
        after = with_carry + other[j, k]
        carry = ONE if (with_carry < carry or after < with_carry) else ZERO
        to[i, k] = after
