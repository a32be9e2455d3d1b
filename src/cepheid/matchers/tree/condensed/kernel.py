"""A condensed tree at work: each event goes into the leaves, then each node joins the groups that it changed.

A join takes a group with its members that are new at the event, and looks at the groups of the other side. It
tests the conditions once; what comes of it is one member, which stands for every composite of the new members
here and of those there that completed in time. In a SEQ that is before the right group began, in an AND
before the event. Of a group only the members count whose beginning the window still reaches.

A kernel may run out of room in the middle of an event; the cursor knows where it stands, as in a tree that is
not condensed. `jit` says what the letters mean; `n` is a node, `x` a group that starts a join and `o` one of
the other side.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers import candidates as kept
from cepheid.matchers.candidates import newest_before
from cepheid.matchers.identity import at_variable
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.absence import BROKEN, judge
from cepheid.matchers.tree.composites import (
    began,
    ended,
    have_one_event,
    new_leaf,
    new_link,
    new_pair,
    window,
)
from cepheid.matchers.tree.condensed import layout as of
from cepheid.matchers.tree.condensed.counting import (
    BEGAN,
    NUMBER,
    UNKNOWN,
    has_room_to_count,
    is_counting,
    merge,
    multiply,
    settle_counts,
    total_of,
)
from cepheid.matchers.tree.condensed.groups import settle
from cepheid.matchers.tree.condensed.members import (
    completed_before,
    first_variable,
    join_group,
    latest_of,
    moment_of,
    new_member,
    now_at,
    reaches,
    set_size,
    size_of,
)
from cepheid.matchers.tree.conditions import all_hold
from cepheid.matchers.tree.kernel import begin_block, begin_node
from cepheid.matchers.tree.lists import in_order, is_known, key_of, may_compare, newest
from cepheid.matchers.windows import EVENTS, within


@kernel
def advance_condensed(t, ev, st, found, cursor):
    """Go on with the events of the batch, one after the other; DONE, or what there is no room for."""
    while cursor[at.AT_EVENT] < ev.head.shape[1]:
        if cursor[at.AT_NODE] == at.BETWEEN:
            if cursor[at.MEMBERS] >= cursor[at.COLLECT_MEMBERS_AT]:
                return at.COLLECT
            answer = begin_block(t, ev, st, cursor)
            if answer != at.DONE:
                return answer
            begin_members(t, st, cursor, 0)
        while cursor[at.AT_NODE] < t.node_count:
            n = cursor[at.AT_NODE]
            answer = at_node(t, ev, st, found, cursor, n)
            if answer != at.DONE:
                return answer
            st.spans[n, at.NEW_END] = cursor[at.MEMBERS]
            begin_node(t, st, cursor, n + 1)
            begin_members(t, st, cursor, n + 1)
        cursor[at.AT_EVENT] += 1
        cursor[at.AT_NODE] = at.BETWEEN
    return at.DONE


@inlined
def begin_members(t, st, cursor, n):
    """The new members of a node begin here."""
    if n < t.node_count:
        st.spans[n, at.NEW] = cursor[at.MEMBERS]


@kernel
def at_node(t, ev, st, found, cursor, n):
    """All that an event makes of a node."""
    e = cursor[at.AT_EVENT]
    kind = t.book[t.nodes + n, at.KIND]
    if kind != at.LEAF and kind != at.CHAIN:
        return join_new(t, ev, st, found, cursor, e, n)
    bits = t.book[t.nodes + n, at.BEGIN_BIT] | t.book[t.nodes + n, at.TAKE_BIT]
    if ev.head[at.IN_PARTITION, e] == at.NONE or ev.head[at.MASK, e] & bits == 0:
        return at.DONE
    if kind == at.CHAIN:
        return extend_groups(t, ev, st, found, cursor, e, n)
    return take_event(t, ev, st, found, cursor, e, n)


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
    cursor[at.COMPOSITES] += 1
    event = cursor[at.OFFSET] + e
    m = new_member(st, cursor, event)
    mark_event(t, ev, st, cursor, e, m, t.book[t.nodes + n, at.POSITION])
    st.members[m, of.YOUNGEST] = moment_of(t, ev, e)
    set_size(st, m, n, 1.0)
    if is_root(t, n):
        report_member(t, ev, st, found, cursor, e, m, 1)
        return at.DONE
    if t.book[t.nodes + n, at.IS_FLEETING] != 0:
        g = try_event(t, ev, st, cursor, e, n)
        st.tally[n, of.GROUPS_MADE] += 1
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


@inlined
def try_event(t, ev, st, cursor, e, n):
    """An event in the row of its node."""
    rows = cursor[at.ROWS]
    cursor[at.ROWS] = n
    row = new_leaf(t, ev, st, cursor, e, n)
    cursor[at.ROWS] = rows
    return row


@kernel
def count_event(t, ev, st, cursor, e, g):
    """An event by itself is one more composite of a group."""
    now = now_at(t, ev, e)
    settle_counts(t, st, cursor, g, cursor[at.OFFSET] + e, now)
    st.counts[st.counts.shape[0] - 1, BEGAN] = moment_of(t, ev, e)
    st.counts[st.counts.shape[0] - 1, NUMBER] = 1
    merge(t, st, cursor, g, of.NEW_AT, st.counts.shape[0] - 1, 1, now)


# -- chains ------------------------------------------------------------------------------------------


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
    if begin < end:
        cursor[at.PAIRS] += 1
    return all_hold(begin, end, t, ev, st, e, o, o, 0)


@kernel
def add_to_chain(t, ev, st, found, cursor, e, n, before, head):
    """The chains of a group with one more event, or a chain that begins with it."""
    node = t.nodes + n
    cursor[at.COMPOSITES] += 1
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


@kernel
def count_chain(t, ev, st, cursor, e, before, g):
    """The chains of a group with one more event, or one that begins with it; how many these are."""
    if before == at.NONE:
        count_event(t, ev, st, cursor, e, g)
        return np.int64(1)
    now, event = now_at(t, ev, e), cursor[at.OFFSET] + e
    settle_counts(t, st, cursor, before, event, now)
    settle_counts(t, st, cursor, g, event, now)
    begin, size = st.groups[before, of.OLD_AT], st.groups[before, of.OLD_SIZE]
    merge(t, st, cursor, g, of.NEW_AT, begin, size, now)
    number = total_of(t, st, cursor, begin, size, now)
    return number if cursor[at.COUNTS_OFF] == 0 else np.int64(UNKNOWN)


# -- joins -------------------------------------------------------------------------------------------


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
    if begin < end:
        cursor[at.PAIRS] += 1
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
            cursor[at.COMPOSITES] += 1
            return
    cursor[at.COMPOSITES] += 1
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


@kernel
def count_pair(t, ev, st, cursor, e, x, o, g):
    """Count what the new members of `x` make with those of `o`, in a group `g`; how many if that is NONE."""
    now, event = now_at(t, ev, e), cursor[at.OFFSET] + e
    begin, size = st.groups[x, of.NEW_AT], st.groups[x, of.NEW_SIZE]
    if o != at.NONE:
        settle_counts(t, st, cursor, o, event, now)
        size = multiply(t, st, cursor, x, o, now)
        begin = cursor[at.COUNTS]
    number = np.int64(UNKNOWN)
    if g == at.NONE:
        number = total_of(t, st, cursor, begin, size, now)
    else:
        end = begin + size
        if o != at.NONE:
            cursor[at.COUNTS] = end  # what was multiplied lies there until it is merged
        settle_counts(t, st, cursor, g, event, now)
        merge(t, st, cursor, g, of.NEW_AT, begin, size, now)
        if o != at.NONE and cursor[at.COUNTS] == end:
            cursor[at.COUNTS] = begin
    return number if cursor[at.COUNTS_OFF] == 0 else np.int64(UNKNOWN)
