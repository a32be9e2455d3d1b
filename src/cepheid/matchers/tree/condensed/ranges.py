"""Ranges of members as rows of ways: what a range leads to is a chain of rows.

A member of an event by itself is one row; one of two ranges is the chain of the right range, each of whose
ways goes on from the chain of the left one. A chain is written once for all that go on from it; `memo` knows
it by its newest member and by what it goes on from itself.

This is a walk down the tree and through ranges, with a stack of its own: a chain may be long.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from typing import NamedTuple

import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.match_identity import MIX, MIX_TOO
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.condensed import layout as of
from cepheid.matchers.tree.condensed.members import completed_before, reaches
from cepheid.matchers.ways import layout as to

# a frame of the stack: a range that is being written
BEGIN, TOP = 0, 1  # its members in the pile, the oldest on top
FROM, OLDER, STAGE, MEMBER = 2, 3, 4, 5  # what its ways go on from; its rows so far; the member at hand
MEMO_AS, BOUND = 6, 7  # the member that all of it is known by; of products when they had to complete
FRAME_WIDTH = 8

# as STAGE
NEXT_MEMBER, HAS_LEFT, HAS_RIGHT = 0, 1, 2

# a place of the memo
MEMO_MEMBER, MEMO_FROM, MEMO_ROW, MEMO_STAMP = 0, 1, 2, 3
MEMO_WIDTH = 4

PAIR = -2  # less a group: a pair of groups, of which the other one stands as FROM

# the state of the desk: a place of the memo with a stamp before BASE is free
ROWS, FRAMES, BASE, STAMP, RESULT, MEMOS = 0, 1, 2, 3, 4, 5
PIECE, PARTITION, OLDEST = 6, 7, 8  # where a piece begins, its partition, the earliest of latest beginnings
DESK_WIDTH = 9


class Desk(NamedTuple):
    """What ways are written on."""

    rows: np.ndarray
    frames: np.ndarray
    pile: np.ndarray
    memo: np.ndarray
    state: np.ndarray

    @staticmethod
    def of_size(rows: int) -> "Desk":
        """Room for so many rows."""
        return Desk(
            rows=np.empty((rows, to.WAY_WIDTH), np.int64),
            frames=np.empty((rows + 64, FRAME_WIDTH), np.int64),
            pile=np.empty(rows + 64, np.int64),
            memo=np.zeros((2 * rows, MEMO_WIDTH), np.int64),
            state=np.zeros(DESK_WIDTH, np.int64),
        )


@inlined
def finish_frames(t, st, desk, base, now):
    """Go on until no more than so many frames are left; whether there was room."""
    while desk.state[FRAMES] > base:
        if not has_room(desk) or not step(t, st, desk, now):
            return False
    return True


@inlined
def end_matches(desk, row):
    """A chain is what matches end with."""
    while row != to.NONE:
        older = desk.rows[row, to.SIBLING]
        desk.rows[row, to.ROOT] = 1
        desk.rows[row, to.SIBLING] = to.NONE
        row = older


@inlined
def note_reached(st, desk, m):
    """A member is led to by what is written."""
    desk.state[OLDEST] = min(desk.state[OLDEST], st.members[m, of.YOUNGEST])


@inlined
def has_room(desk):
    """Whether another step has room: it writes one row and opens one frame at most."""
    is_free = desk.state[ROWS] < desk.rows.shape[0] and desk.state[FRAMES] < desk.frames.shape[0]
    return is_free and 2 * desk.state[MEMOS] < desk.memo.shape[0]


@inlined
def open_frame(desk, begin, source, older, memo_as):
    """Put a frame on the stack."""
    f = desk.state[FRAMES]
    desk.state[FRAMES] += 1
    desk.frames[f, BEGIN] = desk.frames[f, TOP] = begin
    desk.frames[f, FROM], desk.frames[f, OLDER], desk.frames[f, STAGE] = source, older, NEXT_MEMBER
    desk.frames[f, MEMO_AS], desk.frames[f, BOUND] = memo_as, of.NONE


@kernel
def step(t, st, desk, now):
    """Go on with the frame on top; whether there was room."""
    f = desk.state[FRAMES] - 1
    stage = desk.frames[f, STAGE]
    if stage == NEXT_MEMBER:
        if desk.frames[f, TOP] == desk.frames[f, BEGIN]:
            close_frame(desk, f)
            return True
        desk.frames[f, TOP] -= 1
        desk.frames[f, MEMBER] = desk.pile[desk.frames[f, TOP]]
        m = desk.frames[f, MEMBER]
        if st.members[m, of.LEFT] == of.NONE:
            return go_right(t, st, desk, f, m, desk.frames[f, FROM], now)
        desk.frames[f, STAGE] = HAS_LEFT
        head, floor = side_of(st, desk, f, m, of.LEFT)
        return open_range(t, st, desk, head, floor, desk.frames[f, FROM], np.int64(of.NONE), True, now)
    if stage == HAS_LEFT:
        return go_right(t, st, desk, f, desk.frames[f, MEMBER], desk.state[RESULT], now)
    desk.frames[f, OLDER] = desk.state[RESULT]
    finish_member(desk, f)
    return True


@inlined
def side_of(st, desk, f, m, side):
    """The range of one side of a member; of a product all of that group that had completed."""
    if desk.frames[f, BOUND] == of.NONE:
        return st.members[m, side], st.members[m, side + 1]
    newest = st.groups[st.members[st.members[m, side], of.GROUP], of.NEWEST]
    return completed_before(st.members, newest, desk.frames[f, BOUND] + 1), np.int64(of.NO_FLOOR)


@kernel
def go_right(t, st, desk, f, m, source, now):
    """Go on with the event or the right range of a member, whose ways go on from `source`."""
    if st.members[m, of.POSITION] == of.NONE:
        desk.frames[f, STAGE] = HAS_RIGHT
        head, floor = side_of(st, desk, f, m, of.RIGHT)
        return open_range(t, st, desk, head, floor, source, desk.frames[f, OLDER], False, now)
    row = desk.state[ROWS]
    desk.state[ROWS] += 1
    desk.rows[row, to.ROW] = st.members[m, of.STORED]
    desk.rows[row, to.POSITION] = st.members[m, of.POSITION]
    desk.rows[row, to.EVENT] = st.members[m, of.EVENT]
    desk.rows[row, to.PREVIOUS], desk.rows[row, to.SIBLING] = source, desk.frames[f, OLDER]
    desk.rows[row, to.ROOT] = 0
    for lane in range(2):
        desk.rows[row, to.IDENTITY + lane] = st.members[m, of.IDENTITY + lane]
    desk.frames[f, OLDER] = row
    finish_member(desk, f)
    return True


@inlined
def finish_member(desk, f):
    """Turn to the next member; what is written so far may be looked up."""
    desk.frames[f, STAGE] = NEXT_MEMBER
    if desk.frames[f, MEMO_AS] != of.NONE and desk.frames[f, BOUND] == of.NONE:
        remember(desk, desk.frames[f, MEMBER], desk.frames[f, FROM], desk.frames[f, OLDER], desk.state[BASE])


@inlined
def close_frame(desk, f):
    """A range is written."""
    if desk.frames[f, BOUND] != of.NONE and desk.frames[f, MEMO_AS] != of.NONE:
        remember(desk, desk.frames[f, MEMO_AS], desk.frames[f, FROM], desk.frames[f, OLDER], desk.state[BASE])
    desk.state[RESULT] = desk.frames[f, OLDER]
    desk.state[FRAMES] -= 1


@kernel
def open_range(t, st, desk, head, floor, source, older, is_whole, now):
    """Begin to write a range behind the rows of `older`; `is_whole` says that it is a chain by itself, which
    others may go on from as well. Whether there was room."""
    knows = is_whole and floor == of.NO_FLOOR
    top = desk.frames[desk.state[FRAMES] - 1, TOP]
    open_frame(desk, top, source, older, head if knows else np.int64(of.NONE))
    f = desk.state[FRAMES] - 1
    node = t.nodes + st.rows[st.members[head, of.GROUP], at.OF_NODE]
    if floor == of.NO_FLOOR and t.book[node, at.IS_PRODUCT] != 0:
        return pile_products(t, st, desk, f, head, now)
    m = head
    while m != of.NONE and st.members[m, of.EVENT] > floor:
        if knows:
            row = recalled(desk, m, source, desk.state[BASE])
            if row != of.NONE:
                desk.frames[f, OLDER] = row
                break
        if reaches(t, st.members[m, of.YOUNGEST], now):
            if desk.frames[f, TOP] == desk.pile.size:
                return False
            desk.pile[desk.frames[f, TOP]] = m
            desk.frames[f, TOP] += 1
            note_reached(st, desk, m)
        m = st.members[m, of.OLDER]
    return True


@kernel
def pile_products(t, st, desk, f, head, now):
    """All members of an AND up to one are, for each pair of groups that they come from, all of the one with
    all of the other: one member stands for each pair. Whether there was room."""
    source = desk.frames[f, FROM]
    if desk.frames[f, MEMO_AS] != of.NONE:
        row = recalled(desk, head, source, desk.state[BASE])
        if row != of.NONE:
            desk.frames[f, OLDER] = row
            return True
    desk.frames[f, BOUND] = st.members[head, of.EVENT]
    desk.state[STAMP] += 1
    m = head
    while m != of.NONE:
        left, right = group_at(st, m, of.LEFT), group_at(st, m, of.RIGHT)
        if reaches(t, st.members[m, of.YOUNGEST], now):
            if recalled(desk, PAIR - left, right, desk.state[STAMP]) == of.NONE:
                if desk.frames[f, TOP] == desk.pile.size or not has_room(desk):
                    return False
                remember(desk, PAIR - left, right, m, desk.state[STAMP])
                desk.pile[desk.frames[f, TOP]] = m
                desk.frames[f, TOP] += 1
                note_reached(st, desk, m)
        m = st.members[m, of.OLDER]
    return True


@inlined
def group_at(st, m, side):
    """The group of one side of a member; NONE if it has no such side."""
    head = st.members[m, side]
    return st.members[head, of.GROUP] if head != of.NONE else np.int64(of.NONE)


# -- what has been written ---------------------------------------------------------------------------


@inlined
def first_place(desk, member, source):
    """Where the search for a chain begins in the memo."""
    key = np.uint64(member) * MIX ^ np.uint64(source) * MIX_TOO
    key ^= key >> np.uint64(31)
    return np.int64(key & np.uint64(desk.memo.shape[0] - 1))


@kernel
def recalled(desk, member, source, stamp):
    """The newest row of what a member is known by, NONE if it has not been written."""
    k = first_place(desk, member, source)
    while desk.memo[k, MEMO_STAMP] >= desk.state[BASE]:
        is_it = desk.memo[k, MEMO_MEMBER] == member and desk.memo[k, MEMO_FROM] == source
        if is_it and desk.memo[k, MEMO_STAMP] == stamp:
            return desk.memo[k, MEMO_ROW]
        k = (k + 1) & (desk.memo.shape[0] - 1)
    return np.int64(of.NONE)


@kernel
def remember(desk, member, source, row, stamp):
    """Let a chain be found again."""
    k = first_place(desk, member, source)
    while desk.memo[k, MEMO_STAMP] >= desk.state[BASE]:
        k = (k + 1) & (desk.memo.shape[0] - 1)
    desk.state[MEMOS] += 1
    desk.memo[k, MEMO_MEMBER], desk.memo[k, MEMO_FROM] = member, source
    desk.memo[k, MEMO_ROW], desk.memo[k, MEMO_STAMP] = row, stamp
