"""Ordered indexes: cells by a value, and the sum of those whose value is less, equal or greater.

A tree over the bits of values (a crit-bit tree) needs no turning to stay shallow: it is at most 64 nodes
deep, and about as deep as the logarithm of what it holds. Sums are only ever added to, so that whatever can
be added can be indexed: also what cannot be taken off again, as the least of some values.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.aggregate import layout as agg
from cepheid.matchers.aggregate.cells import ONE, ZERO, add, put
from cepheid.matchers.aggregate.ordered import layout as at
from cepheid.matchers.jit import inlined, kernel


@inlined
def is_leaf(place):
    """Whether a place is the leaf of its row."""
    return place & 1 == 1


@inlined
def goes_right(tr, place, value):
    """Whether a value belongs to the right of a node."""
    return (value >> np.uint64(tr.nodes[place >> 1, at.BIT])) & ONE == ONE


@inlined
def below(tr, place, value):
    """The place below a node where a value belongs."""
    return tr.nodes[place >> 1, at.RIGHT if goes_right(tr, place, value) else at.LEFT]


@inlined
def agrees(tr, place, difference):
    """Whether a value that so differs from one below a node is like all below it, up to the node's bit."""
    return not is_leaf(place) and difference >> np.uint64(tr.nodes[place >> 1, at.BIT]) == ZERO


@kernel
def difference_from(tr, place, value):
    """The bits in which a value differs from that in a tree which is like it for longest."""
    while not is_leaf(place):
        place = below(tr, place, value)
    return tr.values[place >> 1] ^ value


@kernel
def highest_bit(word):
    """The number of the highest bit of a word that is not zero."""
    found = 0
    for half in (32, 16, 8, 4, 2, 1):
        if word >> np.uint64(half) != ZERO:
            word >>= np.uint64(half)
            found += half
    return found


@kernel
def plant(t, ranks, tr, tree, value, cells, i):
    """A cell to those in a tree, by its value; there must be a free row."""
    place, above = tr.tops[tree, at.TOP], agg.NONE
    if place == agg.NONE:
        row = take_row(tr, tree, value, cells, i)
        tr.tops[tree, at.TOP] = 2 * row + 1
        return
    difference = difference_from(tr, place, value)
    while agrees(tr, place, difference):
        add(t, ranks, tr.sums, place, cells, i)
        above, place = place, below(tr, place, value)
    if difference == ZERO:
        add(t, ranks, tr.sums, place, cells, i)
        return
    row = take_row(tr, tree, value, cells, i)
    put(tr.sums, 2 * row, tr.sums, place)
    add(t, ranks, tr.sums, 2 * row, cells, i)
    tr.nodes[row, at.BIT] = highest_bit(difference)
    right = goes_right(tr, 2 * row, value)
    tr.nodes[row, at.LEFT] = place if right else 2 * row + 1
    tr.nodes[row, at.RIGHT] = 2 * row + 1 if right else place
    if above == agg.NONE:
        tr.tops[tree, at.TOP] = 2 * row
    else:
        tr.nodes[above >> 1, at.RIGHT if goes_right(tr, above, value) else at.LEFT] = 2 * row


@inlined
def take_row(tr, tree, value, cells, i):
    """A free row for a tree, with a leaf."""
    row = tr.free[at.FREE_NODE]
    tr.free[at.FREE_NODE] = tr.nodes[row, at.TAKEN_BEFORE]
    tr.free[at.FREE_NODES] -= 1
    tr.nodes[row, at.TAKEN_BEFORE] = tr.tops[tree, at.NEWEST]
    tr.tops[tree, at.NEWEST] = row
    tr.values[row] = value
    put(tr.sums, 2 * row + 1, cells, i)
    return row


@kernel
def gather(t, ranks, tr, tree, value, wants, to, i):
    """The cells in a tree whose values are less than this one, equal or greater, to another cell."""
    place = tr.tops[tree, at.TOP]
    if place == agg.NONE:
        return
    difference = difference_from(tr, place, value)
    while agrees(tr, place, difference):
        right = goes_right(tr, place, value)
        if wants & (at.LESS if right else at.GREATER):
            add(t, ranks, to, i, tr.sums, tr.nodes[place >> 1, at.LEFT if right else at.RIGHT])
        place = tr.nodes[place >> 1, at.RIGHT if right else at.LEFT]
    side = at.EQUAL  # or all below differ from the value in one and the same bit
    if difference != ZERO:
        side = at.LESS if (value >> np.uint64(highest_bit(difference))) & ONE == ONE else at.GREATER
    if wants & side:
        add(t, ranks, to, i, tr.sums, place)


@kernel
def uproot(tr, tree):
    """Nothing is in a tree; its rows are free."""
    row = tr.tops[tree, at.NEWEST]
    while row != agg.NONE:
        following = tr.nodes[row, at.TAKEN_BEFORE]
        tr.nodes[row, at.TAKEN_BEFORE] = tr.free[at.FREE_NODE]
        tr.free[at.FREE_NODE] = row
        tr.free[at.FREE_NODES] += 1
        row = following
    tr.tops[tree, at.TOP] = agg.NONE
    tr.tops[tree, at.NEWEST] = agg.NONE
