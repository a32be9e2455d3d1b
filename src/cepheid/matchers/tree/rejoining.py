"""What the leaves hold, joined anew in another shape. `jit` says what the letters mean."""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import kernel
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.kernel import join


@kernel
def rejoin(t, ev, st, found, cursor):
    """Go on with the nodes below the root, as if all that the leaves hold had come in one block; DONE, or
    what there is no room for. The root has seen all of it: what it would complete has been told, or waits."""
    while cursor[at.AT_NODE] < t.node_count - 1:
        n = cursor[at.AT_NODE]
        left, right = t.book[t.nodes + n, at.LEFT], t.book[t.nodes + n, at.RIGHT]
        if left != at.NONE:
            if cursor[at.BLOCK_END] != n:
                cursor[at.BLOCK_END], cursor[at.PHASE] = n, at.FRESH
                st.spans[n, at.NEW] = cursor[at.ROWS]
                cursor[at.STEP], cursor[at.STEP_RIGHT] = st.spans[left, at.NEW], st.spans[right, at.NEW]
            answer = join(t, ev, st, found, cursor, n)
            if answer != at.DONE:
                return answer
            st.spans[n, at.NEW_END] = cursor[at.ROWS]
        cursor[at.AT_NODE] += 1
    return at.DONE
