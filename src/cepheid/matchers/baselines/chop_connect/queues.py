"""Queues of active starts, and the pool of blocks that they and their snapshots lie in."""

from __future__ import annotations

from cepheid.matchers.baselines.chop_connect.layout import (
    ADDRESS,
    BLOCK,
    BLOCK_CLASS,
    CAPACITY,
    COLUMNS,
    FIRST_NUMBER,
    HEAD,
    KEPT,
    KEPT_COLUMN,
    KEPT_END,
    KEPT_TOTAL,
    LINKS,
    LINKS_END,
    NONE,
    OF_QUEUE,
    OLDEST,
    OPEN,
    SINCE,
    SIZE,
    TAIL,
    USED,
)
from cepheid.matchers.jit import inlined, kernel


@inlined
def class_of(words):
    """The least block that holds so many words has 2 to the power of this."""
    size = 0
    while (1 << size) < words:
        size += 1
    return size


@inlined
def take_block(st, cursor, size):
    """A block: one that was given back, or the next of the pool. The room for it has been seen to."""
    at = st.free[size]
    if at == NONE:
        at = cursor[USED]
        cursor[USED] += 1 << size
    else:
        st.free[size] = st.pool[at]
    return at


@inlined
def give_back(st, at, size):
    """A block is free, and says in its first word which is the next."""
    st.pool[at] = st.free[size]
    st.free[size] = at


@inlined
def class_of_more(t, st, q):
    """What a queue needs to hold twice as many starts."""
    slots = max(t.slots, 2 * st.queues[q, CAPACITY])
    return class_of(slots * t.roots[q % t.roots.shape[0], COLUMNS])


@kernel
def open_slot(t, st, cursor, q):
    """A slot behind the last start of a queue, for one that has counted itself and nothing else."""
    if st.queues[q, TAIL] == st.queues[q, CAPACITY]:
        if 2 * (st.queues[q, TAIL] - st.queues[q, HEAD]) > st.queues[q, CAPACITY] or not st.queues[q, TAIL]:
            enlarge(t, st, cursor, q)
        else:
            move(t, st, q, st.queues[q, BLOCK], st.queues[q, CAPACITY])
    at = st.queues[q, BLOCK] + st.queues[q, TAIL]
    st.pool[at] = 1
    for column in range(1, t.roots[q % t.roots.shape[0], COLUMNS]):
        st.pool[at + column * st.queues[q, CAPACITY]] = 0


@inlined
def enlarge(t, st, cursor, q):
    """A queue to a larger block."""
    size, old = class_of_more(t, st, q), st.queues[q, BLOCK]
    block = take_block(st, cursor, size)
    capacity = (1 << size) // t.roots[q % t.roots.shape[0], COLUMNS]
    had_room = st.queues[q, CAPACITY] > 0
    move(t, st, q, block, capacity)
    if had_room:
        give_back(st, old, st.queues[q, BLOCK_CLASS])
    st.queues[q, BLOCK] = block
    st.queues[q, BLOCK_CLASS] = size
    st.queues[q, CAPACITY] = capacity


@inlined
def move(t, st, q, block, capacity):
    """The active starts of a queue to the beginning of a block, which may be their own."""
    head, count = st.queues[q, HEAD], st.queues[q, TAIL] - st.queues[q, HEAD]
    for column in range(t.roots[q % t.roots.shape[0], COLUMNS]):
        source = st.queues[q, BLOCK] + column * st.queues[q, CAPACITY] + head
        target = block + column * capacity
        for slot in range(count):
            st.pool[target + slot] = st.pool[source + slot]
    st.queues[q, FIRST_NUMBER] += head
    st.queues[q, HEAD] = 0
    st.queues[q, TAIL] = count


@kernel
def close_slot(t, st, cursor, q, now):
    """The start in the open slot becomes active."""
    slot = st.queues[q, TAIL]
    count_in(t, st, q, slot, 1)
    st.queues[q, TAIL] = slot + 1
    place = cursor[OLDEST] + cursor[OPEN]
    if place >= st.ring.shape[0]:
        place -= st.ring.shape[0]
    st.ring[place, SINCE] = now
    st.ring[place, OF_QUEUE] = q
    cursor[OPEN] += 1


@kernel
def drop_oldest(t, st, cursor):
    """The window has left the oldest of all starts: its counts and its snapshots go."""
    q = st.ring[cursor[OLDEST], OF_QUEUE]
    root, slot, capacity = q % t.roots.shape[0], st.queues[q, HEAD], st.queues[q, CAPACITY]
    count_in(t, st, q, slot, -1)
    for k in range(t.roots[root, LINKS], t.roots[root, LINKS_END]):
        link = st.queues[q, BLOCK] + t.links[k] * capacity + slot
        if st.pool[link + SIZE * capacity] > 0:
            give_back(st, st.pool[link + ADDRESS * capacity], class_of(st.pool[link + SIZE * capacity]))
    st.queues[q, HEAD] = slot + 1
    if slot + 1 == st.queues[q, TAIL]:
        give_back(st, st.queues[q, BLOCK], st.queues[q, BLOCK_CLASS])
        st.queues[q, FIRST_NUMBER] += slot + 1
        st.queues[q, HEAD] = st.queues[q, TAIL] = st.queues[q, CAPACITY] = 0
    cursor[OLDEST] = cursor[OLDEST] + 1 if cursor[OLDEST] + 1 < st.ring.shape[0] else 0
    cursor[OPEN] -= 1


@inlined
def count_in(t, st, q, slot, sign):
    """A start's whole matches to the totals of its group, or off them."""
    root, group = q % t.roots.shape[0], st.groups[q // t.roots.shape[0]]
    for k in range(t.roots[root, KEPT], t.roots[root, KEPT_END]):
        at = st.queues[q, BLOCK] + t.kept[k, KEPT_COLUMN] * st.queues[q, CAPACITY] + slot
        st.totals[group, t.kept[k, KEPT_TOTAL]] += sign * st.pool[at]
