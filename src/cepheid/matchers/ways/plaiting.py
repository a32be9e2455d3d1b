"""Ways from matches that are listed: where matches begin alike, variable by variable, they share their rows.

The rows of a way stand in the order of the variables, which need not be that of time.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.bindings import Bindings
from cepheid.matchers.jit import kernel
from cepheid.matchers.ways import layout as at
from cepheid.matchers.ways.ways import Ways


def plaited(bindings: Bindings, identities: np.ndarray, groups: np.ndarray) -> Ways:
    """The ways of matches in the order of output; `groups` says where each group of them begins, and where
    all end, and `identities` has by variable, event after event, what it adds to the identity of a match."""
    starts = np.concatenate([[0], np.cumsum([e.size for e in bindings.events])[:-1]]).astype(np.int64)
    events = np.concatenate([e.astype(np.int64) for e in bindings.events])
    rows = np.empty((events.size, at.WAY_WIDTH), np.int64)
    begins = np.zeros(groups.size, np.int64)
    longest = int(bindings.sizes.max(initial=0))
    paths = np.zeros((2, longest + 1, 3), np.int64)
    plait(bindings.offsets, events, starts, identities, groups, paths, rows, begins)
    return Ways(rows[: begins[-1]].copy(), begins)


@kernel
def plait(offsets, events, starts, identities, groups, paths, rows, begins):
    """Write the rows of group after group. A path has by depth a variable, an event and a row."""
    size = np.int64(0)
    for group in range(groups.size - 1):
        before = 0  # the length of the path of the match before
        for m in range(groups[group], groups[group + 1]):
            path, last = paths[m % 2], paths[1 - m % 2]
            length, shared = 0, 0
            for v in range(offsets.shape[0]):
                for k in range(starts[v] + offsets[v, m], starts[v] + offsets[v, m + 1]):
                    path[length, 0], path[length, 1] = v, events[k]
                    is_same = (
                        shared == length and length < before - 1
                    )  # a row that ends a match leads nowhere
                    if is_same and last[length, 0] == v and last[length, 1] == events[k]:
                        path[length, 2] = last[length, 2]
                        shared += 1
                    else:
                        path[length, 2] = size
                        rows[size, at.ROW] = rows[size, at.EVENT] = events[k]
                        rows[size, at.POSITION] = v
                        rows[size, at.PREVIOUS] = path[length - 1, 2] if length > 0 else at.NONE
                        rows[size, at.SIBLING] = at.NONE
                        rows[size, at.ROOT] = 0
                        for lane in range(2):
                            rows[size, at.IDENTITY + lane] = identities[k, lane]
                        size += 1
                    length += 1
            rows[path[length - 1, 2], at.ROOT] = 1
            before = length
        begins[group + 1] = size
