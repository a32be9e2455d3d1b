"""Runs of siblings: of all runs the one that begins first, of those the longest, and then anew after it.

No child is read twice. An attempt is the set of all readings that begin at one child. While an earlier one is
open, later ones go on beside it, for the case that it comes to nothing or goes no further. No two attempts
are at the same item: if both were, the earlier would end wherever the later does, and win. So there are never
more threads than items.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
from cepheid.matchers.jit import kernel
from cepheid.matchers.twig import layout as at
from cepheid.matchers.twig.readings import (
    begin_attempt,
    drop_attempt,
    go_further,
    next_items,
    pop_root,
    root_items,
)
from cepheid.matchers.twig.records import give_back, meet, release_kid, stir_kid, take


@kernel
def new_reader(t, m, test, s):
    """A standing whose test is a sibling expression reads its children."""
    fa, r = t.code[test + at.TARGET], take(m, at.READERS)
    m.heap[r + at.FA], m.heap[r + at.READER_OWNER] = fa, s
    m.heap[r + at.READER_PLACE] = t.code[test + at.PLACE]
    for place in (at.CURRENT, at.OUTER_KID, at.FIRST, at.UNREAD, at.LAST_KID, at.FIRST_ATTEMPT):
        m.heap[r + place] = at.NONE
    m.heap[r + at.READ], m.heap[r + at.IS_TOUCHED] = 0, 0
    m.heap[r + at.RELEVANT] = t.code[fa + at.START_SET]
    outer = m.heap[s + at.OUTER]
    if outer != at.NONE:
        k = m.heap[reader_of(m, outer, fa) + at.CURRENT]
        m.heap[r + at.OUTER_KID] = k
        m.heap[k + at.KID_USES] += 1
    m.heap[r + at.NEXT] = m.heap[s + at.READER]
    m.heap[s + at.READER] = r


@kernel
def reader_of(m, s, fa):
    """The reader of a standing that has this automaton."""
    r = m.heap[s + at.READER]
    while m.heap[r + at.FA] != fa:
        r = m.heap[r + at.NEXT]
    return r


@kernel
def add_kid(t, m, r, layer):
    """A child begins."""
    k = take(m, at.KIDS)
    m.heap[k + at.NEXT], m.heap[k + at.KID_READER], m.heap[k + at.KID_START] = (
        at.NONE,
        r,
        m.layers[layer, at.START],
    )
    m.heap[k + at.UNKNOWN] = (1 << t.code[m.heap[r + at.FA] + at.ITEMS]) - 1
    m.heap[k + at.HITS], m.heap[k + at.POSSIBLE], m.heap[k + at.IS_CLOSED] = 0, m.heap[k + at.UNKNOWN], 0
    m.heap[k + at.CHOSEN], m.heap[k + at.RUN], m.heap[k + at.KID_WAITING], m.heap[k + at.KID_USES] = (
        at.NOT_CHOSEN,
        -1,
        at.NONE,
        2,
    )
    if m.heap[r + at.FIRST] == at.NONE:
        m.heap[r + at.FIRST] = k
    else:
        m.heap[m.heap[r + at.LAST_KID] + at.NEXT] = k
    m.heap[r + at.LAST_KID], m.heap[r + at.CURRENT] = k, k
    if m.heap[r + at.UNREAD] == at.NONE:
        m.heap[r + at.UNREAD] = k
    m.heap[m.heap[r + at.READER_OWNER] + at.USES] += 1
    m.state[at.QUEUED] += 1
    m.heap[k + at.NEXT_OF_ELEMENT] = m.layers[layer, at.FIRST_KID]
    m.layers[layer, at.FIRST_KID] = k


@kernel
def read_on(t, m, r):
    """Read the children of which all that matters is known."""
    while m.heap[r + at.UNREAD] != at.NONE:
        k = m.heap[r + at.UNREAD]
        unknown = m.heap[k + at.UNKNOWN] & m.heap[r + at.RELEVANT]
        if unknown and asks_for(t, m, r, m.heap[k + at.HITS], unknown):
            if may_end_with(t, m, r, k):
                meet(m, m.heap[r + at.READER_OWNER], 1 << m.heap[r + at.READER_PLACE])
            return
        advance(t, m, r, k)


@kernel
def may_end_with(t, m, r, k):
    """Whether some run ends with a child, whatever else takes it: then the expression holds."""
    first, hits = t.code[m.heap[r + at.FA] + at.FIRST_ITEM], m.heap[k + at.HITS] & m.heap[r + at.RELEVANT]
    for item in range(t.code[m.heap[r + at.FA] + at.ITEMS]):
        if hits >> item & 1 and t.code[first + at.ITEM_SIZE * item + at.ACCEPTING]:
            return True
    return False


@kernel
def asks_for(t, m, r, hits, unknown):
    """Whether it matters which of some items take a child, where others are known to.

    It does not once an earlier attempt may end there, nor where a preferred item goes on as far and may end.
    """
    fa, covered, seen = m.heap[r + at.FA], 0, 0
    a = m.heap[r + at.FIRST_ATTEMPT]
    while a != at.NONE:
        may_end, thread = False, m.heap[a + at.THREADS]
        while thread != at.NONE:
            row = t.code[fa + at.FIRST_ITEM] + at.ITEM_SIZE * m.heap[thread + at.ITEM]
            first, last = t.code[row + at.FOLLOW_ORDER], t.code[row + at.FOLLOW_END]
            covered, may_end, is_asked = weigh(
                t, fa, first, last, (hits & ~seen, unknown & ~seen), covered, may_end
            )
            if is_asked:
                return True
            seen |= t.code[row + at.FOLLOW_SET]
            thread = m.heap[thread + at.NEXT]
        if may_end:
            return False
        a = m.heap[a + at.NEXT]
    first, last = t.code[fa + at.START_ORDER], t.code[fa + at.START_END]
    return weigh(t, fa, first, last, (hits & ~seen, unknown & ~seen), covered, False)[2]


@kernel
def weigh(t, fa, first, last, known, covered, may_end):
    """Go through items by preference: what those that hit cover, whether one may end, if others matter."""
    hits, unknown = known
    for k in range(first, last):
        item = t.code[k]
        row = t.code[fa + at.FIRST_ITEM] + at.ITEM_SIZE * item
        follow, is_accepting = t.code[row + at.FOLLOW_SET], t.code[row + at.ACCEPTING] != 0
        if hits >> item & 1:
            covered |= follow
            may_end = may_end or is_accepting
        elif unknown >> item & 1 and (follow & ~covered or (is_accepting and not may_end)):
            return covered, may_end, True
    return covered, may_end, False


@kernel
def finish(t, m, r):
    """No child follows."""
    read_on(t, m, r)
    a = m.heap[r + at.FIRST_ATTEMPT]
    while a != at.NONE:
        drop_attempt(m, a, False)
        a = m.heap[a + at.NEXT]
    settle(t, m, r)


@kernel
def advance(t, m, r, k):
    """Read one more child: attempts go on, in their order, and where none may end there a new one begins."""
    m.heap[r + at.UNREAD] = m.heap[k + at.NEXT]
    m.state[at.QUEUED] -= 1
    place, left, covered = m.heap[r + at.READ], m.heap[k + at.HITS], 0
    m.heap[k + at.KID_PLACE] = place
    m.heap[r + at.READ] = place + 1
    a, last, may_end = m.heap[r + at.FIRST_ATTEMPT], at.NONE, False
    while a != at.NONE and not may_end:
        left, may_end = go_further(t, m, a, m.heap[r + at.FA], place, left, covered)
        covered |= next_items(t, m, a, m.heap[r + at.FA])
        last, a = a, m.heap[a + at.NEXT]
    if may_end:
        m.heap[last + at.NEXT] = at.NONE
        while a != at.NONE:
            after = m.heap[a + at.NEXT]
            drop_attempt(m, a, True)
            give_back(m, at.ATTEMPTS, a)
            a = after
    elif left & t.code[m.heap[r + at.FA] + at.START_SET]:
        a = take(m, at.ATTEMPTS)
        m.heap[a + at.ATTEMPT_RUN] = m.heap[k + at.KID_START]
        left = begin_attempt(t, m, a, m.heap[r + at.FA], place, left, covered)
        if last == at.NONE:
            m.heap[r + at.FIRST_ATTEMPT] = a
        else:
            m.heap[last + at.NEXT] = a
    m.heap[k + at.POSSIBLE] = m.heap[k + at.HITS] & ~left
    stir_kid(m, k)
    settle(t, m, r)


@kernel
def settle(t, m, r):
    """Drop what came to nothing, place the children that are certain, and note which items matter."""
    drop_empty(m, r)
    while m.heap[r + at.FIRST_ATTEMPT] != at.NONE:
        a = m.heap[r + at.FIRST_ATTEMPT]
        place_before(m, r, m.heap[a + at.ATTEMPT_BEGIN])
        while True:
            item = pop_root(m, a)
            if item < 0:
                break
            place_first(m, r, item, m.heap[a + at.ATTEMPT_RUN])
        note_roots(m, r, a)
        if m.heap[a + at.THREADS] != at.NONE:
            break
        m.heap[r + at.FIRST_ATTEMPT] = m.heap[a + at.NEXT]
        drop_attempt(m, a, True)
        give_back(m, at.ATTEMPTS, a)
    if m.heap[r + at.FIRST_ATTEMPT] == at.NONE:
        place_before(m, r, m.heap[r + at.READ])
    relevant, a = t.code[m.heap[r + at.FA] + at.START_SET], m.heap[r + at.FIRST_ATTEMPT]
    while a != at.NONE:
        relevant |= next_items(t, m, a, m.heap[r + at.FA])
        a = m.heap[a + at.NEXT]
    m.heap[r + at.RELEVANT] = relevant


@kernel
def note_roots(m, r, a):
    """Several items may take the first child that is not placed, but one of them does, in this run."""
    items = root_items(m, a)
    if items == 0:
        return
    k = m.heap[r + at.FIRST]
    if m.heap[k + at.RUN] < 0 or m.heap[k + at.POSSIBLE] & ~items:
        m.heap[k + at.RUN] = m.heap[a + at.ATTEMPT_RUN]
        m.heap[k + at.POSSIBLE] &= items
        stir_kid(m, k)


@kernel
def drop_empty(m, r):
    """Drop attempts that neither go on nor may end; with one that may end, the expression holds."""
    a, last = m.heap[r + at.FIRST_ATTEMPT], at.NONE
    while a != at.NONE:
        after = m.heap[a + at.NEXT]
        if m.heap[a + at.BEST] != at.NONE:
            meet(m, m.heap[r + at.READER_OWNER], 1 << m.heap[r + at.READER_PLACE])
        if m.heap[a + at.BEST] != at.NONE or m.heap[a + at.THREADS] != at.NONE:
            last = a
        else:
            if last == at.NONE:
                m.heap[r + at.FIRST_ATTEMPT] = after
            else:
                m.heap[last + at.NEXT] = after
            give_back(m, at.ATTEMPTS, a)
        a = after


@kernel
def place_before(m, r, place):
    """Children before this one, and not in a run, are in none."""
    while (
        m.heap[r + at.FIRST] != m.heap[r + at.UNREAD]
        and m.heap[r + at.FIRST] != at.NONE
        and m.heap[m.heap[r + at.FIRST] + at.KID_PLACE] < place
    ):
        place_first(m, r, at.NOBODY, -1)


@kernel
def place_first(m, r, item, run):
    """It is certain what takes the first child that is not placed."""
    k = m.heap[r + at.FIRST]
    m.heap[r + at.FIRST] = m.heap[k + at.NEXT]
    m.heap[k + at.CHOSEN], m.heap[k + at.RUN] = item, run
    stir_kid(m, k)
    release_kid(m, k)
