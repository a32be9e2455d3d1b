"""Comments, processing instructions, CDATA and the document type: what is no element and no plain text."""

# mypy: allow-untyped-defs, no-check-untyped-defs
import numpy as np

from cepheid.matchers.jit import kernel
from cepheid.matchers.twig.scan import layout as at
from cepheid.matchers.twig.scan.characters import CUT, INVALID, character, width
from cepheid.matchers.twig.scan.names import LONGEST_NAME, NO_ROOM, name_of
from cepheid.matchers.twig.scan.namespaces import MADE_NO_ROOM
from cepheid.matchers.twig.scan.tags import name_end
from cepheid.matchers.twig.scan.telling import put_token
from cepheid.matchers.twig.scan.text import BRACKET, GREATER, RETURN, wrong

DASH, QUESTION, EXCLAMATION = 45, 63, 33
OPENING = np.frombuffer(b"<![CDATA[", np.uint8)
TYPE = np.frombuffer(b"<!DOCTYPE", np.uint8)


@kernel
def begins(b, p, end, with_):
    """Whether the bytes at `p` are these: 1, 0, or CUT if so far they are."""
    for k in range(len(with_)):
        if p + k == end:
            return CUT
        if b[p + k] != with_[k]:
            return 0
    return 1


@kernel
def begin_aside(b, end, scan):
    """Enter what `<!` or `<?` at POSITION begins."""
    st = scan.state
    begin = st[at.POSITION]
    if b[begin + 1] == QUESTION:
        return begin_instruction(b, end, scan)
    if begin + 2 == end:
        return CUT
    if b[begin + 2] == DASH:
        if begin + 3 == end:
            return CUT
        if b[begin + 3] != DASH:
            return wrong(st, at.BAD_MARKUP, begin)
        st[at.MODE] = at.IN_COMMENT
        return begin + 4
    is_cdata = begins(b, begin, end, OPENING)
    if is_cdata == 1:
        if st[at.DEPTH] == 0:
            return wrong(st, at.OUTSIDE, begin)
        st[at.MODE] = at.IN_CDATA
        return begin + len(OPENING)
    is_type = begins(b, begin, end, TYPE)
    if is_type == 1:
        if st[at.TAGS] > 0:
            return wrong(st, at.LATE_DOCTYPE, begin)
        st[at.MODE] = at.IN_DOCTYPE
        return begin + len(TYPE)
    return CUT if is_cdata == CUT or is_type == CUT else wrong(st, at.BAD_MARKUP, begin)


@kernel
def begin_instruction(b, end, scan):
    """Enter a processing instruction: its name is anything but `xml`."""
    st = scan.state
    begin = st[at.POSITION]
    if begin + 2 == end:
        return CUT
    if not scan.classes[b[begin + 2]] & at.NAME_START:
        return wrong(st, at.BAD_INSTRUCTION, begin)
    after = name_end(b, begin + 2, end, scan.classes)
    if after == end:
        return CUT if after - begin - 2 <= LONGEST_NAME else wrong(st, at.BAD_NAME, begin + 2)
    name = name_of(b, begin + 2, after, scan.names, st)
    if name < 0:
        return MADE_NO_ROOM if name == NO_ROOM else wrong(st, at.BAD_NAME, begin + 2)
    if scan.names.facts[name, at.PREFIX] != at.NONE:
        return wrong(st, at.BAD_COLON, begin + 2)
    is_xml = (
        after - begin == 5
        and b[begin + 2] | 32 == 120
        and b[begin + 3] | 32 == 109
        and b[begin + 4] | 32 == 108
    )
    if not is_xml and b[after] == QUESTION and after + 1 == end:
        return CUT
    is_over = b[after] == QUESTION and after + 1 < end and b[after + 1] == GREATER
    if is_xml or not (scan.classes[b[after]] & at.SPACE or is_over):
        return wrong(st, at.BAD_INSTRUCTION, begin)
    st[at.MODE] = at.IN_INSTRUCTION
    return after


@kernel
def aside(b, end, scan):
    """Go on with what was entered, up to its end."""
    mode = scan.state[at.MODE]
    if mode == at.IN_COMMENT:
        return to_end(b, end, DASH, scan)
    if mode == at.IN_INSTRUCTION:
        return to_end(b, end, QUESTION, scan)
    if mode == at.IN_CDATA:
        return to_end(b, end, BRACKET, scan)
    return CUT  # the document type is read by Python


@kernel
def to_end(b, end, mark, scan):
    """Read characters up to `-->`, `?>` or `]]>`; those of CDATA are text."""
    st = scan.state
    begin = st[at.POSITION]
    if mark == BRACKET and st[at.TOKENS] == len(scan.tokens.kind):
        return MADE_NO_ROOM
    marks = 1 if mark == QUESTION else 2
    kind, p = at.TEXT, begin
    while p < end:
        c = b[p]
        if c == mark:
            closing = closes(b, p, end, mark, marks, st)
            if closing == INVALID:
                return INVALID
            if closing == CUT:
                break
            if closing == 1:
                st[at.MODE] = at.CONTENT
                return (
                    told_text(st, scan, kind, begin, p, p + marks + 1) if mark == BRACKET else p + marks + 1
                )
            p += 1
        elif c >= 128:
            found = character(b, p, end)
            if found == INVALID:
                return wrong(st, at.BAD_UTF8, p)
            if found == CUT:
                break
            p += width(found)
        elif c < 32 and c != 9 and c != 10 and c != RETURN:
            return wrong(st, at.BAD_CHARACTER, p)
        else:
            if c == RETURN:
                if p + 1 == end:
                    break
                kind = at.CDATA_TEXT
            p += 1
    if p == begin:
        return CUT
    return told_text(st, scan, kind, begin, p, p) if mark == BRACKET else p


@kernel
def closes(b, p, end, mark, marks, st):
    """Whether the end is at `p`: 1, 0, or CUT; two dashes in a comment are its end or a mistake."""
    for k in range(1, marks):
        if p + k == end:
            return CUT
        if b[p + k] != mark:
            return 0
    if p + marks == end:
        return CUT
    if b[p + marks] == GREATER:
        return 1
    return wrong(st, at.BAD_COMMENT, p) if mark == DASH else 0


@kernel
def told_text(st, scan, kind, start, end, after):
    """Tell of text, if there is any and it is asked for, and go on behind it."""
    if end > start and st[at.HEARD] > 0:
        put_token(st, scan.tokens, kind, 0, start, end)
    return after
