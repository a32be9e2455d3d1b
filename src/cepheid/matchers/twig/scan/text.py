"""Character data between tags, and what may stand in it."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import kernel
from cepheid.matchers.twig.scan import layout as at
from cepheid.matchers.twig.scan.blocks import LINE_BLOCK, TEXT_BLOCK, line_ends, plain_letters
from cepheid.matchers.twig.scan.characters import CUT, INVALID, character, is_allowed, width
from cepheid.matchers.twig.scan.names import slot_of

LESS, AMPERSAND, BRACKET, SEMICOLON, HASH, GREATER, RETURN, LINE_FEED = 60, 38, 93, 59, 35, 62, 13, 10
LONGEST_REFERENCE = 1024
"""Names of entities that are longer than this are refused."""


@kernel
def plain_end(b, p, end, classes):
    """The first byte from `p` that is not plain text."""
    while p + TEXT_BLOCK <= end:
        plain = plain_letters(b, p)
        p += plain
        if plain < TEXT_BLOCK:
            return p
    while p < end and classes[b[p]] & at.PLAIN:
        p += 1
    return p


@kernel
def lines_in(b, end):
    """How many lines end in the first bytes."""
    found, p = 0, 0
    while p + LINE_BLOCK <= end:
        found += line_ends(b, p)
        p += LINE_BLOCK
    for k in range(p, end):
        found += b[k] == LINE_FEED
    return found


@kernel
def special_end(b, p, end, scan):
    """Behind what is not plain at `p`: a reference, a bracket, a return or a character of several bytes.

    It is CUT if that has not come whole, and INVALID if the document is wrong, which the state tells.
    """
    st, c = scan.state, b[p]
    if c == AMPERSAND:
        return reference_end(b, p, end, scan)
    if c == BRACKET:
        if p + 2 >= end:
            return CUT if (p + 1 == end or b[p + 1] == BRACKET) else p + 1
        if b[p + 1] == BRACKET and b[p + 2] == GREATER:
            return wrong(st, at.CDATA_END, p)
        return p + 1
    if c == RETURN:
        return CUT if p + 1 == end else p + 1  # a line feed behind it would belong to it
    if c < 128:
        return wrong(st, at.BAD_CHARACTER, p)
    found = character(b, p, end)
    if found == INVALID:
        return wrong(st, at.BAD_UTF8, p)
    return CUT if found == CUT else p + width(found)


@kernel
def reference_end(b, p, end, scan):
    """Behind `&name;` or `&#number;`."""
    st, q = scan.state, p + 1
    while q < end and b[q] != SEMICOLON:
        if b[q] == LESS or b[q] == AMPERSAND or b[q] <= 32 or q - p > LONGEST_REFERENCE:
            return wrong(st, at.BAD_REFERENCE, p)
        q += 1
    if q == end:
        return CUT
    if reference_value(b, p + 1, q) < 0 and not is_entity(b, p + 1, q, scan.entities):
        return wrong(st, at.BAD_REFERENCE, p)
    return q + 1


@kernel
def reference_value(b, start, end):
    """The character that is meant between `&` and `;`, or -1."""
    if end - start > 1 and b[start] == HASH:
        return number_of(b, start + 1, end)
    if end - start == 2 and b[start + 1] == 116:  # t
        return LESS if b[start] == 108 else GREATER if b[start] == 103 else -1  # l, g
    if end - start == 3 and b[start] == 97 and b[start + 1] == 109 and b[start + 2] == 112:  # amp
        return AMPERSAND
    if (
        end - start == 4
        and b[start + 1] == 112
        and b[start] == 97
        and b[start + 2] == 111
        and b[start + 3] == 115
    ):
        return 39  # apos
    if (
        end - start == 4
        and b[start] == 113
        and b[start + 1] == 117
        and b[start + 2] == 111
        and b[start + 3] == 116
    ):
        return 34  # quot
    return -1


@kernel
def is_entity(b, start, end, entities):
    """Whether this is the name of an entity that was given."""
    return end > start and entities.slots[slot_of(b, start, end, entities)] >= 0


@kernel
def number_of(b, start, end):
    """The character whose number is written there, or -1."""
    radix = 16 if b[start] == 120 else 10  # x
    p = start + 1 if radix == 16 else start
    if p == end:
        return -1
    found = 0
    while p < end:
        c = np.int64(b[p])
        digit = c - 48 if 48 <= c <= 57 else (c | 32) - 87 if 97 <= (c | 32) <= 102 else 99
        if digit >= radix:
            return -1
        found = min(found * radix + digit, 0x110000)
        p += 1
    return found if is_allowed(found) else -1


@kernel
def wrong(st, error, p):
    """Note what is wrong and where."""
    st[at.ERROR], st[at.ERROR_AT] = error, p
    return INVALID
