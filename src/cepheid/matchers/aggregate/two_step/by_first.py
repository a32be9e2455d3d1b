"""What the matches of a group come to, by their first event: added up on the ways, and no match is listed.

For each event that may be the first, the rows of a piece are passed once. There are two cells at a row: of
the ways that have later events only, and of those that have that event and otherwise later ones. A cell holds
how many ways there are and, for each measure, what they come to; it goes on to a row as dual numbers do.

Whole numbers are int64. Where that may not be enough, all is done several times and each time modulo another
number: `remainders` puts the true numbers together from that.

`k` is a row, `v` what is added up, `c` the cells; the last column of the cells is for what a group comes to.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from typing import NamedTuple

import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.ways import layout as at

LATER, WITH_FIRST = 0, 1
ADD, ADD_REAL, LEAST, MOST, LEAST_REAL, MOST_REAL = range(6)

GROUP, FIRST, LAST, COUNT = range(4)
FOUND_WIDTH = 4

DONE, FULL = 0, 1

PLAIN = 2**63 - 1
"""The modulus of numbers that int64 surely holds: they are as they are."""


class Summed(NamedTuple):
    """What is added up: by measure how, and what each row gives to it."""

    modulus: int

    kinds: np.ndarray
    whole: np.ndarray  # measure, row
    real: np.ndarray
    identities: np.ndarray  # by measure, of least and most; bits of reals where they are real
    positions: np.ndarray  # of each row's event in the stream


class Cells(NamedTuple):
    """By layer and row, along the chain from it on."""

    counts: np.ndarray
    sizes: np.ndarray  # the same as reals: about
    whole: np.ndarray  # measure, layer, row
    real: np.ndarray

    @staticmethod
    def of_size(measures: int, rows: int) -> "Cells":
        """Cells for so many rows, and one for a group."""
        shape = (2, rows + 1)
        return Cells(
            np.zeros(shape, np.int64),
            np.zeros(shape),
            np.zeros((measures, *shape), np.int64),
            np.zeros((measures, *shape)),
        )


@inlined
def clear(v, c, layer, k):
    """A cell without ways."""
    c.counts[layer, k] = 0
    c.sizes[layer, k] = 0.0
    for j in range(v.kinds.size):
        c.whole[j, layer, k] = v.identities[j, 0] if v.kinds[j] >= LEAST else 0
        c.real[j, layer, k] = as_identity(v, j) if v.kinds[j] >= LEAST else 0.0


@inlined
def as_identity(v, j):
    """Of the least nothing is infinity, of the most it is less than all."""
    return np.inf if v.kinds[j] == LEAST_REAL else -np.inf


@inlined
def added(v, one, other):
    """Two whole numbers as one. Remainders are below 2^31, so that int64 holds their product too."""
    total = one + other
    return total - v.modulus if total >= v.modulus else total


@kernel
def put(v, c, j, layer, k, whole, real):
    """Let a cell have more of a measure."""
    kind = v.kinds[j]
    if kind == ADD:
        c.whole[j, layer, k] = added(v, c.whole[j, layer, k], whole)
    elif kind == ADD_REAL:
        c.real[j, layer, k] += real
    elif kind == LEAST:
        c.whole[j, layer, k] = min(c.whole[j, layer, k], whole)
    elif kind == MOST:
        c.whole[j, layer, k] = max(c.whole[j, layer, k], whole)
    elif real != real or (real < c.real[j, layer, k] if kind == LEAST_REAL else real > c.real[j, layer, k]):
        c.real[j, layer, k] = real


@kernel
def go_on(v, c, k, source, previous, layer, target):
    """Let the ways of a cell go on with the event of row `k`, into another cell. A way that begins
    there comes from nothing."""
    count = c.counts[source, previous] if previous != at.NONE else np.int64(source == LATER)
    size = c.sizes[source, previous] if previous != at.NONE else np.float64(count)
    if size == 0.0:
        return
    c.counts[layer, target] = added(v, c.counts[layer, target], count)
    c.sizes[layer, target] += size
    for j in range(v.kinds.size):
        whole, real = v.whole[j, k], v.real[j, k]
        if v.kinds[j] == ADD:
            whole *= count
            if v.modulus != PLAIN:
                whole %= v.modulus
        elif v.kinds[j] == ADD_REAL and real != 0.0:  # of infinitely many zeros there is no sum
            real *= size
        put(v, c, j, layer, target, whole, real)
        if previous != at.NONE:
            put(v, c, j, layer, target, c.whole[j, source, previous], c.real[j, source, previous])


@kernel
def join_chain(v, c, layer, sibling, k):
    """A chain from a row on has the ways of the row and those of the chain behind it."""
    c.counts[layer, k] = added(v, c.counts[layer, k], c.counts[layer, sibling])
    c.sizes[layer, k] += c.sizes[layer, sibling]
    for j in range(v.kinds.size):
        put(v, c, j, layer, k, c.whole[j, layer, sibling], c.real[j, layer, sibling])


@kernel
def pass_rows(rows, v, c, begin, end, first):
    """Fill the cells of a piece for one first event."""
    for k in range(begin, end):
        previous, sibling = rows[k, at.PREVIOUS], rows[k, at.SIBLING]
        clear(v, c, LATER, k)
        clear(v, c, WITH_FIRST, k)
        if v.positions[k] > first:
            go_on(v, c, k, LATER, previous, LATER, k)
            go_on(v, c, k, WITH_FIRST, previous, WITH_FIRST, k)
        elif v.positions[k] == first:
            go_on(v, c, k, LATER, previous, WITH_FIRST, k)
        if sibling != at.NONE:
            join_chain(v, c, LATER, sibling, k)
            join_chain(v, c, WITH_FIRST, sibling, k)


@kernel
def most_ways(rows, begin, end, logarithms):
    """The logarithm, to base 2, of the most ways to the chain of any row of a piece, about."""
    most = 0.0
    for k in range(begin, end):
        previous, sibling = rows[k, at.PREVIOUS], rows[k, at.SIBLING]
        here = logarithms[previous] if previous != at.NONE else 0.0
        if sibling != at.NONE:
            high, low = max(here, logarithms[sibling]), min(here, logarithms[sibling])
            here = high + np.log2(1.0 + 2.0 ** (low - high))
        logarithms[k] = here
        most = max(most, here)
    return most


@kernel
def last_of(rows, v, root):
    """The last event of a group: the latest on any way to any of its roots."""
    last = v.positions[root]
    while rows[root, at.PREVIOUS] != at.NONE:
        root = rows[root, at.PREVIOUS]
        last = max(last, v.positions[root])
    return last


@kernel
def sum_up(rows, v, c, roots, roots_of, firsts, place, found):
    """Go on with the first events of a piece from a place on. `place` has which event comes next, how many
    rows are written, and the groups and rows of the piece."""
    scratch = c.counts.shape[1] - 1
    while place[0] < firsts.size:
        if place[1] + place[3] - place[2] > found[0].shape[0]:
            return FULL
        first = firsts[place[0]]
        pass_rows(rows, v, c, place[4], place[5], first)
        for group in range(place[2], place[3]):
            clear(v, c, WITH_FIRST, scratch)
            for i in range(roots_of[group], roots_of[group + 1]):
                root = roots[i]
                previous = rows[root, at.PREVIOUS]
                if v.positions[root] > first:
                    go_on(v, c, root, WITH_FIRST, previous, WITH_FIRST, scratch)
                elif v.positions[root] == first:
                    go_on(v, c, root, LATER, previous, WITH_FIRST, scratch)
            if c.sizes[WITH_FIRST, scratch] > 0.0:
                n = place[1]
                found[0][n, GROUP], found[0][n, FIRST] = group, first
                found[0][n, LAST] = last_of(rows, v, roots[roots_of[group]])
                found[0][n, COUNT] = c.counts[WITH_FIRST, scratch]
                for j in range(v.kinds.size):
                    found[1][j, n] = c.whole[j, WITH_FIRST, scratch]
                    found[2][j, n] = c.real[j, WITH_FIRST, scratch]
                place[1] = n + 1
        place[0] += 1
    return DONE
