"""Attempts as trees of what their readings take: readings share what they agree on.

A node is held while it is a thread, which may go on, or the best, the longest reading that may end. What is
not held and leads to nothing that is, is forgotten at once. A child is placed as soon as the first level of
the tree has one node.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import kernel
from cepheid.matchers.twig import layout as at
from cepheid.matchers.twig.records import give_back, take


@kernel
def new_node(m, a, item, place, before):
    """A child is taken by an item, after what `before` takes."""
    n = take(m, at.TAKEN)
    m.heap[n + at.NEXT], m.heap[n + at.ITEM], m.heap[n + at.TAKEN_PLACE] = at.NONE, item, place
    m.heap[n + at.FIRST_AFTER], m.heap[n + at.LAST_BESIDE], m.heap[n + at.HELD] = at.NONE, at.NONE, 1
    if before != at.NONE and m.heap[before + at.BEFORE] == at.TOLD_ALREADY:
        before = at.NONE
    m.heap[n + at.BEFORE] = before
    if before == at.NONE:
        beside = m.heap[a + at.ROOTS]
        m.heap[a + at.ROOTS] = n
        m.heap[a + at.ROOT_COUNT] += 1
    else:
        beside = m.heap[before + at.FIRST_AFTER]
        m.heap[before + at.FIRST_AFTER] = n
    m.heap[n + at.NEXT_BESIDE] = beside
    if beside != at.NONE:
        m.heap[beside + at.LAST_BESIDE] = n
    return n


@kernel
def let_go(m, a, n):
    """A node is held once less; forget it, as far back as nothing else needs what is before it."""
    m.heap[n + at.HELD] -= 1
    while n >= 0 and m.heap[n + at.HELD] == 0 and m.heap[n + at.FIRST_AFTER] == at.NONE:
        before = m.heap[n + at.BEFORE]
        if before != at.TOLD_ALREADY:
            unlink(m, a, n, before)
        give_back(m, at.TAKEN, n)
        n = before


@kernel
def unlink(m, a, n, before):
    """Take a node out of the level that it is in."""
    left, right = m.heap[n + at.LAST_BESIDE], m.heap[n + at.NEXT_BESIDE]
    if right != at.NONE:
        m.heap[right + at.LAST_BESIDE] = left
    if left != at.NONE:
        m.heap[left + at.NEXT_BESIDE] = right
    elif before == at.NONE:
        m.heap[a + at.ROOTS] = right
    else:
        m.heap[before + at.FIRST_AFTER] = right
    if before == at.NONE:
        m.heap[a + at.ROOT_COUNT] -= 1


@kernel
def begin_attempt(t, m, a, fa, place, left, covered):
    """Begin at this child with every item that may: what is left of the items that may take the child."""
    m.heap[a + at.NEXT], m.heap[a + at.ATTEMPT_BEGIN], m.heap[a + at.NEXT_TOLD] = at.NONE, place, place
    m.heap[a + at.THREADS], m.heap[a + at.BEST], m.heap[a + at.ROOTS], m.heap[a + at.ROOT_COUNT] = (
        -1,
        -1,
        -1,
        0,
    )
    first = last = at.NONE
    for k in range(t.code[fa + at.START_ORDER], t.code[fa + at.START_END]):
        item = t.code[k]
        if left >> item & 1:
            left &= ~(1 << item)
            first, last = appended(m, first, last, new_node(m, a, item, place, at.NONE))
    keep_threads(t, m, a, fa, first, covered)
    return left


@kernel
def go_further(t, m, a, fa, place, left, covered):
    """Let an attempt take one more child: what is left of the items, and whether a reading may end there."""
    first = last = at.NONE
    thread = m.heap[a + at.THREADS]
    while thread != at.NONE:
        row = t.code[fa + at.FIRST_ITEM] + at.ITEM_SIZE * m.heap[thread + at.ITEM]
        for k in range(t.code[row + at.FOLLOW_ORDER], t.code[row + at.FOLLOW_END]):
            item = t.code[k]
            if left >> item & 1:
                left &= ~(1 << item)
                first, last = appended(m, first, last, new_node(m, a, item, place, thread))
        thread = m.heap[thread + at.NEXT]
    stop(m, a)
    return left, keep_threads(t, m, a, fa, first, covered)


@kernel
def appended(m, first, last, n):
    """A list of threads with one more at its end."""
    if first == at.NONE:
        return n, n
    m.heap[last + at.NEXT] = n
    return first, n


@kernel
def keep_threads(t, m, a, fa, first, covered):
    """Let new threads go on that no preferred one covers; whether one may end, which is the best now."""
    items, n = t.code[fa + at.FIRST_ITEM], first
    while n != at.NONE and not t.code[items + at.ITEM_SIZE * m.heap[n + at.ITEM] + at.ACCEPTING]:
        n = m.heap[n + at.NEXT]
    may_end = n != at.NONE
    if may_end:
        former = m.heap[a + at.BEST]
        m.heap[n + at.HELD] += 1
        m.heap[a + at.BEST] = n
        if former != at.NONE:
            let_go(m, a, former)
    n = first
    first = last = at.NONE
    while n != at.NONE:
        after = m.heap[n + at.NEXT]
        follow = t.code[items + at.ITEM_SIZE * m.heap[n + at.ITEM] + at.FOLLOW_SET]
        if follow & ~covered:
            covered |= follow
            m.heap[n + at.NEXT] = at.NONE
            first, last = appended(m, first, last, n)
        else:
            let_go(m, a, n)
        n = after
    m.heap[a + at.THREADS] = first
    return may_end


@kernel
def stop(m, a):
    """No thread goes on."""
    n = m.heap[a + at.THREADS]
    m.heap[a + at.THREADS] = at.NONE
    while n != at.NONE:
        after = m.heap[n + at.NEXT]
        let_go(m, a, n)
        n = after


@kernel
def drop_attempt(m, a, and_best):
    """Forget the threads of an attempt, and perhaps the best."""
    stop(m, a)
    best = m.heap[a + at.BEST]
    if and_best and best != at.NONE:
        m.heap[a + at.BEST] = at.NONE
        let_go(m, a, best)


@kernel
def pop_root(m, a):
    """The item that takes the next child in every reading that may win; it is told once. Or NONE."""
    best = m.heap[a + at.BEST]
    if best == at.NONE or m.heap[a + at.NEXT_TOLD] > m.heap[best + at.TAKEN_PLACE]:
        return at.NONE
    if m.heap[a + at.ROOT_COUNT] != 1:
        return at.NONE
    root = m.heap[a + at.ROOTS]
    m.heap[a + at.NEXT_TOLD] += 1
    n = m.heap[a + at.ROOTS] = m.heap[root + at.FIRST_AFTER]
    count = 0
    while n != at.NONE:
        m.heap[n + at.BEFORE] = at.NONE
        count += 1
        n = m.heap[n + at.NEXT_BESIDE]
    m.heap[a + at.ROOT_COUNT] = count
    item = m.heap[root + at.ITEM]
    m.heap[root + at.BEFORE], m.heap[root + at.FIRST_AFTER] = at.TOLD_ALREADY, at.NONE
    if m.heap[root + at.HELD] == 0:
        give_back(m, at.TAKEN, root)
    return item


@kernel
def root_items(m, a):
    """The items that may take the next child, where some reading that may win takes it; else none."""
    best = m.heap[a + at.BEST]
    if best == at.NONE or m.heap[a + at.NEXT_TOLD] > m.heap[best + at.TAKEN_PLACE]:
        return 0
    items, n = 0, m.heap[a + at.ROOTS]
    while n != at.NONE:
        items |= 1 << m.heap[n + at.ITEM]
        n = m.heap[n + at.NEXT_BESIDE]
    return items


@kernel
def next_items(t, m, a, fa):
    """The items that may take the next child."""
    items, n = 0, m.heap[a + at.THREADS]
    while n != at.NONE:
        row = t.code[fa + at.FIRST_ITEM] + at.ITEM_SIZE * m.heap[n + at.ITEM]
        items |= t.code[row + at.FOLLOW_SET]
        n = m.heap[n + at.NEXT]
    return items
