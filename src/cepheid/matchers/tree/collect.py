"""Making room: composites out of reach of every window are dropped. `jit` says what the letters mean."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.candidates import drop_old
from cepheid.matchers.jit import kernel
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.composites import began, window
from cepheid.matchers.tree.lists import is_listed
from cepheid.matchers.windows import measured, within


@kernel
def mark_waiting(st, k, marked):
    """Mark what waits for a window to close."""
    while k != at.NONE:
        marked[st.pending[k, at.WAITS]] = 1
        k = st.pending[k, at.NEXT]


@kernel
def may_grow(t, st, row, now):
    """Whether a composite may still become part of another one: the windows of the node above reach it."""
    node = t.nodes + st.rows[row, at.OF_NODE]
    if not is_listed(t, st, row):
        return False
    counted = st.parts[st.rows[row, at.PARTITION], at.COUNTED]
    for k in range(t.book[node, at.REACHES], t.book[node, at.REACHES_END]):
        kind, limit = window(t, t.book[t.enclosures + k, 0])
        if not within(kind, limit, began(kind, st, row), measured(kind, now, counted)):
            return False
    return True


@kernel
def compact_rows(t, st, cursor, now, expires, moved):
    """Keep the composites that may grow or that wait, and all that they are made of, in their order.

    `expires` says that no event before `now` will come; `moved` becomes where each row is now. They have to
    be listed anew.
    """
    for row in range(cursor[at.ROWS]):
        moved[row] = 0
    for p in range(st.parts.shape[0]):
        mark_waiting(st, st.parts[p, at.WAITING], moved)
    mark_waiting(st, cursor[at.PENDING], moved)
    for row in range(cursor[at.ROWS] - 1, -1, -1):
        if moved[row] == 0 and may_grow(t, st, row, now if expires else st.rows[row, at.LAST_TIME]):
            moved[row] = 1
        if moved[row] != 0:
            for part in (st.rows[row, at.PART_LEFT], st.rows[row, at.PART_RIGHT]):
                if part != at.NONE:
                    moved[part] = 1
    kept = np.int64(0)
    for row in range(cursor[at.ROWS]):
        if moved[row] == 0:
            moved[row] = at.NONE
            continue
        moved[row] = kept
        if kept != row:
            for k in range(st.rows.shape[1]):
                st.rows[kept, k] = st.rows[row, k]
        for k in (at.PART_LEFT, at.PART_RIGHT, at.LAST_LEAF):
            if st.rows[kept, k] != at.NONE:
                st.rows[kept, k] = moved[st.rows[kept, k]]
        kept += 1
    cursor[at.ROWS] = kept
    for p in range(st.parts.shape[0]):
        follow(st, st.parts[p, at.WAITING], moved)
    follow(st, cursor[at.PENDING], moved)


@kernel
def follow(st, k, moved):
    """Let what waits point to where it has moved."""
    while k != at.NONE:
        st.pending[k, at.WAITS] = moved[st.pending[k, at.WAITS]]
        k = st.pending[k, at.NEXT]


@kernel
def compact_candidates(t, st, cursor, now):
    """Keep only the candidates for absence that still lie in the window."""
    newest, counted = st.parts[:, t.candidate_heads :], st.parts[:, at.COUNTED]
    cursor[at.CANDIDATES] = drop_old(st.candidates, newest, cursor[at.CANDIDATES], window(t, 0), now, counted)
