"""The tree at work: a block of events goes into the leaves, then each node joins what is new below it.

A node keeps its composites in the order in which they completed. Of two composites that a join may put
together, the one that completed later starts it: it looks at those of the other side that completed before.
In a SEQ that is always the right one. Composites of one node that complete at one event never meet another
one that completes there: they would share that event.

A kernel may run out of room in the middle of a block. The cursor knows where it stands: the node, the next
new composite of each side, and the composite of the other side that is next to be looked at. `jit` says what
the letters mean; `n` is a node, `x` a composite that starts a join and `o` one of the other side.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.absence import BROKEN, OPEN, judge, note_candidates
from cepheid.matchers.tree.closing import close_counted, report, wait_for_close
from cepheid.matchers.tree.composites import (
    count_made,
    count_pair_tested,
    fits,
    have_one_event,
    is_over,
    new_leaf,
    new_link,
    new_pair,
)
from cepheid.matchers.tree.conditions import all_hold
from cepheid.matchers.tree.lists import completed_before, key_of, newest, none_fits, put_in_list


@kernel
def advance(t, ev, st, found, cursor):
    """Go on with the events of the batch, block after block; DONE, or what there is no room for."""
    while cursor[at.AT_EVENT] < ev.head.shape[1]:
        if cursor[at.AT_NODE] == at.BETWEEN:
            answer = begin_block(t, ev, st, cursor)
            if answer != at.DONE:
                return answer
        while cursor[at.AT_NODE] < t.node_count:
            n = cursor[at.AT_NODE]
            kind = t.book[t.nodes + n, at.KIND]
            if kind == at.LEAF:
                answer = fill_leaf(t, ev, st, found, cursor, n)
            elif kind == at.CHAIN:
                answer = extend_chains(t, ev, st, found, cursor, n)
            else:
                answer = join(t, ev, st, found, cursor, n)
            if answer != at.DONE:
                return answer
            st.spans[n, at.NEW_END] = cursor[at.ROWS]
            begin_node(t, st, cursor, n + 1)
        answer = end_block(t, ev, st, found, cursor)
        if answer != at.DONE:
            return answer
    return at.DONE


@kernel
def begin_block(t, ev, st, cursor):
    """Number the next events in their partitions, and keep candidates for absence."""
    if cursor[at.ROWS] >= cursor[at.COLLECT_AT]:
        return at.COLLECT
    begin = cursor[at.AT_EVENT]
    end = min(begin + t.block, ev.head.shape[1])
    if cursor[at.CANDIDATES] + (end - begin) * t.absence_count > st.candidates.shape[0]:
        return at.CANDIDATES_FULL
    for e in range(begin, end):
        p = ev.head[at.IN_PARTITION, e]
        if p != at.NONE:
            st.parts[p, at.COUNTED] += 1
            ev.head[at.ORDINAL, e] = st.parts[p, at.COUNTED]
            note_candidates(t, ev, st, cursor, e)
    cursor[at.BLOCK_END] = end
    begin_node(t, st, cursor, 0)
    return at.DONE


@inlined
def begin_node(t, st, cursor, n):
    """Turn to a node."""
    cursor[at.AT_NODE] = n
    cursor[at.PHASE] = at.FRESH
    cursor[at.STEP] = cursor[at.AT_EVENT]
    if n < t.node_count:
        st.spans[n, at.NEW] = cursor[at.ROWS]
        left, right = t.book[t.nodes + n, at.LEFT], t.book[t.nodes + n, at.RIGHT]
        if left != at.NONE:
            cursor[at.STEP] = st.spans[left, at.NEW]
            cursor[at.STEP_RIGHT] = st.spans[right, at.NEW]


@kernel
def end_block(t, ev, st, found, cursor):
    """Let windows of events close."""
    while t.waits_for_events and cursor[at.AT_EVENT] < cursor[at.BLOCK_END]:
        if cursor[at.FOUND] + cursor[at.PENDING_COUNT] > found.shape[0]:
            return at.FOUND_FULL
        if ev.head[at.IN_PARTITION, cursor[at.AT_EVENT]] != at.NONE:
            close_counted(t, ev, st, found, cursor, cursor[at.AT_EVENT])
        cursor[at.AT_EVENT] += 1
    cursor[at.AT_EVENT] = cursor[at.BLOCK_END]
    cursor[at.AT_NODE] = at.BETWEEN
    return at.DONE


@inlined
def room(t, st, found, cursor, rows):
    """Whether there is room for so many composites, and for a match."""
    if cursor[at.ROWS] + rows > st.rows.shape[0]:
        return at.ROWS_FULL
    if cursor[at.FOUND] == found.shape[0]:
        return at.FOUND_FULL
    return at.PENDING_FULL if cursor[at.FREE_PENDING] == at.NONE else at.DONE


@kernel
def finish(t, ev, st, found, cursor, n, row):
    """Judge a new composite, the last one that was made, and put it where it is looked for."""
    count_made(st, cursor, n)
    if st.rows[row, at.HIDDEN] == 0:
        verdict = judge(t, ev, st, n, row)
        if verdict == BROKEN and t.book[t.nodes + n, at.KIND] != at.CHAIN:
            cursor[at.ROWS] = row
            return
        if verdict == BROKEN:  # a longer chain is judged anew: it ends later, and has other events
            st.rows[row, at.HIDDEN] = 1
        elif n == t.node_count - 1:
            if verdict == OPEN:
                wait_for_close(t, st, cursor, row)
            else:
                report(t, st, found, cursor, row, st.rows[row, at.LAST], st.rows[row, at.LAST_TIME], 0)
    if t.book[t.nodes + n, at.LISTED] != 0:
        put_in_list(t, st, row)


@kernel
def fill_leaf(t, ev, st, found, cursor, n):
    """Each event of the block that a leaf takes becomes a composite."""
    bit = t.book[t.nodes + n, at.BEGIN_BIT]
    while cursor[at.STEP] < cursor[at.BLOCK_END]:
        e = cursor[at.STEP]
        if ev.head[at.MASK, e] & bit != 0 and ev.head[at.IN_PARTITION, e] != at.NONE:
            answer = room(t, st, found, cursor, 1)
            if answer != at.DONE:
                return answer
            finish(t, ev, st, found, cursor, n, new_leaf(t, ev, st, cursor, e, n))
        cursor[at.STEP] += 1
    return at.DONE


@kernel
def extend_chains(t, ev, st, found, cursor, n):
    """Each event of the block begins a chain, and goes on with those that may take it."""
    node = t.nodes + n
    begins, takes = t.book[node, at.BEGIN_BIT], t.book[node, at.TAKE_BIT]
    while cursor[at.STEP] < cursor[at.BLOCK_END]:
        e = cursor[at.STEP]
        mask = ev.head[at.MASK, e]
        if mask & (begins | takes) == 0 or ev.head[at.IN_PARTITION, e] == at.NONE:
            cursor[at.STEP] += 1
            continue
        if cursor[at.PHASE] == at.FRESH:
            answer = room(t, st, found, cursor, 2)
            if answer != at.DONE:
                return answer
            leaf = new_leaf(t, ev, st, cursor, e, n)
            st.rows[leaf, at.HIDDEN] = 1
            cursor[at.PHASE], cursor[at.STEP_RIGHT] = at.WALKING, leaf
            cursor[at.OTHER] = st.parts[st.rows[leaf, at.PARTITION], at.HEADS + n]
            if mask & begins != 0:
                add_link(t, ev, st, found, cursor, e, n, np.int64(at.NONE))
        while cursor[at.OTHER] != at.NONE and mask & takes != 0:
            o = cursor[at.OTHER]
            if is_over(t, st, n, o, cursor[at.STEP_RIGHT]):
                break
            answer = room(t, st, found, cursor, 1)
            if answer != at.DONE:
                return answer
            cursor[at.OTHER] = st.rows[o, at.PREVIOUS]
            if may_take(t, ev, st, cursor, e, n, o):
                add_link(t, ev, st, found, cursor, e, n, o)
        cursor[at.PHASE] = at.FRESH
        cursor[at.STEP] += 1
    return at.DONE


@kernel
def may_take(t, ev, st, cursor, e, n, o):
    """Whether a chain may go on with an event."""
    node = t.nodes + n
    if st.rows[o, at.TAKEN] >= t.book[node, at.MOST] or not fits(t, st, n, o, cursor[at.STEP_RIGHT]):
        return False
    begin, end = t.book[node, at.ON_TAKE], t.book[node, at.ON_TAKE_END]
    count_pair_tested(st, cursor, n)
    return all_hold(begin, end, t, ev, st, e, o, o, 0)


@kernel
def add_link(t, ev, st, found, cursor, e, n, before):
    """A chain with one more event; it is hidden from other nodes while it is too short."""
    node = t.nodes + n
    row = new_link(t, ev, st, cursor, e, n, before, cursor[at.STEP_RIGHT])
    is_whole = st.rows[row, at.TAKEN] >= t.book[node, at.LEAST] and all_hold(
        t.book[node, at.ON_LEAVE], t.book[node, at.ON_LEAVE_END], t, ev, st, e, row, row, 0
    )
    st.rows[row, at.HIDDEN] = 0 if is_whole else 1
    finish(t, ev, st, found, cursor, n, row)


@kernel
def join(t, ev, st, found, cursor, n):
    """The new composites of both sides, in the order in which they completed: each is passed on by itself
    where the other side may be empty, and looks at what completed before it on the other side."""
    node = t.nodes + n
    left, right = t.book[node, at.LEFT], t.book[node, at.RIGHT]
    while True:
        skip_hidden(st, cursor, at.STEP, left)
        skip_hidden(st, cursor, at.STEP_RIGHT, right)
        x, y = cursor[at.STEP], cursor[at.STEP_RIGHT]
        if x == st.spans[left, at.NEW_END] and y == st.spans[right, at.NEW_END]:
            return at.DONE
        is_left = y == st.spans[right, at.NEW_END] or (
            x < st.spans[left, at.NEW_END] and st.rows[x, at.LAST] < st.rows[y, at.LAST]
        )
        answer = join_one(t, ev, st, found, cursor, n, x if is_left else y, is_left)
        if answer != at.DONE:
            return answer
        cursor[at.PHASE] = at.FRESH
        cursor[at.STEP if is_left else at.STEP_RIGHT] += 1


@inlined
def skip_hidden(st, cursor, step, child):
    """Go on to a new composite of a child that may be joined."""
    while cursor[step] < st.spans[child, at.NEW_END] and st.rows[cursor[step], at.HIDDEN] != 0:
        cursor[step] += 1


@kernel
def join_one(t, ev, st, found, cursor, n, x, is_left):
    """All that one new composite completes at a node."""
    node = t.nodes + n
    if cursor[at.PHASE] == at.FRESH:
        if t.book[node, at.PASSES_LEFT if is_left else at.PASSES_RIGHT] != 0 and fits(t, st, n, x, x):
            answer = room(t, st, found, cursor, 1)
            if answer != at.DONE:
                return answer
            finish(t, ev, st, found, cursor, n, new_pair(t, st, cursor, n, np.int64(at.NONE), x))
        if t.book[node, at.STARTS_LEFT if is_left else at.STARTS_RIGHT] == 0:
            return at.DONE
        cursor[at.PHASE] = at.WALKING
        cursor[at.OTHER] = first_to_look_at(t, st, n, x, is_left)
    p, key = st.rows[x, at.PARTITION], key_of(t, st, st.rows[x, at.OF_NODE], x)
    is_hashed = t.book[t.nodes + t.book[node, at.RIGHT if is_left else at.LEFT], at.INDEX] != at.NONE
    while cursor[at.OTHER] != at.NONE:
        o = cursor[at.OTHER]
        if t.is_indexed and none_fits(t, st, n, o, x, is_left):
            cursor[at.OTHER] = st.rows[o, at.JUMP]
            continue
        if is_hashed and (st.rows[o, at.KEY] != key or st.rows[o, at.PARTITION] != p):
            cursor[at.OTHER] = st.rows[o, at.PREVIOUS]
            continue
        if is_over(t, st, n, o, x):
            return at.DONE
        answer = room(t, st, found, cursor, 1)
        if answer != at.DONE:
            return answer
        cursor[at.OTHER] = st.rows[o, at.PREVIOUS]
        l, r = (x, o) if is_left else (o, x)  # noqa: E741
        if st.rows[o, at.HIDDEN] == 0 and go_together(t, ev, st, cursor, n, l, r):
            finish(t, ev, st, found, cursor, n, new_pair(t, st, cursor, n, l, r))
    return at.DONE


@kernel
def first_to_look_at(t, st, n, x, is_left):
    """The newest composite of the other side that completed before `x`, in a SEQ before it began."""
    node = t.nodes + n
    other = t.book[node, at.RIGHT if is_left else at.LEFT]
    key = key_of(t, st, st.rows[x, at.OF_NODE], x)
    before = st.rows[x, at.FIRST if t.book[node, at.KIND] == at.SEQ else at.LAST]
    return completed_before(st, newest(t, st, other, st.rows[x, at.PARTITION], key), before)


@kernel
def go_together(t, ev, st, cursor, n, l, r):  # noqa: E741
    """Whether two composites make one of a node."""
    node = t.nodes + n
    first = l if st.rows[l, at.FIRST] < st.rows[r, at.FIRST] else r
    last = r if st.rows[l, at.LAST] < st.rows[r, at.LAST] else l
    if not fits(t, st, n, first, last):
        return False
    if t.book[node, at.SHARES] != 0 and have_one_event(st, l, r):
        return False
    begin, end = t.book[node, at.TESTS], t.book[node, at.TESTS_END]
    count_pair_tested(st, cursor, n)
    return all_hold(begin, end, t, ev, st, 0, l, r, 0)
