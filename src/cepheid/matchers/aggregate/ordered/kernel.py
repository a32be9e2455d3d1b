"""Start event marking with conditions between neighbours: what stands at a step is indexed by a value.

As in `marking`, each start has a counter for each step. Where a step follows another under a condition, the
counter of the earlier one is divided besides, by the value of the event that the ways there end with, and
an event adds that part of it which its own value allows. `jit` says what the letters mean.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.aggregate import layout as agg
from cepheid.matchers.aggregate.cells import (
    ZERO,
    add,
    clear,
    is_narrow,
    is_zero,
    real,
    take,
    word_of,
)
from cepheid.matchers.aggregate.marking.done import done_of, forget_done, is_undone
from cepheid.matchers.aggregate.marking.kernel import (
    begin_starts,
    expire,
    moment,
    note_absences,
    room_for,
    tally,
)
from cepheid.matchers.aggregate.ordered import layout as at
from cepheid.matchers.aggregate.ordered.trees import gather, plant, uproot
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.windows import EVENTS, UNLIMITED, inside

HIGHEST = np.uint64(1 << 63)


@kernel
def count_ordered(t, c, ev, st, tr, stop, found, found_rows, scratch, sides, cursor):
    """Events from the cursor on, until `stop`, or until there is no more room."""
    for e in range(cursor[agg.AT_EVENT], stop):
        cursor[agg.AT_EVENT] = e
        p = ev.head[agg.PARTITION, e]
        mask = ev.head[agg.MASK, e]
        if p == agg.NONE:
            continue
        full = room_for(t, st, found, cursor)
        if full == agg.FINISHED and not has_nodes(t, c, tr, cursor):
            full = at.NODES_FULL
        if full != agg.FINISHED:
            return full
        st.partitions[p, agg.ORDINAL] += 1
        now = moment(t, ev, st, e, p)
        pass_to(t, ev.ranks, c, st, tr, cursor, p, now)
        narrow = False
        if mask & t.all_tests:
            read_sides(c, ev, sides, e)
            narrow = visit_starts(t, c, ev, st, tr, scratch, sides, cursor, e, p, mask, now)
            newest = st.partitions[p, agg.FINAL]
            begin_starts(t, ev, st, cursor, e, p, mask, now)
            plant_starts(t, c, ev.ranks, st, tr, sides, p, newest)
            note_absences(t, st, p, mask, now)
        if ev.head[agg.HAS_ROW, e]:
            row = cursor[agg.ROWS]
            found[row] = e
            clear(found_rows, row)
            tally(t, ev.ranks, st, cursor, ev.head[agg.GROUP, e], found_rows, row)
            cursor[agg.ROWS] += 1
        if narrow:
            cursor[agg.AT_EVENT] = e + 1
            return agg.TOO_NARROW
    cursor[agg.AT_EVENT] = stop
    return agg.FINISHED


@inlined
def has_nodes(t, c, tr, cursor):
    """Whether each start, those that may begin included, finds a node in each of its indexes."""
    return tr.free[at.FREE_NODES] >= (cursor[agg.OPEN] + t.steps.shape[0]) * c.indexes.shape[0]


@kernel
def pass_to(t, ranks, c, st, tr, cursor, p, now):
    """Drop the starts that the window has left, and their indexes; see `expire`."""
    if t.window[0] == UNLIMITED:
        return
    own = t.window[0] == EVENTS
    s = st.partitions[p, agg.FIRST] if own else cursor[agg.ALL_FIRST]
    while s != agg.NONE and not inside(t.window, st.starts[s, agg.SINCE], now):
        for index in range(c.indexes.shape[0]):
            uproot(tr, s * c.indexes.shape[0] + index)
        s = st.starts[s, agg.NEXT if own else agg.ALL_NEXT]
    expire(t, ranks, st, cursor, p, now)


@kernel
def pass_until(t, ranks, c, st, tr, cursor, now):
    """Time passes, without an event."""
    if t.window[0] != EVENTS:
        pass_to(t, ranks, c, st, tr, cursor, 0, now)


@kernel
def read_sides(c, ev, sides, e):
    """The compared values of an event, as words in the same order."""
    for side in range(c.sides.shape[0]):
        column = c.sides[side, at.SIDE_COLUMN]
        if not ev.valid[column, e]:
            sides[side, at.KNOWN] = at.IS_NULL
            continue
        word = np.uint64(ev.columns[column, e])
        sides[side, at.KNOWN] = at.IS_VALUE
        if c.sides[side, at.SIDE_KIND] != agg.REAL:
            sides[side, at.WORD] = word ^ HIGHEST
            continue
        if np.isnan(real(word)):
            sides[side, at.KNOWN] = at.IS_NO_NUMBER
            sides[side, at.WORD] = ~ZERO
            continue
        word = word_of(real(word) + 0.0)  # -0.0 is 0.0
        sides[side, at.WORD] = ~word if word & HIGHEST else word | HIGHEST


@kernel
def visit_starts(t, c, ev, st, tr, scratch, sides, cursor, e, p, mask, now):
    """An event to the counters of every open start of its partition; whether one grows out of its words."""
    s, narrow = st.partitions[p, agg.FIRST], False
    while s != agg.NONE:
        cursor[agg.VISITS] += 1
        if st.starts[s, agg.BLOCKED] and not inside(t.window, st.starts[s, agg.BLOCKED_SINCE], now):
            st.starts[s, agg.BLOCKED] = 0
            forget_done(t, st, s, agg.NONE)  # they ended while an absent event was in their window
        narrow = visit_start(t, c, ev, st, tr, scratch, sides, cursor, e, mask, s) or narrow
        s = st.starts[s, agg.NEXT]
    return narrow


@kernel
def visit_start(t, c, ev, st, tr, scratch, sides, cursor, e, mask, s):
    """From the last step to the first: each adds what stood at the steps before it, and may be followed."""
    count, narrow = t.steps.shape[0], False
    for q in range(count - 1, -1, -1):
        i = s * count + q
        comes = (mask >> t.steps[q, agg.TEST]) & 1 == 1
        if comes:
            arrive(t, c, ev, st, tr, scratch, sides, e, s, q)
            comes = not is_zero(scratch, 0, 0, t.limbs)
        if is_undone(t, q, mask):
            forget(t, c, st, tr, s, q)
        if not comes:
            continue
        if t.steps[q, agg.ENDS]:
            narrow = end_ways(t, ev, st, scratch, cursor, e, s, q) or narrow
            continue
        add(t, ev.ranks, st.cells, i, scratch, 0)
        plant_step(t, c, ev.ranks, tr, sides, s, q, scratch, 0)
        narrow = narrow or is_narrow(t, st.cells, i)
    return narrow


@kernel
def arrive(t, c, ev, st, tr, scratch, sides, e, s, q):
    """The ways of a start that event `e` continues by step `q`, in a scratch cell."""
    clear(scratch, 0)
    for link in range(t.steps[q, agg.AFTER], t.steps[q, agg.AFTER_END]):
        before = s * t.steps.shape[0] + t.links[link]
        if c.links[link, at.INDEX] == agg.NONE:
            take(t, ev, scratch, 0, st.cells, before, e, q)
        elif not is_zero(st.cells, before, 0, t.limbs):
            clear(scratch, 1)
            gather_for(t, c, ev.ranks, tr, scratch, sides, s, link)
            take(t, ev, scratch, 0, scratch, 1, e, q)


@inlined
def gather_for(t, c, ranks, tr, scratch, sides, s, link):
    """What stands at a step before, as far as the condition of the link to it allows."""
    side, wants = c.links[link, at.WITH_SIDE], c.links[link, at.WANTS]
    if sides[side, at.KNOWN] == at.IS_NO_NUMBER:  # which differs from all there are
        wants = at.LESS | at.EQUAL | at.GREATER if wants == at.LESS | at.GREATER else 0
    if sides[side, at.KNOWN] != at.IS_NULL and wants:
        tree = s * c.indexes.shape[0] + c.links[link, at.INDEX]
        gather(t, ranks, tr, tree, sides[side, at.WORD], wants, scratch, 1)


@kernel
def forget(t, c, st, tr, s, q):
    """What stands at a step of a start stands there no more."""
    if t.steps[q, agg.ENDS]:
        forget_done(t, st, s, q)
        return
    clear(st.cells, s * t.steps.shape[0] + q)
    for index in range(c.indexes.shape[0]):
        if c.indexes[index, at.OF_STEP] == q:
            uproot(tr, s * c.indexes.shape[0] + index)


@kernel
def end_ways(t, ev, st, scratch, cursor, e, s, q):
    """The ways that event `e` makes whole."""
    d = done_of(st, cursor, s, q, ev.head[agg.GROUP, e])
    add(t, ev.ranks, st.totals, d, scratch, 0)
    st.done[d, agg.DONE_SEEN] = 1
    st.done[d, agg.DONE_TIME] = ev.head[agg.TIME, e]
    return is_narrow(t, st.totals, d)


@kernel
def plant_step(t, c, ranks, tr, sides, s, q, cells, i):
    """The ways that come to a step with an event, to the indexes of the step by the event's values."""
    for index in range(c.indexes.shape[0]):
        side = c.indexes[index, at.BY_SIDE]
        known = sides[side, at.KNOWN]
        if c.indexes[index, at.OF_STEP] != q or known == at.IS_NULL:
            continue
        if known == at.IS_VALUE or c.indexes[index, at.WITH_NO_NUMBER]:
            plant(t, ranks, tr, s * c.indexes.shape[0] + index, sides[side, at.WORD], cells, i)


@kernel
def plant_starts(t, c, ranks, st, tr, sides, p, newest):
    """The starts of a partition after the one that was the newest, to their indexes."""
    s = st.partitions[p, agg.FIRST] if newest == agg.NONE else st.starts[newest, agg.NEXT]
    while s != agg.NONE:
        for q in range(t.steps.shape[0]):
            i = s * t.steps.shape[0] + q
            if t.steps[q, agg.BEGINS] and not is_zero(st.cells, i, 0, t.limbs):
                plant_step(t, c, ranks, tr, sides, s, q, st.cells, i)
        s = st.starts[s, agg.NEXT]
