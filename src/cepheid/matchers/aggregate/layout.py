"""Where each number stands in the rows that the aggregate kernels read and write.

A cell is what stands at a step: how many ways lead there (wide, its least significant word first),
and for each aggregated value the sum over these ways, how many values that is of, the least and the
most. Cells are rows of uint64; a float64 or an int64 stands there by its bits.
"""

from typing import NamedTuple

import numpy as np

Ints = np.ndarray  # int64
Words = np.ndarray  # uint64
Bytes = np.ndarray  # uint8

NONE = -1

# a row of steps
TEST, BEGINS, ENDS, AFTER, AFTER_END, BACK, BACK_END, UNDONE, UNDONE_END = 0, 1, 2, 3, 4, 5, 6, 7, 8
STEP_WIDTH = 9

# a row of values: its column, what that holds, and where in a cell its numbers stand
COLUMN, KIND, SUM, COUNTED, LEAST, MOST = 0, 1, 2, 3, 4, 5
VALUE_WIDTH = 6
WHOLE, REAL, TEXT = 0, 1, 2

# a row of the head of a batch, one column an event
MASK, PARTITION, GROUP, TIME, HAS_ROW = 0, 1, 2, 3, 4
HEAD_WIDTH = 5

# a row of starts: the first event of ways that are still open
NEXT, ALL_NEXT, ALL_BEFORE, SINCE, OF_PARTITION, DONE, BLOCKED, BLOCKED_SINCE = 0, 1, 2, 3, 4, 5, 6, 7
START_WIDTH = 8

# a row of partitions
FIRST, FINAL, ORDINAL = 0, 1, 2
PARTITION_WIDTH = 3  # then when each absence was last seen, and whether it was

# a row of done: whole matches of one start, by group and by the step that they end at
DONE_NEXT, DONE_STEP, DONE_GROUP, DONE_SEEN, DONE_TIME = 0, 1, 2, 3, 4
DONE_WIDTH = 5

# the cursor: where a kernel is, and what it found no room for
AT_EVENT, ROWS, FREE_START, FREE_DONE, FREE_STARTS, FREE_DONES = 0, 1, 2, 3, 4, 5
ALL_FIRST, ALL_FINAL, OPEN, VISITS = 6, 7, 8, 9
CURSOR_WIDTH = 10

# why a kernel stopped
FINISHED, STARTS_FULL, DONES_FULL, ROWS_FULL, TOO_NARROW = 0, 1, 2, 3, 4

# two stacks ---------------------------------------------------------------------------------------

START = -1  # the row of a matrix for ways that begin inside

# a row of kept events
KEPT_NEXT, KEPT_BEFORE, KEPT_ALL_NEXT, KEPT_ALL_BEFORE = 0, 1, 2, 3
KEPT_SINCE, KEPT_PARTITION, KEPT_MASK, KEPT_FRONT = 4, 5, 6, 7
KEPT_WIDTH = 8

# a row of partitions, behind FIRST, FINAL and ORDINAL
HOLDS, FRONT, FRONT_FINAL, CHANGED, CHANGED_NEXT, OF_GROUP, ABOVE, LEFT, RIGHT = 3, 4, 5, 6, 7, 8, 9, 10, 11
SHARE_WIDTH = 12

# a row of groups: the top of the tree of its partitions, and how many those are
TOP, SIZE = 0, 1
TREE_WIDTH = 2

# the cursor, as above but for
FREE_KEPT, FREE_FRONTS, FREE_KEPTS, STOP, PHASE, FIRST_CHANGED = 2, 3, 4, 5, 8, 10
STACKS_CURSOR_WIDTH = 11

# how far an event has come
ARRIVES, EXPIRES, ENTERS, REPORTS = 0, 1, 2, 3

# what the plan says to stacks
BEGIN_TESTS, END_TESTS, SPARE, TERMS = 0, 1, 2, 3
RULES_WIDTH = 4

KEPTS_FULL, FRONTS_FULL = 5, 6


class AggregateTables(NamedTuple):
    """The plan, as kernels read it."""

    steps: Ints
    links: Ints  # the lists that steps point into
    values: Ints
    of_step: Bytes  # by step and value: whether the step's events have it
    absent: Ints  # the test of each absence
    window: tuple[int, int]  # kind and limit
    limbs: int  # words of a count
    all_tests: int
    real_time: bool
    keeps_closed: bool  # matches whose window is over are added up


class AggregateEvents(NamedTuple):
    """A batch, as kernels read it."""

    head: Ints
    columns: Ints
    valid: Bytes
    ranks: Ints  # of texts by their code, in the order of code points


class MarkingState(NamedTuple):
    """What is remembered from event to event."""

    starts: Ints
    cells: Words  # of each start, one a step
    done: Ints
    totals: Words  # the cell of each done
    partitions: Ints
    closed: Words  # by group, matches whose window is over
    ended: Ints  # by group, whether it has a match whose window is over, and when the last was complete


class Stacks(NamedTuple):
    """What two stacks remember: the events of the window, and products of their matrices."""

    rules: Ints
    events: Ints
    fronts: Words  # the first row of the product from an event to the end of the front stack
    free_fronts: Ints
    backs: Words  # by partition, the product of the back stack
    turning: Words  # one more product, while a back stack becomes a front stack; then single cells
    own: Words  # the whole matches of each partition
    sums: Words  # of it and of all below it in the tree of its group
    partitions: Ints
    groups: Ints
    closed: Words
    ended: Ints


class KeptValues(NamedTuple):
    """The values of the events that two stacks keep."""

    columns: Ints
    valid: Bytes
