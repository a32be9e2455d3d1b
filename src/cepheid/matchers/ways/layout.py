"""Where each value stands in the rows of ways, and in the cursor of what walks along them."""

from typing import NamedTuple

import numpy as np

Ints = np.ndarray  # int64

NONE = -1

# a row: an event at a variable. What comes before it is any of a chain: PREVIOUS, that one's SIBLING, …
ROW, POSITION, EVENT, PREVIOUS, SIBLING, ROOT = 0, 1, 2, 3, 4, 5  # ROW is in the store of events
IDENTITY = 6  # two words that add up along a way to the identity of its match
WAY_WIDTH = 8

# how far the listing of matches has come
GROUP, DEPTH, NEXT_START, OF_GROUP, LISTED, WRITTEN = range(6)
CURSOR_WIDTH = 6

# a level of the way that is being listed: its node, and how far its followers have been visited
AT_NODE, TARGETS, CHAIN, INDEX, SUM = 0, 1, 2, 3, 4
LEVEL_WIDTH = 6

# what the listing answers
DONE, FULL = 0, 1


class Graph(NamedTuple):
    """Ways, to be walked from first events to last ones: after a row comes what follows it, or what follows
    one that is newer in its chain."""

    rows: Ints
    newer: Ints  # the row that each row is the SIBLING of
    followers: Ints  # rows, by the row that is their PREVIOUS, in the order of their events
    followers_of: Ints  # where those of each row begin; the last number is where all end
    starts: Ints  # where matches begin, by group, in the order of output
    starts_of: Ints


class Listed(NamedTuple):
    """Matches as they are written down, one after the other."""

    events: Ints
    lengths: Ints  # variable, match: how many events it has
    sums: Ints  # match, lane: its identity
    of_group: Ints
