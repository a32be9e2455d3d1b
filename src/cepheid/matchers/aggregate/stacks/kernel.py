"""Two stacks: a window's matches as the product of the matrices of its events.

Newer events are multiplied into one product as they come, the back stack. Older ones are in the front
stack, each with the product from it to the stack's end, so that the oldest can leave. When the front
stack is empty and an event must leave, the back stack becomes the front stack. So an event is multiplied
twice, whatever the window holds; nothing is ever taken back, and all numbers stay exact.
`jit` says what the letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.aggregate.cells import add, begin, clear, is_zero, put, take
from cepheid.matchers.aggregate.marking.kernel import moment
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
from cepheid.matchers.windows import EVENTS, UNLIMITED, inside


@kernel
def slide(t, ev, st, kept, found, found_rows, cursor):
    """Events from the cursor on, until all are done or there is no more room.

    An event waits in the phase that it has come to where numbers must get wider first.
    """
    for e in range(cursor[at.AT_EVENT], cursor[at.STOP]):
        cursor[at.AT_EVENT] = e
        p, mask = ev.head[at.PARTITION, e], ev.head[at.MASK, e]
        if p == at.NONE:
            continue
        full = room_for(t, found, cursor)
        if full != at.FINISHED:
            return full
        if cursor[at.PHASE] == at.ARRIVES:
            st.partitions[p, at.ORDINAL] += 1
            cursor[at.PHASE] = at.EXPIRES
        now = moment(t, ev, st, e, p)
        if cursor[at.PHASE] == at.EXPIRES:
            if not expire(t, st, kept, cursor, p, now):
                return at.TOO_NARROW
            cursor[at.PHASE] = at.ENTERS
        if cursor[at.PHASE] == at.ENTERS:
            narrow = False
            if mask & st.rules[at.BEGIN_TESTS] or (mask & t.all_tests and st.partitions[p, at.HOLDS]):
                if t.keeps_closed and mask & st.rules[at.END_TESTS]:
                    if not close_ways(t, ev, st, e, p, mask):
                        return at.TOO_NARROW
                    narrow = is_full(t, st.rules, st.closed, ev.head[at.GROUP, e])
                narrow = enter(t, ev, st, kept, cursor, e, p, mask, now) or narrow
            cursor[at.PHASE] = at.REPORTS
            if narrow:
                return at.TOO_NARROW
        if ev.head[at.HAS_ROW, e]:
            if not refresh(t, ev.ranks, st, cursor):
                return at.TOO_NARROW
            found[cursor[at.ROWS]] = e
            put_group(st, ev.head[at.GROUP, e], found_rows, cursor[at.ROWS])
            cursor[at.ROWS] += 1
        cursor[at.PHASE] = at.ARRIVES
    cursor[at.AT_EVENT] = cursor[at.STOP]
    return at.FINISHED


@inlined
def room_for(t, found, cursor):
    """Whether the next event finds room, whatever it does."""
    if cursor[at.ROWS] >= found.shape[0]:
        return at.ROWS_FULL
    if t.window[0] == UNLIMITED:
        return at.FINISHED
    if cursor[at.FREE_KEPTS] == 0:
        return at.KEPTS_FULL
    return at.FRONTS_FULL if cursor[at.FREE_FRONTS] == 0 else at.FINISHED


# -- events that leave -----------------------------------------------------------------------------


@inlined
def expire(t, st, kept, cursor, p, now):
    """Drop the events that the window has left; windows of events are each partition's own.

    False if numbers must get wider first: then it goes on from there.
    """
    if t.window[0] == UNLIMITED:
        return True
    while True:
        x = st.partitions[p, at.FIRST] if t.window[0] == EVENTS else cursor[at.ALL_FIRST]
        if x == at.NONE or inside(t.window, st.events[x, at.KEPT_SINCE], now):
            return True
        if not leave(t, st, kept, cursor, st.events[x, at.KEPT_PARTITION]):
            return False


@inlined
def leave(t, st, kept, cursor, p):
    """The oldest event of a partition leaves, and what follows it up to the next that begins a match."""
    if (
        st.partitions[p, at.FRONT] == at.NONE
        and st.partitions[p, at.HOLDS] > 1
        and not turn(t, st, kept, cursor, p)
    ):
        return False
    st.partitions[p, at.HOLDS] -= 1
    drop_first(st, cursor, p)
    while (
        st.partitions[p, at.FIRST] != at.NONE
        and st.events[st.partitions[p, at.FIRST], at.KEPT_FRONT] == at.NONE
    ):
        drop_first(st, cursor, p)
    if st.partitions[p, at.FRONT_FINAL] != at.NONE:
        st.partitions[p, at.FRONT] = st.events[st.partitions[p, at.FIRST], at.KEPT_FRONT]
    else:
        st.partitions[p, at.FRONT] = at.NONE
    if st.partitions[p, at.HOLDS] == 0:
        count = t.steps.shape[0]
        for q in range(count):
            clear(st.backs, p * size_of(count) + place(count, at.START, q))
    note_change(t, st, cursor, p)
    return True


@kernel
def drop_first(st, cursor, p):
    """Forget the oldest event of a partition."""
    x = st.partitions[p, at.FIRST]
    following = st.events[x, at.KEPT_NEXT]
    st.partitions[p, at.FIRST] = following
    if following == at.NONE:
        st.partitions[p, at.FINAL] = at.NONE
    else:
        st.events[following, at.KEPT_BEFORE] = at.NONE
    if x == st.partitions[p, at.FRONT_FINAL]:
        st.partitions[p, at.FRONT_FINAL] = at.NONE
    before, after = st.events[x, at.KEPT_ALL_BEFORE], st.events[x, at.KEPT_ALL_NEXT]
    if before == at.NONE:
        cursor[at.ALL_FIRST] = after
    else:
        st.events[before, at.KEPT_ALL_NEXT] = after
    if after == at.NONE:
        cursor[at.ALL_FINAL] = before
    else:
        st.events[after, at.KEPT_ALL_BEFORE] = before
    if st.events[x, at.KEPT_FRONT] != at.NONE:
        st.free_fronts[cursor[at.FREE_FRONTS]] = st.events[x, at.KEPT_FRONT]
        cursor[at.FREE_FRONTS] += 1
    st.events[x, at.KEPT_NEXT] = cursor[at.FREE_KEPT]
    cursor[at.FREE_KEPT] = x
    cursor[at.FREE_KEPTS] += 1


@kernel
def turn(t, st, kept, cursor, p):
    """A back stack becomes the front stack, but for its oldest event, which is about to leave."""
    count = t.steps.shape[0]
    become_one(t, st.turning, 0)
    x = st.partitions[p, at.FINAL]
    while x != st.partitions[p, at.FIRST]:
        cursor[at.VISITS] += 1
        if multiply_turning(t, kept, st, x):
            return False
        if st.events[x, at.KEPT_FRONT] != at.NONE:
            for q in range(count):
                i = st.events[x, at.KEPT_FRONT] * count + q
                put(st.fronts, i, st.turning, place(count, at.START, q))
        x = st.events[x, at.KEPT_BEFORE]
    st.partitions[p, at.FRONT_FINAL] = st.partitions[p, at.FINAL]
    become_one(t, st.backs, p * size_of(count))
    return True


# -- events that enter -----------------------------------------------------------------------------


@inlined
def enter(t, ev, st, kept, cursor, e, p, mask, now):
    """An event joins the back stack of its partition; whether a number there is full."""
    cursor[at.VISITS] += 1
    if st.partitions[p, at.OF_GROUP] == at.NONE and not t.keeps_closed:
        join(st, p, ev.head[at.GROUP, e])
    begins = mask & st.rules[at.BEGIN_TESTS] != 0
    if begins:
        st.partitions[p, at.HOLDS] += 1
    if t.window[0] != UNLIMITED:
        keep(ev, st, kept, cursor, e, p, mask, now, begins)
    if mask & st.rules[at.END_TESTS]:
        note_change(t, st, cursor, p)
    return multiply_back(t, ev, st, e, p, mask)


@inlined
def keep(ev, st, kept, cursor, e, p, mask, now, begins):
    """Remember an event, the newest of its partition and of all."""
    x = cursor[at.FREE_KEPT]
    cursor[at.FREE_KEPT] = st.events[x, at.KEPT_NEXT]
    cursor[at.FREE_KEPTS] -= 1
    for k in range(ev.columns.shape[0]):
        kept.columns[k, x] = ev.columns[k, e]
        kept.valid[k, x] = ev.valid[k, e]
    st.events[x, at.KEPT_SINCE] = now
    st.events[x, at.KEPT_PARTITION] = p
    st.events[x, at.KEPT_MASK] = mask
    st.events[x, at.KEPT_FRONT] = at.NONE
    if begins:
        cursor[at.FREE_FRONTS] -= 1
        st.events[x, at.KEPT_FRONT] = st.free_fronts[cursor[at.FREE_FRONTS]]
    final, newest = st.partitions[p, at.FINAL], cursor[at.ALL_FINAL]
    st.events[x, at.KEPT_NEXT] = at.NONE
    st.events[x, at.KEPT_BEFORE] = final
    if final == at.NONE:
        st.partitions[p, at.FIRST] = x
    else:
        st.events[final, at.KEPT_NEXT] = x
    st.partitions[p, at.FINAL] = x
    st.events[x, at.KEPT_ALL_NEXT] = at.NONE
    st.events[x, at.KEPT_ALL_BEFORE] = newest
    if newest == at.NONE:
        cursor[at.ALL_FIRST] = x
    else:
        st.events[newest, at.KEPT_ALL_NEXT] = x
    cursor[at.ALL_FINAL] = x


@kernel
def close_ways(t, ev, st, e, p, mask):
    """The matches that an event makes whole, to those of its group for good; False if they do not fit."""
    count, ranks = t.steps.shape[0], ev.ranks
    before, whole = size_of(count), size_of(count) + 1
    clear(st.turning, whole)
    for q in range(count):
        if not t.steps[q, at.ENDS] or (mask >> t.steps[q, at.TEST]) & 1 == 0:
            continue
        for link in range(t.steps[q, at.AFTER], t.steps[q, at.AFTER_END]):
            clear(st.turning, before)
            if not add_window(t, ranks, st, p, t.links[link], st.turning, before):
                return False
            take(t, ev, st.turning, whole, st.turning, before, e, q)
        if t.steps[q, at.BEGINS]:
            begin(t, ev, st.turning, whole, e, q)
    if is_zero(st.turning, whole, 0, t.limbs):
        return True
    if is_full(t, st.rules, st.turning, whole):
        return False
    group = ev.head[at.GROUP, e]
    add(t, ranks, st.closed, group, st.turning, whole)
    st.ended[group, 0] = 1
    st.ended[group, 1] = ev.head[at.TIME, e]
    return True


# -- totals ----------------------------------------------------------------------------------------


@kernel
def note_change(t, st, cursor, p):
    """The whole matches of a partition are others now."""
    if not st.partitions[p, at.CHANGED] and not t.keeps_closed:
        st.partitions[p, at.CHANGED] = 1
        st.partitions[p, at.CHANGED_NEXT] = cursor[at.FIRST_CHANGED]
        cursor[at.FIRST_CHANGED] = p


@kernel
def join(st, p, group):
    """A partition's place in the tree of its group: a tree that stays as flat as it can be."""
    st.partitions[p, at.OF_GROUP] = group
    st.groups[group, at.SIZE] += 1
    number = st.groups[group, at.SIZE]
    if number == 1:
        st.groups[group, at.TOP] = p
        return
    bit, x = 1, st.groups[group, at.TOP]
    while bit * 4 <= number:
        bit *= 2
    while bit > 1:
        x = st.partitions[x, at.RIGHT if number & bit else at.LEFT]
        bit //= 2
    st.partitions[x, at.RIGHT if number & 1 else at.LEFT] = p
    st.partitions[p, at.ABOVE] = x


@kernel
def refresh(t, ranks, st, cursor):
    """All sums as they are now; False if numbers must get wider first."""
    while cursor[at.FIRST_CHANGED] != at.NONE:
        p = cursor[at.FIRST_CHANGED]
        clear(st.own, p)
        for q in range(t.steps.shape[0]):
            if t.steps[q, at.ENDS] and not add_window(t, ranks, st, p, q, st.own, p):
                return False
        if is_full(t, st.rules, st.own, p):
            return False
        x = p
        while x != at.NONE:
            add_up(t, ranks, st, x)
            if is_full(t, st.rules, st.sums, x):
                return False
            x = st.partitions[x, at.ABOVE]
        st.partitions[p, at.CHANGED] = 0
        cursor[at.FIRST_CHANGED] = st.partitions[p, at.CHANGED_NEXT]
    return True


@inlined
def add_up(t, ranks, st, x):
    """The sum at a place of a tree, of what is there and below."""
    put(st.sums, x, st.own, x)
    left, right = st.partitions[x, at.LEFT], st.partitions[x, at.RIGHT]
    if left != at.NONE:
        add(t, ranks, st.sums, x, st.sums, left)
    if right != at.NONE:
        add(t, ranks, st.sums, x, st.sums, right)


@kernel
def pass_time(t, st, kept, cursor, now):
    """Drop the events that a window which ends now has left."""
    if t.window[0] != EVENTS and not expire(t, st, kept, cursor, 0, now):
        return at.TOO_NARROW
    return at.FINISHED


@kernel
def sum_groups(t, ranks, st, cursor, to):
    """The whole matches of each group."""
    if not refresh(t, ranks, st, cursor):
        return at.TOO_NARROW
    for group in range(st.groups.shape[0]):
        put_group(st, group, to, group)
    return at.FINISHED


@kernel
def put_group(st, group, to, i):
    """The sum of a group, which may have no partition yet."""
    top = st.groups[group, at.TOP]
    if top == at.NONE:
        clear(to, i)
    else:
        put(to, i, st.sums, top)
