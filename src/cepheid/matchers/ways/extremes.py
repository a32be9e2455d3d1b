"""The longest match of each group, or the shortest, without listing the others."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.bindings import Bindings
from cepheid.matchers.jit import kernel
from cepheid.matchers.ways import layout as at
from cepheid.matchers.ways.layout import Listed
from cepheid.matchers.ways.listing import to_bindings
from cepheid.matchers.ways.walking import enter, next_after
from cepheid.matchers.ways.ways import Ways


def longest(ways: Ways, variables: int) -> Bindings:
    """Of each group the match with the most events; of several the first in the order of output."""
    return _extreme(ways, variables, longest=True)


def shortest(ways: Ways, variables: int) -> Bindings:
    """Of each group the match with the fewest events; of several that which began first, then by events."""
    return _extreme(ways, variables, longest=False)


def _extreme(ways: Ways, variables: int, longest: bool) -> Bindings:
    size = ways.rows.shape[0]
    to_go, best = np.zeros(size, np.int64), np.zeros(size, np.int64)
    measure(ways.rows, longest, to_go, best)
    listed = Listed(
        events=np.empty(size, np.int64),
        lengths=np.zeros((variables, ways.count), np.int64),
        sums=np.zeros((ways.count, 2), np.int64),
        of_group=np.arange(ways.count),
    )
    level = np.zeros((1, at.LEVEL_WIDTH), np.int64)
    written = walk_extremes(ways.graph, longest, to_go, level, listed)
    return to_bindings(listed.events[:written], listed.lengths, listed.sums)


@kernel
def measure(rows, longest, to_go, best):
    """How many events the longest (or shortest) way from each row to a root has, the row included.

    From the newest row to the oldest: `best` is what the rows after a chain, at a row or newer, come to.
    """
    for k in range(rows.shape[0] - 1, -1, -1):
        to_go[k] = 1 if rows[k, at.ROOT] != 0 else 1 + best[k]
        for target, value in ((rows[k, at.SIBLING], best[k]), (rows[k, at.PREVIOUS], to_go[k])):
            if target != at.NONE and value > 0:
                if best[target] == 0 or (value > best[target] if longest else value < best[target]):
                    best[target] = value


@kernel
def walk_extremes(g, longest, to_go, level, listed):
    """Walk the way of each group that was looked for; where the events written end."""
    written = 0
    for group in range(g.starts_of.size - 1):
        node = first_of(g, group, longest, to_go)
        written = walk_from(g, node, to_go, group, written, level, listed)
    return written


@kernel
def first_of(g, group, longest, to_go):
    """Where the way that is looked for begins."""
    node = g.starts[g.starts_of[group]]
    for k in range(g.starts_of[group] + 1, g.starts_of[group + 1]):
        other = g.starts[k]
        if to_go[other] == to_go[node]:
            if not longest and g.rows[other, at.EVENT] < g.rows[node, at.EVENT]:
                node = other
        elif (to_go[other] > to_go[node]) == longest:
            node = other
    return node


@kernel
def walk_from(g, node, to_go, group, written, level, listed):
    """Walk from a first event along those that have as far to go as they should."""
    while True:
        listed.events[written] = g.rows[node, at.ROW]
        listed.lengths[g.rows[node, at.POSITION], group] += 1
        for lane in range(2):
            total = np.uint64(listed.sums[group, lane]) + np.uint64(g.rows[node, at.IDENTITY + lane])
            listed.sums[group, lane] = np.int64(total)
        written += 1
        if g.rows[node, at.ROOT] != 0:
            return written
        wanted = to_go[node] - 1
        enter(g, level, 0, node)
        node = next_after(g, level, 0)
        while to_go[node] != wanted:
            node = next_after(g, level, 0)
