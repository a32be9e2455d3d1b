"""From members to ways: the graph of all matches that an event completes, as far as the window goes.

A way has the events of one match, variable by variable as the tree has them from left to right, or as the
text does (`text_order.py`). Where groups may share rows, a chain that was written for one (`ranges.py`) is
known to later groups too, until the window has passed something that it led to.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from collections.abc import Iterator

import numpy as np

from cepheid.matchers.bits import HIGHEST
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.condensed import layout as of
from cepheid.matchers.tree.condensed.members import reaches
from cepheid.matchers.tree.condensed.ranges import (
    BASE,
    FRAMES,
    MEMOS,
    OLDEST,
    PARTITION,
    PIECE,
    RESULT,
    ROWS,
    STAMP,
    TOP,
    Desk,
    end_matches,
    finish_frames,
    open_frame,
)
from cepheid.matchers.tree.condensed.text_order import TextOrder, write_in_order
from cepheid.matchers.tree.layout import TreeState, TreeTables
from cepheid.matchers.ways import layout as to
from cepheid.matchers.ways.shared import SharedWays
from cepheid.matchers.ways.ways import Ways

_ROWS = 1 << 12
_PIECE = 1 << 16


def gather_ways(
    tables: TreeTables, state: TreeState, order: TextOrder, found: np.ndarray, groups: np.ndarray
) -> Iterator[tuple[Ways, int]]:
    """The ways of groups of found members, some groups at a time, with the number of the first of them.

    `groups` says where each group begins among the found, and where the last one ends.
    """
    for rows, begins, _, first in _gathered(tables, state, order, found, groups, False):
        yield Ways(rows, begins), first


def gather_shared(
    tables: TreeTables, state: TreeState, order: TextOrder, found: np.ndarray, groups: np.ndarray
) -> Iterator[tuple[SharedWays, int]]:
    """The same, where groups share their rows as far as they can."""
    for rows, begins, pieces, first in _gathered(tables, state, order, found, groups, True):
        changed = np.flatnonzero(np.diff(pieces)) + 1
        ends = np.concatenate([pieces[changed], [rows.shape[0]]])
        ends = np.repeat(ends, np.diff(np.concatenate([[0], changed, [pieces.size]])))
        roots = np.flatnonzero(rows[:, to.ROOT])  # a root is written for its group, and none shares it
        told = SharedWays(rows, np.column_stack([pieces, ends]), roots, np.searchsorted(roots, begins))
        yield told, first


def _gathered(
    tables: TreeTables,
    state: TreeState,
    order: TextOrder,
    found: np.ndarray,
    groups: np.ndarray,
    shares: bool,
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, int]]:
    """Rows, where those that were written for each group begin, where its piece begins, the first group."""
    desk = Desk.of_size(_ROWS)
    begins, pieces = np.zeros(groups.size, np.int64), np.zeros(groups.size, np.int64)
    first = 0
    while first < groups.size - 1:
        desk.state[ROWS] = 0
        done = gather(tables, state, order, found, groups, first, shares, desk, begins, pieces)
        if done:
            yield desk.rows[: begins[done]].copy(), begins[: done + 1].copy(), pieces[:done].copy(), first
        first += done
        if done == 0 or (first < groups.size - 1 and desk.rows.shape[0] < _PIECE):
            desk = Desk.of_size(2 * desk.rows.shape[0])


@kernel
def gather(t, st, order, found, groups, first, shares, desk, begins, pieces):
    """The ways of group after group, as long as they fit; how many groups."""
    done = 0
    for group in range(first, groups.size - 1):
        if done == 0 or not shares or not goes_on(t, desk, found, groups[group]):
            desk.state[STAMP] += 1
            desk.state[BASE], desk.state[MEMOS] = desk.state[STAMP], 0
            desk.state[PIECE], desk.state[OLDEST] = desk.state[ROWS], HIGHEST
            desk.state[PARTITION] = found[groups[group], at.FOUND_PARTITION]
        pieces[done] = desk.state[PIECE]
        for k in range(groups[group], groups[group + 1]):
            member, now = found[k, at.FOUND_ROW], found[k, at.FOUND_MEASURE]
            begin_match_rows(desk, member)
            if order.mixed.size > 0:
                has_written = write_in_order(t, st, desk, order, now)
            else:
                has_written = write_as_joined(t, st, desk, now)
            if not has_written:
                return done
        done += 1
        begins[done] = desk.state[ROWS]
    return done


@inlined
def goes_on(t, desk, found, k):
    """Whether the ways of a found member may share rows with those before: all of these are in its window."""
    if found[k, at.FOUND_PARTITION] != desk.state[PARTITION]:
        return False
    return desk.state[OLDEST] == HIGHEST or reaches(t, desk.state[OLDEST], found[k, at.FOUND_MEASURE])


@inlined
def begin_match_rows(desk, member):
    """Put a found member on the empty stack."""
    desk.state[FRAMES] = 0
    open_frame(desk, 0, np.int64(of.NONE), np.int64(of.NONE), np.int64(of.NONE))
    desk.pile[0] = member
    desk.frames[0, TOP] = 1


@kernel
def write_as_joined(t, st, desk, now):
    """The ways of the found member, as the tree has its leaves; whether there was room."""
    if not finish_frames(t, st, desk, 0, now):
        return False
    end_matches(desk, desk.state[RESULT])
    return True
