"""Short names as two words of eight bytes: so they are compared and looked up without a loop."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.twig.scan import layout as at

SHORT = 15
"""How many bytes a short name has at most: of sixteen bytes, one must be behind it."""

SPREAD, OTHER = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
HALF = np.uint64(32)
MASKS = np.array(
    [[(1 << 8 * min(n, 8)) - 1, (1 << 8 * max(n - 8, 0)) - 1] for n in range(SHORT + 1)], np.uint64
)
"""Which bits of two words count, by the number of bytes."""


@inlined
def first_slot(first, second, names):
    """Where a name with these words is put in the table of hashes, if that is not taken."""
    told = (first ^ second * OTHER) * SPREAD
    return np.int64(told >> HALF) & (len(names.slots) - 1)


@kernel
def words_of(b, start, end):
    """The words of a name; those of a long one have its first letters, its last one and its length."""
    first, second = np.uint64(0), np.uint64(0)
    for k in range(min(end - start, 8)):
        first |= np.uint64(b[start + k]) << np.uint64(8 * k)
    for k in range(8, min(end - start, 16)):
        second |= np.uint64(b[start + k]) << np.uint64(8 * (k - 8))
    if end - start > SHORT:
        second ^= np.uint64(b[end - 1]) << HALF | np.uint64(end - start)
    return first, second


@kernel
def set_words(names, name):
    """Note the words of a name whose letters are known."""
    length = names.ends[name] - names.starts[name]
    row = names.words[name]
    if length > SHORT:
        row[at.LETTERS] = 0
        return
    row[at.FIRST_WORD], row[at.SECOND_WORD] = words_of(names.letters, names.starts[name], names.ends[name])
    row[at.FIRST_MASK], row[at.SECOND_MASK] = MASKS[length, 0], MASKS[length, 1]
    row[at.LETTERS] = length


@inlined
def short_name(first, second, names):
    """The number of a short name that is known, by its words; -1 if it is not, or not found at once."""
    slot, mask = first_slot(first, second, names), len(names.slots) - 1
    for _ in range(PLACES):
        name = names.slots[slot]
        if name < 0:
            return np.int64(-1)
        row = names.words[name]
        if row[at.FIRST_WORD] == first and row[at.SECOND_WORD] == second and row[at.LETTERS] > 0:
            return np.int64(name)
        slot = (slot + 1) & mask
    return np.int64(-1)


PLACES = 4
"""So many places in the table are looked at."""
