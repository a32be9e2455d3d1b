"""Joins of a condensed tree: a group with new members looks at the groups of the other side.

`jit` says what the letters mean; `n` is a node, `x` a group that starts a join and `o` one of the other side.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers import candidates as kept
from cepheid.matchers.candidates import newest_before
from cepheid.matchers.jit import kernel
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.absence import BROKEN, judge
from cepheid.matchers.tree.composites import (
    began,
    count_made,
    count_pair_tested,
    ended,
    have_one_event,
    new_pair,
    window,
)
from cepheid.matchers.tree.condensed import layout as of
from cepheid.matchers.tree.condensed.counting import UNKNOWN, count_pair, is_counting
from cepheid.matchers.tree.condensed.events import is_root, report_member, room
from cepheid.matchers.tree.condensed.groups import settle
from cepheid.matchers.tree.condensed.members import (
    completed_before,
    first_variable,
    join_group,
    latest_of,
    new_member,
    now_at,
    reaches,
    set_size,
    size_of,
)
from cepheid.matchers.tree.conditions import all_hold
from cepheid.matchers.tree.lists import in_order, is_known, key_of, may_compare, newest
from cepheid.matchers.windows import within


@kernel
def join_new(t, ev, st, found, cursor, e, n):
    """The groups of both sides that have new members: each is passed on by itself where the other side may be
    empty, and looks at the groups of the other side."""
    node = t.nodes + n
    for is_left in (True, False):
        step = at.STEP if is_left else at.STEP_RIGHT
        child = t.book[node, at.LEFT if is_left else at.RIGHT]
        while cursor[step] < st.spans[child, at.NEW_END]:
            m = cursor[step]
            x = st.members[m, of.GROUP]
            if st.groups[x, of.NEWEST] == m and st.rows[x, at.HIDDEN] == 0:
                answer = join_one_group(t, ev, st, found, cursor, e, n, x, is_left)
                if answer != at.DONE:
                    return answer
                cursor[at.PHASE] = at.FRESH
            cursor[step] += 1
    return at.DONE


@kernel
def join_one_group(t, ev, st, found, cursor, e, n, x, is_left):
    """All that the new members of a group complete at a node."""
    node = t.nodes + n
    if cursor[at.PHASE] == at.FRESH:
        if t.book[node, at.PASSES_LEFT if is_left else at.PASSES_RIGHT] != 0:
            answer = room(t, st, found, cursor, 1)
            if answer != at.DONE:
                return answer
            if in_inner_windows(t, st, n, x, x):
                make(t, ev, st, found, cursor, e, n, np.int64(at.NONE), x, np.int64(of.NONE), np.int64(-1))
        if t.book[node, at.STARTS_LEFT if is_left else at.STARTS_RIGHT] == 0:
            return at.DONE
        cursor[at.PHASE] = at.WALKING
        other = t.book[node, at.RIGHT if is_left else at.LEFT]
        key = key_of(t, st, st.rows[x, at.OF_NODE], x)
        cursor[at.OTHER] = newest(t, st, other, st.rows[x, at.PARTITION], key)
    return look_at_groups(t, ev, st, found, cursor, e, n, x, is_left)


@kernel
def look_at_groups(t, ev, st, found, cursor, e, n, x, is_left):
    """Join a group with each of the other side that goes together with it."""
    node = t.nodes + n
    p, key = st.rows[x, at.PARTITION], key_of(t, st, st.rows[x, at.OF_NODE], x)
    is_hashed = t.book[t.nodes + t.book[node, at.RIGHT if is_left else at.LEFT], at.INDEX] != at.NONE
    before = st.rows[x, at.FIRST] if t.book[node, at.KIND] == at.SEQ else cursor[at.OFFSET] + e
    now = now_at(t, ev, e)
    while cursor[at.OTHER] != at.NONE:
        o = cursor[at.OTHER]
        least, most = st.rows[o, at.LEAST_OF], st.rows[o, at.MOST_OF]
        if t.is_indexed and not may_compare(t, st, n, x, is_left, least, most):
            cursor[at.OTHER] = st.rows[o, at.JUMP]
            continue
        if is_hashed and (st.rows[o, at.KEY] != key or st.rows[o, at.PARTITION] != p):
            cursor[at.OTHER] = st.rows[o, at.PREVIOUS]
            continue
        answer = room(t, st, found, cursor, 1)
        if answer != at.DONE:
            return answer
        cursor[at.OTHER] = st.rows[o, at.PREVIOUS]
        if st.rows[o, at.HIDDEN] != 0 or (t.is_indexed and not value_fits(t, st, n, o, x, is_left)):
            continue
        head = completed_before(st.members, st.groups[o, of.NEWEST], before)
        if head == of.NONE or not reaches(t, st.members[head, of.BEST], now):
            continue
        l, r = (x, o) if is_left else (o, x)  # noqa: E741
        if groups_go_together(t, ev, st, cursor, n, l, r):
            floor = latest_spoiler(t, ev, st, n, l, r)
            if st.members[head, of.EVENT] > floor and reaches(t, latest_of(st.members, head, floor), now):
                if is_left:
                    make(t, ev, st, found, cursor, e, n, x, o, head, floor)
                else:
                    make(t, ev, st, found, cursor, e, n, o, x, head, floor)
    return at.DONE


@kernel
def value_fits(t, st, n, o, x, is_left):
    """Whether the inequality by which groups are passed over holds of two of them."""
    node = t.nodes + st.rows[o, at.OF_NODE]
    slot, is_real = t.book[node, at.SORTED], t.book[node, at.IS_REAL]
    if t.book[t.nodes + n, at.COMPARISON] == at.NONE:
        return True
    if not is_known(st, slot, is_real, o):
        return False
    value = in_order(st.rows[o, at.WIDTH + slot], is_real)
    return may_compare(t, st, n, x, is_left, value, value)


@kernel
def in_inner_windows(t, st, n, first, last):
    """Whether what begins as one group and ends as another is in the inner windows of a node."""
    for k in range(t.book[t.nodes + n, at.WINDOWS], t.book[t.nodes + n, at.WINDOWS_END]):
        w = t.book[t.enclosures + k, 0]
        kind, limit = window(t, w)
        if w != 0 and not within(kind, limit, began(kind, st, first), ended(kind, st, last)):
            return False
    return True


@kernel
def groups_go_together(t, ev, st, cursor, n, l, r):  # noqa: E741
    """Whether the composites of two groups make one of a node, as far as all of them agree on it."""
    node = t.nodes + n
    first = l if st.rows[l, at.FIRST] < st.rows[r, at.FIRST] else r
    last = r if st.rows[l, at.LAST] < st.rows[r, at.LAST] else l
    if not in_inner_windows(t, st, n, first, last):
        return False
    if t.book[node, at.SHARES] != 0:
        is_alone = t.book[t.nodes + t.book[node, at.LEFT], at.ALONE] != 0
        if is_alone and have_one_event(st, l, r):
            return False
    begin, end = t.book[node, at.TESTS], t.book[node, at.TESTS_END]
    count_pair_tested(st, cursor, n)
    return all_hold(begin, end, t, ev, st, 0, l, r, 0)


@kernel
def latest_spoiler(t, ev, st, n, l, r):  # noqa: E741
    """The floor of the left group's members that go together with a right group, NO_FLOOR if there is none:
    after what completed before, an event came that should be absent there."""
    floor = np.int64(of.NO_FLOOR)
    if t.book[t.nodes + n, at.ALONE] != 0:
        return floor
    for k in range(t.book[t.nodes + n, at.JUDGES], t.book[t.nodes + n, at.JUDGES_END]):
        a = t.book[t.judged + k, 0]
        begin, end = t.book[t.absences + a, at.CHECKS], t.book[t.absences + a, at.CHECKS_END]
        c = st.parts[st.rows[l, at.PARTITION], t.candidate_heads + a]
        c = newest_before(st.candidates, c, st.rows[r, at.FIRST])
        while c != kept.NONE and st.candidates[c, kept.EVENT] > floor:
            if all_hold(begin, end, t, ev, st, 0, l, r, c):
                floor = st.candidates[c, kept.EVENT] - 1  # what ended with this very event is before it
                break
            c = st.candidates[c, kept.PREVIOUS]
    return floor


@kernel
def make(t, ev, st, found, cursor, e, n, l, r, head, floor):  # noqa: E741
    """A member of what two groups make together; `l` is NONE where the new members of `r` are passed on.

    The group that has new members takes part with these, the other one with the range from `head` on.
    """
    event = cursor[at.OFFSET] + e
    new_floor = event - 1
    if not is_root(t, n):
        row = new_pair(t, st, cursor, n, l, r)
        if t.book[t.nodes + n, at.ALONE] != 0 and judge(t, ev, st, n, row) == BROKEN:
            cursor[at.ROWS] = row
            count_made(st, cursor, n)
            return
    count_made(st, cursor, n)
    m = new_member(st, cursor, event)
    is_left_new = l != at.NONE and st.members[head, of.GROUP] == r
    fresh = st.groups[l if is_left_new else r, of.NEWEST]
    youngest = latest_of(st.members, fresh, new_floor)
    if l == at.NONE:
        st.members[m, of.RIGHT], st.members[m, of.RIGHT_FLOOR] = fresh, new_floor
    elif is_left_new:
        st.members[m, of.LEFT], st.members[m, of.LEFT_FLOOR] = fresh, new_floor
        st.members[m, of.RIGHT], st.members[m, of.RIGHT_FLOOR] = head, floor
    else:
        st.members[m, of.LEFT], st.members[m, of.LEFT_FLOOR] = head, floor
        st.members[m, of.RIGHT], st.members[m, of.RIGHT_FLOOR] = fresh, new_floor
    if l != at.NONE:
        youngest = min(youngest, latest_of(st.members, head, floor))
    st.members[m, of.YOUNGEST] = youngest
    size = size_of(st.members, fresh, new_floor)
    set_size(st, m, n, size if l == at.NONE else size * size_of(st.members, head, floor))
    st.members[m, of.LAST_AT] = first_variable(st.members, fresh, new_floor)
    g = np.int64(at.NONE)
    if not is_root(t, n):
        g = settle(t, st, cursor, n, row)
        join_group(st, m, g, ev, e, event)
    number = np.int64(UNKNOWN)
    if is_counting(t, cursor):
        number = count_pair(t, ev, st, cursor, e, l if is_left_new else r, r if is_left_new else l, g)
    if is_root(t, n):
        report_member(t, ev, st, found, cursor, e, m, number)
