"""What counting by inverses remembers, and where its cursor keeps what."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

Ints = np.ndarray  # int64
Words = np.ndarray  # uint64
Bytes = np.ndarray  # uint8

OLDEST = 2
"""In the cursor: where the first of the starts in the window stands."""

# an epoch: how many events there were in the last one, and so far in this one, and how many may be in both
SINCE, PREVIOUS, CURRENT, MOST = 0, 1, 2, 3
EPOCH_WIDTH = 4


class InverseTables(NamedTuple):
    """The plan, as the kernel reads it: what an event does is looked up by the tests that it passes."""

    size: int  # steps
    taken: Ints  # by mask: where its moves by columns, by rows, and its beginnings stand in `moves`
    moves: Ints  # from a step to another
    completes: Bytes  # by mask: whether it may end a match
    ends: Ints  # the last steps
    window: Ints


class InverseState(NamedTuple):
    """What is remembered from event to event."""

    products: Words  # P, by partition
    inverses: Words  # Q
    standing: Words  # what stands at each step, of all starts in the window
    groups: Ints  # of each partition
    totals: Words  # by group
    since: Ints  # the starts in the window, oldest first, in a ring
    partition: Ints
    rows: Words
    ordinal: Ints  # of the last event
    epoch: Ints
    closed: Words  # nothing: a group's matches are known as long as their window is open
    ended: Ints
