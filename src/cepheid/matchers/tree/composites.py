"""Composites: how they are made of events and of each other, and whether two of them fit together.

`n` is a node, `l` and `r` are a left and a right composite. `jit` says what the other letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers import captures as slot
from cepheid.matchers.captures import SlotPlaces
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.match_identity import at_variable
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.conditions import COLUMN
from cepheid.matchers.windows import EVENTS, within

PLACES = SlotPlaces(at.WIDTH, at.VALID, at.OVERFLOWN)


@inlined
def window(t, w):
    """The kind and the limit of a window: 0 is the query's own, then those of sub-patterns."""
    return t.book[t.windows + w, at.WINDOW_KIND], t.book[t.windows + w, at.WINDOW_LIMIT]


@inlined
def began(kind, st, row):
    """When a composite began, as a window of this kind measures it."""
    return st.rows[row, at.FIRST_ORDINAL if kind == EVENTS else at.FIRST_TIME]


@inlined
def ended(kind, st, row):
    """When a composite ended, as a window of this kind measures it."""
    return st.rows[row, at.LAST_ORDINAL if kind == EVENTS else at.LAST_TIME]


@inlined
def count_pair_tested(st, cursor, n):
    """A node looks at a pair that is in order and in the window, and tests its conditions if it has any."""
    cursor[at.PAIRS] += 1
    st.tally[n, at.TESTED] += 1


@inlined
def count_made(st, cursor, n):
    """A node has made a composite."""
    cursor[at.COMPOSITES] += 1
    st.tally[n, at.MADE] += 1


@inlined
def new_row(st, cursor, n, p):
    """A composite of a node, with nothing in it."""
    row = cursor[at.ROWS]
    cursor[at.ROWS] += 1
    for k in range(at.WIDTH):
        st.rows[row, k] = 0
    st.rows[row, at.PART_LEFT] = st.rows[row, at.PART_RIGHT] = st.rows[row, at.STORED] = at.NONE
    st.rows[row, at.OF_NODE] = n
    st.rows[row, at.PARTITION] = p
    return row


@kernel
def new_leaf(t, ev, st, cursor, e, n):
    """An event as a composite."""
    node = t.nodes + n
    row = new_row(st, cursor, n, ev.head[at.IN_PARTITION, e])
    position = t.book[node, at.POSITION]
    st.rows[row, at.BOUND] = np.int64(1) << position
    st.rows[row, at.EVENTS] = 1
    st.rows[row, at.STORED] = cursor[at.STORE] + e
    st.rows[row, at.LAST_LEAF] = row
    st.rows[row, at.FIRST] = st.rows[row, at.LAST] = cursor[at.OFFSET] + e
    st.rows[row, at.FIRST_TIME] = st.rows[row, at.LAST_TIME] = ev.head[at.TIME, e]
    st.rows[row, at.FIRST_ORDINAL] = st.rows[row, at.LAST_ORDINAL] = ev.head[at.ORDINAL, e]
    for lane in range(2):
        st.rows[row, at.IDENTITY + lane] = np.int64(at_variable(ev.head[at.HASH + lane, e], position))
    for k in range(t.book[node, at.CAPTURES], t.book[node, at.CAPTURES_END]):
        slot.capture(t.book, t.captures + k, ev, e, st.rows, row, PLACES, 0, True)
    return row


@kernel
def new_link(t, ev, st, cursor, e, n, before, leaf):
    """A chain with one more event; `before` is NONE for its first one."""
    node = t.nodes + n
    row = new_row(st, cursor, n, st.rows[leaf, at.PARTITION])
    for k in range(at.BOUND, st.rows.shape[1]):
        st.rows[row, k] = st.rows[leaf if before == at.NONE else before, k]
    taken = np.int64(0)
    if before != at.NONE:
        taken = st.rows[before, at.TAKEN]
        st.rows[row, at.EVENTS] += 1
        for k in range(at.LAST, at.LAST_ORDINAL + 1):
            st.rows[row, k] = st.rows[leaf, k]
        add_identity(st, row, leaf)
    st.rows[row, at.PART_LEFT], st.rows[row, at.PART_RIGHT] = before, leaf
    st.rows[row, at.STORED], st.rows[row, at.LAST_LEAF] = at.NONE, leaf
    st.rows[row, at.TAKEN] = taken + 1
    st.rows[row, at.KEPT_VALID] = 0
    for k in range(t.book[node, at.REMEMBERS], t.book[node, at.REMEMBERS_END]):
        remember(t, ev, st, e, row, before, k)
    for k in range(t.book[node, at.CAPTURES], t.book[node, at.CAPTURES_END]):
        c = t.captures + k
        is_new = not slot.is_distinct(t.book[c, slot.KIND]) or is_new_value(t, ev, st, e, c, before)
        slot.capture(t.book, c, ev, e, st.rows, row, PLACES, taken, is_new)
    return row


@inlined
def add_identity(st, row, other):
    """Let a composite be known by the events of another one too."""
    for lane in range(2):
        known = np.uint64(st.rows[row, at.IDENTITY + lane]) + np.uint64(st.rows[other, at.IDENTITY + lane])
        st.rows[row, at.IDENTITY + lane] = np.int64(known)


@kernel
def remember(t, ev, st, e, row, before, k):
    """Keep a value with an event of a chain, for conditions that range over them."""
    row_of = t.remembered + k
    source, index, place = t.book[row_of, 0], t.book[row_of, 1], t.book[row_of, 2]
    if source == COLUMN:
        value, known = ev.columns[index, e], ev.valid[index, e] != 0
    elif before == at.NONE:
        value, known = np.int64(0), False
    else:
        value, known = st.rows[before, at.WIDTH + index], (st.rows[before, at.VALID] >> index) & 1 != 0
    st.rows[row, t.kept + place] = value
    if known:
        st.rows[row, at.KEPT_VALID] |= np.int64(1) << place


@kernel
def is_new_value(t, ev, st, e, c, before):
    """Whether no event of a chain has the value that an event brings."""
    place, column = t.book[c, slot.REMEMBERED], t.book[c, slot.COLUMN]
    is_real = t.book[c, slot.KIND] == slot.DISTINCT_REAL
    while before != at.NONE:
        if (st.rows[before, at.KEPT_VALID] >> place) & 1 != 0:
            if slot.same_value(is_real, st.rows[before, t.kept + place], ev.columns[column, e]):
                return False
        before = st.rows[before, at.PART_LEFT]
    return True


@kernel
def new_pair(t, st, cursor, n, l, r):  # noqa: E741
    """Two composites as one; `l` is NONE where one is passed on as it is."""
    node = t.nodes + n
    row = new_row(st, cursor, n, st.rows[r, at.PARTITION])
    st.rows[row, at.PART_LEFT], st.rows[row, at.PART_RIGHT] = l, r
    for k in (at.BOUND, at.VALID, at.EVENTS, at.LAST_LEAF):
        st.rows[row, k] = st.rows[r, k]
    for k in range(at.FIRST, at.LAST_ORDINAL + 1):
        st.rows[row, k] = st.rows[r, k]
    add_identity(st, row, r)
    if l == at.NONE:
        for k in range(at.WIDTH, at.WIDTH + t.slot_count):
            st.rows[row, k] = st.rows[r, k]
        return row
    for k in (at.BOUND, at.VALID):
        st.rows[row, k] |= st.rows[l, k]
    st.rows[row, at.EVENTS] += st.rows[l, at.EVENTS]
    if st.rows[l, at.FIRST] < st.rows[r, at.FIRST]:
        for k in range(at.FIRST, at.FIRST_ORDINAL + 1):
            st.rows[row, k] = st.rows[l, k]
    if st.rows[l, at.LAST] > st.rows[r, at.LAST]:
        for k in range(at.LAST, at.LAST_ORDINAL + 1):
            st.rows[row, k] = st.rows[l, k]
        st.rows[row, at.LAST_LEAF] = st.rows[l, at.LAST_LEAF]
    add_identity(st, row, l)
    for k in range(t.book[node, at.CARRIES_LEFT], t.book[node, at.CARRIES_LEFT_END]):
        place = at.WIDTH + t.book[t.carried + k, 0]
        st.rows[row, place] = st.rows[l, place]
    for k in range(t.book[node, at.CARRIES_RIGHT], t.book[node, at.CARRIES_RIGHT_END]):
        place = at.WIDTH + t.book[t.carried + k, 0]
        st.rows[row, place] = st.rows[r, place]
    return row


@inlined
def fits(t, st, n, first, last):
    """Whether a composite that would begin as `first` and end as `last` does is in the windows of a node."""
    for k in range(t.book[t.nodes + n, at.WINDOWS], t.book[t.nodes + n, at.WINDOWS_END]):
        kind, limit = window(t, t.book[t.enclosures + k, 0])
        if not within(kind, limit, began(kind, st, first), ended(kind, st, last)):
            return False
    return True


@inlined
def is_over(t, st, n, older, newer):
    """Whether the windows of a node that end as `newer` does began after `older` had ended."""
    for k in range(t.book[t.nodes + n, at.WINDOWS], t.book[t.nodes + n, at.WINDOWS_END]):
        kind, limit = window(t, t.book[t.enclosures + k, 0])
        if not within(kind, limit, ended(kind, st, older), ended(kind, st, newer)):
            return True
    return False


@kernel
def have_one_event(st, l, r):  # noqa: E741
    """Whether an event is in both composites."""
    if st.rows[l, at.LAST] < st.rows[r, at.FIRST] or st.rows[r, at.LAST] < st.rows[l, at.FIRST]:
        return False
    depth = 0
    row = np.int64(l)
    while True:
        if st.rows[row, at.PART_RIGHT] == at.NONE:
            if has_event(st, r, st.rows[row, at.FIRST], depth):
                return True
            if depth == 0:
                return False
            depth -= 1
            row = st.scratch[depth, at.STACK]
        else:
            if st.rows[row, at.PART_LEFT] != at.NONE:
                st.scratch[depth, at.STACK] = st.rows[row, at.PART_LEFT]
                depth += 1
            row = st.rows[row, at.PART_RIGHT]


@kernel
def has_event(st, row, event, base):
    """Whether a composite has the event of this position of the stream; the stack is free from `base` on."""
    depth = base
    while True:
        if st.rows[row, at.FIRST] <= event and event <= st.rows[row, at.LAST]:
            if st.rows[row, at.PART_RIGHT] == at.NONE:
                return True
            if st.rows[row, at.PART_LEFT] != at.NONE:
                st.scratch[depth, at.STACK] = st.rows[row, at.PART_LEFT]
                depth += 1
            row = st.rows[row, at.PART_RIGHT]
        elif depth == base:
            return False
        else:
            depth -= 1
            row = st.scratch[depth, at.STACK]
