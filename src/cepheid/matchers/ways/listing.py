"""Matches one by one, in the order of output: as many as are wanted, and no work for the others."""

# mypy: allow-untyped-defs, no-check-untyped-defs
from collections.abc import Iterator, Sequence

import numpy as np

from cepheid.matchers.bindings import Bindings
from cepheid.matchers.jit import kernel
from cepheid.matchers.ways import layout as at
from cepheid.matchers.ways.layout import Listed
from cepheid.matchers.ways.walking import enter, next_after
from cepheid.matchers.ways.ways import Ways

_MATCHES, _EVENTS = 1 << 16, 1 << 20
UNLIMITED = 2**62


def list_matches(
    ways: Ways,
    variables: int,
    limit: int = UNLIMITED,
    at_once: int = _MATCHES,
    order: Sequence[int] | None = None,
) -> Iterator[tuple[Bindings, np.ndarray]]:
    """Up to `limit` matches of each group, some at a time, with the group of each. `order` is how variables
    follow each other on a way, if that is not as in the text."""
    cursor = np.zeros(at.CURSOR_WIDTH, np.int64)
    cursor[at.DEPTH] = at.NONE
    levels = np.zeros((ways.largest + 1, at.LEVEL_WIDTH), np.int64)
    listed = Listed(
        events=np.empty(max(_EVENTS, ways.largest), np.int64),
        lengths=np.empty((variables, at_once), np.int64),
        sums=np.empty((at_once, 2), np.int64),
        of_group=np.empty(at_once, np.int64),
    )
    answer = at.FULL
    while answer == at.FULL:
        cursor[at.LISTED] = cursor[at.WRITTEN] = 0
        answer = list_ways(ways.graph, limit, cursor, levels, listed)
        if cursor[at.LISTED]:
            m = cursor[at.LISTED]
            bindings = to_bindings(
                listed.events[: cursor[at.WRITTEN]], listed.lengths[:, :m], listed.sums[:m], order
            )
            yield bindings, listed.of_group[:m].copy()


@kernel
def list_ways(g, limit, cursor, levels, listed):
    """Go on listing: the events of each match in turn, how many each variable has, and its identity."""
    while cursor[at.GROUP] < g.starts_of.size - 1:
        group = cursor[at.GROUP]
        if cursor[at.DEPTH] == at.NONE:
            first = g.starts_of[group] + cursor[at.NEXT_START]
            if first >= g.starts_of[group + 1] or cursor[at.OF_GROUP] >= limit:
                cursor[at.GROUP] += 1
                cursor[at.NEXT_START] = cursor[at.OF_GROUP] = 0
                continue
            cursor[at.NEXT_START] += 1
            cursor[at.DEPTH] = 0
            arrive(g, levels, 0, g.starts[first])
        depth = cursor[at.DEPTH]
        if g.rows[levels[depth, at.AT_NODE], at.ROOT] != 0:
            if (
                cursor[at.LISTED] == listed.of_group.size
                or cursor[at.WRITTEN] + depth + 1 > listed.events.size
            ):
                return at.FULL
            write_match(g, cursor, levels, listed)
            cursor[at.OF_GROUP] += 1
            cursor[at.DEPTH] = depth - 1 if cursor[at.OF_GROUP] < limit else at.NONE
            continue
        row = next_after(g, levels, depth)
        if row == at.NONE:
            cursor[at.DEPTH] = depth - 1
        else:
            cursor[at.DEPTH] = depth + 1
            arrive(g, levels, depth + 1, row)
    return at.DONE


@kernel
def arrive(g, levels, depth, node):
    """Come to a row; the identity of the way so far includes it."""
    enter(g, levels, depth, node)
    for lane in range(2):
        before = np.uint64(levels[depth - 1, at.SUM + lane]) if depth > 0 else np.uint64(0)
        levels[depth, at.SUM + lane] = np.int64(before + np.uint64(g.rows[node, at.IDENTITY + lane]))


@kernel
def write_match(g, cursor, levels, listed):
    """The way that has been walked is a match."""
    m, written, depth = cursor[at.LISTED], cursor[at.WRITTEN], cursor[at.DEPTH]
    for variable in range(listed.lengths.shape[0]):
        listed.lengths[variable, m] = 0
    for k in range(depth + 1):
        node = levels[k, at.AT_NODE]
        listed.events[written + k] = g.rows[node, at.ROW]
        listed.lengths[g.rows[node, at.POSITION], m] += 1
    listed.of_group[m] = cursor[at.GROUP]
    for lane in range(2):
        listed.sums[m, lane] = levels[depth, at.SUM + lane]
    cursor[at.LISTED] = m + 1
    cursor[at.WRITTEN] = written + depth + 1


def to_bindings(
    events: np.ndarray, lengths: np.ndarray, sums: np.ndarray, order: Sequence[int] | None = None
) -> Bindings:
    """Bindings from the events of matches, one after the other, each variable by variable in this order."""
    variables, count = lengths.shape
    order = list(range(variables)) if order is None else list(order)
    sizes = lengths.sum(axis=0)
    ends = np.cumsum(sizes)
    offsets = np.zeros((variables, count + 1), np.int64)
    np.cumsum(lengths, axis=1, out=offsets[:, 1:])
    listed = []
    for variable in range(variables):
        of_variable = np.empty(offsets[variable, -1], np.int32)
        begins = ends - sizes + lengths[order[: order.index(variable)]].sum(axis=0)
        pick_events(events, begins, lengths[variable], of_variable)
        listed.append(of_variable)
    return Bindings(
        offsets=offsets,
        events=tuple(listed),
        first=events[ends - sizes],
        last=events[ends - 1],
        hashes=sums.copy().view(np.uint64),
    )


@kernel
def pick_events(events, begins, lengths, picked):
    """The events of one variable, of all matches."""
    k = 0
    for m in range(begins.size):
        for i in range(lengths[m]):
            picked[k] = events[begins[m] + i]
            k += 1
