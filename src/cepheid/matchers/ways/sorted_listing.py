"""Matches one by one in the order of output, also where ways part and an event has several rows.

Where no event has two rows at one variable, the rows of a way are found one by one (`listing`). Here a step
goes to all rows of the event that comes next: what may follow any of them is put in order, and then rows of
one event are taken together again. A match has one way, so none is listed twice.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from collections.abc import Iterator

import numpy as np

from cepheid.matchers.bindings import Bindings
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.ways import layout as at
from cepheid.matchers.ways.extremes import measure
from cepheid.matchers.ways.layout import Listed
from cepheid.matchers.ways.listing import UNLIMITED, to_bindings
from cepheid.matchers.ways.ways import Ways

_MATCHES, _EVENTS = 1 << 14, 1 << 18

# a level of the way: its rows, then what may follow them, of which all before UP_TO have been visited
ROWS, UP_TO, END, IS_TOLD, LEVEL_SUM = 0, 1, 2, 3, 4
SORTED_WIDTH = 6

POOL_FULL = 2


def list_sorted(
    ways: Ways, variables: int, limit: int = UNLIMITED, at_once: int = _MATCHES, longest: bool = False
) -> Iterator[tuple[Bindings, np.ndarray]]:
    """Up to `limit` matches of each group, some at a time, with the group of each; only of the longest if
    these are wanted."""
    to_go, best = np.zeros((2, ways.rows.shape[0]), np.int64)
    if longest:
        measure(ways.rows, True, to_go, best)
    cursor = np.zeros(at.CURSOR_WIDTH, np.int64)
    cursor[at.DEPTH] = at.NONE
    levels = np.zeros((ways.largest + 2, SORTED_WIDTH), np.int64)
    pool = np.zeros((2, 2 * ways.largest + 64), np.int64)
    listed = Listed(
        events=np.empty(max(_EVENTS, ways.largest), np.int64),
        lengths=np.empty((variables, at_once), np.int64),
        sums=np.empty((at_once, 2), np.int64),
        of_group=np.empty(at_once, np.int64),
    )
    answer = at.FULL
    while answer != at.DONE:
        answer = list_in_order(ways.graph, limit, cursor, levels, pool, listed, to_go, longest)
        if answer == POOL_FULL:
            pool = np.concatenate([pool, np.zeros_like(pool)], axis=1)
        elif cursor[at.LISTED]:
            m = cursor[at.LISTED]
            yield (
                to_bindings(listed.events[: cursor[at.WRITTEN]], listed.lengths[:, :m], listed.sums[:m]),
                listed.of_group[:m].copy(),
            )
            cursor[at.LISTED] = cursor[at.WRITTEN] = 0


@kernel
def list_in_order(g, limit, cursor, levels, pool, listed, to_go, longest):
    """Go on listing; DONE, FULL where matches have to be taken, or POOL_FULL."""
    while cursor[at.GROUP] < g.starts_of.size - 1:
        group = cursor[at.GROUP]
        if cursor[at.DEPTH] == at.NONE:
            if not begin_group(g, group, levels, pool, to_go, longest):
                return POOL_FULL
            cursor[at.DEPTH] = 0
        depth = cursor[at.DEPTH]
        if levels[depth, IS_TOLD] == 0:
            if is_match(g, levels, pool, depth):
                if (
                    cursor[at.LISTED] == listed.of_group.size
                    or cursor[at.WRITTEN] + depth > listed.events.size
                ):
                    return at.FULL
                write_way(g, cursor, levels, pool, listed)
                cursor[at.OF_GROUP] += 1
            levels[depth, IS_TOLD] = 1
        if cursor[at.OF_GROUP] >= limit or levels[depth, UP_TO] == levels[depth, END]:
            cursor[at.DEPTH] = depth - 1 if cursor[at.OF_GROUP] < limit else -1
            if cursor[at.DEPTH] < 0:
                cursor[at.DEPTH] = at.NONE
                cursor[at.OF_GROUP] = 0
                cursor[at.GROUP] += 1
            continue
        if not go_deeper(g, levels, pool, depth, to_go, longest):
            return POOL_FULL
        cursor[at.DEPTH] = depth + 1
    return at.DONE


@kernel
def begin_group(g, group, levels, pool, to_go, longest):
    """Level 0 has no rows; the first events of the group's matches follow. Whether there was room."""
    begin, end = g.starts_of[group], g.starts_of[group + 1]
    if end - begin > pool.shape[1]:
        return False
    most = np.int64(0)
    for k in range(begin, end):
        most = max(most, to_go[g.starts[k]])
    size = 0
    for k in range(begin, end):
        if not longest or to_go[g.starts[k]] == most:
            pool[0, size] = g.starts[k]
            size += 1
    levels[0, ROWS] = levels[0, UP_TO] = 0
    levels[0, END], levels[0, IS_TOLD] = size, 1
    levels[0, LEVEL_SUM] = levels[0, LEVEL_SUM + 1] = 0
    put_in_order(g, pool, 0, size)
    return True


@kernel
def go_deeper(g, levels, pool, depth, to_go, longest):
    """Come to the rows of the next event, and look what may follow them; whether there was room."""
    begin, end = levels[depth, UP_TO], levels[depth, END]
    first = pool[0, begin]
    stop = begin + 1
    while stop < end and is_same_event(g, pool[0, stop], first):
        stop += 1
    size = levels[depth, END]
    wanted = to_go[first] - 1
    for k in range(begin, stop):
        node = pool[0, k]
        while node != at.NONE:
            for i in range(g.followers_of[node], g.followers_of[node + 1]):
                row = g.followers[i]
                if longest and to_go[row] != wanted:
                    continue
                if size == pool.shape[1]:
                    return False
                pool[0, size] = row
                size += 1
            node = g.newer[node]
    levels[depth, UP_TO] = stop
    levels[depth + 1, ROWS] = begin
    levels[depth + 1, UP_TO] = levels[depth, END]
    levels[depth + 1, END], levels[depth + 1, IS_TOLD] = size, 0
    for lane in range(2):
        total = np.uint64(levels[depth, LEVEL_SUM + lane]) + np.uint64(g.rows[first, at.IDENTITY + lane])
        levels[depth + 1, LEVEL_SUM + lane] = np.int64(total)
    put_in_order(g, pool, levels[depth, END], size)
    return True


@inlined
def is_same_event(g, one, other):
    """Whether two rows are of one event at one variable."""
    is_same = g.rows[one, at.POSITION] == g.rows[other, at.POSITION]
    return is_same and g.rows[one, at.EVENT] == g.rows[other, at.EVENT]


@inlined
def comes_first(g, one, other):
    """Whether a row comes before another one: that of the later variable, then the earlier event."""
    if g.rows[one, at.POSITION] != g.rows[other, at.POSITION]:
        return g.rows[one, at.POSITION] > g.rows[other, at.POSITION]
    return g.rows[one, at.EVENT] <= g.rows[other, at.EVENT]


@kernel
def put_in_order(g, pool, begin, end):
    """Merge sort of a stretch of the pool, from its smallest pieces up."""
    width = 1
    while width < end - begin:
        low = begin
        while low < end:
            middle, high = min(low + width, end), min(low + 2 * width, end)
            i, j = low, middle
            for k in range(low, high):
                if i < middle and (j >= high or comes_first(g, pool[0, i], pool[0, j])):
                    pool[1, k] = pool[0, i]
                    i += 1
                else:
                    pool[1, k] = pool[0, j]
                    j += 1
            low = high
        for k in range(begin, end):
            pool[0, k] = pool[1, k]
        width *= 2


@kernel
def is_match(g, levels, pool, depth):
    """Whether a match ends at the event of a level."""
    stop = levels[depth - 1, UP_TO]
    for k in range(levels[depth, ROWS], stop):
        if g.rows[pool[0, k], at.ROOT] != 0:
            return True
    return False


@kernel
def write_way(g, cursor, levels, pool, listed):
    """The events that led here are a match."""
    m, written, depth = cursor[at.LISTED], cursor[at.WRITTEN], cursor[at.DEPTH]
    for variable in range(listed.lengths.shape[0]):
        listed.lengths[variable, m] = 0
    for k in range(1, depth + 1):
        row = pool[0, levels[k, ROWS]]
        listed.events[written + k - 1] = g.rows[row, at.ROW]
        listed.lengths[g.rows[row, at.POSITION], m] += 1
    listed.of_group[m] = cursor[at.GROUP]
    for lane in range(2):
        listed.sums[m, lane] = levels[depth, LEVEL_SUM + lane]
    cursor[at.LISTED] = m + 1
    cursor[at.WRITTEN] = written + depth
