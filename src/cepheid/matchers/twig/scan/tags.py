"""Start tags and end tags."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import kernel
from cepheid.matchers.twig.scan import layout as at
from cepheid.matchers.twig.scan.characters import CUT, character, width
from cepheid.matchers.twig.scan.names import NO_ROOM, name_of
from cepheid.matchers.twig.scan.namespaces import MADE_NO_ROOM, forget_declarations, resolve_tag
from cepheid.matchers.twig.scan.telling import begin_hearing, end_hearing, is_told, put_tag, put_token
from cepheid.matchers.twig.scan.text import AMPERSAND, GREATER, LESS, reference_end, wrong

SLASH, EQUALS, DOUBLE, SINGLE = 47, 61, 34, 39


@kernel
def tag_end(b, end, st):
    """The `>` outside of quotes that ends the tag at POSITION, or CUT; it is looked for only once."""
    p, quote = max(st[at.SEARCHED], st[at.POSITION] + 1), st[at.QUOTE]
    while p < end:
        c = np.int64(b[p])
        if quote:
            if c == quote:
                quote = 0
        elif c == GREATER:
            return p
        elif c == DOUBLE or c == SINGLE:
            quote = c
        elif c == LESS:
            return p
        p += 1
    st[at.SEARCHED], st[at.QUOTE] = p, quote
    return CUT


@kernel
def name_end(b, p, end, classes):
    """Behind the bytes from `p` that may be of a name."""
    while p < end and classes[b[p]] & at.NAME:
        p += 1
    return p


@kernel
def space_end(b, p, end, classes):
    """Behind the blanks from `p` on."""
    while p < end and classes[b[p]] & at.SPACE:
        p += 1
    return p


@kernel
def start_tag(b, end, scan):
    """Read the start tag at POSITION: behind its `>`, or a failure, and then what was told does not count."""
    st = scan.state
    begin, told = st[at.POSITION], st[at.TOKENS]
    p = name_end(b, begin + 1, end, scan.classes)
    if p == end:
        return CUT
    name = name_of(b, begin + 1, p, scan.names, st)
    if name < 0:
        return MADE_NO_ROOM if name == NO_ROOM else wrong(st, at.BAD_NAME, begin + 1)
    if told + 2 > len(scan.tokens.kind) or st[at.DEPTH] == len(scan.open):
        return MADE_NO_ROOM
    put_tag(scan, at.START, name, begin, p, st[at.DEPTH])
    st[at.TAGS] += 1
    while b[p] != GREATER:
        after = space_end(b, p, end, scan.classes)
        if after == end:
            return CUT
        if b[after] == GREATER:
            p = after
            break
        if b[after] == SLASH:
            return empty_end(b, after, end, told, scan)
        if after == p or not scan.classes[b[after]] & at.NAME_START:
            return wrong(st, at.BAD_TAG, after)
        p = attribute(b, after, end, scan)
        if p < 0:
            return p
        if p == end:
            return CUT
    scan.tokens.end[told] = p + 1
    if st[at.NEEDS_CARE]:
        name = resolve_tag(b, told, scan)
        if name < 0:
            return name
    depth = st[at.DEPTH]
    if not is_told(scan, name, depth):
        st[at.TOKENS] = told
    begin_hearing(scan, name, depth)
    scan.open[depth] = name
    st[at.DEPTH] = depth + 1
    return p + 1


@kernel
def empty_end(b, p, end, told, scan):
    """Read the `/>` at `p`: the element begins and ends."""
    st = scan.state
    if p + 1 == end:
        return CUT
    if b[p + 1] != GREATER:
        return wrong(st, at.BAD_TAG, p + 1)
    if st[at.TOKENS] == len(scan.tokens.kind):
        return MADE_NO_ROOM
    scan.tokens.end[told] = p + 2
    if st[at.NEEDS_CARE]:
        name = resolve_tag(b, told, scan)
        if name < 0:
            return name
        forget_declarations(scan, st[at.DEPTH])
    name, depth = scan.tokens.name[told], st[at.DEPTH]
    if is_told(scan, name, depth):
        put_tag(scan, at.END, name, scan.tokens.start[told], p + 2, depth)
    else:
        st[at.TOKENS] = told
    return p + 2


@kernel
def attribute(b, start, end, scan):
    """Read an attribute: behind its last quote."""
    st, names = scan.state, scan.names
    after = name_end(b, start, end, scan.classes)
    if after == end:
        return CUT
    name = name_of(b, start, after, names, st)
    if name < 0:
        return MADE_NO_ROOM if name == NO_ROOM else wrong(st, at.BAD_NAME, start)
    p = space_end(b, after, end, scan.classes)
    if p == end:
        return CUT
    if b[p] != EQUALS:
        return wrong(st, at.BAD_ATTRIBUTE, p)
    p = space_end(b, p + 1, end, scan.classes)
    if p == end:
        return CUT
    if b[p] != DOUBLE and b[p] != SINGLE:
        return wrong(st, at.BAD_ATTRIBUTE, p)
    last = value_end(b, p + 1, end, b[p], scan)
    if last < 0:
        return last
    if names.last_tag[name] == st[at.TAGS]:
        return wrong(st, at.TWICE, start)
    if st[at.TOKENS] == len(scan.tokens.kind):
        return MADE_NO_ROOM
    names.last_tag[name] = st[at.TAGS]
    put_token(st, scan.tokens, at.ATTRIBUTE, name, p + 1, last)
    return last + 1


@kernel
def value_end(b, p, end, quote, scan):
    """The quote that ends a value."""
    st = scan.state
    while p < end and b[p] != quote:
        c = b[p]
        if c == LESS:
            return wrong(st, at.LESS_THAN, p)
        if c == AMPERSAND:
            p = reference_end(b, p, end, scan)
            if p < 0:
                return p
        elif c < 128:
            if c < 32 and c != 9 and c != 10 and c != 13:
                return wrong(st, at.BAD_CHARACTER, p)
            p += 1
        else:
            found = character(b, p, end)
            if found < 0:
                return CUT if found == CUT else wrong(st, at.BAD_UTF8, p)
            p += width(found)
    return p if p < end else CUT


@kernel
def end_tag(b, end, scan):
    """Read the end tag at POSITION, which must be of the innermost open element: behind its `>`."""
    st, names = scan.state, scan.names
    begin, depth = st[at.POSITION], st[at.DEPTH]
    if st[at.TOKENS] == len(scan.tokens.kind):
        return MADE_NO_ROOM
    if depth == 0:
        return wrong(st, at.BAD_END_TAG, begin)
    name = scan.open[depth - 1]
    first = names.starts[name]
    length = names.ends[name] - first
    for k in range(min(length, end - begin - 2)):
        if b[begin + 2 + k] != names.letters[first + k]:
            return wrong(st, at.BAD_END_TAG, begin)
    p = space_end(b, min(begin + 2 + length, end), end, scan.classes)
    if p == end:
        return CUT
    if b[p] != GREATER:
        return wrong(st, at.BAD_END_TAG, begin)
    st[at.DEPTH] = depth - 1
    if st[at.DECLARATIONS] > 0:
        forget_declarations(scan, depth - 1)
    end_hearing(scan, depth - 1)
    if is_told(scan, name, depth - 1):
        put_tag(scan, at.END, name, begin, p + 1, depth - 1)
    return p + 1
