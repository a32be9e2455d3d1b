"""What building every match remembers, and where its rows and its cursor keep what."""

from typing import NamedTuple

import numpy as np

Ints = np.ndarray  # int64
Words = np.ndarray  # uint64

# a row of stacks, one for each partition and step: a ring of events, numbered as they came
OFFSET, ROOM, BOTTOM, TOP = 0, 1, 2, 3
STACK_WIDTH = 4
SMALLEST = 4  # room of a stack that holds anything; always a power of two

# a row of events, then the place of the last event before it that each absence is about
PLACE, NEWEST, MOMENT, MATCHES = 0, 1, 2, 3
EVENT_WIDTH = 4

# a row of partitions, then the place of the last event that each absence is about
OF_GROUP, SEEN_EVENTS = 0, 1
SHARE_WIDTH = 2

# the cursor, besides AT_EVENT and ROWS
OLDEST, USED, PLACES, HELD, FIRSTS, BUILT, OBJECTS, IN_RING = 2, 3, 4, 5, 6, 7, 8, 10
CONSTRUCTION_CURSOR_WIDTH = 11

EVENTS_FULL = 7


class ConstructionState(NamedTuple):
    """What is remembered from event to event."""

    stacks: Ints
    events: Ints  # the rings of all stacks; what they have grown out of is free when they are packed
    partitions: Ints
    starts: Ints  # the partitions of first events in a window of time, oldest first, in a ring
    closed: Words  # by group, the matches that count now
    ended: Ints  # by group, whether it has a match, and when the last was complete
