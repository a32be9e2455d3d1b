"""Records on a heap, which is one array: a record is the place where it begins.

How they are taken and given back, and who still refers to a standing or a child.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import kernel
from cepheid.matchers.twig import layout as at


@kernel
def take(m, kind):
    """A record that nobody uses. There is room for one: that was asked before the token was begun."""
    st = m.state
    record = st[at.FREE + kind]
    if record == at.NONE:
        record = st[at.USED]
        st[at.USED] = record + at.SIZES[kind]
    else:
        st[at.FREE + kind] = m.heap[record + at.NEXT]
    return record


@kernel
def give_back(m, kind, record):
    """Nobody uses a record any more."""
    m.heap[record + at.NEXT] = m.state[at.FREE + kind]
    m.state[at.FREE + kind] = record


@kernel
def release(m, s):
    """One refers to a standing no more; without any, it is buried at the end of the token."""
    m.heap[s + at.USES] -= 1
    if m.heap[s + at.USES] == 0:
        m.heap[s + at.NEXT] = m.state[at.DEAD]
        m.state[at.DEAD] = s


@kernel
def release_kid(m, k):
    """One refers to a child no more."""
    m.heap[k + at.KID_USES] -= 1
    if m.heap[k + at.KID_USES] == 0:
        owner = m.heap[m.heap[k + at.KID_READER] + at.READER_OWNER]
        give_back(m, at.KIDS, k)
        release(m, owner)


@kernel
def bury(m):
    """Give back the standings that nobody refers to, and whatever only they referred to."""
    st = m.state
    while st[at.DEAD] != at.NONE:
        s = st[at.DEAD]
        st[at.DEAD] = m.heap[s + at.NEXT]
        r = m.heap[s + at.READER]
        while r != at.NONE:
            after = m.heap[r + at.NEXT]
            if m.heap[r + at.OUTER_KID] != at.NONE:
                release_kid(m, m.heap[r + at.OUTER_KID])
            give_back(m, at.READERS, r)
            r = after
        for place in (at.UP, at.OUTER):
            if m.heap[s + place] != at.NONE:
                release(m, m.heap[s + place])
        if m.heap[s + at.KID] != at.NONE:
            release_kid(m, m.heap[s + at.KID])
        give_back(m, at.STANDINGS, s)


@kernel
def stir(m, head):
    """More is known of something: the rows that wait for it look again."""
    link = head
    while link != at.NONE:
        m.heap[link + at.THING] = at.FAR
        stir_row(m, m.heap[link + at.WATCHER])
        link = m.heap[link + at.THING_NEXT]


@kernel
def stir_row(m, row):
    """Let a row look, at the end of the token."""
    if m.rows[row, at.IS_STIRRED] == 0:
        m.rows[row, at.IS_STIRRED] = 1
        m.rows[row, at.STIRRED_NEXT] = m.state[at.STIRRED]
        m.state[at.STIRRED] = row


@kernel
def stir_kid(m, k):
    """More is known of a child."""
    head = m.heap[k + at.KID_WAITING]
    m.heap[k + at.KID_WAITING] = at.NONE
    stir(m, head)


@kernel
def touch(m, r):
    """A reader may be able to go on."""
    if m.heap[r + at.IS_TOUCHED] == 0:
        m.heap[r + at.IS_TOUCHED] = 1
        m.heap[r + at.TOUCHED_NEXT] = m.state[at.TOUCHED]
        m.state[at.TOUCHED] = r


@kernel
def meet(m, s, bits):
    """Tests of a standing are met; that is followed up later."""
    bits &= m.heap[s + at.UNMET]
    if bits == 0:
        return
    if m.heap[s + at.MET_BITS] == 0:
        m.heap[s + at.MET_NEXT] = m.state[at.MET]
        m.state[at.MET] = s
    m.heap[s + at.MET_BITS] |= bits
