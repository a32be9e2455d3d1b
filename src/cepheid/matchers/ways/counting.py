"""How many matches each group has, exactly, and without listing one."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import kernel
from cepheid.matchers.ways import layout as at
from cepheid.matchers.ways.ways import Ways

SURE = float(2**62)
"""A number that is about so large, or less, is surely right in int64."""


def counts(ways: Ways) -> list[int]:
    """The number of matches of each group, of any size."""
    totals = np.zeros(ways.count, np.int64)
    size = ways.rows.shape[0]
    fits = np.zeros(ways.count, np.bool_)
    add_up(ways.rows, ways.groups, np.zeros(size, np.int64), np.zeros(size), totals, fits, SURE)
    found: list[int] = totals.tolist()
    for group in np.flatnonzero(~fits).tolist():
        rows = ways.rows[ways.groups[group] : ways.groups[group + 1]]
        ended, _ = ways_to(rows, int(ways.groups[group]))
        found[group] = sum(ended[k] for k in np.flatnonzero(rows[:, at.ROOT]).tolist())
    return found


@kernel
def add_up(rows, groups, chains, sizes, totals, fits, sure):
    """The ways to each row are those to all of the chain before it; `chains` has the sum along a chain."""
    for group in range(groups.size - 1):
        total, size = np.int64(0), 0.0
        for k in range(groups[group], groups[group + 1]):
            previous, sibling = rows[k, at.PREVIOUS], rows[k, at.SIBLING]
            here = chains[previous] if previous != at.NONE else np.int64(1)
            here_size = sizes[previous] if previous != at.NONE else 1.0
            chains[k], sizes[k] = here, here_size
            if sibling != at.NONE:
                chains[k] += chains[sibling]
                sizes[k] += sizes[sibling]
            if rows[k, at.ROOT] != 0:
                total += here
                size += here_size
        totals[group] = total
        fits[group] = size < sure


def ways_to(rows: np.ndarray, begin: int) -> tuple[list[int], list[int]]:
    """How many ways lead to each of some rows, which are numbered from `begin`, and to all of the chain from
    it on."""
    chains: list[int] = []
    found: list[int] = []
    for previous, sibling in rows[:, [at.PREVIOUS, at.SIBLING]].tolist():
        here = chains[previous - begin] if previous != at.NONE else 1
        found.append(here)
        chains.append(here + chains[sibling - begin] if sibling != at.NONE else here)
    return found, chains
