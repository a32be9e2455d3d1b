"""A condensed tree at work: each event goes into the leaves, then each node joins the groups that it changed.

A join takes a group with its members that are new at the event, and looks at the groups of the other side. It
tests the conditions once; what comes of it is one member, which stands for every composite of the new members
here and of those there that completed in time. In a SEQ that is before the right group began, in an AND
before the event. Of a group only the members count whose beginning the window still reaches.

A kernel may run out of room in the middle of an event; the cursor knows where it stands, as in a tree that is
not condensed. `jit` says what the letters mean; `n` is a node, `x` a group that starts a join and `o` one of
the other side.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.tree import layout as at
from cepheid.matchers.tree.condensed.chains import extend_groups
from cepheid.matchers.tree.condensed.events import take_event
from cepheid.matchers.tree.condensed.joins import join_new
from cepheid.matchers.tree.kernel import begin_block, begin_node


@kernel
def advance_condensed(t, ev, st, found, cursor):
    """Go on with the events of the batch, one after the other; DONE, or what there is no room for."""
    while cursor[at.AT_EVENT] < ev.head.shape[1]:
        if cursor[at.AT_NODE] == at.BETWEEN:
            if cursor[at.MEMBERS] >= cursor[at.COLLECT_MEMBERS_AT]:
                return at.COLLECT
            answer = begin_block(t, ev, st, cursor)
            if answer != at.DONE:
                return answer
            begin_members(t, st, cursor, 0)
        answer = pass_nodes(t, ev, st, found, cursor, t.node_count)
        if answer != at.DONE:
            return answer
        cursor[at.AT_EVENT] += 1
        cursor[at.AT_NODE] = at.BETWEEN
    return at.DONE


@inlined
def pass_nodes(t, ev, st, found, cursor, end):
    """Let an event pass the nodes before `end`, from where the cursor stands."""
    while cursor[at.AT_NODE] < end:
        n = cursor[at.AT_NODE]
        answer = at_node(t, ev, st, found, cursor, n)
        if answer != at.DONE:
            return answer
        st.spans[n, at.NEW_END] = cursor[at.MEMBERS]
        begin_node(t, st, cursor, n + 1)
        begin_members(t, st, cursor, n + 1)
    return at.DONE


@inlined
def begin_members(t, st, cursor, n):
    """The new members of a node begin here."""
    if n < t.node_count:
        st.spans[n, at.NEW] = cursor[at.MEMBERS]


@kernel
def at_node(t, ev, st, found, cursor, n):
    """All that an event makes of a node."""
    e = cursor[at.AT_EVENT]
    kind = t.book[t.nodes + n, at.KIND]
    if kind != at.LEAF and kind != at.CHAIN:
        return join_new(t, ev, st, found, cursor, e, n)
    bits = t.book[t.nodes + n, at.BEGIN_BIT] | t.book[t.nodes + n, at.TAKE_BIT]
    if ev.head[at.IN_PARTITION, e] == at.NONE or ev.head[at.MASK, e] & bits == 0:
        return at.DONE
    if kind == at.CHAIN:
        return extend_groups(t, ev, st, found, cursor, e, n)
    return take_event(t, ev, st, found, cursor, e, n)
