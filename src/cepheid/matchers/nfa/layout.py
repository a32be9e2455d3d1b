"""Where each value stands in the rows that kernels read and write.

Tables, runs and found matches are int64 rows, one row a thing, so that a
thing is one or two cache lines and a copy is one move; where a value is a float64, its
bits stand in the row. Compiled code sees these names as constants.
"""

from typing import NamedTuple

import numpy as np

Ints = np.ndarray  # int64
Bytes = np.ndarray  # uint8

NONE = -1

# strategies
STRICT, PARTITION, NEXT, ANY = 0, 1, 2, 3

# a row of positions: one state, or pair of states, of the NFA^b; an …_END stands behind its start
KLEENE, LEAST, MOST, ACCEPTS, BEGIN_BIT, TAKE_BIT, RELEVANT = 0, 1, 2, 3, 4, 5, 6
FOLLOW, FOLLOW_END, ON_BEGIN, ON_BEGIN_END, ON_TAKE, ON_TAKE_END = 7, 8, 9, 10, 11, 12
ON_LEAVE, ON_LEAVE_END, CAPTURE, CAPTURE_END, REMEMBER, REMEMBER_END = 13, 14, 15, 16, 17, 18
LIKENESS, LIKENESS_END, LIKE_VALUES, LIKE_TAKEN = 19, 20, 21, 22
CAN_DEFER = 23  # whether its runs may read later what they can only take
POSITION_WIDTH = 24
NEVER = -1  # as LIKENESS: runs of that state are never merged

# a row of scratch: a register, and by position the event that a condition has come to
REGISTER, REGISTER_VALID, RANGING, RANGING_FROM = 0, 1, 2, 3
SCRATCH_WIDTH = 4

# a row of what is counted of a state: how often a run read an event there, found itself over, took it, went
# on without staying, was complete, was begun by it, or was stopped by an absence; and of one row of `follow`:
# how often a run took that edge
READ, OVER, TAKEN, LEFT, COMPLETED, STARTED, SPOILT, BEGUN = range(8)
TALLY_WIDTH = 8

# a row of windows; row 0 is the query's own
WINDOW_KIND, WINDOW_LIMIT, WINDOW_MEMBERS, WINDOW_HALF_OPEN = 0, 1, 2, 3
WINDOW_WIDTH = 4

# a row of absences
ABSENT_BIT, PLACE, CHECKS, CHECKS_END, AT_COMPLETION = 0, 1, 2, 3, 4
BRANCHES, BRANCHES_END, ENCLOSED, ENCLOSED_END = 5, 6, 7, 8
ABSENCE_WIDTH = 9

# a row of runs; then where each inner window begins and ends so far, then slots
RUN_NEXT, RUN_NODE, RUN_TAKEN, RUN_START, RUN_START_TIME, RUN_START_ORDINAL = 0, 1, 2, 3, 4, 5
RUN_LAST, RUN_BOUND, RUN_PARTITION, RUN_EVENTS, RUN_VALID, RUN_OVERFLOWN = 6, 7, 8, 9, 10, 11
RUN_STATE, RUN_KEY, RUN_BUCKET = 12, 13, 14  # where a run is found again by one that is like it
RUN_READ = 15  # up to which event it has read what was deferred
RUN_WIDTH = 16
UNLISTED = -2  # as RUN_BUCKET: the run is not to be found

# a row of nodes: one event in the shared buffer; then the values kept with it. What comes before it is any
# of a chain: the node LINK_PREVIOUS, that one's LINK_SIBLING, and so on. Both are older than the node.
NODE_EVENT, NODE_ROW, LINK_PREVIOUS, LINK_FIRST, LINK_POSITION, LINK_ORDINAL = 0, 1, 2, 3, 4, 5
NODE_HASH, NODE_VALID = 6, 8
LINK_SIBLING, LINK_PEER, NODE_LATEST = 9, 10, 11  # the partition's node before it; the latest start before it
LINK_MANY = 12  # whether its run was merged with another before, so that many ways may lead to it
NODE_WIDTH = 13

# a row of partitions, with the last event that it deferred; from HEADS on, its first and then its last
# run of each state, then its newest candidate of each absence
LIVE, WAITING, FLOOR, COUNTED, NEWEST, DEFERRED = 0, 1, 2, 3, 4, 5
HEADS = 6

# a row of a batch's head, each as long as the batch
MASK, IN_PARTITION, TIME, ORDINAL, HASH = 0, 1, 2, 3, 4
HEAD_WIDTH = 6

# a row of found matches
FOUND_NODE, FOUND_EVENT, FOUND_TIME, FOUND_CLOSED, FOUND_PARTITION, FOUND_START, FOUND_EVENTS = range(7)
FOUND_LAST, FOUND_FIRST_ROW, FOUND_LAST_ROW, FOUND_MEASURE = 7, 8, 9, 10
FOUND_WIDTH = 11

# the cursor: where a kernel stands
AT_EVENT, FREE_RUN, FREE_RUNS, NODES, CANDIDATES, FOUND, PENDING, PENDING_COUNT = range(8)
STEPS, NEEDED, OFFSET, LAST_EVENT, ROWS, UNTIL, FRESH, MERGED, PRUNED, MOST_RUNS = range(8, 18)
DEFERRALS, PUT_OFF, MOST_PUT_OFF, MADE_UP, ALL_READ = range(18, 23)
CURSOR_WIDTH = 23

# what a kernel answers
DONE, RUNS_FULL, NODES_FULL, CANDIDATES_FULL, FOUND_FULL = 0, 1, 2, 3, 4


class NfaTables(NamedTuple):
    """The automaton, immutable: one book of rows, and where each chapter of it begins."""

    book: Ints
    positions: int
    follow: int
    first: int
    conditions: int
    loads: int  # source, index
    program: int
    constants: int  # value, valid
    captures: int
    remembered: int  # source, index, place
    node_positions: int  # whose events a remembered value is kept with
    windows: int
    absences: int
    branches: int  # bit sets of positions
    enclosures: int  # the windows around absences
    gaps: int  # per (state + 1, next state): begin and end in gap_absences
    gap_absences: int
    candidate_columns: int
    likenesses: int  # the columns of runs that must agree for them to be merged
    states: int
    first_count: int
    window_count: int
    absence_count: int
    candidate_count: int
    strategy: int
    fan: int  # most successors of one run on one event
    slots: int  # where the slots begin in a run's row
    candidate_heads: int  # where the newest candidates begin in a partition's row
    trailing: bool  # some absence may stand at the end
    waits_for_events: bool  # and a window of events closes it
    counts_events: bool
    real_time: bool
    prunes: bool  # a match ends the other runs of its partition
    merges: bool  # runs that are alike become one


class NfaEvents(NamedTuple):
    """One batch, as columns."""

    head: Ints  # mask, partition, time, ordinal and two hashes: field, event
    columns: Ints  # column, event
    valid: Bytes
    texts: Ints  # by code: rank in the order of code points, then functions of the text
    deferred: Ints  # by event: the one that its partition deferred before it; and room to turn their order


class NfaState(NamedTuple):
    """The runs (small), the shared buffer (large), the partitions and the candidates for absence."""

    runs: Ints
    nodes: Ints
    parts: Ints
    candidates: Ints
    registers: Ints  # scratch of conditions
    buckets: Ints  # by the key of a run: the first of those that wait
    tally: Ints  # by state, and by row of `follow`
