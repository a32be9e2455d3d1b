"""From the last buffered event of each match back to all its events, and into the order of output."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from __future__ import annotations

from cepheid.matchers.jit import kernel
from cepheid.matchers.nfa import layout as at


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
def compare(offsets, events, starts, left, right):
    """Order of two matches by their events, variable by variable; an absent variable comes first."""
    for v in range(offsets.shape[0]):
        low, high = offsets[v, left], offsets[v, right]
        size_low = offsets[v, left + 1] - low
        size_high = offsets[v, right + 1] - high
        for k in range(min(size_low, size_high)):
            one, other = events[starts[v] + low + k], events[starts[v] + high + k]
            if one != other:
                return -1 if one < other else 1
        if size_low != size_high:
            return -1 if size_low < size_high else 1
    return 0


@kernel
def sort_groups(groups, offsets, events, starts, order, scratch):
    """Stable merge sort of `order` within equal groups; answers whether anything moved."""
    moved = False
    begin = 0
    while begin < order.size:
        end = begin + 1
        while end < order.size and groups[order[end]] == groups[order[begin]]:
            end += 1
        for k in range(begin + 1, end):
            if compare(offsets, events, starts, order[k - 1], order[k]) > 0:
                merge_sort(offsets, events, starts, order, scratch, begin, end)
                moved = True
                break
        begin = end
    return moved


@kernel
def merge_sort(offsets, events, starts, order, scratch, begin, end):
    """Bottom-up merge sort of one stretch of `order`."""
    width = 1
    while width < end - begin:
        low = begin
        while low < end:
            middle, high = min(low + width, end), min(low + 2 * width, end)
            i, j = low, middle
            for k in range(low, high):
                if i < middle and (j >= high or compare(offsets, events, starts, order[i], order[j]) <= 0):
                    scratch[k] = order[i]
                    i += 1
                else:
                    scratch[k] = order[j]
                    j += 1
            low = high
        for k in range(begin, end):
            order[k] = scratch[k]
        width *= 2


@kernel
def keep_non_overlapping(order, partitions, starts, lasts, parts, kept):
    """Greedily in order: a match is kept if it starts after the last kept one of its partition ends."""
    for k in range(order.size):
        m = order[k]
        p = partitions[m]
        kept[m] = starts[m] > parts[p, at.FLOOR]
        if kept[m]:
            parts[p, at.FLOOR] = lasts[m]
