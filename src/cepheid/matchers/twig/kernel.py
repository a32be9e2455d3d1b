"""From bytes to rows: one pass over a document (the paper's algorithm ESMA), without backtracking.

The execute stack has a layer for each open element that somebody looks at: the steps that are looked for
among its children (CS1 in the paper) and anywhere below it (CS2), as bit sets, and what stands at the element
itself and is not reduced yet (RS). A start tag makes standings for the steps that want its name. Its end tag
reduces them: what is not met by then never will be, but for positions, which the parent's end tag decides at
the latest. Elements that nobody looks at are passed over; most of them the tokenizer does not even tell.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.twig import layout as at
from cepheid.matchers.twig.closing import close_layer
from cepheid.matchers.twig.foresight import look_ahead
from cepheid.matchers.twig.opening import begin_document, is_child, open_layer
from cepheid.matchers.twig.outlook import look_again
from cepheid.matchers.twig.records import bury
from cepheid.matchers.twig.scan import layout as scanned
from cepheid.matchers.twig.scan.blocks import copy_bytes
from cepheid.matchers.twig.scan.kernel import scan_bytes
from cepheid.matchers.twig.values import most_bytes, write_meaning


@kernel
def read_document(t, m, b, end, scan):
    """Read bytes: tokens are made and taken in by turns, a few at a time. Say what ended it."""
    st, scan_state = m.state, scan.state
    if st[at.TOP] < 0:
        begin_document(t, m)
    while True:
        if scan_state[scanned.NAMES] > len(m.names) or not take_in(t, m, b, scan):
            return scanned.NEED_ROOM
        scan_state[scanned.TOKENS], st[at.NEXT_TOKEN] = 0, 0
        why = scan_bytes(b, end, scan)
        if scan_state[scanned.TOKENS] == 0:
            is_waiting = why == scanned.NEED_BYTES and st[at.WAITING_ROWS] > 0
            return scanned.NEED_ROOM if is_waiting and not is_foreseen(t, m) else why


@kernel
def is_foreseen(t, m):
    """Let rows that wait leave with this chunk if its bytes suffice; False if there is no room."""
    if not has_room(t, m):
        return False
    look_ahead(t, m)
    if not look_again(t, m):
        return False
    bury(m)
    return True


@kernel
def take_in(t, m, b, scan):
    """Take in tokens from the next one on, as far as there is room; whether all are taken in."""
    st, tokens = m.state, scan.tokens
    if not look_again(t, m):
        return False
    bury(m)
    while st[at.NEXT_TOKEN] < scan.state[scanned.TOKENS]:
        n = st[at.NEXT_TOKEN]
        kind = tokens.kind[n]
        if kind == scanned.END:
            if tokens.depth[n] > m.layers[st[at.TOP], at.DEPTH]:
                st[at.NEXT_TOKEN] = n + 1
                continue
            if not has_room(t, m):
                return False
            close_layer(t, m, offset_of(m, tokens.end[n]))
        elif kind == scanned.START:
            if t.skips and is_plain(t, m, tokens.name[n], tokens.depth[n]):
                st[at.NEXT_TOKEN] = n + 1
                continue
            last = attributes_end(scan, n)
            if not has_room(t, m) or not has_room_for_values(t, m, b, tokens, n, last):
                return False
            open_layer(t, m, b, tokens, n, last)
        else:
            if kind >= scanned.TEXT and st[at.TEXT_USERS] > 0:
                if not add_text(t, m, tokens, b, n):
                    return False
            st[at.NEXT_TOKEN] = n + 1
            continue
        st[at.NEXT_TOKEN] = n + 1
        if st[at.STIRRED] != at.NONE and not look_again(t, m):
            return False
        if st[at.DEAD] != at.NONE:
            bury(m)
    return True


@kernel
def is_plain(t, m, name, depth):
    """Whether nobody looks at an element of this name here."""
    top, wanted = m.state[at.TOP], at.LAYER_SIZE
    is_near = is_child(m, top + 1, depth)
    if is_near and m.layers[top, at.HAS_READERS]:
        return False
    for w in range(t.words):
        bits = m.layers[top, wanted + t.words + w]
        if is_near:
            bits |= m.layers[top, wanted + w]
        if bits & m.names[name, w]:
            return False
    return True


@kernel
def offset_of(m, p):
    """Where a byte at hand is in the document as it was given."""
    return m.places[p] if len(m.places) else p + m.state[at.OFFSET]


@inlined
def add_text(t, m, tokens, b, n):
    """Keep text that somebody wants; False if there is no room. Most of it is as it stands, and a call of a
    kernel takes longer than to copy a few bytes."""
    if tokens.kind[n] != scanned.TEXT:
        return add_coded_text(t, m, tokens, b, n)
    size, start, length = m.state[at.TEXT_SIZE], tokens.start[n], tokens.end[n] - tokens.start[n]
    if size + length > len(m.texts):
        return False
    if length == 1:  # a line feed between two tags
        m.texts[size] = b[start]
    else:
        copy_bytes(m.texts, size, b, start, length)
    m.state[at.TEXT_SIZE] = size + length
    return True


@kernel
def add_coded_text(t, m, tokens, b, n):
    """The same for text that does not mean what its bytes say."""
    size = m.state[at.TEXT_SIZE]
    span = (np.int64(tokens.kind[n]), tokens.start[n], tokens.end[n])
    most = tokens.end[n] - tokens.start[n] if t.longest == 0 else most_bytes(t, b, span)
    if size + most > len(m.texts):
        return False
    m.state[at.TEXT_SIZE] = write_meaning(t, b, span, m.texts, size)
    return True


@kernel
def has_room(t, m):
    """Whether there is room for all that one tag may need."""
    st = m.state
    return (
        st[at.TOP] + 1 < len(m.layers)
        and st[at.USED] + t.need + t.need_queued * st[at.QUEUED] <= len(m.heap)
        and st[at.WAITING_ROWS] + len(t.steps) <= len(m.rows)
    )


@kernel
def attributes_end(scan, n):
    """Behind the attributes of a start tag."""
    last = n + 1
    while last < scan.state[scanned.TOKENS] and is_attribute(scan.tokens.kind[last]):
        last += 1
    return last


@kernel
def has_room_for_values(t, m, b, tokens, n, last):
    """Whether there is room for the attributes of a start tag."""
    st, size = m.state, 0
    for k in range(n + 1, last):
        if t.longest == 0:
            size += tokens.end[k] - tokens.start[k]
        else:
            size += most_bytes(t, b, (np.int64(tokens.kind[k]), tokens.start[k], tokens.end[k]))
    return st[at.VALUE_SIZE] + size <= len(m.values) and st[at.ATTRIBUTES] + last - n <= len(m.attributes)


@inlined
def is_attribute(kind):
    """Whether a token is an attribute."""
    return scanned.ATTRIBUTE <= kind <= scanned.LISTED
