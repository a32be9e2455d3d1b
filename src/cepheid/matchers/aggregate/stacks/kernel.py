"""Two stacks: a window's matches as the product of the matrices of its events.

Newer events are multiplied into one product as they come, the back stack. Older ones are in the front
stack, each with the product from it to the stack's end, so that the oldest can leave. When the front
stack is empty and an event must leave, the back stack becomes the front stack. So an event is multiplied
twice, whatever the window holds; nothing is ever taken back, and all numbers stay exact.
"""

from __future__ import annotations

from cepheid.matchers.aggregate.cells import add, begin, clear, is_zero, put, take
from cepheid.matchers.aggregate.layout import (
    ABOVE,
    AFTER,
    AFTER_END,
    ALL_FINAL,
    ALL_FIRST,
    ARRIVES,
    AT_EVENT,
    BEGIN_TESTS,
    BEGINS,
    CHANGED,
    CHANGED_NEXT,
    END_TESTS,
    ENDS,
    ENTERS,
    EVENTS,
    EXPIRES,
    FINAL,
    FINISHED,
    FIRST,
    FIRST_CHANGED,
    FREE_FRONTS,
    FREE_KEPT,
    FREE_KEPTS,
    FRONT,
    FRONT_FINAL,
    FRONTS_FULL,
    GROUP,
    HAS_ROW,
    HOLDS,
    KEPT_ALL_BEFORE,
    KEPT_ALL_NEXT,
    KEPT_BEFORE,
    KEPT_FRONT,
    KEPT_MASK,
    KEPT_NEXT,
    KEPT_PARTITION,
    KEPT_SINCE,
    KEPTS_FULL,
    LEFT,
    MASK,
    NONE,
    OF_GROUP,
    ORDINAL,
    PARTITION,
    PHASE,
    REPORTS,
    RIGHT,
    ROWS,
    ROWS_FULL,
    SIZE,
    START,
    STOP,
    TEST,
    TIME,
    TOO_NARROW,
    TOP,
    UNLIMITED,
    VISITS,
)
from cepheid.matchers.aggregate.marking.kernel import inside, moment
from cepheid.matchers.aggregate.stacks.matrices import (
    add_window,
    become_one,
    is_full,
    multiply_back,
    multiply_turning,
    place,
    size_of,
)
from cepheid.matchers.jit import inlined, kernel


@kernel
def slide(t, ev, st, kept, found, found_rows, cursor):
    """Events from the cursor on, until all are done or there is no more room.

    An event waits in the phase that it has come to where numbers must get wider first.
    """
    for e in range(cursor[AT_EVENT], cursor[STOP]):
        cursor[AT_EVENT] = e
        p, mask = ev.head[PARTITION, e], ev.head[MASK, e]
        if p == NONE:
            continue
        full = room_for(t, found, cursor)
        if full != FINISHED:
            return full
        if cursor[PHASE] == ARRIVES:
            st.partitions[p, ORDINAL] += 1
            cursor[PHASE] = EXPIRES
        now = moment(t, ev, st, e, p)
        if cursor[PHASE] == EXPIRES:
            if not expire(t, st, kept, cursor, p, now):
                return TOO_NARROW
            cursor[PHASE] = ENTERS
        if cursor[PHASE] == ENTERS:
            narrow = False
            if mask & st.rules[BEGIN_TESTS] or (mask & t.all_tests and st.partitions[p, HOLDS]):
                if t.keeps_closed and mask & st.rules[END_TESTS]:
                    if not close_ways(t, ev, st, e, p, mask):
                        return TOO_NARROW
                    narrow = is_full(t, st.rules, st.closed, ev.head[GROUP, e])
                narrow = enter(t, ev, st, kept, cursor, e, p, mask, now) or narrow
            cursor[PHASE] = REPORTS
            if narrow:
                return TOO_NARROW
        if ev.head[HAS_ROW, e]:
            if not refresh(t, ev.ranks, st, cursor):
                return TOO_NARROW
            found[cursor[ROWS]] = e
            put_group(st, ev.head[GROUP, e], found_rows, cursor[ROWS])
            cursor[ROWS] += 1
        cursor[PHASE] = ARRIVES
    cursor[AT_EVENT] = cursor[STOP]
    return FINISHED


@inlined
def room_for(t, found, cursor):
    """Whether the next event finds room, whatever it does."""
    if cursor[ROWS] >= found.shape[0]:
        return ROWS_FULL
    if t.window[0] == UNLIMITED:
        return FINISHED
    if cursor[FREE_KEPTS] == 0:
        return KEPTS_FULL
    return FRONTS_FULL if cursor[FREE_FRONTS] == 0 else FINISHED


# -- events that leave -----------------------------------------------------------------------------


@inlined
def expire(t, st, kept, cursor, p, now):
    """Drop the events that the window has left; windows of events are each partition's own.

    False if numbers must get wider first: then it goes on from there.
    """
    if t.window[0] == UNLIMITED:
        return True
    while True:
        x = st.partitions[p, FIRST] if t.window[0] == EVENTS else cursor[ALL_FIRST]
        if x == NONE or inside(t, st.events[x, KEPT_SINCE], now):
            return True
        if not leave(t, st, kept, cursor, st.events[x, KEPT_PARTITION]):
            return False


@inlined
def leave(t, st, kept, cursor, p):
    """The oldest event of a partition leaves, and what follows it up to the next that begins a match."""
    if st.partitions[p, FRONT] == NONE and st.partitions[p, HOLDS] > 1 and not turn(t, st, kept, cursor, p):
        return False
    st.partitions[p, HOLDS] -= 1
    drop_first(st, cursor, p)
    while st.partitions[p, FIRST] != NONE and st.events[st.partitions[p, FIRST], KEPT_FRONT] == NONE:
        drop_first(st, cursor, p)
    if st.partitions[p, FRONT_FINAL] != NONE:
        st.partitions[p, FRONT] = st.events[st.partitions[p, FIRST], KEPT_FRONT]
    else:
        st.partitions[p, FRONT] = NONE
    if st.partitions[p, HOLDS] == 0:
        count = t.steps.shape[0]
        for q in range(count):
            clear(st.backs, p * size_of(count) + place(count, START, q))
    note_change(t, st, cursor, p)
    return True


@kernel
def drop_first(st, cursor, p):
    """Forget the oldest event of a partition."""
    x = st.partitions[p, FIRST]
    following = st.events[x, KEPT_NEXT]
    st.partitions[p, FIRST] = following
    if following == NONE:
        st.partitions[p, FINAL] = NONE
    else:
        st.events[following, KEPT_BEFORE] = NONE
    if x == st.partitions[p, FRONT_FINAL]:
        st.partitions[p, FRONT_FINAL] = NONE
    before, after = st.events[x, KEPT_ALL_BEFORE], st.events[x, KEPT_ALL_NEXT]
    if before == NONE:
        cursor[ALL_FIRST] = after
    else:
        st.events[before, KEPT_ALL_NEXT] = after
    if after == NONE:
        cursor[ALL_FINAL] = before
    else:
        st.events[after, KEPT_ALL_BEFORE] = before
    if st.events[x, KEPT_FRONT] != NONE:
        st.free_fronts[cursor[FREE_FRONTS]] = st.events[x, KEPT_FRONT]
        cursor[FREE_FRONTS] += 1
    st.events[x, KEPT_NEXT] = cursor[FREE_KEPT]
    cursor[FREE_KEPT] = x
    cursor[FREE_KEPTS] += 1


@kernel
def turn(t, st, kept, cursor, p):
    """A back stack becomes the front stack, but for its oldest event, which is about to leave."""
    count = t.steps.shape[0]
    become_one(t, st.turning, 0)
    x = st.partitions[p, FINAL]
    while x != st.partitions[p, FIRST]:
        cursor[VISITS] += 1
        if multiply_turning(t, kept, st, x):
            return False
        if st.events[x, KEPT_FRONT] != NONE:
            for q in range(count):
                i = st.events[x, KEPT_FRONT] * count + q
                put(st.fronts, i, st.turning, place(count, START, q))
        x = st.events[x, KEPT_BEFORE]
    st.partitions[p, FRONT_FINAL] = st.partitions[p, FINAL]
    become_one(t, st.backs, p * size_of(count))
    return True


# -- events that enter -----------------------------------------------------------------------------


@inlined
def enter(t, ev, st, kept, cursor, e, p, mask, now):
    """An event joins the back stack of its partition; whether a number there is full."""
    cursor[VISITS] += 1
    if st.partitions[p, OF_GROUP] == NONE and not t.keeps_closed:
        join(st, p, ev.head[GROUP, e])
    begins = mask & st.rules[BEGIN_TESTS] != 0
    if begins:
        st.partitions[p, HOLDS] += 1
    if t.window[0] != UNLIMITED:
        keep(ev, st, kept, cursor, e, p, mask, now, begins)
    if mask & st.rules[END_TESTS]:
        note_change(t, st, cursor, p)
    return multiply_back(t, ev, st, e, p, mask)


@inlined
def keep(ev, st, kept, cursor, e, p, mask, now, begins):
    """Remember an event, the newest of its partition and of all."""
    x = cursor[FREE_KEPT]
    cursor[FREE_KEPT] = st.events[x, KEPT_NEXT]
    cursor[FREE_KEPTS] -= 1
    for k in range(ev.columns.shape[0]):
        kept.columns[k, x] = ev.columns[k, e]
        kept.valid[k, x] = ev.valid[k, e]
    st.events[x, KEPT_SINCE] = now
    st.events[x, KEPT_PARTITION] = p
    st.events[x, KEPT_MASK] = mask
    st.events[x, KEPT_FRONT] = NONE
    if begins:
        cursor[FREE_FRONTS] -= 1
        st.events[x, KEPT_FRONT] = st.free_fronts[cursor[FREE_FRONTS]]
    final, newest = st.partitions[p, FINAL], cursor[ALL_FINAL]
    st.events[x, KEPT_NEXT] = NONE
    st.events[x, KEPT_BEFORE] = final
    if final == NONE:
        st.partitions[p, FIRST] = x
    else:
        st.events[final, KEPT_NEXT] = x
    st.partitions[p, FINAL] = x
    st.events[x, KEPT_ALL_NEXT] = NONE
    st.events[x, KEPT_ALL_BEFORE] = newest
    if newest == NONE:
        cursor[ALL_FIRST] = x
    else:
        st.events[newest, KEPT_ALL_NEXT] = x
    cursor[ALL_FINAL] = x


@kernel
def close_ways(t, ev, st, e, p, mask):
    """The matches that an event makes whole, to those of its group for good; False if they do not fit."""
    count, ranks = t.steps.shape[0], ev.ranks
    before, whole = size_of(count), size_of(count) + 1
    clear(st.turning, whole)
    for q in range(count):
        if not t.steps[q, ENDS] or (mask >> t.steps[q, TEST]) & 1 == 0:
            continue
        for link in range(t.steps[q, AFTER], t.steps[q, AFTER_END]):
            clear(st.turning, before)
            if not add_window(t, ranks, st, p, t.links[link], st.turning, before):
                return False
            take(t, ev, st.turning, whole, st.turning, before, e, q)
        if t.steps[q, BEGINS]:
            begin(t, ev, st.turning, whole, e, q)
    if is_zero(st.turning, whole, 0, t.limbs):
        return True
    if is_full(t, st.rules, st.turning, whole):
        return False
    group = ev.head[GROUP, e]
    add(t, ranks, st.closed, group, st.turning, whole)
    st.ended[group, 0] = 1
    st.ended[group, 1] = ev.head[TIME, e]
    return True


# -- totals ----------------------------------------------------------------------------------------


@kernel
def note_change(t, st, cursor, p):
    """The whole matches of a partition are others now."""
    if not st.partitions[p, CHANGED] and not t.keeps_closed:
        st.partitions[p, CHANGED] = 1
        st.partitions[p, CHANGED_NEXT] = cursor[FIRST_CHANGED]
        cursor[FIRST_CHANGED] = p


@kernel
def join(st, p, group):
    """A partition's place in the tree of its group: a tree that stays as flat as it can be."""
    st.partitions[p, OF_GROUP] = group
    st.groups[group, SIZE] += 1
    number = st.groups[group, SIZE]
    if number == 1:
        st.groups[group, TOP] = p
        return
    bit, x = 1, st.groups[group, TOP]
    while bit * 4 <= number:
        bit *= 2
    while bit > 1:
        x = st.partitions[x, RIGHT if number & bit else LEFT]
        bit //= 2
    st.partitions[x, RIGHT if number & 1 else LEFT] = p
    st.partitions[p, ABOVE] = x


@kernel
def refresh(t, ranks, st, cursor):
    """All sums as they are now; False if numbers must get wider first."""
    while cursor[FIRST_CHANGED] != NONE:
        p = cursor[FIRST_CHANGED]
        clear(st.own, p)
        for q in range(t.steps.shape[0]):
            if t.steps[q, ENDS] and not add_window(t, ranks, st, p, q, st.own, p):
                return False
        if is_full(t, st.rules, st.own, p):
            return False
        x = p
        while x != NONE:
            add_up(t, ranks, st, x)
            if is_full(t, st.rules, st.sums, x):
                return False
            x = st.partitions[x, ABOVE]
        st.partitions[p, CHANGED] = 0
        cursor[FIRST_CHANGED] = st.partitions[p, CHANGED_NEXT]
    return True


@inlined
def add_up(t, ranks, st, x):
    """The sum at a place of a tree, of what is there and below."""
    put(st.sums, x, st.own, x)
    left, right = st.partitions[x, LEFT], st.partitions[x, RIGHT]
    if left != NONE:
        add(t, ranks, st.sums, x, st.sums, left)
    if right != NONE:
        add(t, ranks, st.sums, x, st.sums, right)


@kernel
def pass_time(t, st, kept, cursor, now):
    """Drop the events that a window which ends now has left."""
    if t.window[0] != EVENTS and not expire(t, st, kept, cursor, 0, now):
        return TOO_NARROW
    return FINISHED


@kernel
def sum_groups(t, ranks, st, cursor, to):
    """The whole matches of each group."""
    if not refresh(t, ranks, st, cursor):
        return TOO_NARROW
    for group in range(st.groups.shape[0]):
        put_group(st, group, to, group)
    return FINISHED


@kernel
def put_group(st, group, to, i):
    """The sum of a group, which may have no partition yet."""
    top = st.groups[group, TOP]
    if top == NONE:
        clear(to, i)
    else:
        put(to, i, st.sums, top)
