"""Open addressing: from numbers to numbers, from texts to their codes. Tables are a power of two long, and at
most half full; a row is a key and a value, and an empty one has the value NONE."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.profile.pool import layout as at


@inlined
def mixed(number):
    """A number whose every bit depends on all bits of another."""
    word = np.uint64(number)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64(word ^ (word >> np.uint64(31)))


@inlined
def slot_of(slots, group, key):
    """The slot of a key in a group, or NONE. A value holds both: the group above, the slot below."""
    mask = slots.shape[0] - 1
    i = mixed(key ^ (group << 40)) & mask
    while slots[i, 1] != at.NONE:
        if slots[i, 0] == key and slots[i, 1] >> 32 == group:
            return slots[i, 1] & 0xFFFFFFFF
        i = (i + 1) & mask
    return at.NONE


@kernel
def add_slots(slots, groups, keys, count, found):
    """The slots of keys in groups; those not known are numbered from `count` on. How many there are then."""
    mask = slots.shape[0] - 1
    for k in range(keys.size):
        found[k] = slot_of(slots, groups[k], keys[k])
        if found[k] != at.NONE:
            continue
        i = mixed(keys[k] ^ (groups[k] << 40)) & mask
        while slots[i, 1] != at.NONE:
            i = (i + 1) & mask
        slots[i, 0], slots[i, 1] = keys[k], (groups[k] << 32) | count
        found[k] = count
        count += 1
    return count


@kernel
def spread_slots(old, slots):
    """Put all rows into a larger table."""
    mask = slots.shape[0] - 1
    for k in range(old.shape[0]):
        if old[k, 1] != at.NONE:
            i = mixed(old[k, 0] ^ ((old[k, 1] >> 32) << 40)) & mask
            while slots[i, 1] != at.NONE:
                i = (i + 1) & mask
            slots[i, 0], slots[i, 1] = old[k, 0], old[k, 1]


@inlined
def text_hash(data, first, end):
    """A number that depends on all bytes."""
    word = np.uint64(end - first)
    for k in range(first, end):
        word = (word ^ np.uint64(data[k])) * np.uint64(0x100000001B3)
    return mixed(np.int64(word))


@kernel
def spread_texts(starts, data, first, table):
    """Put texts from `first` on into a table of their hashes."""
    mask = table.shape[0] - 1
    for code in range(first, starts.size - 1):
        key = text_hash(data, starts[code], starts[code + 1])
        i = key & mask
        while table[i, 1] != at.NONE:
            i = (i + 1) & mask
        table[i, 0], table[i, 1] = key, code


@kernel
def read_codes(t, starts, data, codes):
    """Which of the index's texts each text is, or NONE."""
    mask = t.text_table.shape[0] - 1
    for text in range(starts.size - 1):
        first, end = starts[text], starts[text + 1]
        key = text_hash(data, first, end)
        i = key & mask
        codes[text] = at.NONE
        while t.text_table[i, 1] != at.NONE:
            code = t.text_table[i, 1]
            if t.text_table[i, 0] == key and _is_same(t, code, data, first, end):
                codes[text] = code
                break
            i = (i + 1) & mask


@inlined
def _is_same(t, code, data, first, end):
    start = t.text_starts[code]
    if t.text_starts[code + 1] - start != end - first:
        return False
    for k in range(end - first):
        if t.text_bytes[start + k] != data[first + k]:
            return False
    return True
