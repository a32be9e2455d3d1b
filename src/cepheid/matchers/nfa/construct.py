"""From the last buffered event of each match back to all its events."""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import kernel
from cepheid.matchers.nfa import layout as at


@kernel
def list_singles(nodes, found, events):
    """The events of matches that have one for each variable, in one walk; False if one of them has not."""
    for m in range(found.shape[0]):
        node, left, first = found[m, at.FOUND_NODE], events.shape[0], at.NONE
        found[m, at.FOUND_LAST_ROW] = nodes[node, at.NODE_ROW]
        while node != at.NONE:
            left -= 1
            if nodes[node, at.LINK_POSITION] != left or nodes[node, at.LINK_ORDINAL] != 1:
                return False
            first = nodes[node, at.NODE_ROW]
            events[left, m] = first
            node = nodes[node, at.LINK_PREVIOUS]
        if left != 0:
            return False
        found[m, at.FOUND_FIRST_ROW] = first
    return True


@kernel
def count_events(nodes, found, lengths):
    """How many events each variable of each match has, and which are its first and its last."""
    for m in range(found.shape[0]):
        node = found[m, at.FOUND_NODE]
        found[m, at.FOUND_LAST_ROW] = nodes[node, at.NODE_ROW]
        while node != at.NONE:
            lengths[nodes[node, at.LINK_POSITION], m] = nodes[node, at.LINK_ORDINAL]
            found[m, at.FOUND_FIRST_ROW] = nodes[nodes[node, at.LINK_FIRST], at.NODE_ROW]
            node = nodes[nodes[node, at.LINK_FIRST], at.LINK_PREVIOUS]


@kernel
def list_events(nodes, found, position, offsets, events, written):
    """The events of one variable of each match, in order, as rows.

    Matches share what comes before a split: where a node has been listed already (`written`), the
    events up to it are copied from there instead of walking back again.
    """
    for m in range(found.shape[0]):
        if offsets[m] == offsets[m + 1]:
            continue
        node = found[m, at.FOUND_NODE]
        while nodes[node, at.LINK_POSITION] != position:
            node = nodes[nodes[node, at.LINK_FIRST], at.LINK_PREVIOUS]
        k = offsets[m + 1] - 1
        while k >= offsets[m] and written[node] == at.NONE:
            events[k] = nodes[node, at.NODE_ROW]
            written[node] = k
            node = nodes[node, at.LINK_PREVIOUS]
            k -= 1
        if k >= offsets[m]:
            shift = written[node] - k
            for i in range(offsets[m], k + 1):
                events[i] = events[i + shift]


@kernel
def unlist_events(nodes, found, written):
    """Let no event of these matches be marked as listed any more."""
    for m in range(found.shape[0]):
        node = found[m, at.FOUND_NODE]
        while node != at.NONE and written[node] != at.NONE:
            written[node] = at.NONE
            node = nodes[node, at.LINK_PREVIOUS]
