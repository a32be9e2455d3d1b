"""Characters of several bytes: whether they are UTF-8, and whether XML allows them."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import kernel

CUT, INVALID = -1, -2


@kernel
def character(b, p, end):
    """The number of the character at `p`, CUT if its last bytes have not come yet, or INVALID."""
    first = b[p]
    if first < 0x80:
        return np.int64(first)
    if first < 0xC2 or first > 0xF4:
        return INVALID
    more = 1 if first < 0xE0 else 2 if first < 0xF0 else 3
    found = np.int64(first) & (0x3F >> more)
    for k in range(1, more + 1):
        if p + k >= end:
            return CUT
        if b[p + k] & 0xC0 != 0x80:
            return INVALID
        found = found << 6 | np.int64(b[p + k] & 0x3F)
    least = 0x80 if more == 1 else 0x800 if more == 2 else 0x10000
    if found < least or not is_allowed(found):
        return INVALID
    return found


@kernel
def width(character):
    """How many bytes a character takes."""
    return 1 if character < 0x80 else 2 if character < 0x800 else 3 if character < 0x10000 else 4


@kernel
def is_allowed(character):
    """Whether a document may have it."""
    if character < 0x20:
        return character == 0x9 or character == 0xA or character == 0xD
    return character <= 0xD7FF or 0xE000 <= character <= 0xFFFD or 0x10000 <= character <= 0x10FFFF


@kernel
def begins_name(character):
    """Whether a name may begin with this character, which is not ASCII."""
    return (
        (0xC0 <= character <= 0x2FF and character != 0xD7 and character != 0xF7)
        or (0x370 <= character <= 0x1FFF and character != 0x37E)
        or 0x200C <= character <= 0x200D
        or 0x2070 <= character <= 0x218F
        or 0x2C00 <= character <= 0x2FEF
        or 0x3001 <= character <= 0xD7FF
        or 0xF900 <= character <= 0xFDCF
        or 0xFDF0 <= character <= 0xFFFD
        or 0x10000 <= character <= 0xEFFFF
    )


@kernel
def continues_name(character):
    """Whether a name may go on with this character, which is not ASCII."""
    return (
        begins_name(character)
        or character == 0xB7
        or 0x300 <= character <= 0x36F
        or 0x203F <= character <= 0x2040
    )


@kernel
def is_name(b, start, end):
    """Whether bytes, which are all of the class of names, are a name."""
    p = start
    while p < end:
        if b[p] < 0x80:
            p += 1
            continue
        found = character(b, p, end)
        if found < 0 or not (begins_name(found) if p == start else continues_name(found)):
            return False
        p += width(found)
    return True
