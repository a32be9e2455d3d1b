"""From the shared buffer to ways: what last events of matches lead back to, as far as the window goes."""

# mypy: allow-untyped-defs, no-check-untyped-defs
from collections.abc import Iterator

import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.layout import NfaState, NfaTables
from cepheid.matchers.nfa.runs import window
from cepheid.matchers.ways import layout as to
from cepheid.matchers.ways.shared import SharedWays
from cepheid.matchers.ways.ways import Ways
from cepheid.matchers.windows import within

_ROWS, _SHARED_ROWS = 1 << 18, 1 << 16
_ALONE = 16
"""How many groups are gathered one by one after some could not share their rows."""

IS_ROOT, IN_CHAIN, KEPT = 1, 2, 4


def gather_ways(
    tables: NfaTables, state: NfaState, size: int, found: np.ndarray, groups: np.ndarray
) -> Iterator[tuple[Ways, int]]:
    """The ways of groups of found matches, some groups at a time, with the number of the first of them.

    `groups` says where each group begins among the found, and where the last one ends; `size` is how many
    nodes the buffer has.
    """
    flags, place, visited = np.zeros(size, np.uint8), np.empty(size, np.int64), np.empty(size, np.int64)
    rows = np.empty((_ROWS, to.WAY_WIDTH), np.int64)
    begins = np.zeros(groups.size, np.int64)
    first = 0
    while first < groups.size - 1:
        begins[0] = 0
        done = gather(tables, state.nodes, found, groups, first, flags, place, visited, rows, begins)
        if done == 0:
            rows = np.empty((2 * rows.shape[0], to.WAY_WIDTH), np.int64)
            continue
        yield Ways(rows[: begins[done]].copy(), begins[: done + 1].copy()), first
        first += done


@kernel
def gather(t, nodes, found, groups, first, flags, place, visited, rows, begins):
    """The ways of group after group, as long as they fit; how many groups."""
    done = 0
    for group in range(first, groups.size - 1):
        seen = reach(t, nodes, found, groups[group], groups[group + 1], flags, visited)
        begin = begins[done]
        fits = begin + seen <= rows.shape[0]
        if fits:
            begins[done + 1] = write_rows(nodes, flags, place, visited, seen, rows, begin)
        for k in range(seen):
            flags[visited[k]] = 0
        if not fits:
            return done
        done += 1
    return done


def gather_shared(
    tables: NfaTables, state: NfaState, size: int, found: np.ndarray, groups: np.ndarray
) -> Iterator[tuple[SharedWays, int]]:
    """The same, where groups share their rows as far as they can."""
    flags, place, visited = np.zeros(size, np.uint8), np.empty(size, np.int64), np.empty(size, np.int64)
    rows = np.empty((_SHARED_ROWS, to.WAY_WIDTH), np.int64)
    pieces, roots = np.zeros((groups.size, 2), np.int64), np.zeros(found.shape[0], np.int64)
    first = 0
    while first < groups.size - 1:
        scratch = flags, place, visited
        done = gather_pieces(tables, state.nodes, found, groups, first, scratch, rows, pieces, roots)
        if done == 0:
            rows = np.empty((2 * rows.shape[0], to.WAY_WIDTH), np.int64)
            continue
        own = pieces[first : first + done].copy()
        begins = groups[first : first + done + 1]
        group = np.repeat(np.arange(done), np.diff(begins))
        told = np.unique(np.column_stack([group, roots[begins[0] : begins[-1]]]), axis=0)
        roots_of = np.searchsorted(told[:, 0], np.arange(done + 1))
        yield SharedWays(rows[: own[-1, 1]].copy(), own, told[:, 1].copy(), roots_of), first
        first += done


@kernel
def gather_pieces(t, nodes, found, groups, first, scratch, rows, pieces, roots):
    """The ways of as many groups at a time as have all of them in their windows, as long as they fit; how
    many groups. More are tried each time, and one by one for a while after it went wrong."""
    flags, place, visited = scratch
    end, group, together, alone = np.int64(0), first, 1, 0
    while group < groups.size - 1:
        last = group + 1
        while last < min(group + together, groups.size - 1) and is_beside(found, groups[group], groups[last]):
            last += 1
        seen = reach(t, nodes, found, groups[group], groups[last], flags, visited)
        fits = end + seen <= rows.shape[0]
        holds = last == group + 1 or all_in(t, nodes, found[groups[last] - 1], flags, visited, seen)
        begin = end
        if fits and holds:
            end = write_rows(nodes, flags, place, visited, seen, rows, begin)
        for k in range(seen):
            flags[visited[k]] = 0
        if fits and holds:
            for m in range(groups[group], groups[last]):
                roots[m] = place[found[m, at.FOUND_NODE]]
            for k in range(group, last):
                pieces[k, 0], pieces[k, 1] = begin, end
            group, alone = last, alone - 1
            together = 2 * together if alone <= 0 else 1
        elif last == group + 1:
            break
        else:
            together, alone = 1, _ALONE
    return group - first


@inlined
def is_beside(found, one, other):
    """Whether two groups are of one partition."""
    return found[one, at.FOUND_PARTITION] == found[other, at.FOUND_PARTITION]


@kernel
def all_in(t, nodes, latest, flags, visited, seen):
    """Whether all that is kept, and not a root alone, is in the window of the latest group too."""
    kind, limit = window(t, 0)
    for k in range(seen):
        node = visited[k]
        if flags[node] & KEPT != 0 and flags[node] != IS_ROOT | KEPT:
            if not within(kind, limit, nodes[node, at.NODE_LATEST], latest[at.FOUND_MEASURE]):
                return False
    return True


@kernel
def reach(t, nodes, found, begin, end, flags, visited):
    """Visit what the matches of a group are made of, from the newest on; how many nodes."""
    newest = np.int64(at.NONE)
    waiting = 0
    for m in range(begin, end):
        node = found[m, at.FOUND_NODE]
        if flags[node] == 0:
            waiting += 1
        flags[node] |= IS_ROOT
        newest = max(newest, node)
    measure = found[begin, at.FOUND_MEASURE]
    kind, limit = window(t, 0)
    seen = 0
    node = newest
    while waiting > 0:
        if flags[node] != 0:
            waiting -= 1
            visited[seen] = node
            seen += 1
            if flags[node] & IN_CHAIN != 0:
                waiting += expect(flags, nodes[node, at.LINK_SIBLING])
            if flags[node] & IS_ROOT != 0 or within(kind, limit, nodes[node, at.NODE_LATEST], measure):
                flags[node] |= KEPT
                waiting += expect(flags, nodes[node, at.LINK_PREVIOUS])
        node = nodes[node, at.LINK_PEER]
    return seen


@kernel
def expect(flags, node):
    """A node of a chain will have to be visited; 1 if that is news."""
    if node == at.NONE:
        return 0
    news = 1 if flags[node] == 0 else 0
    flags[node] |= IN_CHAIN
    return news


@kernel
def write_rows(nodes, flags, place, visited, seen, rows, begin):
    """The visited nodes that are in the window as rows, oldest first; where they end.

    A chain leads past those that are not: their place is that of the next older one.
    """
    end = begin
    for k in range(seen - 1, -1, -1):
        node = visited[k]
        previous, sibling = nodes[node, at.LINK_PREVIOUS], nodes[node, at.LINK_SIBLING]
        older = place[sibling] if flags[node] & IN_CHAIN != 0 and sibling != at.NONE else at.NONE
        if flags[node] & KEPT == 0:
            place[node] = older
            continue
        place[node] = end
        rows[end, to.ROW] = nodes[node, at.NODE_ROW]
        rows[end, to.POSITION] = nodes[node, at.LINK_POSITION]
        rows[end, to.EVENT] = nodes[node, at.NODE_EVENT]
        rows[end, to.PREVIOUS] = place[previous] if previous != at.NONE else at.NONE
        rows[end, to.SIBLING] = older
        rows[end, to.ROOT] = flags[node] & IS_ROOT
        for lane in range(2):
            before = np.uint64(nodes[previous, at.NODE_HASH + lane]) if previous != at.NONE else np.uint64(0)
            known = np.uint64(nodes[node, at.NODE_HASH + lane]) - before
            rows[end, to.IDENTITY + lane] = np.int64(known)
        end += 1
    return end


def group_bounds(found: np.ndarray) -> np.ndarray:
    """Where each stretch of found matches with one completion and one last event begins, and the end."""
    keys = found[:, [at.FOUND_TIME, at.FOUND_CLOSED, at.FOUND_EVENT, at.FOUND_LAST, at.FOUND_PARTITION]]
    changed = np.flatnonzero((keys[1:] != keys[:-1]).any(axis=1)) + 1
    return np.concatenate([[0], changed, [found.shape[0]]]).astype(np.int64)
