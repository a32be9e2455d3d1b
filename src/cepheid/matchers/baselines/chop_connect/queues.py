"""Queues of active starts, and the pool of blocks that they and their snapshots lie in."""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.baselines.chop_connect import layout as at
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
    place = st.free[size]
    if place == at.NONE:
        place = cursor[at.USED]
        cursor[at.USED] += 1 << size
    else:
        st.free[size] = st.pool[place]
    return place


@inlined
def give_back(st, place, size):
    """A block is free, and says in its first word which is the next."""
    st.pool[place] = st.free[size]
    st.free[size] = place


@inlined
def class_of_more(t, st, q):
    """What a queue needs to hold twice as many starts."""
    slots = max(t.slots, 2 * st.queues[q, at.CAPACITY])
    return class_of(slots * t.roots[q % t.roots.shape[0], at.COLUMNS])


@kernel
def open_slot(t, st, cursor, q):
    """A slot behind the last start of a queue, for one that has counted itself and nothing else."""
    if st.queues[q, at.TAIL] == st.queues[q, at.CAPACITY]:
        if (
            2 * (st.queues[q, at.TAIL] - st.queues[q, at.HEAD]) > st.queues[q, at.CAPACITY]
            or not st.queues[q, at.TAIL]
        ):
            enlarge(t, st, cursor, q)
        else:
            move(t, st, q, st.queues[q, at.BLOCK], st.queues[q, at.CAPACITY])
    place = st.queues[q, at.BLOCK] + st.queues[q, at.TAIL]
    st.pool[place] = 1
    for column in range(1, t.roots[q % t.roots.shape[0], at.COLUMNS]):
        st.pool[place + column * st.queues[q, at.CAPACITY]] = 0


@inlined
def enlarge(t, st, cursor, q):
    """A queue to a larger block."""
    size, old = class_of_more(t, st, q), st.queues[q, at.BLOCK]
    block = take_block(st, cursor, size)
    capacity = (1 << size) // t.roots[q % t.roots.shape[0], at.COLUMNS]
    had_room = st.queues[q, at.CAPACITY] > 0
    move(t, st, q, block, capacity)
    if had_room:
        give_back(st, old, st.queues[q, at.BLOCK_CLASS])
    st.queues[q, at.BLOCK] = block
    st.queues[q, at.BLOCK_CLASS] = size
    st.queues[q, at.CAPACITY] = capacity


@inlined
def move(t, st, q, block, capacity):
    """The active starts of a queue to the beginning of a block, which may be their own."""
    head, count = st.queues[q, at.HEAD], st.queues[q, at.TAIL] - st.queues[q, at.HEAD]
    for column in range(t.roots[q % t.roots.shape[0], at.COLUMNS]):
        source = st.queues[q, at.BLOCK] + column * st.queues[q, at.CAPACITY] + head
        target = block + column * capacity
        for slot in range(count):
            st.pool[target + slot] = st.pool[source + slot]
    st.queues[q, at.FIRST_NUMBER] += head
    st.queues[q, at.HEAD] = 0
    st.queues[q, at.TAIL] = count


@kernel
def close_slot(t, st, cursor, q, now):
    """The start in the open slot becomes active."""
    slot = st.queues[q, at.TAIL]
    count_in(t, st, q, slot, 1)
    st.queues[q, at.TAIL] = slot + 1
    place = cursor[at.OLDEST] + cursor[at.OPEN]
    if place >= st.ring.shape[0]:
        place -= st.ring.shape[0]
    st.ring[place, at.SINCE] = now
    st.ring[place, at.OF_QUEUE] = q
    cursor[at.OPEN] += 1


@kernel
def drop_oldest(t, st, cursor):
    """The window has left the oldest of all starts: its counts and its snapshots go."""
    q = st.ring[cursor[at.OLDEST], at.OF_QUEUE]
    root, slot, capacity = q % t.roots.shape[0], st.queues[q, at.HEAD], st.queues[q, at.CAPACITY]
    count_in(t, st, q, slot, -1)
    for k in range(t.roots[root, at.LINKS], t.roots[root, at.LINKS_END]):
        link = st.queues[q, at.BLOCK] + t.links[k] * capacity + slot
        if st.pool[link + at.SIZE * capacity] > 0:
            give_back(st, st.pool[link + at.ADDRESS * capacity], class_of(st.pool[link + at.SIZE * capacity]))
    st.queues[q, at.HEAD] = slot + 1
    if slot + 1 == st.queues[q, at.TAIL]:
        give_back(st, st.queues[q, at.BLOCK], st.queues[q, at.BLOCK_CLASS])
        st.queues[q, at.FIRST_NUMBER] += slot + 1
        st.queues[q, at.HEAD] = st.queues[q, at.TAIL] = st.queues[q, at.CAPACITY] = 0
    cursor[at.OLDEST] = cursor[at.OLDEST] + 1 if cursor[at.OLDEST] + 1 < st.ring.shape[0] else 0
    cursor[at.OPEN] -= 1


@inlined
def count_in(t, st, q, slot, sign):
    """A start's whole matches to the totals of its group, or off them."""
    root, group = q % t.roots.shape[0], st.groups[q // t.roots.shape[0]]
    for k in range(t.roots[root, at.KEPT], t.roots[root, at.KEPT_END]):
        place = st.queues[q, at.BLOCK] + t.kept[k, at.KEPT_COLUMN] * st.queues[q, at.CAPACITY] + slot
        st.totals[group, t.kept[k, at.KEPT_TOTAL]] += sign * st.pool[place]
