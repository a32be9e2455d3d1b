"""Where each value stands in the rows that the tree engine's kernels read and write."""

from typing import NamedTuple

import numpy as np

Ints = np.ndarray  # int64
Bytes = np.ndarray  # uint8

NONE = -1

# kinds of nodes
LEAF, CHAIN, SEQ, AND, OR = 0, 1, 2, 3, 4

# a row of nodes; an …_END stands behind its start
KIND, LEFT, RIGHT, MEMBERS, SHARES, LISTED = 0, 1, 2, 3, 4, 5
PASSES_LEFT, PASSES_RIGHT, STARTS_LEFT, STARTS_RIGHT = 6, 7, 8, 9  # what a new composite of a side does
TESTS, TESTS_END, WINDOWS, WINDOWS_END, REACHES, REACHES_END = 10, 11, 12, 13, 14, 15
JUDGES, JUDGES_END, CARRIES_LEFT, CARRIES_LEFT_END, CARRIES_RIGHT, CARRIES_RIGHT_END = 16, 17, 18, 19, 20, 21
POSITION, BEGIN_BIT, TAKE_BIT, LEAST, MOST, CAPTURES, CAPTURES_END = 22, 23, 24, 25, 26, 27, 28
ON_TAKE, ON_TAKE_END, ON_LEAVE, ON_LEAVE_END, REMEMBERS, REMEMBERS_END = 29, 30, 31, 32, 33, 34
KEYS, KEYS_END, INDEX = 35, 36, 37  # the slots that composites are found by, and a row of buckets or NONE
SORTED, IS_REAL, COMPARISON = 38, 39, 40  # a slot or NONE, what it is; how a join compares two, or NONE
# how it is condensed; of a fleeting leaf that makes nothing by itself, the join that it is for, or NONE
ALONE, BY_FIRST, MOST_COUNTED, TERMS, TERMS_END, IS_PRODUCT, IS_FLEETING, ONLY_FOR = range(41, 49)
NODE_WIDTH = 49

# a row of windows; row 0 is the query's own
WINDOW_KIND, WINDOW_LIMIT, WINDOW_MEMBERS, WINDOW_HALF_OPEN = 0, 1, 2, 3
WINDOW_WIDTH = 4

# a row of absences: BEFORE and AFTER are sets of positions
ABSENT_BIT, BEFORE, AFTER, CHECKS, CHECKS_END = 0, 1, 2, 3, 4
BRANCHES, BRANCHES_END, ENCLOSED, ENCLOSED_END = 5, 6, 7, 8
ABSENCE_WIDTH = 9

# a composite: its parts (a leaf has none; a chain of one event, or what is passed on, only a PART_RIGHT), and
# the one before it in its list; then its slots, then what is kept with an event of a chain
PART_LEFT, PART_RIGHT, OF_NODE, PREVIOUS, PARTITION, BOUND, VALID, OVERFLOWN = 0, 1, 2, 3, 4, 5, 6, 7
TAKEN, HIDDEN, EVENTS, STORED, LAST_LEAF, IDENTITY, KEPT_VALID = 8, 9, 10, 11, 12, 13, 15
FIRST, FIRST_TIME, FIRST_ORDINAL, LAST, LAST_TIME, LAST_ORDINAL = 16, 17, 18, 19, 20, 21
KEY, JUMP, DEPTH = 22, 23, 24  # what it is found by; an older one of its list, and how many there are
LEAST_OF, MOST_OF, YOUNGEST = 25, 26, 27  # from it to its JUMP: of the sorted slot, and when one began
WIDTH = 28

# a row of partitions: from HEADS on, its newest composite of each node, then its newest candidate of each
# absence
COUNTED, WAITING, FLOOR = 0, 1, 2
HEADS = 3

# a row of a batch's head, each as long as the batch
MASK, IN_PARTITION, TIME, ORDINAL, HASH = 0, 1, 2, 3, 4
HEAD_WIDTH = 6

# a row of scratch: a register, the event that a condition has come to, a stack, and the first and last leaf
# of each position in the composite that is judged
REGISTER, REGISTER_VALID, RANGING, RANGING_FROM, STACK, FIRST_OF, LAST_OF = 0, 1, 2, 3, 4, 5, 6
SCRATCH_WIDTH = 7

# where the new composites of a node begin and end
NEW, NEW_END = 0, 1

# what is counted of each node: pairs tested and composites made, in a condensed tree members; there also the
# groups made, and the composites that their members stand for, bits of a real
TESTED, MADE, GROUPS_MADE, STOOD_FOR = 0, 1, 2, 3
TALLY_WIDTH = 4

# a match that waits for a window to close
WAITS, NEXT = 0, 1

# a found match
FOUND_ROW, FOUND_EVENT, FOUND_TIME, FOUND_CLOSED, FOUND_PARTITION, FOUND_START, FOUND_EVENTS = range(7)
FOUND_LAST, FOUND_MEASURE, FOUND_STORED, FOUND_POSITION, FOUND_IDENTITY = 7, 8, 9, 10, 11
FOUND_WIDTH = 13

# the cursor: where a kernel stands
AT_EVENT, AT_NODE, BLOCK_END, OFFSET, ROWS, STORE, CANDIDATES, FOUND, PENDING, FREE_PENDING, PENDING_COUNT = (
    range(11)
)
STEP, STEP_RIGHT, PHASE, OTHER, COLLECT_AT, PAIRS, COMPOSITES = range(11, 18)
MEMBERS, COLLECT_MEMBERS_AT, COUNTS, LONGEST_COUNT, COUNTS_OFF = range(18, 23)
CURSOR_WIDTH = 23
BETWEEN = -1  # as AT_NODE: before a block of events

# as PHASE: what is next to be done with a new composite, or with an event of a chain
FRESH, WALKING = 0, 1

# what a kernel answers
DONE, ROWS_FULL, CANDIDATES_FULL, FOUND_FULL, PENDING_FULL, COLLECT, MEMBERS_FULL, COUNTS_FULL = range(8)


class TreeTables(NamedTuple):
    """The plan, immutable: one book of rows, and where each chapter of it begins."""

    book: Ints
    nodes: int
    conditions: int
    loads: int  # source, index
    program: int
    constants: int  # value, valid
    captures: int
    remembered: int  # source, index, place
    node_positions: int  # whose events a remembered value is kept with
    carried: int  # slots
    keys: int  # slot, whether it is real
    windows: int
    enclosures: int  # windows, by number
    absences: int
    judged: int  # absences, by number
    branches: int  # sets of positions
    terms: int  # slots that the composites of a group agree on
    candidate_columns: int
    node_count: int
    position_count: int
    window_count: int
    absence_count: int
    candidate_count: int
    slot_count: int
    block: int  # how many events are read at a time
    candidate_heads: int  # where the newest candidates begin in a partition's row
    kept: int  # where what is kept with an event of a chain begins in a composite
    counts: bool  # a condensed tree counts matches by when they began
    is_indexed: bool  # joins pass over what cannot fit
    waits_for_events: bool
    real_time: bool


class TreeEvents(NamedTuple):
    """One batch, as columns."""

    head: Ints  # mask, partition, time, ordinal and two hashes: field, event
    columns: Ints  # column, event
    valid: Bytes
    texts: Ints  # by code: rank in the order of code points, then functions of the text


class TreeState(NamedTuple):
    """The composites of all nodes, the partitions, the candidates for absence, and what waits."""

    rows: Ints
    parts: Ints
    candidates: Ints
    pending: Ints
    spans: Ints  # by node: its new composites
    scratch: Ints
    buckets: Ints  # by index and hash: the newest composite
    groups: Ints  # of a condensed tree: by row, what is known of it as a group
    members: Ints  # of a condensed tree: the composites of all groups
    homes: Ints  # of a condensed tree: by hash, the newest group
    counts: Ints  # of a condensed tree: lists of beginnings and numbers
    tally: Ints  # by node: what it did, and how far it condenses
