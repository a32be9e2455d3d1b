"""What start event marking keeps of whole matches, and what an absence takes back."""

from __future__ import annotations

from cepheid.matchers.aggregate.cells import clear
from cepheid.matchers.aggregate.layout import (
    DONE,
    DONE_GROUP,
    DONE_NEXT,
    DONE_SEEN,
    DONE_STEP,
    FREE_DONE,
    FREE_DONES,
    NONE,
    UNDONE,
    UNDONE_END,
)
from cepheid.matchers.jit import kernel


@kernel
def is_undone(t, q, mask):
    """Whether an event is one that should be absent after a step."""
    for link in range(t.steps[q, UNDONE], t.steps[q, UNDONE_END]):
        if (mask >> t.absent[t.links[link]]) & 1:
            return True
    return False


@kernel
def done_of(st, cursor, s, q, group):
    """Where the whole matches of a start, a last step and a group are counted."""
    d = st.starts[s, DONE]
    while d != NONE:
        if st.done[d, DONE_STEP] == q and st.done[d, DONE_GROUP] == group:
            return d
        d = st.done[d, DONE_NEXT]
    d = cursor[FREE_DONE]
    cursor[FREE_DONE] = st.done[d, DONE_NEXT]
    cursor[FREE_DONES] -= 1
    st.done[d, DONE_NEXT] = st.starts[s, DONE]
    st.starts[s, DONE] = d
    st.done[d, DONE_STEP] = q
    st.done[d, DONE_GROUP] = group
    st.done[d, DONE_SEEN] = 0
    clear(st.totals, d)
    return d


@kernel
def forget_done(t, st, s, q):
    """The whole matches of a start, or of one of its last steps, count no more."""
    d = st.starts[s, DONE]
    while d != NONE:
        if q == NONE or st.done[d, DONE_STEP] == q:
            clear(st.totals, d)
            st.done[d, DONE_SEEN] = 0
        d = st.done[d, DONE_NEXT]
