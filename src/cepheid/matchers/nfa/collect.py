"""Room again: drop runs out of their window, then the buffered events and candidates that nothing
can reach any more. Memory is bounded by what lies in the window."""

from __future__ import annotations

import numpy as np

from cepheid.matchers.jit import kernel
from cepheid.matchers.nfa.absence import spans
from cepheid.matchers.nfa.layout import (
    CANDIDATE_ABSENCE,
    CANDIDATE_ORDINAL,
    CANDIDATE_PARTITION,
    CANDIDATE_PREVIOUS,
    CANDIDATE_TIME,
    CANDIDATES,
    COUNTED,
    FLOOR,
    HEADS,
    LAST_EVENT,
    LINK_FIRST,
    LINK_PREVIOUS,
    LIVE,
    NODES,
    NONE,
    PENDING,
    RUN_LAST,
    RUN_NEXT,
    RUN_NODE,
    RUN_START,
    RUN_START_ORDINAL,
    RUN_START_TIME,
    STRICT,
    WAITING,
)
from cepheid.matchers.nfa.runs import append_run, free_run


@kernel
def sweep_runs(t, st, cursor, now):
    """Free the runs that are out of their window, or cannot go on under strict contiguity."""
    for p in range(st.parts.shape[0]):
        if st.parts[p, LIVE] == 0:
            continue
        for s in range(t.states):
            r = st.parts[p, HEADS + s]
            st.parts[p, HEADS + s] = NONE
            while r != NONE:
                following = st.runs[r, RUN_NEXT]
                over = st.runs[r, RUN_START] <= st.parts[p, FLOOR] or not spans(
                    t,
                    now,
                    st.parts[p, COUNTED],
                    st.runs[r, RUN_START_TIME],
                    st.runs[r, RUN_START_ORDINAL],
                )
                if over or (t.strategy == STRICT and st.runs[r, RUN_LAST] != cursor[LAST_EVENT]):
                    free_run(st, cursor, r)
                else:
                    append_run(t, st, p, s, r)
                r = following


@kernel
def mark(nodes, marked, node):
    """Mark a run's events; what is marked already has all before it marked."""
    while node != NONE and marked[node] == 0:
        marked[node] = 1
        node = nodes[node, LINK_PREVIOUS]


@kernel
def compact_nodes(t, st, cursor, marked):
    """Keep only the buffered events that a run can reach; they stay in their order."""
    for p in range(st.parts.shape[0]):
        if st.parts[p, LIVE] > 0:
            for s in range(t.states):
                r = st.parts[p, HEADS + s]
                while r != NONE:
                    mark(st.nodes, marked, st.runs[r, RUN_NODE])
                    r = st.runs[r, RUN_NEXT]
        r = st.parts[p, WAITING]
        while r != NONE:
            mark(st.nodes, marked, st.runs[r, RUN_NODE])
            r = st.runs[r, RUN_NEXT]
    r = cursor[PENDING]
    while r != NONE:
        mark(st.nodes, marked, st.runs[r, RUN_NODE])
        r = st.runs[r, RUN_NEXT]
    move_nodes(t, st, cursor, marked)


@kernel
def move_nodes(t, st, cursor, marked):
    """Close the gaps between marked events, and follow with every pointer to them."""
    kept = np.int64(0)
    for node in range(cursor[NODES]):
        if marked[node] == 0:
            continue
        marked[node] = kept + 1
        for k in range(st.nodes.shape[1]):
            st.nodes[kept, k] = st.nodes[node, k]
        previous = st.nodes[kept, LINK_PREVIOUS]
        if previous != NONE:
            st.nodes[kept, LINK_PREVIOUS] = marked[previous] - 1
        st.nodes[kept, LINK_FIRST] = marked[st.nodes[kept, LINK_FIRST]] - 1
        kept += 1
    cursor[NODES] = kept
    for p in range(st.parts.shape[0]):
        if st.parts[p, LIVE] > 0:
            for s in range(t.states):
                point_anew(st.runs, st.parts[p, HEADS + s], marked)
        point_anew(st.runs, st.parts[p, WAITING], marked)
    point_anew(st.runs, cursor[PENDING], marked)


@kernel
def point_anew(runs, r, marked):
    """Let a list of runs point to where their last events have moved."""
    while r != NONE:
        runs[r, RUN_NODE] = marked[runs[r, RUN_NODE]] - 1
        r = runs[r, RUN_NEXT]


@kernel
def compact_candidates(t, st, cursor, now):
    """Keep only the candidates for absence that still lie in the window."""
    for p in range(st.parts.shape[0]):
        for a in range(t.absence_count):
            st.parts[p, t.candidate_heads + a] = NONE
    kept = np.int64(0)
    for c in range(cursor[CANDIDATES]):
        p, a = st.candidates[c, CANDIDATE_PARTITION], st.candidates[c, CANDIDATE_ABSENCE]
        if not spans(
            t,
            now,
            st.parts[p, COUNTED],
            st.candidates[c, CANDIDATE_TIME],
            st.candidates[c, CANDIDATE_ORDINAL],
        ):
            continue
        for k in range(st.candidates.shape[1]):
            st.candidates[kept, k] = st.candidates[c, k]
        st.candidates[kept, CANDIDATE_PREVIOUS] = st.parts[p, t.candidate_heads + a]
        st.parts[p, t.candidate_heads + a] = kept
        kept += 1
    cursor[CANDIDATES] = kept
