"""The ways back from the last events of merged runs, one by one: those whose start lies in the window."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.runs import window
from cepheid.matchers.windows import inside

# how far the unfolding has come
AT_FOUND, DEPTH, LISTED, WRITTEN = range(4)
CURSOR_WIDTH = 4

# a level of the way back: its node, the row of its event, its position, and the identity of the way so far
STEP_NODE, STEP_ROW, STEP_POSITION, STEP_SUM = 0, 1, 2, 3
STEP_WIDTH = 5


@kernel
def unfold_ways(t, nodes, found, cursor, way, events, of_found, lengths, sums):
    """Go on with the next way; whether all are done, or an array is full."""
    limits = window(t, 0)
    while cursor[AT_FOUND] < found.shape[0]:
        m = cursor[AT_FOUND]
        measure = found[m, at.FOUND_MEASURE]
        if cursor[DEPTH] == at.NONE:
            cursor[DEPTH] = 0
            step_back(nodes, way, 0, found[m, at.FOUND_NODE])
        depth = cursor[DEPTH]
        previous = nodes[way[depth, STEP_NODE], at.LINK_PREVIOUS]
        while previous != at.NONE:
            if depth + 1 == way.shape[0]:
                cursor[DEPTH] = depth
                return False
            depth += 1
            step_back(nodes, way, depth, in_window(limits, nodes, measure, previous))
            previous = nodes[way[depth, STEP_NODE], at.LINK_PREVIOUS]
        cursor[DEPTH] = depth
        if cursor[LISTED] == of_found.size or cursor[WRITTEN] + depth + 1 > events.size:
            return False
        write_way(cursor, way, events, lengths, sums)
        of_found[cursor[LISTED] - 1] = m
        other = np.int64(at.NONE)
        while depth > 0 and other == at.NONE:
            other = in_window(limits, nodes, measure, nodes[way[depth, STEP_NODE], at.LINK_SIBLING])
            depth -= 1
        if other == at.NONE:
            cursor[DEPTH] = at.NONE
            cursor[AT_FOUND] += 1
        else:
            cursor[DEPTH] = depth + 1
            step_back(nodes, way, depth + 1, other)
    return True


@inlined
def in_window(limits, nodes, measure, node):
    """The first of a chain, from a node on, that leads to a start in the window."""
    while node != at.NONE and not inside(limits, nodes[node, at.NODE_LATEST], measure):
        node = nodes[node, at.LINK_SIBLING]
    return node


@inlined
def step_back(nodes, way, depth, node):
    """Come to an earlier event."""
    way[depth, STEP_NODE] = node
    way[depth, STEP_ROW] = nodes[node, at.NODE_ROW]
    way[depth, STEP_POSITION] = nodes[node, at.LINK_POSITION]
    previous = nodes[node, at.LINK_PREVIOUS]
    for lane in range(2):
        known = np.uint64(nodes[node, at.NODE_HASH + lane])
        if previous != at.NONE:
            known -= np.uint64(nodes[previous, at.NODE_HASH + lane])
        if depth > 0:
            known += np.uint64(way[depth - 1, STEP_SUM + lane])
        way[depth, STEP_SUM + lane] = np.int64(known)


@inlined
def write_way(cursor, way, events, lengths, sums):
    """The way is a match: its events in their order, and how many each variable has."""
    m, written, depth = cursor[LISTED], cursor[WRITTEN], cursor[DEPTH]
    for variable in range(lengths.shape[1]):
        lengths[m, variable] = 0
    for k in range(depth + 1):
        events[written + depth - k] = way[k, STEP_ROW]
        lengths[m, way[k, STEP_POSITION]] += 1
    sums[m, 0], sums[m, 1] = way[depth, STEP_SUM], way[depth, STEP_SUM + 1]
    cursor[LISTED] = m + 1
    cursor[WRITTEN] = written + depth + 1
