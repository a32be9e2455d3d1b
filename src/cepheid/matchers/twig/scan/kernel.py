"""From bytes to tokens: one pass, that may stop at any byte and go on when more have come."""

# mypy: allow-untyped-defs, no-check-untyped-defs

from cepheid.matchers.jit import kernel
from cepheid.matchers.twig.scan import layout as at
from cepheid.matchers.twig.scan.asides import aside, begin_aside
from cepheid.matchers.twig.scan.characters import CUT, INVALID
from cepheid.matchers.twig.scan.namespaces import MADE_NO_ROOM, UNSPELLED
from cepheid.matchers.twig.scan.quick import quick_scan
from cepheid.matchers.twig.scan.tags import SLASH, end_tag, start_tag, tag_end
from cepheid.matchers.twig.scan.telling import put_token
from cepheid.matchers.twig.scan.text import LESS, RETURN, plain_end, special_end, wrong

EXCLAMATION, QUESTION = 33, 63


@kernel
def scan_bytes(b, end, scan):
    """Read as far as there are whole tags, bytes and room for tokens; say which of them ended it."""
    st = scan.state
    while st[at.POSITION] < end:
        if st[at.MODE] == at.CONTENT and st[at.DEPTH] > 0:
            quick_scan(b, end, scan)
        if st[at.MODE] != at.CONTENT:
            p = aside(b, end, scan)
        elif b[st[at.POSITION]] == LESS:
            p = markup(b, end, scan)
        else:
            p = text(b, end, scan)
        if p < 0:
            return reason(p)
        st[at.POSITION] = p
    return at.NEED_BYTES


@kernel
def reason(p):
    """Why the tokenizer returns, where it could not go on."""
    if p == CUT:
        return at.NEED_BYTES
    return at.FULL if p == MADE_NO_ROOM else at.NEW_SPELLING if p == UNSPELLED else at.WRONG


@kernel
def markup(b, end, scan):
    """Read what begins with `<` at POSITION."""
    st = scan.state
    begin = st[at.POSITION]
    if begin + 1 == end:
        return CUT
    c = b[begin + 1]
    if c == EXCLAMATION or c == QUESTION:
        return begin_aside(b, end, scan)
    if c != SLASH and not scan.classes[c] & at.NAME_START:
        return wrong(st, at.BAD_MARKUP, begin + 1)
    if (
        st[at.SEARCHED] > begin and tag_end(b, end, st) == CUT
    ):  # an unfinished tag is looked at when its end came
        return CUT
    if c != SLASH and st[at.DEPTH] == 0 and st[at.ROOTS] > 0:
        return wrong(st, at.SECOND_ROOT, begin)
    told = st[at.TOKENS]
    p = end_tag(b, end, scan) if c == SLASH else start_tag(b, end, scan)
    if p - begin > st[at.LONGEST_TAG]:
        p = wrong(st, at.TOO_LONG, begin)
    if p < 0:
        st[at.TOKENS] = told  # a tag that is not whole, or wrong, is not told in part
        if p == CUT:
            tag_end(b, end, st)
    else:
        st[at.SEARCHED], st[at.QUOTE] = 0, 0
        if st[at.DEPTH] == 0:
            st[at.ROOTS] += 1
    return p


@kernel
def text(b, end, scan):
    """Read character data from POSITION up to the next `<`, or as far as it came."""
    st = scan.state
    begin = st[at.POSITION]
    if st[at.DEPTH] == 0:
        return blanks(b, end, scan)
    if st[at.TOKENS] == len(scan.tokens.kind):
        return MADE_NO_ROOM
    kind, p = at.TEXT, begin
    while True:
        p = plain_end(b, p, end, scan.classes)
        if p == end or b[p] == LESS:
            break
        if b[p] == RETURN or b[p] == 38:  # &
            kind = at.CODED_TEXT
        after = special_end(b, p, end, scan)
        if after == INVALID:
            return INVALID
        if after == CUT:
            break
        p = after
    if p == begin:
        return CUT
    if st[at.HEARD] > 0:
        put_token(st, scan.tokens, kind, 0, begin, p)
    return p


@kernel
def blanks(b, end, scan):
    """Outside of the root there are only blanks."""
    p = scan.state[at.POSITION]
    while p < end and b[p] != LESS:
        if not scan.classes[b[p]] & at.SPACE:
            return wrong(scan.state, at.OUTSIDE, p)
        p += 1
    return p
