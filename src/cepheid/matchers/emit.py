"""The order of output, by completion and then by events, and which matches overlap none before them."""

# mypy: allow-untyped-defs, no-check-untyped-defs
from collections.abc import Sequence

import numpy as np

from cepheid.matchers.bindings import Bindings, permuted_bindings
from cepheid.matchers.jit import kernel


def output_order(bindings: Bindings, keys: Sequence[np.ndarray], *, is_sorted: bool) -> np.ndarray:
    """The matches by these keys, of which the last counts most, and equal ones by their events, variable by
    variable. `is_sorted` says that they stand by the keys already."""
    count = bindings.count
    order = np.arange(count) if is_sorted else np.lexsort(keys)
    changed = np.zeros(count, np.bool_)
    for key in keys:
        changed[1:] |= key[order][1:] != key[order][:-1]
    groups = np.zeros(count, np.int64)
    groups[order] = np.cumsum(changed)
    starts = np.concatenate([[0], np.cumsum([e.size for e in bindings.events])[:-1]]).astype(np.int64)
    flat = np.concatenate(bindings.events) if len(bindings.events) > 1 else bindings.events[0]
    sort_groups(groups, bindings.offsets, flat, starts, order, np.empty_like(order))
    return order


def in_order(bindings: Bindings, order: np.ndarray) -> Bindings:
    """The matches of `order`, in that order."""
    is_same = order.size == bindings.count and bool((order == np.arange(order.size)).all())
    return bindings if is_same else permuted_bindings(bindings, order)


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
def keep_non_overlapping(order, partitions, starts, lasts, floor, kept):
    """Greedily in order: a match is kept if it starts after the last kept one of its partition ends, which
    `floor` knows."""
    for k in range(order.size):
        m = order[k]
        p = partitions[m]
        kept[m] = starts[m] > floor[p]
        if kept[m]:
            floor[p] = lasts[m]
