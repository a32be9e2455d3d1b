"""Where things stand in the arrays of the single step."""

from typing import NamedTuple

import numpy as np

from cepheid.matchers.profile.pool.layout import PoolEvents, PoolState, PoolTables

NONE = -1

# a record: an instance, an event that is watched, or what is remembered of a partition
OWN_NEXT, OWN_PREVIOUS, CLOCK, FLAG, HEAP, PREVIOUS = 0, 1, 2, 3, 4, 5
PROFILE, STATE, LIST, KEY, NEXT, EVENTS = 6, 7, 8, 9, 10, 11  # a walk along a list reads the last of these
WATCHED, MEMORY, TIMER = -1, -2, -3  # instead of the state of an instance

# the number of a list: the profile, then a state, or a part that is watched, or the memory
LIST_BITS, PART_LIST, MEMORY_LIST = 10, 512, 1023

# a template
POSITIONS, PART_COUNT, FIRST_PART, FIRST_STATE, STATE_COUNT = 0, 1, 2, 3, 4
CONDITIONS, CONDITIONS_END, WINDOWS, WINDOWS_END = 5, 6, 7, 8
ABSENCES, ABSENCES_END, CHOICES, CHOICES_END = 9, 10, 11, 12
CONSUME, ONCE, PERIOD, KEYS, IS_LONE, EXPIRES = 13, 14, 15, 16, 17, 18
ALWAYS, ALWAYS_END = 19, 20
TEMPLATE_WIDTH = 21

CONSUME_ALL, CONSUME_UNIQUE, CONSUME_REAPPLY = 0, 1, 2
ONCE_NEVER, ONCE_EVER, ONCE_PERIOD = 0, 1, 2

# a part of a template, a state, a move
MOVES, MOVES_END, START, IS_WATCHED, IS_LAST = 0, 1, 2, 3, 4
FILLED, IS_COMPLETE, WAITS, WAITS_END = 0, 1, 2, 3
SOURCE, TARGET = 0, 1

# a window; a condition beside its row; an absence; a window that it waits for; a choice
WINDOW_KIND, WINDOW_LIMIT, MEMBERS = 0, 1, 2
JOINT_PARTS, JOINT_LAST = 0, 1
ABSENT_PART, BEFORE, AFTER, BRANCHES, BRANCHES_END = 0, 1, 2, 3, 4
ENCLOSED, ENCLOSED_END, CLOSINGS, CLOSINGS_END = 5, 6, 7, 8
CLOSE_MEMBERS, CLOSE_LENGTH, HALF_OPEN = 0, 1, 2
CHOSEN, WANTED, CHOSEN_BEFORE, CHOSEN_AFTER = 0, 1, 2, 3

# a match that is complete, and one that is told
DONE_PROFILE, DONE_KEY, IS_USED, DONE_EVENTS = 0, 1, 2, 3
TOLD_PROFILE, TOLD_CLOCK, TOLD_FLAG, TOLD_EVENTS = 0, 1, 2, 3
# a silence: whose, when, the number of its kind, the last event before it, and its partition
SILENT_PROFILE, SILENT_CLOCK, SILENT_RANK, SILENT_SINCE, SILENT_KEY, SILENT_WIDTH = 0, 1, 2, 3, 4, 5

# the cursor: where the kernel stands
EVENT, PHASE, PLACE, MOVE, RECORD = 0, 1, 2, 3, 4
MATCHED, DONE, TOLD, FRESH, FREE, FREE_COUNT, HEAP_SIZE = 5, 6, 7, 8, 9, 10, 11
GROUP_CLOCK, GROUP_FLAG, LIMIT_CLOCK, LIMIT_FLAG = 12, 13, 14, 15
METHOD, GOAL = 16, 17
# and what it has counted
LOOKED_UP, MADE, EXPIRED, MARKED, UNMARKED, ATTACHED, DETACHED = 18, 19, 20, 21, 22, 23, 24
CURSOR_SIZE = 25

CLOSING, FINDING, MEETING, TELLING = 0, 1, 2, 3
DYNAMIC, MARK, REFERENCE, TWO_STEP = 0, 1, 2, 3

# a profile; a reference: a part of a profile, its neighbours among those attached to its primitive, and how
# many instances wait for it; a primitive: its first reference, its marks, and how many references it has
TEMPLATE, FIRST_REFERENCE, STANDING, VEIL = 0, 1, 2, 3
OWNER, PRIMITIVE, FOLLOWING, PRECEDING, WAITING = 0, 1, 2, 3, 4
FIRST, MARKS, USES = 0, 1, 2

# why a kernel has stopped
FINISHED, NO_RECORDS, NO_DONE, NO_TOLD, NO_MATCHED = 0, 1, 2, 3, 4

# whether a profile takes part
GONE, ALIVE = 0, 1


class Tables(NamedTuple):
    """The templates of a set."""

    templates: np.ndarray
    parts: np.ndarray
    states: np.ndarray
    waits: np.ndarray
    moves: np.ndarray
    windows: np.ndarray
    joint: np.ndarray
    conditions: np.ndarray
    loads: np.ndarray
    program: np.ndarray
    constants: np.ndarray
    slots: np.ndarray
    absences: np.ndarray
    branches: np.ndarray
    enclosed: np.ndarray
    closings: np.ndarray
    choices: np.ndarray
    is_real: bool


class Members(NamedTuple):
    """The profiles of a set, their references (a part of a profile each), and the primitives of these."""

    profiles: np.ndarray  # int32: template, first reference, whether it takes part, its row of veils or NONE
    references: np.ndarray  # int32
    primitives: np.ndarray  # int32
    records: np.ndarray  # the first of each profile's own


class Events(NamedTuple):
    """The events that are kept, then those of the batch."""

    time: np.ndarray
    clock: np.ndarray
    columns: np.ndarray
    valid: np.ndarray
    keys: np.ndarray  # of the batch alone: set of keys, event
    veils: np.ndarray  # of the batch alone: veil, event
    texts: np.ndarray
    kept: int
    fresh: int  # how many events the batch has
    made: np.ndarray  # of the batch alone: the primitive of a time event, else NONE; empty if there are none
    owner: np.ndarray  # and the profile that it is for; NONE: all that wait for it


class Memory(NamedTuple):
    """What the kernel works on."""

    rows: np.ndarray
    buckets: np.ndarray
    heap: np.ndarray
    fresh: np.ndarray
    bound: np.ndarray
    registers: np.ndarray
    done: np.ndarray
    order: np.ndarray
    told: np.ndarray
    matched: np.ndarray
    hits: np.ndarray


class Pool(NamedTuple):
    """The primitives, which of them are waited for, and the batch as the index reads it."""

    tables: PoolTables
    state: PoolState
    events: PoolEvents


class WatchPool(NamedTuple):
    """The primitives whose events end a silence, and the timers that they set: one a profile and SILENCE."""

    tables: PoolTables
    state: PoolState
    events: PoolEvents
    first: np.ndarray  # of each primitive: its first timer
    next: np.ndarray  # of each timer: the next one of its primitive
    profile: np.ndarray
    rank: np.ndarray
    length: np.ndarray
    hits: np.ndarray
