"""Members of groups: how they are linked, and the ranges of them that a join takes.

`m` is a member, `g` a group. `jit` says what the other letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.bits import HIGHEST, LOWEST, as_bits, as_real
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.composites import window
from cepheid.matchers.tree.condensed import layout as of
from cepheid.matchers.tree.lists import in_order, measures_reals
from cepheid.matchers.windows import measured, within


@inlined
def moment_of(t, ev, e):
    """When an event came, as the query's window measures it, in the order of integers."""
    kind = t.book[t.windows, at.WINDOW_KIND]
    return in_order(measured(kind, ev.head[at.TIME, e], ev.head[at.ORDINAL, e]), measures_reals(t))


@inlined
def reaches(t, youngest, now):
    """Whether the query's window that ends `now`, a moment as it measures them, holds this beginning."""
    kind, limit = window(t, 0)
    if measures_reals(t) != 0 and youngest < 0:
        youngest ^= HIGHEST
    return within(kind, limit, youngest, now)


@inlined
def now_at(t, ev, e):
    """The moment of an event, as windows are asked."""
    return measured(t.book[t.windows, at.WINDOW_KIND], ev.head[at.TIME, e], ev.head[at.ORDINAL, e])


@kernel
def completed_before(members, m, event):
    """The newest member of a group, from this one back, that completed before an event, or NONE."""
    while m != of.NONE and members[m, of.EVENT] >= event:
        skip = members[m, of.SKIP]
        if skip != of.NONE and members[skip, of.EVENT] >= event:
            m = skip
        else:
            m = members[m, of.OLDER]
    return m


@kernel
def latest_of(members, m, floor):
    """The latest beginning among the members of a range."""
    if floor == of.NO_FLOOR:
        return members[m, of.BEST]
    latest = np.int64(LOWEST)
    while m != of.NONE and members[m, of.EVENT] > floor:
        latest = max(latest, members[m, of.YOUNGEST])
        m = members[m, of.OLDER]
    return latest


@kernel
def first_variable(members, m, floor):
    """The first variable that the last event of a range's members is bound to."""
    first = members[m, of.LAST_AT]
    while m != of.NONE and members[m, of.EVENT] > floor:
        first = min(first, members[m, of.LAST_AT])
        m = members[m, of.OLDER]
    return first


@kernel
def size_of(members, m, floor):
    """About how many composites the members of a range stand for."""
    if floor == of.NO_FLOOR:
        return as_real(members[m, of.SIZES])
    total = 0.0
    while m != of.NONE and members[m, of.EVENT] > floor:
        total += as_real(members[m, of.SIZE])
        m = members[m, of.OLDER]
    return total


@inlined
def count_stood_for(st, n, size):
    """The members of a node stand for so many composites more."""
    st.tally[n, at.STOOD_FOR] = as_bits(as_real(st.tally[n, at.STOOD_FOR]) + size)


@kernel
def set_size(st, m, n, size):
    """Note how many composites of a node a member stands for."""
    st.members[m, of.SIZE] = as_bits(size)
    count_stood_for(st, n, size)


@inlined
def new_member(st, cursor, event):
    """A member that completes at an event, of no group and with nothing in it."""
    m = cursor[at.MEMBERS]
    cursor[at.MEMBERS] += 1
    for k in range(of.MEMBER_WIDTH):
        st.members[m, k] = of.NONE
    st.members[m, of.EVENT] = event
    return m


@kernel
def link(members, m, older):
    """Let a member come after the others of its group."""
    members[m, of.OLDER] = members[m, of.SKIP] = older
    members[m, of.DEPTH] = 0
    members[m, of.BEST] = members[m, of.YOUNGEST]
    members[m, of.SIZES] = members[m, of.SIZE]
    if older == of.NONE:
        return
    members[m, of.SIZES] = as_bits(as_real(members[m, of.SIZE]) + as_real(members[older, of.SIZES]))
    members[m, of.BEST] = max(members[m, of.BEST], members[older, of.BEST])
    members[m, of.DEPTH] = members[older, of.DEPTH] + 1
    skip = members[older, of.SKIP]
    if skip != of.NONE and members[skip, of.SKIP] != of.NONE:
        further = members[skip, of.SKIP]
        near, far = members[skip, of.DEPTH], members[further, of.DEPTH]
        if members[older, of.DEPTH] - near == near - far:
            members[m, of.SKIP] = further


@kernel
def join_group(st, m, g, ev, e, event):
    """Let a new member be the newest of a group, which then ends as it does."""
    st.members[m, of.GROUP] = g
    link(st.members, m, st.groups[g, of.NEWEST])
    st.groups[g, of.NEWEST] = m
    st.rows[g, at.LAST] = event
    st.rows[g, at.LAST_TIME] = ev.head[at.TIME, e]
    st.rows[g, at.LAST_ORDINAL] = ev.head[at.ORDINAL, e]
