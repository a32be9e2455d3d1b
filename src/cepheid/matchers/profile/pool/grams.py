"""Texts searched for all patterns at once, by grams: short stretches of bytes that a text has if it is like
a pattern.

Every position of a text is looked up by itself, in a table of bits that is nearly always enough to say no.
An automaton would have to wait at each byte for where the last one led, in a table that is far larger than
a processor's caches when there are a million patterns.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.profile.pool import layout as at
from cepheid.matchers.profile.pool.hashing import mixed
from cepheid.matchers.profile.pool.likes import is_like


@inlined
def gram_hash(low, high, size, column):
    """A number for the newest `size` of 16 bytes in a column."""
    if size == 16:
        low = low ^ mixed(high)
    elif size < 8:
        low = low & ((np.int64(1) << (8 * size)) - 1)
    return mixed(low ^ mixed(np.int64(column) * 31 + size))


@inlined
def pushed(low, high, byte):
    """The newest 16 bytes, after another one."""
    carried = (low >> 56) & 0xFF
    return (low << 8) | byte, (high << 8) | carried


@inlined
def byte_at(ev, text, i):
    """A byte of a text with a byte before and one behind it, which no text has."""
    place = ev.text_starts[text] + i
    if place < ev.text_starts[text]:
        return np.int64(at.TEXT_BEGIN)
    return np.int64(ev.text_bytes[place]) if place < ev.text_starts[text + 1] else np.int64(at.TEXT_END)


@kernel
def search_texts(t, ev, column, cursor, seen):
    """List the patterns that each text of a column is like, as long as there is room for all of them."""
    sizes = t.gram_sizes[column]
    while cursor[at.TEXT] < cursor[at.LAST_TEXT]:
        text = cursor[at.TEXT]
        n = cursor[at.LISTED]
        ev.like_starts[text] = n
        cursor[at.STAMP] += 1
        low, high = np.int64(0), np.int64(0)
        for i in range(-1, ev.text_starts[text + 1] - ev.text_starts[text] + 1):
            low, high = pushed(low, high, byte_at(ev, text, i))
            for s in range(at.GRAM_SIZES):
                size = np.int64(sizes[s])
                if size == 0 or size > i + 2:
                    break
                key = gram_hash(low, high, size, column)
                if is_noted(t.gram_bits, key):
                    n = _verify(t, ev, (text, n, cursor[at.STAMP]), key, seen)
                    if n == at.NONE:
                        return
        cursor[at.LISTED] = n
        cursor[at.TEXT] += 1


@inlined
def is_noted(bits, key):
    """Whether the bit of a gram is set; it may be that of another one."""
    i = key & (bits.size * 64 - 1)
    return (bits[i >> 6] >> np.uint64(i & 63)) & np.uint64(1) != 0


@kernel
def _verify(t, ev, where, key, seen):
    """List the patterns of a gram that the text is like, each once; NONE if there is no room."""
    text, n, stamp = where
    mask = t.grams.shape[0] - 1
    i = key & mask
    while t.grams[i, 1] != at.NONE and t.grams[i, 0] != key:
        i = (i + 1) & mask
    watch = t.grams[i, 1]
    while watch != at.NONE:
        pattern = t.watches[watch, at.WATCHED]
        if seen[watch] != stamp:
            seen[watch] = stamp
            if is_like(t, pattern, ev, text):
                if n == ev.likes.size:
                    return at.NONE
                ev.likes[n] = pattern
                n += 1
        watch = np.int64(t.watches[watch, at.NEXT_WATCH])
    return n


@kernel
def watch_grams(keys, first, grams, bits, watches):
    """Watch for grams: the watches from `first` on belong to them."""
    mask = grams.shape[0] - 1
    for k in range(keys.size):
        i = keys[k] & mask
        while grams[i, 1] != at.NONE and grams[i, 0] != keys[k]:
            i = (i + 1) & mask
        watches[first + k, at.NEXT_WATCH] = grams[i, 1]
        grams[i, 0], grams[i, 1] = keys[k], first + k
        bit = keys[k] & (bits.size * 64 - 1)
        bits[bit >> 6] |= np.uint64(1) << np.uint64(bit & 63)


# -- which gram of a pattern -----------------------------------------------------------------------


@kernel
def count_grams(g):
    """Count how many patterns have each gram."""
    for k in range(g.patterns.size):
        for size in (4, 8, 16):
            _best(g, k, size, True)


@kernel
def choose_grams(g):
    """For each pattern the gram that texts have the least, and of such that which other patterns have the
    least. It is no longer than it has to be: each size costs a look at every position of a text."""
    for k in range(g.patterns.size):
        least, g.sizes[k] = np.int64(2**62), 0
        for size in (4, 8, 16, 3, 2, 1):
            if least < _ENOUGH or (size < 4 and g.sizes[k] > 0):
                break
            cost, key = _best(g, k, size, False)
            if cost < least:
                least, g.chosen[k], g.sizes[k] = cost, key, size
        g.rates[k] = least >> 24


_ENOUGH = 5


@kernel
def _best(g, k, size, counting):
    """The cheapest gram of a size: its cost and its hash. Or count all of them."""
    first, end = g.starts[g.patterns[k]], g.starts[g.patterns[k] + 1]
    begins = g.symbols[first] != at.ANY_RUN
    ends = g.symbols[end - 1] != at.ANY_RUN
    low, high, length = np.int64(0), np.int64(0), 0
    least, chosen = np.int64(2**62), np.int64(0)
    for i in range(first - begins, end + ends):
        symbol = np.int64(at.TEXT_BEGIN) if i < first else np.int64(at.TEXT_END)
        if first <= i < end:
            symbol = np.int64(g.symbols[i])
        if symbol == at.ANY_RUN or symbol == at.ANY_ONE:
            length = 0
            continue
        low, high = pushed(low, high, symbol)
        length += 1
        if length < size:
            continue
        key = gram_hash(low, high, size, g.columns[k])
        place = key & (g.counts.size - 1)
        if counting:
            g.counts[place] += 1
            continue
        cost = (np.int64(g.seen[key & (g.seen.size - 1)]) << 24) + g.counts[place]
        if cost < least:
            least, chosen = cost, key
    return least, chosen


@kernel
def count_text_grams(ev, first, last, column, seen):
    """Count the grams that texts have."""
    for text in range(first, last):
        low, high = np.int64(0), np.int64(0)
        for i in range(-1, ev.text_starts[text + 1] - ev.text_starts[text] + 1):
            low, high = pushed(low, high, byte_at(ev, text, i))
            for size in (1, 2, 3, 4, 8, 16):
                if size <= i + 2:
                    seen[gram_hash(low, high, size, column) & (seen.size - 1)] += 1
