"""Ordered indexes: cells by a value, and the sum of those whose value is less, equal or greater.

A tree over the bits of values (a crit-bit tree) needs no turning to stay shallow: it is at most 64 nodes
deep, and about as deep as the logarithm of what it holds. Sums are only ever added to, so that whatever can
be added can be indexed: also what cannot be taken off again, as the least of some values.
"""

from __future__ import annotations

import numpy as np

from cepheid.matchers.aggregate.cells import ONE, ZERO, add, put
from cepheid.matchers.aggregate.layout import NONE
from cepheid.matchers.aggregate.ordered.layout import (
    BIT,
    EQUAL,
    FREE_NODE,
    FREE_NODES,
    GREATER,
    LEFT,
    LESS,
    NEWEST,
    RIGHT,
    TAKEN_BEFORE,
    TOP,
)
from cepheid.matchers.jit import inlined, kernel


@inlined
def is_leaf(place):
    """Whether a place is the leaf of its row."""
    return place & 1 == 1


@inlined
def goes_right(tr, place, value):
    """Whether a value belongs to the right of a node."""
    return (value >> np.uint64(tr.nodes[place >> 1, BIT])) & ONE == ONE


@inlined
def below(tr, place, value):
    """The place below a node where a value belongs."""
    return tr.nodes[place >> 1, RIGHT if goes_right(tr, place, value) else LEFT]


@inlined
def agrees(tr, place, difference):
    """Whether a value that so differs from one below a node is like all below it, up to the node's bit."""
    return not is_leaf(place) and difference >> np.uint64(tr.nodes[place >> 1, BIT]) == ZERO


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
    place, above = tr.tops[tree, TOP], NONE
    if place == NONE:
        row = take_row(tr, tree, value, cells, i)
        tr.tops[tree, TOP] = 2 * row + 1
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
    tr.nodes[row, BIT] = highest_bit(difference)
    right = goes_right(tr, 2 * row, value)
    tr.nodes[row, LEFT] = place if right else 2 * row + 1
    tr.nodes[row, RIGHT] = 2 * row + 1 if right else place
    if above == NONE:
        tr.tops[tree, TOP] = 2 * row
    else:
        tr.nodes[above >> 1, RIGHT if goes_right(tr, above, value) else LEFT] = 2 * row


@inlined
def take_row(tr, tree, value, cells, i):
    """A free row for a tree, with a leaf."""
    row = tr.free[FREE_NODE]
    tr.free[FREE_NODE] = tr.nodes[row, TAKEN_BEFORE]
    tr.free[FREE_NODES] -= 1
    tr.nodes[row, TAKEN_BEFORE] = tr.tops[tree, NEWEST]
    tr.tops[tree, NEWEST] = row
    tr.values[row] = value
    put(tr.sums, 2 * row + 1, cells, i)
    return row


@kernel
def gather(t, ranks, tr, tree, value, wants, to, i):
    """The cells in a tree whose values are less than this one, equal or greater, to another cell."""
    place = tr.tops[tree, TOP]
    if place == NONE:
        return
    difference = difference_from(tr, place, value)
    while agrees(tr, place, difference):
        right = goes_right(tr, place, value)
        if wants & (LESS if right else GREATER):
            add(t, ranks, to, i, tr.sums, tr.nodes[place >> 1, LEFT if right else RIGHT])
        place = tr.nodes[place >> 1, RIGHT if right else LEFT]
    side = EQUAL  # or all below differ from the value in one and the same bit
    if difference != ZERO:
        side = LESS if (value >> np.uint64(highest_bit(difference))) & ONE == ONE else GREATER
    if wants & side:
        add(t, ranks, to, i, tr.sums, place)


@kernel
def uproot(tr, tree):
    """Nothing is in a tree; its rows are free."""
    row = tr.tops[tree, NEWEST]
    while row != NONE:
        following = tr.nodes[row, TAKEN_BEFORE]
        tr.nodes[row, TAKEN_BEFORE] = tr.free[FREE_NODE]
        tr.free[FREE_NODE] = row
        tr.free[FREE_NODES] += 1
        row = following
    tr.tops[tree, TOP] = NONE
    tr.tops[tree, NEWEST] = NONE
