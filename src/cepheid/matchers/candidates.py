"""The events that may be what should be absent: per partition and negated variable, newest first.

A candidate is a row with where and when it came, and the columns that conditions read of it. Rows are in the
order of the stream. `newest` has, by partition `p` and absence `a`, the row of the newest candidate; each row
leads to the one before it. An engine looks back through a stretch of the stream by

    c = newest_before(rows, newest[p, a], end)
    while c != NONE and rows[c, EVENT] > begin:
        …
        c = rows[c, PREVIOUS]
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.windows import inside, measured

NONE = -1

# a row; then the values of its columns, whose nulls are bits of VALID
EVENT, TIME, ORDINAL, PREVIOUS, PARTITION, ABSENCE, VALID = 0, 1, 2, 3, 4, 5, 6
WIDTH = 7


@inlined
def add(rows, newest, c, p, a):
    """Link row `c` in front of the candidates of its kind; its caller writes when it came."""
    rows[c, PREVIOUS] = newest[p, a]
    rows[c, PARTITION] = p
    rows[c, ABSENCE] = a
    rows[c, VALID] = 0
    newest[p, a] = c


@inlined
def keep_value(rows, c, k, value, known):
    """Keep the value of a column with a candidate."""
    rows[c, WIDTH + k] = value
    if known:
        rows[c, VALID] |= np.int64(1) << k


@inlined
def newest_before(rows, c, end):
    """The newest candidate, from row `c` back, that came before position `end` of the stream."""
    while c != NONE and rows[c, EVENT] >= end:
        c = rows[c, PREVIOUS]
    return c


@kernel
def drop_old(rows, newest, count, window, now, counted):
    """Keep the candidates that a window which ends now still holds, in their order; how many.

    `counted` says how many events each partition has had: windows of events end there.
    """
    newest[:] = NONE
    kept = 0
    for c in range(count):
        p, a = rows[c, PARTITION], rows[c, ABSENCE]
        came = measured(window[0], rows[c, TIME], rows[c, ORDINAL])
        if not inside(window, came, measured(window[0], now, counted[p])):
            continue
        for k in range(rows.shape[1]):
            rows[kept, k] = rows[c, k]
        rows[kept, PREVIOUS] = newest[p, a]
        newest[p, a] = kept
        kept += 1
    return kept
