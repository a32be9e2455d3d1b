"""One step along a way: what may come after an event, in the order of output.

Matches are ordered by their events, variable by variable, and a variable with fewer events comes first. So
of two events that may come next, the one at the later variable comes first, and then the earlier one.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.ways import layout as at


@kernel
def positions_after(g, node):
    """The positions of all that may come after a row, as bits."""
    found = np.int64(0)
    while node != at.NONE:
        for k in range(g.followers_of[node], g.followers_of[node + 1]):
            found |= np.int64(1) << g.rows[g.followers[k], at.POSITION]
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
    levels[depth, at.AT_NODE] = node
    levels[depth, at.TARGETS] = positions_after(g, node)
    levels[depth, at.CHAIN] = node
    levels[depth, at.INDEX] = g.followers_of[node]


@kernel
def next_after(g, levels, depth):
    """The next row after that of a level, in the order of output; NONE if all were visited."""
    while levels[depth, at.TARGETS] != 0:
        position = last_position(levels[depth, at.TARGETS])
        chain, k = levels[depth, at.CHAIN], levels[depth, at.INDEX]
        while chain != at.NONE:
            while k < g.followers_of[chain + 1]:
                row = g.followers[k]
                k += 1
                if g.rows[row, at.POSITION] == position:
                    levels[depth, at.CHAIN], levels[depth, at.INDEX] = chain, k
                    return row
            chain = g.newer[chain]
            k = g.followers_of[chain] if chain != at.NONE else 0
        levels[depth, at.TARGETS] &= ~(np.int64(1) << position)
        levels[depth, at.CHAIN] = levels[depth, at.AT_NODE]
        levels[depth, at.INDEX] = g.followers_of[levels[depth, at.AT_NODE]]
    return np.int64(at.NONE)
