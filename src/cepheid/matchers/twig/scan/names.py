"""Names of elements and attributes as numbers."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import kernel
from cepheid.matchers.twig.scan import layout as at
from cepheid.matchers.twig.scan.characters import begins_name, character, is_name
from cepheid.matchers.twig.scan.words import SPREAD, first_slot, set_words, words_of

NO_ROOM, NO_NAME = -1, -2
COLON = 58
NEAR = 8
LONGEST_NAME = 10_000_000
"""Bytes; the same as libxml2's. The tables of names grow with their letters."""
XML, XMLNS = np.frombuffer(b"xml", np.uint8), np.frombuffer(b"xmlns", np.uint8)


@kernel
def name_of(b, start, end, names, st):
    """The number of a name, which is a new one if it has not come before."""
    slot = slot_of(b, start, end, names)
    found = names.slots[slot]
    return np.int64(found) if found >= 0 else new_name(b, start, end, slot, names, st)


@kernel
def slot_of(b, start, end, names):
    """Where the name is in the table of hashes, or where it should be put."""
    length = end - start
    first, second = words_of(b, start, end)
    slot = first_slot(first, second, names)
    found = names.slots[slot]
    if found < 0 or is_same(b, start, length, names, found):
        return slot
    return later_slot_of(b, start, end, slot, names)


@kernel
def later_slot_of(b, start, end, slot, names):
    """The same where another name is at the first place: near it, or by a hash of all letters.

    Many long names may begin alike.
    """
    mask = len(names.slots) - 1
    last = (slot + NEAR) & mask
    while slot != last:
        slot = (slot + 1) & mask
        found = names.slots[slot]
        if found < 0 or is_same(b, start, end - start, names, found):
            return slot
    told = np.uint64(end - start)
    for p in range(start, end):
        told = (told ^ np.uint64(b[p])) * SPREAD
        told ^= told >> np.uint64(29)
    slot = np.int64(told * SPREAD >> np.uint64(32)) & mask
    while True:
        found = names.slots[slot]
        if found < 0 or is_same(b, start, end - start, names, found):
            return slot
        slot = (slot + 1) & mask


@kernel
def is_same(b, start, length, names, name):
    """Whether these bytes are a name that is known."""
    begin = names.starts[name]
    if names.ends[name] - begin != length:
        return False
    for k in range(length):
        if names.letters[begin + k] != b[start + k]:
            return False
    return True


@kernel
def new_name(b, start, end, slot, names, st):
    """Give a name its number, and one to each part of it."""
    if end - start > LONGEST_NAME or not is_name(b, start, end):
        return NO_NAME
    count = st[at.NAMES]
    if count + 3 > len(names.starts) or st[at.NAME_BYTES] + 2 * (end - start) > len(names.letters):
        return NO_ROOM
    colon = start
    while colon < end and b[colon] != COLON:
        colon += 1
    name = add_name(b, start, end, slot, names, st)
    if colon < end:
        split_name(b, start, colon, end, name, names, st)
    elif is_word(b, start, end, XMLNS):
        names.facts[name, at.DECLARES] = at.NO_PREFIX
        st[at.NEEDS_CARE] = 1
    return name


@kernel
def add_name(b, start, end, slot, names, st):
    """Give a name the next number; there is room."""
    name, begin = st[at.NAMES], st[at.NAME_BYTES]
    for k in range(end - start):
        names.letters[begin + k] = b[start + k]
    names.starts[name], names.ends[name] = begin, begin + end - start
    names.last_tag[name] = -1
    names.slots[slot] = name
    set_words(names, name)
    st[at.NAMES], st[at.NAME_BYTES] = name + 1, begin + end - start
    return np.int64(name)


@kernel
def split_name(b, start, colon, end, name, names, st):
    """Note what stands before and after the colon of a new name."""
    st[at.NEEDS_CARE] = 1
    facts = names.facts[name]
    if not is_split(b, start, colon, end):
        facts[at.PREFIX] = at.MISPLACED
        return
    facts[at.PREFIX] = part_of_name(b, start, colon, names, st)
    facts[at.LOCAL] = part_of_name(b, colon + 1, end, names, st)
    if is_word(b, start, colon, XML):
        names.facts[facts[at.PREFIX], at.BOUND] = at.XML_NAMESPACE
    if is_word(b, start, colon, XMLNS):
        is_itself = is_word(b, colon + 1, end, XMLNS)
        facts[at.DECLARES] = at.MISPLACED if is_itself else facts[at.LOCAL]
        if is_word(b, colon + 1, end, XML):
            names.facts[facts[at.LOCAL], at.BOUND] = at.XML_NAMESPACE


@kernel
def is_split(b, start, colon, end):
    """Whether a colon is between two names, and the only one."""
    if colon == start or colon + 1 == end:
        return False
    for p in range(colon + 1, end):
        if b[p] == COLON:
            return False
    c = b[colon + 1]
    if c >= 0x80:
        return begins_name(character(b, colon + 1, end))
    return not (48 <= c <= 57 or c == 45 or c == 46)  # digits - .


@kernel
def part_of_name(b, start, end, names, st):
    """The number of one side of a name; there is room."""
    slot = slot_of(b, start, end, names)
    found = names.slots[slot]
    if found >= 0:
        return np.int64(found)
    name = add_name(b, start, end, slot, names, st)
    if is_word(b, start, end, XMLNS):
        names.facts[name, at.DECLARES] = at.NO_PREFIX
    return name


@kernel
def is_word(b, start, end, word):
    """Whether these bytes are just this word."""
    if end - start != len(word):
        return False
    for k in range(len(word)):
        if b[start + k] != word[k]:
            return False
    return True


@kernel
def put_names(names, first, count):
    """Put names from `first` on into the tables of hashes: as written, or in a namespace."""
    for name in range(first, count):
        set_words(names, name)
        if names.facts[name, at.WRITTEN] != name:
            written, namespace = names.facts[name, at.WRITTEN], names.facts[name, at.NAMESPACE]
            names.pairs[pair_slot(names, written, namespace)] = name
        else:
            slot = slot_of(names.letters, names.starts[name], names.ends[name], names)
            names.slots[slot] = name


@kernel
def pair_slot(names, written, namespace):
    """Where the name in a namespace is in its table of hashes, or where it should be put."""
    mask = len(names.pairs) - 1
    told = (np.uint64(written) << np.uint64(32) | np.uint64(namespace)) * SPREAD
    slot = np.int64(told >> np.uint64(32)) & mask
    while True:
        found = names.pairs[slot]
        if found < 0:
            return slot
        if names.facts[found, at.WRITTEN] == written and names.facts[found, at.NAMESPACE] == namespace:
            return slot
        slot = (slot + 1) & mask


@kernel
def pair_name(names, st, written, namespace, slot):
    """Give a name in a namespace its number; it has the letters of the name as it is written."""
    name = st[at.NAMES]
    st[at.NAMES] = name + 1
    names.starts[name], names.ends[name] = names.starts[written], names.ends[written]
    names.last_tag[name] = -1
    names.facts[name, at.WRITTEN], names.facts[name, at.NAMESPACE] = written, namespace
    set_words(names, name)
    names.pairs[slot] = name
    return name
