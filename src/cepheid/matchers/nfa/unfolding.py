"""Matches of merged runs, all of them, as long as they are not too many to be put in order at once."""

import numpy as np

from cepheid.matchers.bindings import Bindings
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa import unfold
from cepheid.matchers.nfa.layout import NfaState, NfaTables
from cepheid.matchers.ways.listing import to_bindings

_LEVELS, _MATCHES, _EVENTS = 1 << 8, 1 << 12, 1 << 16
MOST = 1 << 18


def unfolded(
    tables: NfaTables, state: NfaState, found: np.ndarray, variables: int
) -> tuple[np.ndarray, Bindings] | None:
    """The matches of found rows, with the number of the row of each; None if there are more than `MOST`."""
    cursor = np.zeros(unfold.CURSOR_WIDTH, np.int64)
    cursor[unfold.DEPTH] = at.NONE
    way = np.empty((_LEVELS, unfold.STEP_WIDTH), np.int64)
    events, of_found = np.empty(_EVENTS, np.int64), np.empty(_MATCHES, np.int64)
    lengths, sums = np.empty((_MATCHES, variables), np.int64), np.empty((_MATCHES, 2), np.int64)
    while not unfold.unfold_ways(tables, state.nodes, found, cursor, way, events, of_found, lengths, sums):
        if cursor[unfold.DEPTH] + 1 == way.shape[0]:
            way = _longer(way)
        elif cursor[unfold.LISTED] < of_found.size:
            events = _longer(events)
        elif of_found.size < MOST:
            of_found, lengths, sums = _longer(of_found), _longer(lengths), _longer(sums)
        else:
            return None
    listed, written = int(cursor[unfold.LISTED]), int(cursor[unfold.WRITTEN])
    by_variable = np.ascontiguousarray(lengths[:listed].T)
    return of_found[:listed], to_bindings(events[:written], by_variable, sums[:listed])


def _longer(array: np.ndarray) -> np.ndarray:
    longer = np.empty((2 * array.shape[0], *array.shape[1:]), array.dtype)
    longer[: array.shape[0]] = array
    return longer
