"""A quick look at a document: how many elements are open where, to find out where it can be cut.

Bytes are weighed in blocks: how many elements begin in each, and how many end. An element begins at `<` and
ends at `</` or at `/>`, so two bytes tell, and those of a block are compared side by side. Blocks with
comments and the like are looked at byte by byte. From the weights, the elements that are open
at some place are found backwards, and most blocks are not looked at again.

It is right about documents that are well-formed, but for `/>` inside of quotes: then too few elements seem to
be open, there and ever after. So if the tokenizer finds the same number open, all was right.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from typing import NamedTuple

import numpy as np

from cepheid.matchers.bits import as_bits
from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.twig.scan.blocks import TAG_BLOCK, tag_counts, tag_marks
from cepheid.matchers.twig.scan.text import BRACKET, GREATER, LESS

SLASH, EXCLAMATION, QUESTION, DASH = 47, 33, 63, 45
BLOCK = 128
NO_BITS, LAST_BIT = np.uint64(0), np.uint64(1)
FAR = 1 << 62

# State, an array of int64.
WEIGHED, DEPTH, SKIP, STATE_SIZE = range(4)
"""WEIGHED: how many blocks were weighed, DEPTH: how many elements are open behind them, SKIP: the first byte
behind a comment or the like that is open there."""


class BlockWeights(NamedTuple):
    """What each block has, as uint8."""

    opens: np.ndarray  # how many elements begin
    shuts: np.ndarray  # and end
    begins: np.ndarray  # the first byte that is no more of a comment of the blocks before


@kernel
def weigh(b, st, weights, last):
    """Weigh the blocks up to `last`, which is not weighed. There is a byte behind each block."""
    depth, skip = st[DEPTH], st[SKIP]
    for k in range(st[WEIGHED], last):
        base, begin = k * BLOCK, 0
        opens, shuts, is_odd = weight_of_block(b, base)
        if is_odd or skip > base:
            begin = min(max(skip - base, 0), BLOCK)
            opens, shuts, skip = slow_weight_of(b, base + begin, base + BLOCK, skip)
        weights.opens[k], weights.shuts[k], weights.begins[k] = opens, shuts, begin
        depth += np.int64(opens) - np.int64(shuts)
    st[WEIGHED], st[DEPTH], st[SKIP] = max(last, st[WEIGHED]), depth, skip


@inlined
def weight_of_block(b, base):
    """What begins and ends in a block, and whether there is anything else."""
    opens, shuts, odd = tag_counts(b, base)
    more_opens, more_shuts, more_odd = tag_counts(b, base + TAG_BLOCK)
    return np.uint8(opens + more_opens), np.uint8(shuts + more_shuts), odd + more_odd > 0


@kernel
def slow_weight_of(b, p, end, skip):
    """The same byte by byte; and where the last comment or the like ends."""
    opens, shuts = 0, 0
    while p < end:
        change = change_at(b, p)
        if change == FAR:
            p = skip = aside_end(b, p)
            continue
        opens += change > 0
        shuts += change < 0
        p += 1
    return np.uint8(opens), np.uint8(shuts), skip


@inlined
def change_at(b, p):
    """How a byte changes the number of open elements; FAR, where a comment or the like begins."""
    c, after = b[p], b[p + 1]
    if c == LESS:
        if after == SLASH:
            return -1
        return FAR if after == EXCLAMATION or after == QUESTION else 1
    return -1 if c == SLASH and after == GREATER else 0


@kernel
def aside_end(b, p):
    """Behind the comment, CDATA section or processing instruction that begins at `p`."""
    size = len(b)
    if b[p + 1] == QUESTION:
        p += 2
        while p + 1 < size and not (b[p] == QUESTION and b[p + 1] == GREATER):
            p += 1
        return p + 2
    last = DASH if p + 2 < size and b[p + 2] == DASH else BRACKET
    p += 4
    while p + 2 < size and not (b[p] == last and b[p + 1] == last and b[p + 2] == GREATER):
        p += 1
    return p + 3


@kernel
def shallowest(b, p, end, depth):
    """The first start tag with the least elements open, and how many these are; -1 if there is none."""
    place, least = np.int64(-1), np.int64(FAR)
    end = min(end, len(b) - 1)
    while p < end:
        change = change_at(b, p)
        if change == FAR:
            p = aside_end(b, p)
            continue
        if change > 0 and depth < least:
            place, least = p, depth
        depth += change
        if depth <= 0:
            break
        p += 1
    return place, least


@kernel
def find_open(b, weights, k, depth, place, found):
    """Where the elements begin that are open at `place`, as many as `found` has; the root begins at 0.

    Behind the first `k` blocks so many are open as `depth` says; `place` is further on. Say whether all are
    found.
    """
    found[0] = 0
    skip = np.int64(k) * BLOCK
    if k > 0:  # a comment may go on behind the block before
        skip = max(skip, rest_of_aside(b, weights, k - 1))
    wanted = open_here(b, skip, place, depth, len(found), found)
    while k > 0 and wanted > 1:
        k -= 1
        if depth - np.int64(weights.opens[k]) < wanted:
            wanted = open_in_block(b, weights, k, depth, wanted, found)
        depth += np.int64(weights.shuts[k]) - np.int64(weights.opens[k])
    return 0 <= wanted <= 1


@kernel
def open_in_block(b, weights, k, depth, wanted, found):
    """The same for one block, behind which so many elements are open: only where it may matter."""
    base, begin = np.int64(k) * BLOCK, np.int64(weights.begins[k])
    if begin > 0 or weight_of_block(b, base)[2]:
        before = depth + np.int64(weights.shuts[k]) - np.int64(weights.opens[k])
        return open_here(b, base + begin, base + BLOCK, before, wanted, found)
    for half in (base + TAG_BLOCK, base):
        opens, shuts, _ = tag_counts(b, half)
        before = depth + shuts - opens
        if depth - opens < wanted:
            wanted = open_in_half(b, half, before, wanted, found)
        depth = before
    return wanted


@kernel
def open_in_half(b, half, depth, wanted, found):
    """The same from tag to tag; `depth` is that in front."""
    opens, shuts, _ = tag_marks(b, half)
    least, tags = min(depth, wanted), opens | shuts
    while tags != NO_BITS:
        first = tags & (~tags + LAST_BIT)
        if opens & first:
            if 0 <= depth < wanted:
                found[depth] = half + (as_bits(np.float64(first)) >> 52) - 1023
            depth += 1
        else:
            depth -= 1
            least = min(least, depth)
        tags ^= first
    return least


@kernel
def rest_of_aside(b, weights, k):
    """Where what is open at the end of a block ends; or the end of the block."""
    while k > 0 and weights.begins[k] == BLOCK:
        k -= 1
    p, end = np.int64(k) * BLOCK + np.int64(weights.begins[k]), np.int64(k + 1) * BLOCK
    while p < end:
        p = aside_end(b, p) if change_at(b, p) == FAR else p + 1
    return p


@kernel
def open_here(b, p, end, depth, wanted, found):
    """Note where elements begin of which less than `wanted` are around; the least number that are open."""
    least = min(depth, wanted)
    while p < end:
        change = change_at(b, p)
        if change == FAR:
            p = aside_end(b, p)
            continue
        if change > 0 and 0 <= depth < wanted:
            found[depth] = p
        depth += change
        least = min(least, depth)
        p += 1
    return least
