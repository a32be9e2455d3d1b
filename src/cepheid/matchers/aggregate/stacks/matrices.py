"""Matrices of cells: what a run of events does to the ways of a partition.

A row says where ways stood before the events, START for those that begin among them; a column
where they stand after. A step follows earlier steps or itself, so only cells with row <= column are
kept. One event is a matrix too, never written down: from the right it changes columns, from the left
rows.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.aggregate.cells import ONE, ZERO, add, begin, bits, clear, is_zero, multiply, put, take
from cepheid.matchers.aggregate.marking.done import is_undone
from cepheid.matchers.jit import inlined, kernel


@inlined
def place(count, row, column):
    """Where a cell stands in a matrix of so many steps."""
    return count + row * count - row * (row + 1) // 2 + column


@inlined
def size_of(count):
    """How many cells a matrix has."""
    return count + count * (count + 1) // 2


@kernel
def become_one(t, cells, first):
    """The matrix of no event: what stands at a step stays there."""
    count = t.steps.shape[0]
    for i in range(first, first + size_of(count)):
        clear(cells, i)
    for q in range(count):
        cells[first + place(count, q, q), 0] = ONE


@inlined
def is_full(t, rules, cells, i):
    """Whether the next event may need more bits than a cell has left."""
    shift = np.uint64(64 - rules[at.SPARE])
    if cells[i, t.limbs - 1] >> shift != ZERO:
        return True
    for v in range(t.values.shape[0]):
        if cells[i, t.values[v, at.COUNTED] + t.limbs - 1] >> shift != ZERO:
            return True
    return False


@inlined
def multiply_back(t, ev, st, e, p, mask):
    """A back stack by its newest event; whether a cell is full.

    Only rows that ways of the front stack stand at are of interest; those become fewer until it is empty.
    """
    count, full, front = t.steps.shape[0], False, st.partitions[p, at.FRONT]
    first = p * size_of(count)
    for q in range(count - 1, -1, -1):
        tested = (mask >> t.steps[q, at.TEST]) & 1 != 0
        undone = t.steps[q, at.UNDONE] < t.steps[q, at.UNDONE_END] and is_undone(t, q, mask)
        if not (tested or undone) or (t.keeps_closed and t.steps[q, at.ENDS]):
            continue
        for r in range(at.START, q + 1 if front != at.NONE else 0):
            if r == at.START or not is_zero(st.fronts, front * count + r, 0, t.limbs):
                full = change_cell(t, ev, st, e, first, r, q, tested, undone) or full
        if tested and t.steps[q, at.BEGINS]:
            begin(t, ev, st.backs, first + place(count, at.START, q), e, q)
    return full


@inlined
def change_cell(t, ev, st, e, first, r, q, tested, undone):
    """What stood at the steps before, each way longer by the event; whether the cell is full."""
    count = t.steps.shape[0]
    i, scratch = first + place(count, r, q), size_of(count)
    if not tested:
        clear(st.backs, i)
        return False
    repeats = False
    for link in range(t.steps[q, at.AFTER], t.steps[q, at.AFTER_END]):
        if t.links[link] == q:
            repeats = True
            put(st.turning, scratch, st.backs, i)
    if undone:
        clear(st.backs, i)
    for link in range(t.steps[q, at.AFTER], t.steps[q, at.AFTER_END]):
        source = t.links[link]
        if r <= source < q:
            take(t, ev, st.backs, i, st.backs, first + place(count, r, source), e, q)
    if repeats:
        take(t, ev, st.backs, i, st.turning, scratch, e, q)
    return is_full(t, st.rules, st.backs, i)


@inlined
def multiply_turning(t, kept, st, x):
    """The product of the events after a kept one, by that one from the left; whether a cell is full."""
    full, mask, cells = False, st.events[x, at.KEPT_MASK], st.turning
    for q in range(t.steps.shape[0]):
        undone = t.steps[q, at.UNDONE] < t.steps[q, at.UNDONE_END] and is_undone(t, q, mask)
        if t.keeps_closed and t.steps[q, at.ENDS]:
            continue
        if (mask >> t.steps[q, at.TEST]) & 1:
            if t.steps[q, at.BEGINS]:
                full = add_row(t, kept, st, x, at.START, q) or full
            for link in range(t.steps[q, at.AFTER], t.steps[q, at.AFTER_END]):
                if t.links[link] < q:
                    full = add_row(t, kept, st, x, t.links[link], q) or full
                else:
                    full = repeat_row(t, kept, st, x, q, undone) or full
                    undone = False
        if undone:
            clear_row(t, cells, q)
    return full


@inlined
def add_row(t, kept, st, x, r, q):
    """Ways that go from one step to another by an event, and on."""
    count, full = t.steps.shape[0], False
    for c in range(q, count):
        i = place(count, r, c)
        take(t, kept, st.turning, i, st.turning, place(count, q, c), x, q)
        full = full or is_full(t, st.rules, st.turning, i)
    return full


@kernel
def repeat_row(t, kept, st, x, q, undone):
    """Ways that stay at a step by an event of it, besides those that only stay."""
    count, full = t.steps.shape[0], False
    for c in range(q, count):
        i, scratch = place(count, q, c), size_of(count)
        put(st.turning, scratch, st.turning, i)
        if undone:
            clear(st.turning, i)
        take(t, kept, st.turning, i, st.turning, scratch, x, q)
        full = full or is_full(t, st.rules, st.turning, i)
    return full


@kernel
def clear_row(t, cells, q):
    """What stood at a step goes nowhere."""
    count = t.steps.shape[0]
    for c in range(q, count):
        clear(cells, place(count, q, c))


@kernel
def add_window(t, ranks, st, p, q, to, i):
    """What stands at a step now, of both stacks of a partition; whether that fits."""
    count = t.steps.shape[0]
    first, front = p * size_of(count), st.partitions[p, at.FRONT]
    add(t, ranks, to, i, st.backs, first + place(count, at.START, q))
    if front == at.NONE:
        return True
    for r in range(q + 1):
        f, b = front * count + r, first + place(count, r, q)
        if is_zero(st.fronts, f, 0, t.limbs) or is_zero(st.backs, b, 0, t.limbs):
            continue
        if (
            bits(t, st.fronts, f) + bits(t, st.backs, b) + 1 + st.rules[at.TERMS]
            > 64 * t.limbs - st.rules[at.SPARE]
        ):
            return False
        multiply(t, ranks, to, i, st.fronts, f, st.backs, b)
    return True
