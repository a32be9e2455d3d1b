"""The events of a condensed tree, fed to one of another shape. `jit` says what the letters mean."""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import kernel
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.condensed.kernel import begin_members, pass_nodes
from cepheid.matchers.tree.kernel import begin_node


@kernel
def refeed(t, ev, st, found, cursor, positions):
    """Go on with events that have been seen, each with its place in the stream; DONE, or what there is no
    room for. The root is left out: what these events complete has been told."""
    while cursor[at.AT_EVENT] < ev.head.shape[1]:
        e = cursor[at.AT_EVENT]
        cursor[at.OFFSET] = positions[e] - e
        if cursor[at.AT_NODE] == at.BETWEEN:
            begin_node(t, st, cursor, 0)
            begin_members(t, st, cursor, 0)
        answer = pass_nodes(t, ev, st, found, cursor, t.node_count - 1)
        if answer != at.DONE:
            return answer
        cursor[at.AT_EVENT] += 1
        cursor[at.AT_NODE] = at.BETWEEN
    return at.DONE
