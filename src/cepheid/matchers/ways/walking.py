"""One step along a way: what may come after an event, in the order of output.

Matches are ordered by their events, variable by variable, and a variable with fewer events comes first. So
of two events that may come next, the one at the later variable comes first, and then the earlier one.
"""

from __future__ import annotations

import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.ways.layout import AT_NODE, CHAIN, INDEX, NONE, POSITION, TARGETS


@kernel
def positions_after(g, node):
    """The positions of all that may come after a row, as bits."""
    found = np.int64(0)
    while node != NONE:
        for k in range(g.followers_of[node], g.followers_of[node + 1]):
            found |= np.int64(1) << g.rows[g.followers[k], POSITION]
        node = g.newer[node]
    return found


@inlined
def last_position(positions):
    """The highest of some positions."""
    highest = np.int64(0)
    while positions >> (highest + 1) != 0:
        highest += 1
    return highest


@kernel
def enter(g, levels, depth, node):
    """Come to a row, with nothing after it visited yet."""
    levels[depth, AT_NODE] = node
    levels[depth, TARGETS] = positions_after(g, node)
    levels[depth, CHAIN] = node
    levels[depth, INDEX] = g.followers_of[node]


@kernel
def next_after(g, levels, depth):
    """The next row after that of a level, in the order of output; NONE if all were visited."""
    while levels[depth, TARGETS] != 0:
        position = last_position(levels[depth, TARGETS])
        chain, k = levels[depth, CHAIN], levels[depth, INDEX]
        while chain != NONE:
            while k < g.followers_of[chain + 1]:
                row = g.followers[k]
                k += 1
                if g.rows[row, POSITION] == position:
                    levels[depth, CHAIN], levels[depth, INDEX] = chain, k
                    return row
            chain = g.newer[chain]
            k = g.followers_of[chain] if chain != NONE else 0
        levels[depth, TARGETS] &= ~(np.int64(1) << position)
        levels[depth, CHAIN] = levels[depth, AT_NODE]
        levels[depth, INDEX] = g.followers_of[levels[depth, AT_NODE]]
    return np.int64(NONE)
