"""Names of elements and attributes as numbers."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import kernel
from cepheid.matchers.twig.scan import layout as at
from cepheid.matchers.twig.scan.characters import is_name

NO_ROOM, NO_NAME = -1, -2
SPREAD = np.uint64(0x9E3779B97F4A7C15)
BYTE = np.uint64(8)


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
    told = (
        np.uint64(b[start])
        | np.uint64(b[end - 1]) << BYTE
        | np.uint64(b[start + (length >> 1)]) << (BYTE + BYTE)
    )
    told |= np.uint64(length) << (BYTE + BYTE + BYTE)
    mask = len(names.slots) - 1
    slot = np.int64(told * SPREAD >> np.uint64(40)) & mask
    while True:
        found = names.slots[slot]
        if found < 0 or is_same(b, start, length, names, found):
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
    """Give a name its number."""
    if not is_name(b, start, end):
        return NO_NAME
    name, begin = st[at.NAMES], st[at.NAME_BYTES]
    if name == len(names.starts) or 2 * name >= len(names.slots) or begin + end - start > len(names.letters):
        return NO_ROOM
    for k in range(end - start):
        names.letters[begin + k] = b[start + k]
    names.starts[name], names.ends[name] = begin, begin + end - start
    names.last_tag[name] = -1
    names.slots[slot] = name
    st[at.NAMES], st[at.NAME_BYTES] = name + 1, begin + end - start
    return np.int64(name)


@kernel
def put_names(names, count):
    """Fill a table of hashes that is empty."""
    for name in range(count):
        slot = slot_of(names.letters, names.starts[name], names.ends[name], names)
        names.slots[slot] = name
