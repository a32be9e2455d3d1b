"""Where each number stands in what the kernel of Chop-Connect reads and writes.

Everything that comes and goes with events lies in one pool of words, in blocks of 2^k of them: the counters
of the active starts of a tree, and the snapshots of connects. Starts of a tree and a partition are numbered
as they come and leave in that order, so those that are active have consecutive numbers, and so have the rows
of a snapshot.
"""

from typing import NamedTuple

import numpy as np

Ints = np.ndarray  # int64

NONE = -1

# a row of the head of a batch, one column an event; then come its tests, some to a word
PARTITION, GROUP, TIME, ACTS = 0, 1, 2, 3
HEAD_WIDTH = 4
TESTS_A_WORD = 62

# a row of roots: how many columns a start has, then where its lists stand
COLUMNS, KEPT, KEPT_END, LINKS, LINKS_END = 0, 1, 2, 3, 4
ROOT_WIDTH = 5

# a row of kept: a column of starts that is part of a total
KEPT_COLUMN, KEPT_TOTAL = 0, 1

# columns of a link: the snapshot that a start took
ADDRESS, LOW, SIZE = 0, 1, 2
LINK_WIDTH = 3

# a row of nodes: a count of the starts of a root, and that which it grows by
NODE_ROOT, NODE_COLUMN, NODE_PARENT, NODE_TOTAL = 0, 1, 2, 3

# a row of flows: what stands at a column of starts goes on, by way of their snapshots if these are connected,
# to the starts that the query begins with: into a column of these, or into a snapshot
FROM_ROOT, FROM_COLUMN, FROM_LINK, BEGIN_ROOT, TO_ROOT, TO_COLUMN, TO_TOTAL = 0, 1, 2, 3, 4, 5, 6
FLOW_WIDTH = 7

# a row of tests: where the lists of what an event does that passes it stand
CONNECTS, CONNECTS_END, FINISHES, FINISHES_END, BEGINS, BEGINS_END, REPORTS, REPORTS_END = range(8)
TEST_WIDTH = 8

# a row of reports
REPORT_QUERY, REPORT_TOTAL = 0, 1

# a row of queues: the active starts of a root in a partition, oldest first
BLOCK, BLOCK_CLASS, CAPACITY, HEAD, TAIL, FIRST_NUMBER = 0, 1, 2, 3, 4, 5  # of the start in slot 0
QUEUE_WIDTH = 6

# a row of the ring of all active starts
SINCE, OF_QUEUE = 0, 1

# the cursor
AT_EVENT, ROWS, OLDEST, OPEN, USED, WANTED, ORDINAL = 0, 1, 2, 3, 4, 5, 6
EPOCH_SINCE, EPOCH_BEFORE, EPOCH_NOW = 7, 8, 9
VISITS, SNAPSHOTS, CONNECTED = 10, 11, 12
CURSOR_WIDTH = 13

# why the kernel stopped
FINISHED, RING_FULL, POOL_FULL, ROWS_FULL, CROWDED = 0, 1, 2, 3, 4

CLASSES = 63


class ChopTables(NamedTuple):
    """The plan of sharing, as the kernel reads it."""

    window: tuple[int, int]  # kind and limit
    roots: Ints
    kept: Ints
    links: Ints  # the first column of each
    nodes: Ints  # by test, the deepest first
    depths: Ints  # by test: where the nodes of each depth begin, the deepest first
    flows: Ints
    tests: Ints
    begins: Ints  # roots
    reports: Ints
    queries: int
    slots: int  # how many starts a queue has room for at first
    most_events: int  # in two windows


class ChopEvents(NamedTuple):
    """A batch, as the kernel reads it."""

    head: Ints
    masks: Ints  # by word and event


class ChopState(NamedTuple):
    """What is remembered from event to event."""

    pool: Ints
    free: Ints  # by class, the first free block
    queues: Ints
    groups: Ints  # of each partition
    totals: Ints  # by group
    ring: Ints


class ChopRows(NamedTuple):
    """Rows of queries."""

    events: Ints
    queries: Ints
    counts: Ints
    passed: Ints  # the tests that one event passes
