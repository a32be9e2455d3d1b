"""The events of composites: which is bound to which variable. `jit` says what the letters mean."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.bindings import Bindings
from cepheid.matchers.jit import kernel
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.layout import TreeState, TreeTables


def listed(
    tables: TreeTables, state: TreeState, matches: np.ndarray
) -> tuple[Bindings, tuple[np.ndarray, ...]]:
    """The events of matches, which are numbers of composites; and by variable the leaves that they are."""
    variables = tables.position_count
    matches = np.ascontiguousarray(
        matches
    )  # one number is always so, and compiled kernels tell the difference
    lengths = np.zeros((variables, matches.size), np.int64)
    ends = np.zeros((matches.size, 2), np.int64)
    list_events(tables, state, matches, lengths, ends, lengths, np.zeros(0, np.int64), False)
    offsets = np.zeros((variables, matches.size + 1), np.int64)
    np.cumsum(lengths, axis=1, out=offsets[:, 1:])
    starts = np.concatenate([[0], np.cumsum(offsets[:, -1])])
    leaves = np.zeros(starts[-1], np.int64)
    places = offsets[:, 1:] + starts[:-1, np.newaxis]
    list_events(tables, state, matches, lengths, ends, places, leaves, True)
    identities = state.rows[matches, at.IDENTITY : at.IDENTITY + 2].copy().view(np.uint64)
    by_variable = tuple(leaves[starts[v] : starts[v + 1]] for v in range(variables))
    bindings = Bindings(
        offsets=offsets,
        events=tuple(state.rows[each, at.STORED].astype(np.int32) for each in by_variable),
        first=ends[:, 0].copy(),
        last=ends[:, 1].copy(),
        hashes=identities,
    )
    return bindings, by_variable


@kernel
def list_events(t, st, matches, lengths, ends, places, leaves, writes):
    """Go through the leaves of each composite, the last event of a chain first: count them by variable, or
    write them down in front of `places`."""
    for m in range(matches.size):
        row = matches[m]
        depth = 0
        if not writes:
            ends[m, 0] = ends[m, 1] = at.NONE
        while True:
            if st.rows[row, at.PART_RIGHT] == at.NONE:
                v, stored = t.book[t.nodes + st.rows[row, at.OF_NODE], at.POSITION], st.rows[row, at.STORED]
                if writes:
                    places[v, m] -= 1
                    leaves[places[v, m]] = row
                else:
                    lengths[v, m] += 1
                    if ends[m, 0] == at.NONE or stored < ends[m, 0]:
                        ends[m, 0] = stored
                    ends[m, 1] = max(ends[m, 1], stored)
                if depth == 0:
                    break
                depth -= 1
                row = st.scratch[depth, at.STACK]
            else:
                if st.rows[row, at.PART_LEFT] != at.NONE:
                    st.scratch[depth, at.STACK] = st.rows[row, at.PART_LEFT]
                    depth += 1
                row = st.rows[row, at.PART_RIGHT]
