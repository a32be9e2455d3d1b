"""What the kernels of counting by algebra read and write."""

from typing import NamedTuple

import numpy as np

from cepheid.matchers.aggregate.layout import Bytes, Ints, Words

# a change of a number
TARGET, SOURCE, WEIGHT = 0, 1, 2
CHANGE_WIDTH = 3

# what the events of a class do: lists of changes, of queries that report, of outputs that may change, of
# lanes that they matter to
PRODUCTS, INVERSES, INVERSES_END, REPORTS, REPORTS_END, MOVED, MOVED_END = 0, 1, 2, 3, 4, 5, 6
LANES, LANES_END = 7, 8
CLASS_WIDTH = 9

# what they do to a lane: begin starts, whose sums these outputs read, or stand where nothing may
BEGUN, BEGUN_END, READ, READ_END, FORBIDDEN = 0, 1, 2, 3, 4
START_WIDTH = 5

# an output: its products, what is taken off, where it stands in a cell and how wide
TERMS, TERMS_END, OFFSET, PLACE, WORDS = 0, 1, 2, 3, 4
OUTPUT_WIDTH = 5

# a lane: its window, and whether something may forbid its starts
KIND, LIMIT, FORBIDS = 0, 1, 2
LANE_WIDTH = 3

# what is known of a lane's starts
OLDEST, OPEN, SINCE, CURRENT, PREVIOUS, MOST = 0, 1, 2, 3, 4, 5
RING_WIDTH = 6

# a start
ENTERED, OF_PARTITION, OF_CLASS, BLOCKED, BLOCKED_SINCE, NEXT_BLOCKED = 0, 1, 2, 3, 4, 5
ENTRY_WIDTH = 6

# what a partition knows of a lane: its blocked starts, and when what is forbidden was last seen
FIRST_BLOCKED, LAST_BLOCKED, SEEN, SEEN_AT = 0, 1, 2, 3
SIGHT_WIDTH = 4

# what the events of a class do to a pattern with a gap
BEGINS, JOINS, FORBIDS_GAP = 1, 2, 4

NOWHERE = -2
"""The partition of an event that has a row, but takes part in no match."""

# the cursor
AT_EVENT, STOP, ROWS, BEFORE = 0, 1, 2, 3
CURSOR_WIDTH = 4

# a row that was found; its group, where it is told at the end of a period
EVENT, QUERY, GROUP = 0, 1, 2
FOUND_WIDTH = 3

# the kinds of classes: of events that matter, of those that do nothing, and of the ends of periods
WORKS, IDLE, TICK = 0, 1, 2


class AlgebraTables(NamedTuple):
    """The numbers, and what each class of events does to them."""

    classes: Ints
    kinds: Bytes  # by class: whether its events do something
    starts: Ints  # by class and lane
    changes: Ints
    lists: Ints  # of queries, outputs and lanes
    queries: Ints  # the outputs of each
    outputs: Ints
    terms: Ints  # pairs of numbers
    lanes: Ints
    weights: Ints  # a column, and whether its value counts
    limbs: int
    summed: bool  # a group has several partitions
    grouped: bool  # GROUP BY: at the end of a period each group with a match has a row


class GapTables(NamedTuple):
    """The two halves of a pattern with a gap; places in what is kept of a partition, and of a start."""

    does: Ints  # by class, bits
    left: Ints  # numbers, as in `cepheid.plan.gap.Gap`
    first: Ints
    joined: Ints
    right: Ints
    at_b: np.uint64
    at_v: np.uint64
    at_m: np.uint64
    at_n: np.uint64
    at_k: np.uint64
    at_g: np.uint64
    at_h: np.uint64
    at_f: np.uint64
    own_k: np.uint64  # the row itself stands before it
    own_g: np.uint64
    own_h: np.uint64


class ClassedEvents(NamedTuple):
    """A batch."""

    classes: Ints
    time: Ints
    partitions: Ints  # empty where there is but one
    groups: Ints  # the same
    columns: Ints
    valid: Bytes


class AlgebraState(NamedTuple):
    """What is remembered from event to event."""

    numbers: Words  # of each partition; a further dimension where a number has several words
    starts: Ints  # of each partition, how many are open
    sights: Ints  # by partition and lane
    rings: Ints  # by lane
    entries: Ints  # by lane, a ring of starts
    rows: Words  # what each has added to the sums
    own: Words  # the outputs of each partition, where a group has several
    groups: Ints  # of each partition, once it has had an event
    totals: Words  # the outputs of each group
    scratch: Words
    gaps: Words  # what a partition keeps of a pattern with a gap
