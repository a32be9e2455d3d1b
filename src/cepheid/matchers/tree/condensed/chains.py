"""Chains of a Kleene variable in a condensed tree: an event goes on with all chains of a group at once.

`jit` says what the letters mean; `n` is a node and `o` a group of chains.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import kernel
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.composites import (
    began,
    count_made,
    count_pair_tested,
    new_leaf,
    new_link,
    window,
)
from cepheid.matchers.tree.condensed import layout as of
from cepheid.matchers.tree.condensed.counting import UNKNOWN, count_chain, is_counting
from cepheid.matchers.tree.condensed.events import mark_event, report_member, room, try_event
from cepheid.matchers.tree.condensed.groups import settle
from cepheid.matchers.tree.condensed.members import (
    completed_before,
    join_group,
    moment_of,
    new_member,
    now_at,
    reaches,
    set_size,
    size_of,
)
from cepheid.matchers.tree.conditions import all_hold
from cepheid.matchers.windows import EVENTS, within


@kernel
def extend_groups(t, ev, st, found, cursor, e, n):
    """An event begins a chain, and goes on with the groups of chains that may take it."""
    node = t.nodes + n
    mask, event = ev.head[at.MASK, e], cursor[at.OFFSET] + e
    if cursor[at.PHASE] == at.FRESH:
        answer = room(t, st, found, cursor, 2)
        if answer != at.DONE:
            return answer
        cursor[at.OTHER] = st.parts[ev.head[at.IN_PARTITION, e], at.HEADS + n]
        if t.book[node, at.ALONE] != 0:
            leaf = new_leaf(t, ev, st, cursor, e, n)
            st.rows[leaf, at.HIDDEN] = 1
            st.rows[leaf, at.STORED] = at.NONE
            st.groups[leaf, of.NEWEST] = of.NONE
            cursor[at.STEP_RIGHT] = leaf
        cursor[at.PHASE] = at.WALKING
        if mask & t.book[node, at.BEGIN_BIT] != 0:
            add_to_chain(t, ev, st, found, cursor, e, n, np.int64(at.NONE), np.int64(of.NONE))
    while cursor[at.OTHER] != at.NONE and mask & t.book[node, at.TAKE_BIT] != 0:
        answer = room(t, st, found, cursor, 1)
        if answer != at.DONE:
            return answer
        o = cursor[at.OTHER]
        cursor[at.OTHER] = st.rows[o, at.PREVIOUS]
        head = completed_before(st.members, st.groups[o, of.NEWEST], event)
        if head != of.NONE and may_go_on(t, ev, st, cursor, e, n, o, head):
            add_to_chain(t, ev, st, found, cursor, e, n, o, head)
    cursor[at.PHASE] = at.FRESH
    return at.DONE


@kernel
def may_go_on(t, ev, st, cursor, e, n, o, head):
    """Whether the chains of a group may go on with an event."""
    node = t.nodes + n
    if st.rows[o, at.TAKEN] >= t.book[node, at.MOST]:
        return False
    if not reaches(t, st.members[head, of.BEST], now_at(t, ev, e)):
        return False
    for k in range(t.book[node, at.WINDOWS], t.book[node, at.WINDOWS_END]):
        w = t.book[t.enclosures + k, 0]
        kind, limit = window(t, w)
        now = ev.head[at.ORDINAL if kind == EVENTS else at.TIME, e]
        if w != 0 and not within(kind, limit, began(kind, st, o), now):
            return False
    begin, end = t.book[node, at.ON_TAKE], t.book[node, at.ON_TAKE_END]
    count_pair_tested(st, cursor, n)
    return all_hold(begin, end, t, ev, st, e, o, o, 0)


@kernel
def add_to_chain(t, ev, st, found, cursor, e, n, before, head):
    """The chains of a group with one more event, or a chain that begins with it."""
    node = t.nodes + n
    count_made(st, cursor, n)
    is_alone = t.book[node, at.ALONE] != 0
    leaf = cursor[at.STEP_RIGHT]
    if not is_alone:
        leaf = try_event(t, ev, st, cursor, e, n)
    row = new_link(t, ev, st, cursor, e, n, before, leaf)
    taken = st.rows[row, at.TAKEN]
    is_whole = taken >= t.book[node, at.LEAST] and all_hold(
        t.book[node, at.ON_LEAVE], t.book[node, at.ON_LEAVE_END], t, ev, st, e, row, row, 0
    )
    st.rows[row, at.HIDDEN] = 0 if is_whole else 1
    if not is_alone:
        st.rows[row, at.TAKEN] = min(taken, t.book[node, at.MOST_COUNTED])
    event = cursor[at.OFFSET] + e
    m = new_member(st, cursor, event)
    mark_event(t, ev, st, cursor, e, m, t.book[node, at.POSITION])
    st.members[m, of.LEFT], st.members[m, of.LEFT_FLOOR] = head, of.NO_FLOOR
    st.members[m, of.YOUNGEST] = moment_of(t, ev, e) if head == of.NONE else st.members[head, of.BEST]
    set_size(st, m, n, 1.0 if head == of.NONE else size_of(st.members, head, of.NO_FLOOR))
    g = settle(t, st, cursor, n, row)
    join_group(st, m, g, ev, e, event)
    number = np.int64(UNKNOWN)
    if is_counting(t, cursor):
        number = count_chain(t, ev, st, cursor, e, before, g)
    if is_whole and n == t.node_count - 1:
        report_member(t, ev, st, found, cursor, e, m, number)
