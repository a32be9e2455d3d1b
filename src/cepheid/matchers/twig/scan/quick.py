"""Tags and text as documents mostly have them, with no loop over letters.

It takes short names that have come before, attributes with plain values, and plain text. All else it leaves
to the rest of the tokenizer, from the first byte of the tag or text on. So it never has to say what is wrong:
what it takes is well-formed. A name that has come before need not be checked again, and two words of eight
bytes tell it from all others.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import inlined, kernel
from cepheid.matchers.twig.scan import layout as at
from cepheid.matchers.twig.scan.blocks import TEXT_BLOCK, name_letters, plain_letters, value_letters, word_at
from cepheid.matchers.twig.scan.namespaces import forget_declarations, resolve_tag
from cepheid.matchers.twig.scan.telling import begin_hearing, end_hearing, is_told, put_tag, put_token
from cepheid.matchers.twig.scan.words import MASKS, SHORT, short_name

SLASH, LESS, EQUALS, GREATER, DOUBLE, SINGLE, SPACE = 47, 60, 61, 62, 34, 39, 32
FAR = 64
"""So many bytes must follow whatever is looked at: what is nearer to the end is left to the others."""

LEFT = -1


@kernel
def quick_scan(b, end, scan):
    """Read from POSITION on as far as it goes. The root element is left to the others."""
    st, tokens = scan.state, scan.tokens
    p, last, room = st[at.POSITION], end - FAR, len(tokens.kind) - 2
    if st[at.SEARCHED] > p:
        return
    while p < last and st[at.TOKENS] < room and st[at.DEPTH] > 0:
        if b[p] != LESS:
            after = quick_text(b, p, last)
            if after == LEFT:
                break
            if st[at.HEARD] > 0:
                put_token(st, tokens, at.TEXT, 0, p, after)
            p = after
            st[at.POSITION] = p
            if p >= last or st[at.TOKENS] >= room:
                break
        p = quick_end(b, p, scan) if b[p + 1] == SLASH else quick_start(b, p, last, scan)
        if p == LEFT:
            break
        st[at.POSITION] = p


@inlined
def quick_text(b, p, last):
    """The `<` behind plain text; LEFT, if something else comes first."""
    while p < last:
        plain = plain_letters(b, p)
        p += plain
        if plain < TEXT_BLOCK:
            return p if b[p] == LESS else LEFT
    return LEFT


@inlined
def quick_end(b, p, scan):
    """Behind an end tag, which has no blanks and is not of the root."""
    st, depth = scan.state, scan.state[at.DEPTH] - 1
    name = scan.open[depth]
    row = scan.names.words[name]
    other = (word_at(b, p + 2) ^ row[at.FIRST_WORD]) & row[at.FIRST_MASK]
    other |= (word_at(b, p + 10) ^ row[at.SECOND_WORD]) & row[at.SECOND_MASK]
    after = p + 3 + np.int64(row[at.LETTERS])
    if other != 0 or b[after - 1] != GREATER or row[at.LETTERS] == 0 or depth == 0:
        return LEFT
    st[at.DEPTH] = depth
    end_hearing(scan, depth)
    if st[at.DECLARATIONS] > 0:
        forget_declarations(scan, depth)
    if is_told(scan, name, depth):
        put_tag(scan, at.END, name, p, after, depth)
    return after


@inlined
def quick_name(b, p, names):
    """The number of the name at `p`, and behind it; the number is -1 if it is not short, or not known."""
    length = name_letters(b, p)
    if length > SHORT:
        return np.int64(-1), p
    first, second = word_at(b, p) & MASKS[length, 0], word_at(b, p + 8) & MASKS[length, 1]
    return short_name(first, second, names), p + length


@kernel
def quick_start(b, begin, last, scan):
    """Behind a start tag."""
    st, tokens, told = scan.state, scan.tokens, scan.state[at.TOKENS]
    name, p = quick_name(b, begin + 1, scan.names)
    depth = st[at.DEPTH]
    if name < 0 or depth == len(scan.open):
        return LEFT
    put_tag(scan, at.START, name, begin, p, depth)
    st[at.TAGS] += 1
    while b[p] == SPACE:
        p = quick_attribute(b, p + 1, last, scan)
        if p == LEFT:
            st[at.TOKENS] = told
            return LEFT
    is_empty = b[p] == SLASH
    p += 1 + is_empty
    if b[p - 1] != GREATER or p - begin > st[at.LONGEST_TAG]:
        st[at.TOKENS] = told
        return LEFT
    tokens.end[told] = p
    if st[at.NEEDS_CARE]:
        name = resolve_tag(b, told, scan)
        if name < 0:
            st[at.TOKENS] = told
            return LEFT
    open_quickly(scan, name, depth, told, is_empty)
    return p


@inlined
def open_quickly(scan, name, depth, told, is_empty):
    """An element begins, and ends too if it is empty. It is forgotten if nobody wants to hear of it."""
    st, tokens = scan.state, scan.tokens
    if not is_told(scan, name, depth):
        st[at.TOKENS] = told
    elif is_empty:
        put_tag(scan, at.END, name, tokens.start[told], tokens.end[told], depth)
    if is_empty:
        if st[at.DECLARATIONS] > 0:
            forget_declarations(scan, depth)
        return
    scan.open[depth] = name
    st[at.DEPTH] = depth + 1
    begin_hearing(scan, name, depth)


@inlined
def quick_attribute(b, start, last, scan):
    """Behind an attribute that is written as `name="value"`, in either quotes."""
    st, tokens, names = scan.state, scan.tokens, scan.names
    if start >= last or st[at.TOKENS] + 2 > len(tokens.kind):
        return LEFT
    name, p = quick_name(b, start, names)
    if name < 0 or b[p] != EQUALS:
        return LEFT
    quote = b[p + 1]
    if (quote != DOUBLE and quote != SINGLE) or names.last_tag[name] == st[at.TAGS]:
        return LEFT
    first = p = p + 2
    while p < last:
        letters = value_letters(b, p, quote)
        p += letters
        if letters < TEXT_BLOCK:
            break
    if p >= last or b[p] != quote:
        return LEFT
    names.last_tag[name] = st[at.TAGS]
    put_token(st, tokens, at.ATTRIBUTE, name, first, p)
    return p + 1
