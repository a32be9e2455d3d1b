"""What start event marking keeps of whole matches, and what an absence takes back."""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.aggregate import layout as at
from cepheid.matchers.aggregate.cells import clear
from cepheid.matchers.jit import kernel


@kernel
def is_undone(t, q, mask):
    """Whether an event is one that should be absent after a step."""
    for link in range(t.steps[q, at.UNDONE], t.steps[q, at.UNDONE_END]):
        if (mask >> t.absent[t.links[link]]) & 1:
            return True
    return False


@kernel
def done_of(st, cursor, s, q, group):
    """Where the whole matches of a start, a last step and a group are counted."""
    d = st.starts[s, at.DONE]
    while d != at.NONE:
        if st.done[d, at.DONE_STEP] == q and st.done[d, at.DONE_GROUP] == group:
            return d
        d = st.done[d, at.DONE_NEXT]
    d = cursor[at.FREE_DONE]
    cursor[at.FREE_DONE] = st.done[d, at.DONE_NEXT]
    cursor[at.FREE_DONES] -= 1
    st.done[d, at.DONE_NEXT] = st.starts[s, at.DONE]
    st.starts[s, at.DONE] = d
    st.done[d, at.DONE_STEP] = q
    st.done[d, at.DONE_GROUP] = group
    st.done[d, at.DONE_SEEN] = 0
    clear(st.totals, d)
    return d


@kernel
def forget_done(t, st, s, q):
    """The whole matches of a start, or of one of its last steps, count no more."""
    d = st.starts[s, at.DONE]
    while d != at.NONE:
        if q == at.NONE or st.done[d, at.DONE_STEP] == q:
            clear(st.totals, d)
            st.done[d, at.DONE_SEEN] = 0
        d = st.done[d, at.DONE_NEXT]
