"""Ways of several groups that share their rows: what an event after the other completes is mostly alike.

Groups that share lie in one *piece* of the rows. The ways of a group are those that lead to its own roots, so
a row may be a root of one group and stand before the roots of another. What is done with ways group by group
is done with `of`, which takes the rows of some groups out.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from dataclasses import dataclass

import numpy as np

from cepheid.matchers.jit import kernel
from cepheid.matchers.ways import layout as at
from cepheid.matchers.ways.counting import SURE, counts
from cepheid.matchers.ways.ways import Ways

IS_ROOT, IN_CHAIN = 1, 2


@dataclass(frozen=True)
class SharedWays:
    """Rows of all pieces; each row stands behind those that it leads back to."""

    rows: np.ndarray  # int64: row, field
    pieces: np.ndarray  # by group: where its piece begins, and where it ends
    roots: np.ndarray  # rows, by group
    roots_of: np.ndarray

    @property
    def count(self) -> int:
        """How many groups."""
        return self.roots_of.size - 1

    def of(self, first: int, end: int) -> Ways:
        """The ways of some groups, each with rows of its own."""
        room = int((self.pieces[first:end, 1] - self.pieces[first:end, 0]).sum())
        rows, groups = np.empty((room, at.WAY_WIDTH), np.int64), np.zeros(end - first + 1, np.int64)
        scratch = np.zeros((2, self.rows.shape[0]), np.int64)
        take_apart(self.rows, self.pieces, self.roots, self.roots_of, first, scratch, rows, groups)
        return Ways(rows[: groups[-1]].copy(), groups)

    def counts(self) -> list[int]:
        """The number of matches of each group, of any size."""
        size = self.rows.shape[0]
        totals, fits = np.zeros(self.count, np.int64), np.zeros(self.count, np.bool_)
        add_up_shared(self.rows, self.roots, self.roots_of, np.zeros((2, size)), totals, fits, SURE)
        found: list[int] = totals.tolist()
        for group in np.flatnonzero(~fits).tolist():
            (found[group],) = counts(self.of(group, group + 1))
        return found


def shared(ways: Ways | SharedWays) -> SharedWays:
    """The same ways, where each group is a piece by itself unless they share already."""
    if isinstance(ways, SharedWays):
        return ways
    roots = np.flatnonzero(ways.rows[:, at.ROOT])
    pieces = np.column_stack([ways.groups[:-1], ways.groups[1:]])
    return SharedWays(ways.rows, pieces, roots, np.searchsorted(roots, ways.groups))


@kernel
def take_apart(rows, pieces, roots, roots_of, first, scratch, target, groups):
    """Copy the rows of some groups, one group after the other; `groups` says where each ends."""
    wanted, place = scratch[0], scratch[1]
    end = np.int64(0)
    for group in range(groups.size - 1):
        begin = pieces[first + group, 0]
        high = begin - 1
        for k in range(roots_of[first + group], roots_of[first + group + 1]):
            wanted[roots[k]] |= IS_ROOT
            high = max(high, roots[k])
        for k in range(high, begin - 1, -1):
            previous, sibling = rows[k, at.PREVIOUS], rows[k, at.SIBLING]
            if wanted[k] != 0 and previous != at.NONE:
                wanted[previous] |= IN_CHAIN
            if wanted[k] & IN_CHAIN != 0 and sibling != at.NONE:
                wanted[sibling] |= IN_CHAIN
        for k in range(begin, high + 1):
            if wanted[k] == 0:
                continue
            for field in range(at.WAY_WIDTH):
                target[end, field] = rows[k, field]
            previous, sibling = rows[k, at.PREVIOUS], rows[k, at.SIBLING]
            is_linked = wanted[k] & IN_CHAIN != 0 and sibling != at.NONE
            target[end, at.PREVIOUS] = place[previous] if previous != at.NONE else np.int64(at.NONE)
            target[end, at.SIBLING] = place[sibling] if is_linked else np.int64(at.NONE)
            target[end, at.ROOT] = wanted[k] & IS_ROOT
            wanted[k] = 0
            place[k] = end
            end += 1
        groups[group + 1] = end


@kernel
def add_up_shared(rows, roots, roots_of, scratch, totals, fits, sure):
    """How many ways lead to the roots of each group. `scratch` has the sum along the chain from a row on:
    as the bits of a whole number, and about."""
    chains, sizes = scratch[0].view(np.int64), scratch[1]
    for k in range(rows.shape[0]):
        previous, sibling = rows[k, at.PREVIOUS], rows[k, at.SIBLING]
        chains[k] = chains[previous] if previous != at.NONE else 1
        sizes[k] = sizes[previous] if previous != at.NONE else 1.0
        if sibling != at.NONE:
            chains[k] += chains[sibling]
            sizes[k] += sizes[sibling]
    for group in range(totals.size):
        total, size = np.int64(0), 0.0
        for i in range(roots_of[group], roots_of[group + 1]):
            previous = rows[roots[i], at.PREVIOUS]
            total += chains[previous] if previous != at.NONE else 1
            size += sizes[previous] if previous != at.NONE else 1.0
        totals[group] = total
        fits[group] = size < sure
