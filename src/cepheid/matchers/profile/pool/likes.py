"""Texts of events beside those that they are compared with, byte by byte."""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import kernel
from cepheid.matchers.profile.pool import layout as at


@kernel
def is_like(t, pattern, ev, text):
    """Whether a text of the batch is LIKE a pattern of the index. Of a `%` only the last one may have to take
    more: what stood before it is matched as early as can be."""
    i, end = ev.text_starts[text], ev.text_starts[text + 1]
    p, last = t.like_starts[pattern], t.like_starts[pattern + 1]
    run, again = at.NONE, i
    while i < end:
        symbol = t.like_symbols[p] if p < last else at.NONE
        if symbol == at.ANY_RUN:
            p += 1
            run, again = p, i
        elif symbol == at.ANY_ONE:
            p += 1
            i = _after(ev.text_bytes, i, end)
        elif symbol == ev.text_bytes[i]:
            p += 1
            i += 1
        elif run != at.NONE:
            again = _after(ev.text_bytes, again, end)
            p, i = run, again
        else:
            return False
    while p < last and t.like_symbols[p] == at.ANY_RUN:
        p += 1
    return p == last


@kernel
def _after(data, i, end):
    """Where the next character begins."""
    i += 1
    while i < end and data[i] & 0xC0 == 0x80:
        i += 1
    return i


@kernel
def order_of(t, constant, ev, text):
    """Less than 0 if a text of the batch stands before one of the index, in the order of code points, which
    is that of their bytes; 0 if they are the same."""
    i, end = ev.text_starts[text], ev.text_starts[text + 1]
    k, last = t.text_starts[constant], t.text_starts[constant + 1]
    while i < end and k < last:
        if ev.text_bytes[i] != t.text_bytes[k]:
            return -1 if ev.text_bytes[i] < t.text_bytes[k] else 1
        i += 1
        k += 1
    if i < end:
        return 1
    return -1 if k < last else 0
