"""Texts and values as they are meant: references, ends of lines and blanks in attributes are replaced."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import kernel
from cepheid.matchers.twig.scan import layout as scanned
from cepheid.matchers.twig.scan.blocks import copy_bytes
from cepheid.matchers.twig.scan.text import AMPERSAND, RETURN, SEMICOLON, reference_value

LINE_FEED, TABULATOR, BLANK = 10, 9, 32


@kernel
def most_bytes(t, b, span):
    """How many bytes a token means at most: entities that were given may be longer than their names."""
    kind, start, end = span
    size = end - start
    has_references = kind == scanned.CODED_TEXT or kind == scanned.ATTRIBUTE or kind == scanned.LISTED
    if t.longest > 0 and has_references:
        for p in range(start, end):
            if b[p] == AMPERSAND:
                last = p + 1
                while last < end and b[last] != SEMICOLON:
                    last += 1
                if last < end and reference_value(b, p + 1, last) < 0:
                    size += t.code[entity_at(t, b, p + 1, last) + 1]
    return size


@kernel
def write_meaning(t, b, span, out, size):
    """Write what the bytes of a token mean; there is room. Where it ends."""
    kind, start, end = span
    if kind == scanned.TEXT or kind == scanned.MEANT:
        copy_bytes(out, size, b, start, end - start)
        return size + end - start
    is_value = kind == scanned.ATTRIBUTE or kind == scanned.LISTED
    line = BLANK if is_value else LINE_FEED
    begin, p = size, start
    while p < end:
        c = b[p]
        if c == AMPERSAND and kind != scanned.CDATA_TEXT:
            last = p + 1
            while b[last] != SEMICOLON:
                last += 1
            size = write_reference(t, b, p + 1, last, out, size)
            p = last + 1
            continue
        if c == RETURN:
            if p + 1 < end and b[p + 1] == LINE_FEED:
                p += 1
            c = np.uint8(line)
        elif c == LINE_FEED or c == TABULATOR:
            c = np.uint8(line) if is_value else c
        out[size] = c
        size += 1
        p += 1
    return words_end(out, begin, size) if kind == scanned.LISTED else size


@kernel
def words_end(out, begin, end):
    """Leave one blank between two words, and none elsewhere; where the words end."""
    size = begin
    for p in range(begin, end):
        if out[p] != BLANK or (size > begin and out[size - 1] != BLANK):
            out[size] = out[p]
            size += 1
    return size - 1 if size > begin and out[size - 1] == BLANK else size


@kernel
def write_reference(t, b, start, end, out, size):
    """Write what is meant between `&` and `;`."""
    number = reference_value(b, start, end)
    if number >= 0:
        return write_character(number, out, size)
    p = entity_at(t, b, start, end)
    begin = p + 2 + t.code[p]
    for k in range(t.code[p + 1]):
        out[size + k] = t.code[begin + k]
    return size + t.code[p + 1]


@kernel
def entity_at(t, b, start, end):
    """Where the entity of this name is; it is one of those that were given."""
    p = t.entities
    while not is_named(t, p, b, start, end):
        p += 2 + t.code[p] + t.code[p + 1]
    return p


@kernel
def is_named(t, p, b, start, end):
    """Whether the entity at this place has this name."""
    if t.code[p] != end - start:
        return False
    for k in range(end - start):
        if t.code[p + 2 + k] != b[start + k]:
            return False
    return True


@kernel
def write_character(number, out, size):
    """Write a character as UTF-8."""
    if number < 0x80:
        out[size] = number
        return size + 1
    more = 1 if number < 0x800 else 2 if number < 0x10000 else 3
    out[size] = (0xFF00 >> (more + 1) & 0xFF) | number >> (6 * more)
    for k in range(1, more + 1):
        out[size + k] = 0x80 | (number >> (6 * (more - k)) & 0x3F)
    return size + more + 1
