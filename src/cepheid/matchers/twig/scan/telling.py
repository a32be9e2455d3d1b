"""What the tokenizer tells: tags and texts that somebody asks for."""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import inlined
from cepheid.matchers.twig.scan import layout as at


@inlined
def put_token(st, tokens, kind, name, start, end):
    """Tell of one more; there is room, as the caller knows."""
    n = st[at.TOKENS]
    tokens.kind[n], tokens.name[n], tokens.start[n], tokens.end[n] = kind, name, start, end
    st[at.TOKENS] = n + 1


@inlined
def put_tag(scan, kind, name, start, end, depth):
    """Tell of a tag; so many elements are open around its element."""
    scan.tokens.depth[scan.state[at.TOKENS]] = depth
    put_token(scan.state, scan.tokens, kind, name, start, end)


@inlined
def begin_hearing(scan, name, depth):
    """An element begins whose text may be asked for."""
    if scan.state[at.HEARD] == 0 and scan.names.asked[name] & at.ITS_TEXT != 0:
        scan.state[at.HEARD] = depth + 1


@inlined
def end_hearing(scan, depth):
    """An element ends."""
    if scan.state[at.HEARD] == depth + 1:
        scan.state[at.HEARD] = 0


@inlined
def is_told(scan, name, depth):
    """Whether somebody wants to hear of an element: for its name, or because it is a child. So many elements
    are open around it."""
    asked = scan.names.asked
    if asked[name] & at.ITSELF != 0 or depth == 0:
        return True
    return asked[scan.open[depth - 1]] & at.ITS_CHILDREN != 0
