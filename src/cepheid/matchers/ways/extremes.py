"""The longest match of each group, or the shortest, without listing the others."""

from __future__ import annotations

import numpy as np

from cepheid.matchers.jit import kernel
from cepheid.matchers.rows import Bindings
from cepheid.matchers.ways import layout as at
from cepheid.matchers.ways.layout import (
    EVENT,
    IDENTITY,
    NONE,
    POSITION,
    PREVIOUS,
    ROOT,
    ROW,
    SIBLING,
)
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
    links = ways.links
    size = ways.rows.shape[0]
    to_go, best = np.zeros(size, np.int64), np.zeros(size, np.int64)
    measure(ways.rows, longest, to_go, best)
    lengths = np.zeros((variables, ways.count), np.int64)
    sums = np.zeros((ways.count, 2), np.int64)
    events = np.empty(size, np.int64)
    written = walk_extremes(
        ways.rows,
        ways.newer,
        links.followers,
        links.followers_of,
        links.starts,
        links.starts_of,
        longest,
        to_go,
        np.zeros((1, at.LEVEL_WIDTH), np.int64),
        events,
        lengths,
        sums,
    )
    return to_bindings(events[:written], lengths, sums)


@kernel
def measure(rows, longest, to_go, best):
    """How many events the longest (or shortest) way from each row to a root has, the row included.

    From the newest row to the oldest: `best` is what the rows after a chain, at a row or newer, come to.
    """
    for k in range(rows.shape[0] - 1, -1, -1):
        to_go[k] = 1 if rows[k, ROOT] != 0 else 1 + best[k]
        for target, value in ((rows[k, SIBLING], best[k]), (rows[k, PREVIOUS], to_go[k])):
            if target != NONE and value > 0:
                if best[target] == 0 or (value > best[target] if longest else value < best[target]):
                    best[target] = value


@kernel
def walk_extremes(
    rows,
    newer,
    followers,
    followers_of,
    starts,
    starts_of,
    longest,
    to_go,
    levels,
    events,
    lengths,
    sums,
):
    """Walk the way of each group that was looked for; where the events written end."""
    written = 0
    for group in range(starts_of.size - 1):
        node = first_of(rows, starts[starts_of[group] : starts_of[group + 1]], longest, to_go)
        written = walk_from(
            rows, newer, followers, followers_of, node, to_go, group, written, levels, events, lengths, sums
        )
    return written


@kernel
def first_of(rows, starts, longest, to_go):
    """Where the way that is looked for begins."""
    node = starts[0]
    for k in range(1, starts.size):
        other = starts[k]
        if to_go[other] == to_go[node]:
            if not longest and rows[other, EVENT] < rows[node, EVENT]:
                node = other
        elif (to_go[other] > to_go[node]) == longest:
            node = other
    return node


@kernel
def walk_from(
    rows, newer, followers, followers_of, node, to_go, group, written, levels, events, lengths, sums
):
    """Walk from a first event along those that have as far to go as they should."""
    while True:
        events[written] = rows[node, ROW]
        lengths[rows[node, POSITION], group] += 1
        for lane in range(2):
            total = np.uint64(sums[group, lane]) + np.uint64(rows[node, IDENTITY + lane])
            sums[group, lane] = np.int64(total)
        written += 1
        if rows[node, ROOT] != 0:
            return written
        wanted = to_go[node] - 1
        enter(rows, newer, followers, followers_of, levels, 0, node)
        while True:
            following = next_after(rows, newer, followers, followers_of, levels, 0)
            if to_go[following] == wanted:
                break
        node = following
