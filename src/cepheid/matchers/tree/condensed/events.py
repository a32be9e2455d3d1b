"""Events in a condensed tree: how one becomes a member of a group, and how whole matches are written down.

`jit` says what the letters mean; `n` is a node, `m` a member and `g` a group.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.match_identity import at_variable
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.composites import count_made, new_leaf
from cepheid.matchers.tree.condensed import layout as of
from cepheid.matchers.tree.condensed.counting import count_event, has_room_to_count, is_counting
from cepheid.matchers.tree.condensed.groups import settle
from cepheid.matchers.tree.condensed.members import (
    count_stood_for,
    join_group,
    moment_of,
    new_member,
    now_at,
    set_size,
)
from cepheid.matchers.tree.lists import key_of, newest


@inlined
def room(t, st, found, cursor, rows):
    """Whether there is room for so many rows, for a member with its numbers and for a match."""
    if cursor[at.ROWS] + rows > st.rows.shape[0]:
        return at.ROWS_FULL
    if cursor[at.MEMBERS] == st.members.shape[0]:
        return at.MEMBERS_FULL
    if not has_room_to_count(t, st, cursor):
        return at.COUNTS_FULL
    return at.FOUND_FULL if cursor[at.FOUND] == found.shape[0] else at.DONE


@inlined
def is_root(t, n):
    """Whether the composites of a node are whole matches that nothing goes on with."""
    return t.book[t.nodes + n, at.LISTED] == 0


@kernel
def report_member(t, ev, st, found, cursor, e, m, number):
    """Write down that a member is whole matches, how many, and what completes them."""
    k = cursor[at.FOUND]
    cursor[at.FOUND] += 1
    position = st.members[m, of.LAST_AT]
    found[k, at.FOUND_ROW] = m
    found[k, at.FOUND_EVENT] = found[k, at.FOUND_LAST] = cursor[at.OFFSET] + e
    found[k, at.FOUND_TIME] = ev.head[at.TIME, e]
    found[k, at.FOUND_CLOSED] = found[k, at.FOUND_START] = 0
    found[k, at.FOUND_EVENTS] = number
    found[k, at.FOUND_PARTITION] = ev.head[at.IN_PARTITION, e]
    found[k, at.FOUND_MEASURE] = now_at(t, ev, e)
    found[k, at.FOUND_STORED] = cursor[at.STORE] + e
    found[k, at.FOUND_POSITION] = position
    for lane in range(2):
        identity = at_variable(ev.head[at.HASH + lane, e], position)
        found[k, at.FOUND_IDENTITY + lane] = np.int64(identity)


@inlined
def mark_event(t, ev, st, cursor, e, m, position):
    """Let a member end with an event by itself."""
    st.members[m, of.POSITION] = st.members[m, of.LAST_AT] = position
    st.members[m, of.STORED] = cursor[at.STORE] + e
    for lane in range(2):
        identity = at_variable(ev.head[at.HASH + lane, e], position)
        st.members[m, of.IDENTITY + lane] = np.int64(identity)


@kernel
def take_event(t, ev, st, found, cursor, e, n):
    """An event becomes a member of the group of its values."""
    answer = room(t, st, found, cursor, 1)
    if answer != at.DONE:
        return answer
    count_made(st, cursor, n)
    is_fleeting = t.book[t.nodes + n, at.IS_FLEETING] != 0
    if is_fleeting:
        g = try_event(t, ev, st, cursor, e, n)
        st.tally[n, at.GROUPS_MADE] += 1
        if not is_awaited(t, st, n, g):
            count_stood_for(st, n, 1.0)
            return at.DONE
    event = cursor[at.OFFSET] + e
    m = new_member(st, cursor, event)
    mark_event(t, ev, st, cursor, e, m, t.book[t.nodes + n, at.POSITION])
    st.members[m, of.YOUNGEST] = moment_of(t, ev, e)
    set_size(st, m, n, 1.0)
    if is_root(t, n):
        report_member(t, ev, st, found, cursor, e, m, 1)
        return at.DONE
    if is_fleeting:
        st.groups[g, of.NEWEST] = st.groups[g, of.NEW_EVENT] = of.NONE
        st.groups[g, of.OLD_SIZE] = st.groups[g, of.NEW_SIZE] = 0
    else:
        row = new_leaf(t, ev, st, cursor, e, n)
        st.rows[row, at.STORED] = at.NONE
        g = settle(t, st, cursor, n, row)
    join_group(st, m, g, ev, e, event)
    if is_counting(t, cursor):
        count_event(t, ev, st, cursor, e, g)
    return at.DONE


@kernel
def is_awaited(t, st, n, row):
    """Whether the join that a fleeting event is for has a group on its left that it may look at. Most events
    of a variable with few conditions have none, and leave no trace."""
    above = t.book[t.nodes + n, at.ONLY_FOR]
    if above == at.NONE:
        return True
    left = t.book[t.nodes + above, at.LEFT]
    p, key = st.rows[row, at.PARTITION], key_of(t, st, n, row)
    g = newest(t, st, left, p, key)
    if t.book[t.nodes + left, at.INDEX] == at.NONE:
        return g != at.NONE
    while g != at.NONE and (st.rows[g, at.KEY] != key or st.rows[g, at.PARTITION] != p):
        g = st.rows[g, at.PREVIOUS]
    return g != at.NONE


@inlined
def try_event(t, ev, st, cursor, e, n):
    """An event in the row of its node."""
    rows = cursor[at.ROWS]
    cursor[at.ROWS] = n
    row = new_leaf(t, ev, st, cursor, e, n)
    cursor[at.ROWS] = rows
    return row
