"""Making room: runs out of their window are dropped, then the buffered events and the candidates that nothing
can reach any more. So memory is bounded by what lies in the window. `jit` says what the letters mean."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.candidates import drop_old
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.nfa import layout as at
from cepheid.matchers.nfa.runs import append_run, begun, free_run, window
from cepheid.matchers.windows import measured, within


@inlined
def reaches(t, earlier, now, counted):
    """Whether the query's window, from a moment as it measures it, reaches until now."""
    kind, limit = window(t, 0)
    return within(kind, limit, earlier, measured(kind, now, counted))


@kernel
def sweep_runs(t, st, cursor, now):
    """Free the runs that are out of their window, or cannot go on under strict contiguity."""
    for p in range(st.parts.shape[0]):
        if st.parts[p, at.LIVE] == 0:
            continue
        for s in range(t.states):
            r = st.parts[p, at.HEADS + s]
            st.parts[p, at.HEADS + s] = at.NONE
            while r != at.NONE:
                following = st.runs[r, at.RUN_NEXT]
                over = st.runs[r, at.RUN_START] <= st.parts[p, at.FLOOR] or not reaches(
                    t, begun(t, st, 0, r), now, st.parts[p, at.COUNTED]
                )
                if over or (t.strategy == at.STRICT and st.runs[r, at.RUN_LAST] != cursor[at.LAST_EVENT]):
                    free_run(st, cursor, r)
                else:
                    append_run(t, st, p, s, r)
                r = following


@kernel
def mark_list(st, r, marked):
    """Mark the last events of a list of runs with their partition."""
    while r != at.NONE:
        marked[st.runs[r, at.RUN_NODE]] = st.runs[r, at.RUN_PARTITION] + 1
        r = st.runs[r, at.RUN_NEXT]


@kernel
def compact_nodes(t, st, cursor, now, expires, scratch):
    """Keep only the buffered events that a run can reach, and if `expires`, of those the ones that lie in
    the window; they stay in their order."""
    marked = scratch[0]
    for p in range(st.parts.shape[0]):
        if st.parts[p, at.LIVE] > 0:
            for s in range(t.states):
                mark_list(st, st.parts[p, at.HEADS + s], marked)
        mark_list(st, st.parts[p, at.WAITING], marked)
    mark_list(st, cursor[at.PENDING], marked)
    for node in range(cursor[at.NODES] - 1, -1, -1):
        if marked[node] == 0:
            continue
        for other in (st.nodes[node, at.LINK_PREVIOUS], st.nodes[node, at.LINK_SIBLING]):
            if other != at.NONE:
                marked[other] = marked[node]
        if expires:
            latest, counted = st.nodes[node, at.NODE_LATEST], st.parts[marked[node] - 1, at.COUNTED]
            if not reaches(t, latest, now, counted):
                marked[node] = 0
    move_nodes(t, st, cursor, scratch)


@kernel
def move_nodes(t, st, cursor, scratch):
    """Close the gaps between marked events, and follow with every pointer to them: one to an event that is
    gone leads to the next older of its chain."""
    marked, chained, peer = scratch[0], scratch[1], scratch[2]
    kept = np.int64(0)
    for node in range(cursor[at.NODES]):
        previous, sibling = st.nodes[node, at.LINK_PREVIOUS], st.nodes[node, at.LINK_SIBLING]
        before = st.nodes[node, at.LINK_PEER]
        older = chained[sibling] if sibling != at.NONE else np.int64(at.NONE)
        newest = peer[before] if before != at.NONE else np.int64(at.NONE)
        for lane in range(2):
            scratch[3 + lane, node] = st.nodes[node, at.NODE_HASH + lane]
        if marked[node] == 0:
            chained[node], peer[node] = older, newest
            continue
        chained[node] = peer[node] = kept
        if kept != node:
            for k in range(st.nodes.shape[1]):
                st.nodes[kept, k] = st.nodes[node, k]
        st.nodes[kept, at.LINK_SIBLING], st.nodes[kept, at.LINK_PEER] = older, newest
        if sibling != at.NONE:
            st.nodes[kept, at.LINK_MANY] = 1
        first = st.nodes[kept, at.LINK_FIRST]
        st.nodes[kept, at.LINK_FIRST] = chained[first] if first != at.NONE and marked[first] != 0 else at.NONE
        if previous != at.NONE:
            st.nodes[kept, at.LINK_PREVIOUS] = chained[previous]
            for lane in range(2):
                known = np.uint64(scratch[3 + lane, node]) - np.uint64(scratch[3 + lane, previous])
                known += np.uint64(st.nodes[chained[previous], at.NODE_HASH + lane])
                st.nodes[kept, at.NODE_HASH + lane] = np.int64(known)
        kept += 1
    cursor[at.NODES] = kept
    for p in range(st.parts.shape[0]):
        if st.parts[p, at.NEWEST] != at.NONE:
            st.parts[p, at.NEWEST] = peer[st.parts[p, at.NEWEST]]
        if st.parts[p, at.LIVE] > 0:
            for s in range(t.states):
                point_anew(st.runs, st.parts[p, at.HEADS + s], chained)
        point_anew(st.runs, st.parts[p, at.WAITING], chained)
    point_anew(st.runs, cursor[at.PENDING], chained)


@kernel
def point_anew(runs, r, moved):
    """Let a list of runs point to where their last events have moved."""
    while r != at.NONE:
        runs[r, at.RUN_NODE] = moved[runs[r, at.RUN_NODE]]
        r = runs[r, at.RUN_NEXT]


@kernel
def compact_candidates(t, st, cursor, now):
    """Keep only the candidates for absence that still lie in the window."""
    newest, counted = st.parts[:, t.candidate_heads :], st.parts[:, at.COUNTED]
    count = cursor[at.CANDIDATES]
    cursor[at.CANDIDATES] = drop_old(st.candidates, newest, count, window(t, 0), now, counted)
